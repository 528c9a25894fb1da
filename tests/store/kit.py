"""What the store's tests share: a clock that is turned by hand, disks that refuse, small events."""

from __future__ import annotations

import errno
import heapq
import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Literal

from sam_py.messages.history import MessageAdded
from sam_py.messages.message import AssistantMessage, UserMessage
from sam_py.messages.parts import TextPart
from sam_py.store.disk import Disk

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


class HandClock:
    """A clock for `Autosave` and `Library`: time passes when a test says so."""

    class _Timer:
        def __init__(self, at: float, callback: Callable[[], None]) -> None:
            self.at = at
            self.callback = callback
            self.cancelled = False

        def cancel(self) -> None:
            self.cancelled = True

    def __init__(self) -> None:
        self._now = 100.0
        self._timers: list[tuple[float, int, HandClock._Timer]] = []
        self._count = itertools.count()

    def time(self) -> float:
        return self._now

    def call_later(self, delay: float, callback: Callable[[], None], /) -> HandClock._Timer:
        timer = self._Timer(self._now + delay, callback)
        heapq.heappush(self._timers, (timer.at, next(self._count), timer))
        return timer

    def pass_s(self, seconds: float) -> None:
        """Let time pass; timers that fall due are called at their moment."""
        end = self._now + seconds
        while self._timers and self._timers[0][0] <= end:
            at, _number, timer = heapq.heappop(self._timers)
            self._now = max(self._now, at)
            if not timer.cancelled:
                timer.callback()
        self._now = end

    @property
    def pending(self) -> int:
        return sum(not timer.cancelled for _at, _number, timer in self._timers)


class RefusingDisk(Disk):
    """The real disk, until `refuse` says otherwise.

    ``full``: after `free` more bytes a write writes what fits and the next fails. ``read_only``: nothing may be
    opened for writing. ``sync``: syncing fails after the bytes were taken.
    """

    def __init__(self) -> None:
        super().__init__()
        self.refuse: Literal["", "full", "read_only", "sync"] = ""
        self.free = 0
        self.writes = 0

    def open(self, path: str, how: Literal["append", "new", "cut"]) -> int:
        if self.refuse == "read_only":
            raise OSError(errno.EROFS, "Read-only file system", path)
        return super().open(path, how)

    def make_folder(self, path: str) -> None:
        if self.refuse == "read_only":
            raise OSError(errno.EROFS, "Read-only file system", path)
        super().make_folder(path)

    def write(self, fd: int, data: memoryview) -> int:
        self.writes += 1
        if self.refuse == "full":
            if self.free <= 0:
                raise OSError(errno.ENOSPC, "No space left on device")
            written = super().write(fd, data[: self.free])
            self.free -= written
            return written
        return super().write(fd, data)

    def sync(self, fd: int) -> None:
        if self.refuse == "sync":
            raise OSError(errno.EIO, "Input/output error")
        super().sync(fd)


def said(id: str, text: str, parent_id: str | None = None, *, at_s: float = 0.0) -> MessageAdded:
    """A user's message, as an event."""
    created = START + timedelta(seconds=at_s)
    return MessageAdded(
        message=UserMessage(id=id, parent_id=parent_id, created_at=created, parts=(TextPart(text=text),))
    )


def answered(id: str, text: str, parent_id: str | None = None, *, at_s: float = 0.0) -> MessageAdded:
    created = START + timedelta(seconds=at_s)
    message = AssistantMessage(
        id=id, parent_id=parent_id, created_at=created, parts=(TextPart(text=text),), stop_reason="stop"
    )
    return MessageAdded(message=message)
