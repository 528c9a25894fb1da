"""Two real Syncthing programs on 127.0.0.1 that keep two folders alike, with nothing but each other to talk to."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any

PROGRAM = shutil.which("syncthing")
PATIENCE_S = 60.0
_KEY = "test"


class Syncthing:
    """One Syncthing with a home of its own. `start` and `stop` are a network that comes and goes."""

    def __init__(self, home: Path, folder: Path) -> None:
        assert PROGRAM is not None
        self.home = home
        self.folder = folder
        self.port = _free_port()
        self.gui = _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        made = subprocess.run(
            [PROGRAM, "generate", f"--home={home}", "--no-default-folder", "--skip-port-probing"],
            check=True,
            capture_output=True,
            text=True,
        )
        found = re.search(r"([A-Z2-7]{7}-){7}[A-Z2-7]{7}", made.stdout + made.stderr)
        text = found.group() if found else ""
        self.id = text or re.findall(r'<device id="([^"]+)"', (home / "config.xml").read_text())[0]

    def configure(self, other: Syncthing) -> None:
        (self.home / "config.xml").write_text(
            f"""<configuration version="36">
  <folder id="sam" label="sam" path="{self.folder}" type="sendreceive" rescanIntervalS="3600" fsWatcherEnabled="true"
      fsWatcherDelayS="1" ignorePerms="false" autoNormalize="true">
    <filesystemType>basic</filesystemType>
    <device id="{self.id}"></device>
    <device id="{other.id}"></device>
  </folder>
  <device id="{self.id}" name="here"><address>dynamic</address></device>
  <device id="{other.id}" name="there"><address>tcp://127.0.0.1:{other.port}</address></device>
  <gui enabled="true" tls="false"><address>127.0.0.1:{self.gui}</address><apikey>{_KEY}</apikey></gui>
  <options>
    <listenAddress>tcp://127.0.0.1:{self.port}</listenAddress>
    <globalAnnounceEnabled>false</globalAnnounceEnabled>
    <localAnnounceEnabled>false</localAnnounceEnabled>
    <relaysEnabled>false</relaysEnabled>
    <natEnabled>false</natEnabled>
    <reconnectionIntervalS>1</reconnectionIntervalS>
    <startBrowser>false</startBrowser>
    <urAccepted>-1</urAccepted>
    <crashReportingEnabled>false</crashReportingEnabled>
    <autoUpgradeIntervalH>0</autoUpgradeIntervalH>
  </options>
</configuration>
"""
        )

    def start(self) -> None:
        assert PROGRAM is not None
        command = [PROGRAM, "serve", f"--home={self.home}", "--no-browser", "--no-restart", "--no-upgrade"]
        with (self.home / "out.log").open("ab") as said:
            self._process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
        self._until(lambda: self.ask("system/ping"), "Syncthing to answer")

    def stop(self) -> None:
        """Off the network; what changes now is found at the next start."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None

    def ask(self, path: str, *, post: bool = False) -> Any:
        """An answer of its REST interface."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.gui}/rest/{path}", headers={"X-API-Key": _KEY}, method="POST" if post else "GET"
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            body = answer.read()
        return json.loads(body) if body else {}

    def is_level(self, other: Syncthing) -> bool:
        """Whether both hold the same and nothing is on its way."""
        self.ask("db/scan?folder=sam", post=True)
        status = self.ask("db/status?folder=sam")
        completion = self.ask(f"db/completion?folder=sam&device={other.id}")
        return bool(status["state"] == "idle" and status["needTotalItems"] == 0 and completion["completion"] == 100)

    def _until(self, what: Any, name: str) -> None:
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                if what():
                    return
            except (OSError, urllib.error.URLError):
                pass
            assert time.monotonic() < end, f"{name}: {(self.home / 'out.log').read_text()[-2000:]}"
            time.sleep(0.05)


class Pair:
    """Two that know each other; ended with the ``with`` block."""

    def __init__(self, home: Path, one: Path, other: Path) -> None:
        self.one = Syncthing(home / "one", one)
        self.other = Syncthing(home / "other", other)
        for folder in (one, other):
            (folder / ".stfolder").mkdir(parents=True, exist_ok=True)
        self.one.configure(self.other)
        self.other.configure(self.one)

    def is_level(self) -> bool:
        """Whether both folders are the same now. Asked twice: what the first answer set off is seen by the second."""
        try:
            return all(
                here.is_level(there)
                for _twice in range(2)
                for here, there in ((self.one, self.other), (self.other, self.one))
            )
        except (OSError, urllib.error.URLError):
            return False

    def __enter__(self) -> Pair:
        try:
            self.one.start()
            self.other.start()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.one.stop()
        self.other.stop()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
