"""SimDisk: a disk that forgets what was not synced, or keeps a part of it, when the power goes.

After SQLite's crash tests and ALICE (OSDI'14): names and contents have a current and a durable state. A crash is
raised before a chosen primitive; `power_loss` then draws one of the states that a real disk may be in: any prefix
of the unsynced name changes, any prefix of a file's unsynced writes, the next one torn, zero-filled or stale.
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, field
from typing import Literal

from sam_py.store.disk import Disk


class PowerLoss(BaseException):
    """The power went. No `except Exception` may survive it."""


@dataclass
class _File:
    now: bytearray = field(default_factory=bytearray)
    durable: bytes = b""
    pending: list[tuple[str, bytes, int]] = field(default_factory=list)


_FOLDER = _File()


class SimDisk(Disk):
    """Flags make it lie, for the negative controls: a store that trusts such a disk must be caught losing data."""

    def __init__(
        self, *, sync_lies: bool = False, folder_sync_lies: bool = False, new_file_sync_lies: bool = False
    ) -> None:
        self.sync_lies = sync_lies
        self.folder_sync_lies = folder_sync_lies
        self.new_file_sync_lies = new_file_sync_lies
        self.crash_at: int | None = None
        self.ticks = 0
        self._names: dict[str, _File] = {"/c": _FOLDER}
        self._durable: dict[str, _File] = {"/c": _FOLDER}
        self._pending: list[tuple[str, str, str, _File]] = []
        self._open: dict[int, tuple[_File, str]] = {}

    def _tick(self) -> None:
        self.ticks += 1
        if self.crash_at is not None and self.ticks >= self.crash_at:
            raise PowerLoss

    def open(self, path: str, how: Literal["append", "new", "cut"]) -> int:
        if path not in self._names:
            if how == "cut":
                raise FileNotFoundError(path)
            if os.path.dirname(path) not in self._names:
                raise FileNotFoundError(path)
            self._tick()
            self._names[path] = _File()
            self._pending.append(("link", path, "", self._names[path]))
        file = self._names[path]
        if how == "new" and file.now:
            self._cut(file, 0)
        fd = len(self._open) + 3
        self._open[fd] = (file, how)
        return fd

    def write(self, fd: int, data: memoryview) -> int:
        file, _how = self._open[fd]
        half = len(data) // 2
        for piece in (bytes(data[:half]), bytes(data[half:])):
            self._tick()
            file.now += piece
            file.pending.append(("write", piece, 0))
        return len(data)

    def length(self, fd: int) -> int:
        return len(self._open[fd][0].now)

    def last_byte(self, fd: int) -> bytes:
        return bytes(self._open[fd][0].now[-1:])

    def sync(self, fd: int) -> None:
        self._tick()
        file, how = self._open[fd]
        if not self.sync_lies and not (self.new_file_sync_lies and how == "new"):
            file.durable = bytes(file.now)
            file.pending.clear()

    def truncate(self, fd: int, length: int) -> None:
        self._cut(self._open[fd][0], length)

    def _cut(self, file: _File, length: int) -> None:
        self._tick()
        del file.now[length:]
        file.pending.append(("cut", b"", length))

    def close(self, fd: int) -> None:
        self._open[fd] = (_File(), "closed")

    def rename(self, source: str, target: str) -> None:
        self._tick()
        file = self._names[target] = self._names.pop(source)
        self._pending.append(("rename", target, source, file))

    def unlink(self, path: str) -> None:
        self._tick()
        self._pending.append(("unlink", path, "", self._names.pop(path)))

    def sync_folder(self, path: str) -> None:
        self._tick()
        if self.folder_sync_lies:
            return
        kept = []
        for change in self._pending:
            if os.path.dirname(change[1]) == path:
                self._apply(change)
            else:
                kept.append(change)
        self._pending = kept

    def make_folder(self, path: str) -> None:
        self._tick()
        self._names[path] = _FOLDER
        self._pending.append(("link", path, "", _FOLDER))

    def exists(self, path: str) -> bool:
        return path in self._names

    def read(self, path: str) -> bytes:
        if path not in self._names:
            raise FileNotFoundError(path)
        return bytes(self._names[path].now)

    def names(self, folder: str) -> list[str]:
        if folder not in self._names:
            raise FileNotFoundError(folder)
        return [os.path.basename(path) for path in self._names if os.path.dirname(path) == folder]

    def stat(self, path: str) -> tuple[int, int]:
        if path not in self._names:
            raise FileNotFoundError(path)
        return len(self._names[path].now), self.ticks

    def _apply(self, change: tuple[str, str, str, _File]) -> None:
        how, path, source, file = change
        if how == "unlink":
            self._durable.pop(path, None)
            return
        if how == "rename":
            self._durable.pop(source, None)
        self._durable[path] = file

    def power_loss(self, rnd: random.Random) -> None:
        """Become what the disk may hold when the power comes back."""
        self.crash_at = None
        self.ticks = 0
        self._open.clear()
        for change in self._pending[: rnd.randint(0, len(self._pending))]:
            self._apply(change)
        self._pending.clear()
        self._durable = {p: f for p, f in self._durable.items() if p == "/c" or os.path.dirname(p) in self._durable}
        self._names = dict(self._durable)
        for file in {id(file): file for file in self._names.values() if file is not _FOLDER}.values():
            self._lose(file, rnd)

    @staticmethod
    def _lose(file: _File, rnd: random.Random) -> None:
        content = bytearray(file.durable)
        kept = rnd.randint(0, len(file.pending))
        for how, data, length in file.pending[:kept]:
            if how == "cut":
                del content[length:]
            else:
                content += data
        if kept < len(file.pending) and file.pending[kept][0] == "write":
            data = file.pending[kept][1]
            cut = rnd.randint(0, len(data))
            content += data[:cut]
            mode = rnd.random()
            if mode < 0.3:
                content += b"\0" * (len(data) - cut)
            elif mode < 0.45:
                content += rnd.randbytes(len(data) - cut)
        file.now = bytearray(content)
        file.durable = bytes(content)
        file.pending = []
