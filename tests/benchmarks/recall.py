"""What the search by meaning adds: how much of what answers a question is among the first ten hits."""

from __future__ import annotations

import tempfile
from pathlib import Path

from sam_py.paths import default_paths
from tests.benchmarks.run import Row
from tests.fakes.recall import Recall, asked, measured, remembered

_A_HAIR = 0.01
_ALL = 99
_LIBRARIES = (("147 messages", 0, 0.25), ("547 messages", 400, 0.25), ("547, a model that errs more", 400, 1.0))


def recall(repeats: int) -> list[Row]:
    """20. Recall among the first ten: by words, by meaning, and by both as they are shown. Higher is better.

    The last row of each kind is what both lose against the better of the two. The model's geometry is known
    (tests/fakes/recall.py): this measures the ranks and how they are mixed, not a model.
    """
    del repeats  # nothing of it depends on luck or speed
    rows: list[Row] = []
    for name, chatters, chance in _LIBRARIES:
        with tempfile.TemporaryDirectory() as folder:
            paths = default_paths(Path(folder)).create()
            found = measured(paths, (asked(_ALL), remembered(_ALL)), chatters=chatters, chance=chance)
        for kind, one in zip(("questions", "remembered words"), found, strict=True):
            rows += _rows(f"{name}: {one.questions} {kind}", one)
    return rows


def _rows(name: str, one: Recall) -> list[Row]:
    lost = max(one.words, one.meaning) - one.fused
    return [
        Row(f"{name}, by words", one.words, "recall@10"),
        Row("… by meaning", one.meaning, "recall@10"),
        Row("… by both", one.fused, "recall@10"),
        Row("… lost against the better one", max(0.0, lost), "recall@10", None, _A_HAIR),
    ]
