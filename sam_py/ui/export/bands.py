"""What of a set document must not be cut: its lines, the rows of its tables; and which rows are repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PySide6.QtGui import QTextBlock, QTextDocument, QTextTable

from sam_py.ui.export.grounds import PAD_PX, Grounds
from sam_py.ui.export.paper import Band

_HIGHEST_ROW = 0.5
"""Of a page's height: a higher row of a table is cut between its lines."""
_HIGHEST_HEAD = 0.2
"""Of a page's height: a higher head of a table is not repeated."""
_CELL_PX = 4.9
"""A cell's padding and line around its text."""


@dataclass(frozen=True, slots=True)
class Head:
    """The first row of a table, and where the table ends: on each further page it stands again."""

    top: float
    bottom: float
    table_bottom: float


Rows = dict[tuple[int, int], tuple[float, float]]


def bands(
    document: QTextDocument, grounds: Grounds, page: float, px: float, *, is_headed: bool
) -> tuple[list[Band], list[Head]]:
    """In the document's own measure. `is_headed`: its first line stands over the others."""
    rows: Rows = {}
    found = list(_lines(document, grounds, rows, PAD_PX * px, is_headed=is_headed))
    heads: dict[int, Head] = {}
    for (table, number), (top, bottom) in _with_borders(rows, px).items():
        if bottom - top <= page * _HIGHEST_ROW:
            found.append(Band(top, bottom, number == 0))  # a table's head is not left alone
        if number == 0 and bottom - top <= page * _HIGHEST_HEAD:
            heads[table] = Head(top, bottom, bottom)
        elif table in heads:
            heads[table] = Head(heads[table].top, heads[table].bottom, bottom)
    return found, list(heads.values())


def repeated(heads: list[Head]) -> Callable[[float], Head | None]:
    """Tells the head that stands again where a page begins at some place."""

    def at(start: float) -> Head | None:
        return next((head for head in heads if head.bottom - 1 <= start < head.table_bottom - 1), None)

    return at


def _lines(document: QTextDocument, grounds: Grounds, rows: Rows, pad: float, *, is_headed: bool) -> Iterator[Band]:
    layout = document.documentLayout()
    block, is_first = document.begin(), is_headed
    while block.isValid():
        number = block.blockNumber()
        text, rect = block.layout(), layout.blockBoundingRect(block)
        above = rect.top() - text.boundingRect().top()
        count = text.lineCount()
        is_heading = is_first or bool(block.blockFormat().headingLevel()) or _stands_over(block, number, grounds)
        row = _row_of(block)
        for at in range(count):
            line = text.lineAt(at)
            top = above + line.y()
            bottom = top + line.height()
            if row is not None:
                known = rows.get(row, (top, bottom))
                rows[row] = (min(known[0], top), max(known[1], bottom))
            if at == 0 and number in grounds.box_starts:
                top -= pad
            if at == count - 1 and number in grounds.box_ends:
                bottom += pad
            held = is_heading or (count > 2 and at in (0, count - 2))
            yield Band(top, bottom, held)
        is_first = False
        block = block.next()


def _with_borders(rows: Rows, px: float) -> Rows:
    """The rows from line to line: what is between two texts is parted below the line there."""
    found: Rows = {}
    for (table, number), (top, bottom) in sorted(rows.items()):
        above = found.get((table, number - 1))
        found[table, number] = (above[1] if above else top - _CELL_PX * px, bottom + _CELL_PX * px)
    return found


def _stands_over(block: QTextBlock, number: int, grounds: Grounds) -> bool:
    """Whether a cut behind a block would leave the name of a box alone, or a box's first or last line."""
    if number in grounds.boxed:
        if number in grounds.box_ends:
            return False
        return number in grounds.box_starts or number + 1 in grounds.box_ends
    return number + 1 in grounds.box_starts and block.layout().lineCount() == 1


def _row_of(block: QTextBlock) -> tuple[int, int] | None:
    """The table that a block stands in, and its row there."""
    table = block.document().frameAt(block.position())
    if not isinstance(table, QTextTable):
        return None
    return table.firstPosition(), table.cellAt(block.position()).row()
