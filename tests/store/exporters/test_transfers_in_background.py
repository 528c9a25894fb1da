"""Exports and imports on their own thread: progress on the loop, and a good end when they are cancelled."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from sam_py.store.exporters.atomic import written_whole
from sam_py.store.exporters.background import Progress, Task, in_background
from sam_py.store.exporters.errors import Cancelled
from sam_py.store.exporters.run import Wanted, all_conversations, export
from tests.store.exporters.shelves import library, put
from tests.store.kit import said


def test_cancelling_waits_until_the_work_has_cleaned_up(tmp_path: Path) -> None:
    target = tmp_path / "x"
    begun = threading.Event()

    def work(task: Task) -> None:
        with written_whole(target) as out:
            out.write(b"half")
            begun.set()
            while True:
                task.check()

    async def story() -> None:
        running = asyncio.ensure_future(in_background(work))
        await asyncio.to_thread(begun.wait, 30)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(story())
    assert list(tmp_path.iterdir()) == []


def test_an_export_tells_how_far_it_is_on_the_loop_s_thread(tmp_path: Path) -> None:
    home = library(tmp_path / "home")
    for number in range(3):
        put(home, str(number) * 32, [said("m", f"Words {number}")])
    told: list[tuple[Progress, str]] = []

    async def story() -> None:
        def tell(progress: Progress) -> None:
            told.append((progress, threading.current_thread().name))

        wanted = Wanted(tuple(all_conversations(home)))
        report = await export(home, wanted, "text", tmp_path / "x.zip", tell)
        assert (report.conversations, report.messages) == (3, 3)
        await asyncio.sleep(0)

    asyncio.run(story())
    assert [progress.done for progress, _thread in told] == [0, 1, 2]
    assert {progress.total for progress, _thread in told} == {3}
    assert {thread for _progress, thread in told} == {threading.current_thread().name}


def test_a_task_that_is_stopped_goes_no_further() -> None:
    task = Task()
    task.stop()
    with pytest.raises(Cancelled):
        task.progress(1, 2)
