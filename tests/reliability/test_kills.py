"""The short form of `kill_program`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.reliability.kill_program import kill_often


@pytest.mark.skipif(os.name != "posix", reason="needs a process that can be killed without a word")
def test_a_killed_program_loses_nothing_that_it_had_taken(tmp_path: Path) -> None:
    verdict = kill_often(tmp_path / "home", kills=4, seed=1, longest_s=2.5)
    assert verdict.lost == []
    assert verdict.requests > 0
    assert verdict.drafts > 0
