"""The disk as a port of primitives, and the three durable operations built on them.

`Disk` is the real one. Tests pass in simulated disks that lose power, run full or refuse writes; so every
primitive whose order matters for a crash (write, sync, truncate, rename, sync of a folder) is a method of its own.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from typing import Literal

_BINARY = getattr(os, "O_BINARY", 0)


def _sync_call() -> Callable[[int], None]:
    if sys.platform == "darwin":
        import fcntl

        # fsync(2) on macOS leaves data in the drive's cache; F_FULLFSYNC does not (man 2 fsync).
        return lambda fd: fcntl.fcntl(fd, fcntl.F_FULLFSYNC) and None
    return getattr(os, "fdatasync", os.fsync)


class Disk:
    """Primitives on paths and descriptors. All raise OSError."""

    def __init__(self) -> None:
        self._sync = _sync_call()

    def open(self, path: str, how: Literal["append", "new", "cut"]) -> int:
        """A descriptor: for appending (made where it is not), for a new or emptied file, for cutting."""
        flags = {"append": os.O_RDWR | os.O_CREAT | os.O_APPEND, "new": os.O_WRONLY | os.O_CREAT | os.O_TRUNC}
        return os.open(path, flags.get(how, os.O_WRONLY) | _BINARY, 0o600)

    def write(self, fd: int, data: memoryview) -> int:
        return os.write(fd, data)

    def length(self, fd: int) -> int:
        return os.fstat(fd).st_size

    def last_byte(self, fd: int) -> bytes:
        """The last byte of a file opened for appending; empty for an empty file."""
        if self.length(fd) == 0:
            return b""
        os.lseek(fd, -1, os.SEEK_END)
        return os.read(fd, 1)

    def sync(self, fd: int) -> None:
        """Wait until the file's content is on the disk."""
        self._sync(fd)

    def truncate(self, fd: int, length: int) -> None:
        os.ftruncate(fd, length)

    def close(self, fd: int) -> None:
        os.close(fd)

    def rename(self, source: str, target: str) -> None:
        """Move a file over `target`, or a folder to a free name."""
        os.replace(source, target)

    def unlink(self, path: str) -> None:
        os.unlink(path)

    def sync_folder(self, path: str) -> None:
        """Wait until the names in the folder are on the disk. Windows has no such call: NTFS logs them itself."""
        if sys.platform == "win32":
            return
        fd = os.open(path, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def make_folder(self, path: str) -> None:
        os.mkdir(path, 0o700)

    def exists(self, path: str) -> bool:
        return os.path.exists(path)

    def read(self, path: str) -> bytes:
        with open(path, "rb") as file:
            return file.read()

    def names(self, folder: str) -> list[str]:
        return os.listdir(folder)

    def stat(self, path: str) -> tuple[int, int]:
        """Size in bytes and time of the last change in ns."""
        found = os.stat(path)
        return found.st_size, found.st_mtime_ns


def write_all(disk: Disk, fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[disk.write(fd, rest) :]


def append_durably(disk: Disk, path: str, data: bytes) -> int:
    """Append all of `data` or leave the file as it was; return the file's length after it.

    One write in the usual case. A tail that another writer left without a line break is ended first. The
    file is opened anew each time: a sync program may have replaced it by rename since. The caller syncs
    the folder where the file may be new.
    """
    fd = disk.open(path, "append")
    try:
        end = disk.length(fd)
        if disk.last_byte(fd) not in (b"", b"\n"):
            data = b"\n" + data
        try:
            write_all(disk, fd, data)
            disk.sync(fd)
        except OSError:
            with contextlib.suppress(OSError):  # a record that stays half written is cut or skipped by the reader
                disk.truncate(fd, end)
            raise
        return end + len(data)
    finally:
        disk.close(fd)


def replace_durably(disk: Disk, path: str, data: bytes, unless: Callable[[], bool] = lambda: False) -> bool:
    """Make `data` the content of `path`: after a crash the file has its old or its new content, whole.

    `unless` is asked in the last moment: where it says so the file stays as it is, and False is returned.
    """
    temporary = f"{path}.tmp{os.getpid()}"
    try:
        fd = disk.open(temporary, "new")
        try:
            write_all(disk, fd, data)
            disk.sync(fd)
        finally:
            disk.close(fd)
        if unless():
            disk.unlink(temporary)
            return False
        disk.rename(temporary, path)
    except OSError:
        with contextlib.suppress(OSError):  # it may not have been made
            disk.unlink(temporary)
        raise
    disk.sync_folder(os.path.dirname(path))
    return True


def cut_durably(disk: Disk, path: str, length: int) -> None:
    """Shorten the file to `length` bytes."""
    fd = disk.open(path, "cut")
    try:
        disk.truncate(fd, length)
        disk.sync(fd)
    finally:
        disk.close(fd)
