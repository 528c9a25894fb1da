"""The short form of `damaged_files`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.reliability.damaged_files import try_often


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks a process that has imported Qt")
def test_a_program_starts_on_damaged_files_and_throws_nothing_away(tmp_path: Path) -> None:
    verdict = try_often(tmp_path, (0, 1, 2), seed=3)
    assert verdict.lost == []
    assert verdict.starts == 3
