"""The short form of `kill_program`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.reliability.kill_program import KINDS, kill_often


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks a process that has imported Qt")
def test_ten_killed_programs_lose_nothing_that_they_had_taken(tmp_path: Path) -> None:
    verdicts = kill_often(tmp_path, kills=10, seed=1, longest_s=0.6)
    assert [lost for verdict in verdicts.values() for lost in verdict.lost] == []
    assert {kind: verdict.kills for kind, verdict in verdicts.items() if verdict.kills} == {
        kind: 2 if kind in KINDS[:2] else 1 for kind in KINDS
    }
    assert sum(verdict.requests for verdict in verdicts.values()) > 0
    assert sum(verdict.drafts for verdict in verdicts.values()) > 0
