"""CSV: one table, with the delimiter that the file uses."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from sam_py.store.documents.decoding import decoded
from sam_py.store.documents.limits import LONGEST_CELL, Gathering
from sam_py.store.documents.tables import table

_SAMPLE = 8_192
_SLICE = 2_000


def read(path: Path, gathering: Gathering) -> None:
    text = decoded(path.read_bytes())
    csv.field_size_limit(2**31 - 1)
    rows: list[list[str]] = []
    try:
        for number, row in enumerate(csv.reader(io.StringIO(text, newline=""), _dialect(text[:_SAMPLE]))):
            if number % _SLICE == 0:
                gathering.check_time()
            gathering.count_cells(len(row))
            if any(len(each) > LONGEST_CELL for each in row):
                gathering.note(f"Cells of more than {LONGEST_CELL:,} characters are cut.")
            rows.append(row)
    finally:  # also where a limit ends it
        gathering.add("", table(_of_one_width(rows)))


def _of_one_width(rows: list[list[str]]) -> Iterator[list[str]]:
    yield from (row for row in rows if row)


def _dialect(sample: str) -> type[csv.Dialect] | csv.Dialect | str:
    """What divides the fields. Counted over lines: `csv.Sniffer` takes seconds for hostile quotes."""
    lines = [line for line in sample.splitlines()[:20] if line.strip()]

    def fit(delimiter: str) -> tuple[bool, int]:
        counts = [line.count(delimiter) for line in lines]
        return bool(counts) and min(counts) > 0 and len(set(counts)) <= 3, sum(counts)

    best = max(",;\t|", key=fit)

    class Found(csv.excel):
        delimiter = best

    return Found
