"""Writer: the one thread for blocking work. Results come back to the loop; nothing on the loop waits for a disk."""

from __future__ import annotations

import asyncio
import itertools
import logging
import queue
import threading
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

log = logging.getLogger(__name__)

Result = TypeVar("Result")

SAVE, READ, BACKGROUND = 0, 1, 2
"""Ranks of work: what waits with a lower number goes first."""


class Timer(Protocol):
    def cancel(self) -> None: ...


class Clock(Protocol):
    """What timing needs; an asyncio loop is one. Times in seconds."""

    def time(self) -> float: ...
    def call_later(self, delay: float, callback: Callable[[], None], /) -> Timer: ...


class LoopClock:
    """The running loop's clock."""

    def time(self) -> float:
        return asyncio.get_running_loop().time()

    def call_later(self, delay: float, callback: Callable[[], None], /) -> Timer:
        return asyncio.get_running_loop().call_later(delay, callback)


class Writer:
    """Runs functions one after the other on its own thread, begun with the first of them.

    Within a rank the order is that of `run`. A function's exception is the exception of its future.
    """

    def __init__(self, name: str = "sam-store") -> None:
        self._name = name
        self._queue: queue.PriorityQueue[tuple[int, int, Callable[[], None] | None]] = queue.PriorityQueue()
        self._count = itertools.count()
        self._thread: threading.Thread | None = None
        self._closed = False

    def run(self, work: Callable[[], Result], rank: int = SAVE) -> asyncio.Future[Result]:
        """Queue `work`; the future ends on the loop that called. Awaiting it may be cancelled, the work goes on."""
        if self._closed:
            raise RuntimeError("the writer is closed")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()

        def job() -> None:
            try:
                result = work()
            except Exception as error:  # noqa: BLE001 - it is the caller's: the thread serves the others
                self._back(loop, _fail, future, error)
            else:
                self._back(loop, _finish, future, result)

        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name=self._name, daemon=True)
            self._thread.start()
        self._queue.put((rank, next(self._count), job))
        return future

    async def aclose(self) -> None:
        """Finish what is queued, then end the thread."""
        if self._closed:
            return
        self._closed = True
        if self._thread is None:
            return
        done = asyncio.get_running_loop().create_future()
        loop = asyncio.get_running_loop()
        self._queue.put((BACKGROUND + 1, next(self._count), lambda: self._back(loop, _finish, done, None)))
        self._queue.put((BACKGROUND + 1, next(self._count), None))
        await done
        self._thread.join()

    def _serve(self) -> None:
        while True:
            _rank, _number, job = self._queue.get()
            if job is None:
                return
            job()
            del job  # else the last job's data lives until the next one

    @staticmethod
    def _back(loop: asyncio.AbstractEventLoop, end: Callable[..., None], *arguments: Any) -> None:
        try:
            loop.call_soon_threadsafe(end, *arguments)
        except RuntimeError:  # the loop was closed meanwhile: nobody is there to hear it
            log.warning("a result of the store came after the loop was closed: %r", arguments[1:])


def _finish(future: asyncio.Future[Any], result: object) -> None:
    if not future.done():
        future.set_result(result)


def _fail(future: asyncio.Future[Any], error: BaseException) -> None:
    if not future.done():
        future.set_exception(error)
