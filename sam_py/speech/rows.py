"""A table's rows and their cells."""

from __future__ import annotations


def cell_count(row: str) -> int:
    """How many cells a row has; 0 without a pipe."""
    row = row.strip()
    if "|" not in row:
        return 0
    return len(split_row(row))


def split_row(row: str) -> list[tuple[str, int]]:
    r"""Return a row's cells, each with where it stands in the row.

    ``\|`` and a pipe in code that is closed belong to the cell.

    >>> split_row(r"| a \| b | `c|d` |")
    [('a \\| b', 2), ('`c|d`', 11)]
    """
    end = len(row.rstrip())
    start = len(row) - len(row.lstrip())
    if row[start : start + 1] == "|":
        start += 1
    if end > start and row[end - 1] == "|" and row[end - 2] != "\\":
        end -= 1
    pieces: list[tuple[int, int]] = []
    at, code = start, False
    last_tick = row.rfind("`", start, end)
    while at < end:
        char = row[at]
        if char == "\\":
            at += 1
        elif char == "`":
            code = not code and at < last_tick
        elif char == "|" and not code:
            pieces.append((start, at))
            start = at + 1
        at += 1
    pieces.append((start, end))
    cells = []
    for first, last in pieces:
        cell = row[first:last]
        cells.append((cell.strip(), first + len(cell) - len(cell.lstrip())))
    return cells
