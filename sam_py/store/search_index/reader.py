"""Reader: a thread with its own connection that answers question after question, and lets go of outdated ones."""

from __future__ import annotations

import asyncio
import logging
import queue
import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from sam_py.store.search_index.database import identity, open_to_read

log = logging.getLogger(__name__)

Answer = TypeVar("Answer")
_LOOK_EVERY = 2_000
"""Steps of SQLite's machine: some tens of microseconds."""

Work = Callable[[sqlite3.Connection], Answer]


def is_broken_off(error: BaseException) -> bool:
    """Whether the question may simply be asked again."""
    return isinstance(error, sqlite3.OperationalError) and "interrupted" in str(error)


class _Job:
    __slots__ = ("future", "is_outdated", "loop", "work")

    def __init__(self, work: Work[Any], loop: asyncio.AbstractEventLoop) -> None:
        self.work = work
        self.loop = loop
        self.future: asyncio.Future[Any] = loop.create_future()
        self.is_outdated = False


class Reader:
    """Made and asked on the loop's thread. What SQLite or the disk says is the exception of the question."""

    def __init__(self, path: Path, name: str) -> None:
        self._path = path
        self._name = name
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._at_work = threading.Lock()
        """Held while the connection is used."""
        self._current: _Job | None = None
        self._connection: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None

    async def ask(self, work: Work[Answer]) -> Answer:
        """The answer of `work`. Cancelling ends it within a few milliseconds, whether it runs or waits."""
        job = _Job(work, asyncio.get_running_loop())
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name=self._name, daemon=True)
            self._thread.start()
        self._jobs.put(job)
        try:
            answer: Answer = await job.future
        except asyncio.CancelledError:
            job.is_outdated = True
            raise
        return answer

    def let_go(self) -> None:
        """Close the connection, so that the file can be deleted; the next question opens it again. From any thread.

        A question that is being answered fails (`is_broken_off`).
        """
        if (job := self._current) is not None:
            job.is_outdated = True
        with self._at_work:
            self._close()

    async def aclose(self) -> None:
        """End the thread; what still waits is answered first."""
        thread = self._thread
        if thread is None:
            return
        self._thread = None
        self._jobs.put(None)
        while thread.is_alive():
            await asyncio.sleep(0.005)
        self._close()

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            if job.is_outdated:
                continue
            self._current = job
            try:
                with self._at_work:
                    answer = job.work(self._open())
            except Exception as error:  # noqa: BLE001 - it is the asker's: the thread serves the others
                self._back(job, error, is_error=True)
            else:
                self._back(job, answer, is_error=False)
            finally:
                self._current = None
            del job

    def _open(self) -> sqlite3.Connection:
        now = identity(self._path)
        if self._connection is not None and now != self._identity:  # deleted or made anew meanwhile
            self._close()
        if self._connection is None:
            self._connection, self._identity = open_to_read(self._path), now
            self._connection.set_progress_handler(self._is_outdated, _LOOK_EVERY)
        return self._connection

    def _is_outdated(self) -> bool:
        """Asked by SQLite while it works, on this thread: True ends the work. An interrupt between two statements
        would be lost."""
        job = self._current
        return job is not None and job.is_outdated

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()

    @staticmethod
    def _back(job: _Job, answer: Any, *, is_error: bool) -> None:
        def end() -> None:
            if job.future.done():
                return
            if is_error:
                job.future.set_exception(answer)
            else:
                job.future.set_result(answer)

        with suppress(RuntimeError):  # the loop was closed meanwhile: nobody is there to hear it
            job.loop.call_soon_threadsafe(end)
