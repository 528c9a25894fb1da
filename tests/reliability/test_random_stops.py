"""The short form of `random_stops`, over answers that were written after the protocols."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.reliability.random_stops import stop_often
from tests.reliability.stop_streams import written_answers


def test_a_stop_at_any_instant_loses_nothing_and_the_next_request_is_valid(tmp_path: Path) -> None:
    verdict = asyncio.run(stop_often(tmp_path, 40, 1, written_answers(), pace=0.1))
    assert verdict.faults == []
    assert len(verdict.kinds) == 3
    assert verdict.results["success"]
    assert verdict.results["aborted"]
    assert verdict.closed_s
