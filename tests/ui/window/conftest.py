"""The loop that window tests run on."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import shiboken6
from PySide6.QtWidgets import QWidget

from tests.fakes.sitting import Sitting, make_runner


@pytest.fixture
def run(qapp: Any) -> Iterator[Callable[[Any], Any]]:
    """Run a coroutine on the program's own event loop."""
    gc.collect()
    gc.freeze()  # a window that lived long gave back all that was set aside
    loop, run = make_runner(qapp)
    with loop:
        yield run
        left = [task.get_name() for task in asyncio.all_tasks(loop)]
    asyncio.set_event_loop(None)
    gc.collect()  # a closed window goes on this thread, not on one that the next test happens to start
    assert left == []


@pytest.fixture
def sit_down(qapp: Any, tmp_path: Path) -> Iterator[Callable[[], Sitting]]:
    """Start the program on the test's own folder; again gives the same folder. Its windows end with the test.

    A window that is only closed lives on, and whatever changes the style of all widgets pays for it.
    """
    windows: list[QWidget] = []

    def sit() -> Sitting:
        sitting = Sitting(qapp, tmp_path / "home")
        windows.append(sitting.window)
        return sitting

    yield sit
    for window in windows:
        if shiboken6.isValid(window):
            shiboken6.delete(window)
