"""A screen where there is none: an X server that draws into memory. Linux only, standard library only."""

from __future__ import annotations

import os
import select
import socket
import struct
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

START_TIMEOUT_S = 20.0


class NoScreen(Exception):
    """The virtual screen did not start; `str()` says what to do."""


class Shot(NamedTuple):
    """A picture: four bytes a pixel (blue, green, red, nothing), `line_bytes` a line."""

    width_px: int
    height_px: int
    line_bytes: int
    pixels: bytes


class VirtualScreen:
    """Xvfb on a display that it picks itself, until `close()` or the end of the `with` block.

    With `memory`, an existing folder that the server keeps its picture in, `shot()` can be asked for it at any time.
    """

    def __init__(self, width_px: int = 1440, height_px: int = 900, *, memory: Path | None = None) -> None:
        self._memory = memory
        read_fd, write_fd = os.pipe()
        command = ["Xvfb", "-displayfd", str(write_fd), "-screen", "0", f"{width_px}x{height_px}x24"]
        # Without -noreset everything, the pointer's place too, begins anew when the last program on it ends.
        command += ["-noreset", "-nolisten", "tcp", *(["-fbdir", str(memory)] if memory else [])]
        try:
            self._server = subprocess.Popen(
                command,
                pass_fds=[write_fd],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except OSError as problem:
            os.close(read_fd)
            raise NoScreen(f"Xvfb does not start ({problem}): install it and run the same command again.") from problem
        finally:
            os.close(write_fd)
        try:
            self.display = f":{_first_line(read_fd)}"
        except NoScreen:
            self.close()
            raise
        finally:
            os.close(read_fd)

    def shot(self) -> Shot:
        """The screen as it is now."""
        assert self._memory is not None, "this screen was made without a folder for its memory"
        xwd = (self._memory / "Xvfb_screen0").read_bytes()
        header = struct.unpack(">25I", xwd[:100])  # XWDfile.h; the table of colours has 12 bytes for each
        size, width_px, height_px, line_bytes, colours = header[0], header[4], header[5], header[12], header[19]
        return Shot(width_px, height_px, line_bytes, xwd[size + colours * 12 :])

    def close(self) -> None:
        self._server.terminate()
        try:
            self._server.wait(5)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()

    def __enter__(self) -> VirtualScreen:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()


def has_screen(environment: Mapping[str, str]) -> bool:
    """Whether a window can be shown: a Wayland session, or an X server that answers."""
    if environment.get("WAYLAND_DISPLAY"):
        return True
    return x_server_answers(environment.get("DISPLAY", ""))


def x_server_answers(display: str) -> bool:
    """Whether something listens behind ``:0``, ``:1.0`` or ``host:10.0``."""
    host, colon, number = display.rpartition(":")
    number = number.partition(".")[0]
    if not colon or not number.isdigit():
        return False
    if host in ("", "unix"):
        path = f"/tmp/.X11-unix/X{number}"  # noqa: S108  where every X server has its socket
        return _connects(socket.AF_UNIX, path) or _connects(socket.AF_UNIX, f"\0{path}")
    return _connects(socket.AF_INET, (host, 6000 + int(number)))


def _connects(family: socket.AddressFamily, address: str | tuple[str, int]) -> bool:
    with socket.socket(family, socket.SOCK_STREAM) as attempt:
        attempt.settimeout(2.0)
        try:
            attempt.connect(address)
        except OSError:
            return False
        return True


def _first_line(fd: int) -> str:
    """The display's number, which the server writes when it is ready to be used."""
    text = b""
    while not text.endswith(b"\n"):
        ready, _, _ = select.select([fd], [], [], START_TIMEOUT_S)
        chunk = os.read(fd, 16) if ready else b""
        if not chunk:
            log = Path("/tmp/.X11-unix")  # noqa: S108
            raise NoScreen(f"Xvfb did not start: check that {log} can be written to and run the same command again.")
        text += chunk
    return text.decode().strip()
