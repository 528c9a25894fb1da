"""Long work on a thread of its own: progress comes to the loop, cancelling ends it in good order."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from sam_py.store.exporters.errors import Cancelled

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `total` (0: nobody knows) in `unit`; `what` is at hand, a title or a file's name.

    `fraction` of the whole is done, from 0 to 1; None where nobody knows.
    """

    done: int
    total: int
    what: str = ""
    unit: str = "conversations"
    fraction: float | None = None


Tell = Callable[[Progress], None]


class Task:
    """What the work is given: it tells how far it is, and asks at every step whether it shall go on."""

    def __init__(self, tell: Tell | None = None) -> None:
        self._tell = tell
        self._stopped = threading.Event()

    def stop(self) -> None:
        self._stopped.set()

    def check(self) -> None:
        """Raises `Cancelled` where the person stopped it."""
        if self._stopped.is_set():
            raise Cancelled

    def progress(
        self, done: int, total: int, what: str = "", unit: str = "conversations", fraction: float | None = None
    ) -> None:
        self.check()
        if self._tell is not None:
            if fraction is None and total:
                fraction = min(1.0, done / total)
            self._tell(Progress(done, total, what, unit, fraction))


async def in_background(work: Callable[[Task], Result], tell: Tell | None = None) -> Result:
    """Run `work` on a thread; `tell` is called on the loop. Cancelling waits until the work has cleaned up."""
    loop = asyncio.get_running_loop()

    def told(progress: Progress) -> None:
        if tell is not None and not loop.is_closed():
            loop.call_soon_threadsafe(tell, progress)

    task = Task(told)
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="transfer") as pool:
        future = loop.run_in_executor(pool, work, task)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            task.stop()
            await asyncio.wait([future])
            if not future.cancelled():
                future.exception()  # seen: else it is reported as forgotten
            raise
