"""Work on a thread that learns when nobody waits for it any more."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


class Stopped(Exception):
    """Nobody waits for the result: the work ended between two pieces."""


class Stop:
    """Asked between the pieces of work on a thread."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        self._event.set()

    def check(self) -> None:
        """Raises `Stopped` where nobody waits any more."""
        if self._event.is_set():
            raise Stopped


async def on_thread(work: Callable[[Stop], Result]) -> Result:
    """Run `work` on a thread. Cancelled, it returns at once, and `work` ends at its next check."""
    stop = Stop()
    try:
        return await asyncio.to_thread(work, stop)
    except asyncio.CancelledError:
        stop.set()
        raise
