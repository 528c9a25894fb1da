"""PulseServer: a PulseAudio server of our own with loudspeakers that only we hear, and Recorder, which hears them."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

RATE_HZ = 22_050
"""Of the loudspeakers, which have one channel: what is sent in this form is recorded bit for bit."""
PROGRAMS = ("pulseaudio", "pactl", "parec")


def what_is_missing() -> str:
    """A reason to skip; "" where the server can be started."""
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    return f"not on this machine: {', '.join(missing)}" if missing else ""


class PulseServer:
    """Listens on a socket in `folder`; nothing of the machine's own sound system is touched."""

    def __init__(self, folder: Path, *sinks: str, microphone: bool = False) -> None:
        """The first of `sinks` is the default. The microphone hears what the sink "voice" plays."""
        self._folder = folder
        self.address = f"unix:{folder}/socket"
        names = [*sinks, *(("voice",) if microphone else ())]
        lines = [
            f"load-module module-native-protocol-unix socket={folder}/socket auth-anonymous=1",
            # Without norewinds a sink may have mixed two seconds ahead before the first listener comes.
            *(f"load-module module-null-sink sink_name={name} norewinds=1 rate={RATE_HZ} channels=1" for name in names),
            f"set-default-sink {names[0]}",
        ]
        if microphone:
            lines += ["load-module module-remap-source source_name=microphone master=voice.monitor"]
        else:  # else the default source is the default sink's monitor, and its recorder moves when that changes
            lines += ["load-module module-null-source source_name=microphone"]
        lines += ["set-default-source microphone"]
        script = folder / "script.pa"
        script.write_text("\n".join([*lines, ""]))
        environment = {**os.environ, "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder), "PULSE_SERVER": ""}
        environment |= {"PULSE_RUNTIME_PATH": str(folder / "run"), "PULSE_STATE_PATH": str(folder / "state")}
        self._log = (folder / "log.txt").open("wb")
        self._process = subprocess.Popen(
            ["pulseaudio", "-n", "-F", str(script), "--exit-idle-time=-1", "--use-pid-file=no", "--daemonize=no"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
        )
        try:
            self._wait()
        except BaseException:
            self.close()
            raise

    @property
    def environment(self) -> dict[str, str]:
        """For programs that are to use this server."""
        return {**os.environ, "PULSE_SERVER": self.address}

    def ask(self, *words: str) -> str:
        """``pactl``'s answer."""
        done = subprocess.run(
            ["pactl", *words], env=self.environment, capture_output=True, text=True, timeout=20, check=True
        )
        return done.stdout

    def unplug(self, sink: str) -> None:
        for line in self.ask("list", "short", "modules").splitlines():
            if f"sink_name={sink} " in line:
                self.ask("unload-module", line.split("\t")[0])

    def close(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()

    def _wait(self) -> None:
        end = time.monotonic() + 20
        while time.monotonic() < end and self._process.poll() is None:
            with contextlib.suppress(subprocess.SubprocessError):
                if "voice" in self.ask("list", "short", "sinks") or "null" in self.ask("list", "short", "sinks"):
                    return
            time.sleep(0.02)
        raise RuntimeError(f"pulseaudio did not start: {(self._folder / 'log.txt').read_text()[-2000:]}")


@contextlib.contextmanager
def pulse_server(folder: Path, *sinks: str, microphone: bool = False) -> Iterator[PulseServer]:
    server = PulseServer(folder, *sinks, microphone=microphone)
    try:
        yield server
    finally:
        server.close()


class Recorder:
    """Hears one loudspeaker from its making on: `samples()` is what it played, as signed 16-bit numbers of bytes."""

    def __init__(self, server: PulseServer, sink: str) -> None:
        self._process = subprocess.Popen(
            [
                "parec",
                "--raw",
                f"--device={sink}.monitor",
                f"--rate={RATE_HZ}",
                "--channels=1",
                "--format=s16le",
                "--latency-msec=5",
            ],
            env=server.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._pieces: list[tuple[float, bytes]] = []
        self._has_begun = threading.Event()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()
        if not self._has_begun.wait(20):
            self.close()
            raise RuntimeError(f"nothing is to be recorded from {sink}")

    def samples(self) -> bytes:
        return b"".join(piece for _at, piece in tuple(self._pieces))

    def pieces(self) -> list[tuple[float, bytes]]:
        """(`time.monotonic` at which it came, samples)"""
        return list(self._pieces)

    def forget(self) -> None:
        self._pieces = []

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()
        self._thread.join(5)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        rest = b""
        while piece := os.read(self._process.stdout.fileno(), 4096):
            piece = rest + piece
            whole = len(piece) - len(piece) % 2
            rest = piece[whole:]
            self._pieces.append((time.monotonic(), piece[:whole]))
            self._has_begun.set()
