"""Tables as Markdown: every row has all columns, and no cell breaks its row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sam_py.store.documents.limits import LONGEST_CELL, MOST_COLUMNS

_ESCAPES = str.maketrans({"|": "\\|", "\n": " ", "\r": " ", "\t": " ", "\x00": ""})


def table(rows: Iterable[Sequence[str]]) -> str:
    """`rows` as a Markdown table whose first row is its head; "" where all are empty.

    Rows and columns that are empty throughout are left out; a short row is filled up.

    >>> print(table([["Item", "Price"], ["Tea | cup", "2.50"], ["Salt"]]))
    | Item | Price |
    | --- | --- |
    | Tea \\| cup | 2.50 |
    | Salt |  |
    """
    cells = [[cell(each) for each in row[:MOST_COLUMNS]] for row in rows]
    cells = [row for row in cells if any(row)]
    width = max((len(row) for row in cells), default=0)
    used = [column for column in range(width) if any(column < len(row) and row[column] for row in cells)]
    if not used:
        return ""
    lines = [_line([row[column] if column < len(row) else "" for column in used]) for row in cells]
    lines.insert(1, _line(["---"] * len(used)))
    return "\n".join(lines)


def cell(text: str) -> str:
    """`text` on one line that a table can hold.

    >>> cell(" two\\nlines "), len(cell("x" * 100_000))
    ('two lines', 5001)
    """
    text = text.strip()
    if len(text) > LONGEST_CELL:
        text = f"{text[:LONGEST_CELL]}…"
    return text.translate(_ESCAPES)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
