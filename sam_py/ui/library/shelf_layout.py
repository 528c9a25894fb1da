"""ShelfLayout: where each thing of the library stands, by arithmetic alone: cells of one size below their months."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shape:
    """What the cells of a kind measure, in pixels. `cell_height` 0: as high as wide. `most_columns` 0: any number."""

    cell_width: int
    cell_height: int
    gap: int
    head: int
    """the line with the month"""
    most_columns: int = 0
    margin: int = 16
    widest: int = 0
    """of all cells together; 0: as wide as there is room"""


@dataclass(frozen=True, slots=True)
class Box:
    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class _Section:
    first: int
    count: int
    top: int


class ShelfLayout:
    """`firsts` are the rows with which the sections begin (the first one is 0), `count` how many rows there are.

    Making one costs by sections, a question by their logarithm. Two cells never overlap; a row's cell lies below the
    cells of all rows in lines before its own.
    """

    def __init__(self, shape: Shape, width: int, firsts: Sequence[int], count: int) -> None:
        self.shape = shape
        self.count = count
        room = max(1, width - 2 * shape.margin)
        inner = min(room, shape.widest) if shape.widest else room
        self._left = (width - inner) // 2 if shape.widest and room > inner else shape.margin
        self._inner = inner
        self.columns = max(1, (inner + shape.gap) // (shape.cell_width + shape.gap))
        if shape.most_columns:
            self.columns = min(self.columns, shape.most_columns)
        width_of_one = (inner - shape.gap * (self.columns - 1)) // self.columns
        self.cell_width = max(1, width_of_one)
        self.cell_height = shape.cell_height or self.cell_width
        self._line = self.cell_height + shape.gap
        self._sections: list[_Section] = []
        top = 0
        for place, first in enumerate(firsts):
            end = firsts[place + 1] if place + 1 < len(firsts) else count
            if end <= first:
                continue
            self._sections.append(_Section(first, end - first, top))
            lines = -(-(end - first) // self.columns)
            top += shape.head + lines * self._line
        self._firsts = [section.first for section in self._sections]
        self._tops = [section.top for section in self._sections]
        self.height = top + shape.margin if self._sections else 0

    def box(self, row: int) -> Box:
        """Where the cell of a row is. Raises IndexError for a row that there is not."""
        section = self._sections[self._section_of(row)]
        line, column = divmod(row - section.first, self.columns)
        x = self._left + self._x(column)
        return Box(x, section.top + self.shape.head + line * self._line, self.cell_width, self.cell_height)

    def row_at(self, x: int, y: int) -> int | None:
        """The row whose cell has this point in it."""
        place = bisect_right(self._tops, y) - 1
        if place < 0 or not self._sections:
            return None
        section = self._sections[place]
        down = y - section.top - self.shape.head
        line, below = divmod(down, self._line)
        column = self._column_at(x - self._left)
        if down < 0 or below >= self.cell_height or not 0 <= column < self.columns:
            return None
        at = self._left + self._x(column)
        row = section.first + line * self.columns + column
        inside = at <= x < at + self.cell_width and row < section.first + section.count
        return row if inside else None

    def rows_between(self, top: int, bottom: int) -> range:
        """The rows of which something may be seen from `top` to before `bottom`."""
        if not self._sections or bottom <= top:
            return range(0)
        return range(self._row_from(top), self._row_from(bottom, end=True))

    def sections_between(self, top: int, bottom: int) -> list[tuple[int, int, int]]:
        """Of the sections that are seen: their first row, where they begin, and where the next one begins."""
        found = []
        for place in range(max(0, bisect_right(self._tops, top) - 1), len(self._sections)):
            section = self._sections[place]
            if section.top >= bottom:
                break
            found.append((section.first, section.top, self._end(place)))
        return found

    def beside(self, row: int, lines: int) -> int:
        """The row that stands `lines` below (or above, where negative), as nearly under it as there is one."""
        section = self._sections[self._section_of(row)]
        column = (row - section.first) % self.columns
        while lines:
            place = self._section_of(row)
            section = self._sections[place]
            line = (row - section.first) // self.columns
            last_line = (section.count - 1) // self.columns
            if lines > 0:
                step = min(lines, last_line - line)
                if step == 0:
                    if place + 1 == len(self._sections):
                        return row
                    section = self._sections[place + 1]
                    row, lines = section.first + min(column, section.count - 1), lines - 1
                    continue
            else:
                step = -min(-lines, line)
                if step == 0:
                    if place == 0:
                        return row
                    section = self._sections[place - 1]
                    start = (section.count - 1) // self.columns * self.columns
                    row, lines = section.first + min(start + column, section.count - 1), lines + 1
                    continue
            row = section.first + min((line + step) * self.columns + column, section.count - 1)
            lines -= step
        return row

    def _x(self, column: int) -> int:
        """Cells share what the width leaves over, so that the last one ends at the edge."""
        return column * (self._inner - self.cell_width) // max(1, self.columns - 1)

    def _column_at(self, x: int) -> int:
        """The last column that begins at or before `x`."""
        column = min(x * (self.columns - 1) // max(1, self._inner - self.cell_width), self.columns - 1)
        return column + (column + 1 < self.columns and self._x(column + 1) <= x)

    def _section_of(self, row: int) -> int:
        if not 0 <= row < self.count:
            raise IndexError(row)
        return bisect_right(self._firsts, row) - 1

    def _end(self, place: int) -> int:
        if place + 1 < len(self._sections):
            return self._sections[place + 1].top
        return self.height - self.shape.margin

    def _row_from(self, y: int, *, end: bool = False) -> int:
        """The first row of the line at `y`; with `end` the first row after it."""
        place = max(0, bisect_right(self._tops, y) - 1)
        section = self._sections[place]
        down = y - section.top - self.shape.head
        line = max(0, down // self._line)
        if end:
            line = 0 if down <= 0 else -(-down // self._line)
        return section.first + min(line * self.columns, section.count)
