"""Power loss, kill -9 and damaged files, in short form. The long forms: ``python -m tests.store.crash 150`` …"""

from __future__ import annotations

import pytest

from tests.store import corrupt, kill9
from tests.store.crash import sweep
from tests.store.simdisk import SimDisk


def test_power_loss_before_any_primitive_loses_nothing_acknowledged() -> None:
    points, problems = sweep(SimDisk, range(6))
    assert points > 300
    assert not problems


@pytest.mark.parametrize("lie", ["sync_lies", "folder_sync_lies", "new_file_sync_lies"])
def test_the_simulator_finds_what_a_missing_sync_loses(lie: str) -> None:
    _points, problems = sweep(lambda: SimDisk(**{lie: True}), range(2))
    assert problems["lost"] > 0


def test_twenty_real_kills_lose_nothing_acknowledged() -> None:
    seen = kill9.kill(20)
    assert seen["kills"] == 20
    assert seen["saves acknowledged"] > 100
    assert seen["lost"] == 0
    assert seen["unreadable"] == 0


@pytest.mark.parametrize("kind", corrupt.KINDS)
def test_a_damaged_file_keeps_every_untouched_line(kind: str) -> None:
    assert [problem for seed in range(9) for problem in corrupt.check(kind, seed)] == []
