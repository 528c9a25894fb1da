"""The loop and the window that tests of search, pins and jumps use: those of the window's tests."""

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
    gc.freeze()  # as in the window's tests
    loop, run = make_runner(qapp)
    with loop:
        yield run
        left = [task.get_name() for task in asyncio.all_tasks(loop)]
    asyncio.set_event_loop(None)
    gc.collect()
    assert left == []


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def sit_down(qapp: Any, home: Path) -> Iterator[Callable[[], Sitting]]:
    """Start the program on the test's own folder; its windows end with the test."""
    windows: list[QWidget] = []

    def sit() -> Sitting:
        sitting = Sitting(qapp, home)
        windows.append(sitting.window)
        return sitting

    yield sit
    for window in windows:
        if shiboken6.isValid(window):
            shiboken6.delete(window)
