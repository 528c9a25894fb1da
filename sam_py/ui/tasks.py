"""Tasks: coroutines that the window starts. None is forgotten, every failure is shown, quitting ends them all."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from sam_py.errors import SamError

log = logging.getLogger(__name__)


class Tasks:
    """``tasks.spawn(session.send(…))`` is how a slot starts something that takes time."""

    def __init__(self, on_error: Callable[[BaseException], None]) -> None:
        self._on_error = on_error
        self._tasks: set[asyncio.Task[Any]] = set()

    def spawn(self, work: Coroutine[Any, Any, Any], name: str = "") -> asyncio.Task[Any]:
        task = asyncio.get_event_loop().create_task(work, name=name or getattr(work, "__qualname__", "task"))
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    async def aclose(self, timeout_s: float = 5.0) -> None:
        """Cancel what runs and wait until it has ended."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            _done, late = await asyncio.wait(tasks, timeout=timeout_s)
            for task in late:
                log.error("the task %s did not end within %g s", task.get_name(), timeout_s)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if task.cancelled():
            return
        error = task.exception()
        if error is None:
            return
        if not isinstance(error, SamError):
            log.error("the task %s failed", task.get_name(), exc_info=error)
        self._on_error(error)
