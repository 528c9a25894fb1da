"""GarbageCollection: cycles die on the window's thread, and Python gets its collector back."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from sam_py.ui.garbage import GarbageCollection


@pytest.fixture
def garbage(qapp: Any) -> Iterator[GarbageCollection]:
    collection = GarbageCollection()
    yield collection
    collection.stop()
    assert gc.isenabled()


class Cycle:
    """Notes the thread that it dies on."""

    died_on: list[str] = []  # noqa: RUF012

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        self.died_on.append(threading.current_thread().name)


def test_a_busy_worker_collects_nothing(garbage: GarbageCollection) -> None:
    Cycle.died_on.clear()
    Cycle()

    def work() -> None:
        for _ in range(200):
            kept = [[] for _ in range(1000)]
            del kept

    worker = threading.Thread(target=work, name="worker")
    worker.start()
    worker.join()
    assert Cycle.died_on == []
    garbage.settle()
    assert Cycle.died_on == ["MainThread"]
    garbage.stop()
    assert gc.get_freeze_count() == 0


def test_what_others_set_aside_is_left_aside(garbage: GarbageCollection) -> None:
    gc.freeze()
    garbage.stop()
    assert gc.get_freeze_count() > 0


def test_what_piles_up_is_collected_in_its_time(garbage: GarbageCollection) -> None:
    Cycle.died_on.clear()
    cycles = [Cycle() for _ in range(3000)]
    del cycles
    garbage.check()
    assert len(Cycle.died_on) == 3000
