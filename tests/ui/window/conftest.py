"""The loop that window tests run on."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.sitting import Sitting, make_runner


@pytest.fixture
def run(qapp: Any) -> Iterator[Callable[[Any], Any]]:
    """Run a coroutine on the program's own event loop."""
    loop, run = make_runner(qapp)
    with loop:
        yield run
        left = [task.get_name() for task in asyncio.all_tasks(loop)]
    asyncio.set_event_loop(None)
    gc.collect()  # a closed window goes on this thread, not on one that the next test happens to start
    assert left == []


@pytest.fixture
def sit_down(qapp: Any, tmp_path: Path) -> Callable[[], Sitting]:
    """Start the program on the test's own folder; again gives the same folder."""
    return lambda: Sitting(qapp, tmp_path / "home")
