"""Tables of a PDF page: a PDF knows no tables, so lines whose words stand in columns are taken for one.

Wrong guesses cost little: whatever is taken for a table keeps all of its words in order.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from sam_py.store.documents.tables import table

_GAP = 1.6
"""Between two cells, in heights of the line's letters."""
_NEXT_LINE = 1.3
"""Letters whose middles differ by so many heights stand in two lines."""
_WORD_OR_BREAK = re.compile(r"\r?\n|\r|[^\s\0]+")
_LEAST_ROWS = 3
_PROSE_CHARACTERS = 45
"""Cells that are longer on average are columns of running text."""
_MOST_CHARACTERS = 60_000
"""Of a page whose tables are looked for."""


@dataclass(frozen=True, slots=True)
class Cell:
    text: str
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a page: its text as it stands, and the cells into which wide gaps divide it."""

    text: str
    cells: tuple[Cell, ...]


def with_tables(words: Any) -> str:
    """The text of a page (a text page of pypdfium2), with Markdown where its lines form a table."""
    text: str = words.get_text_range()
    if len(text) > _MOST_CHARACTERS or not _may_hold_table(words, text):
        return text
    return rebuilt(_lines(words, text))


def rebuilt(lines: Sequence[Line]) -> str:
    """The lines' text, runs of them with aligned cells as Markdown tables."""
    out: list[str] = []
    start = 0
    while start < len(lines):
        end = start
        while end < len(lines) and len(lines[end].cells) >= 2:
            end += 1
        rows = _rows(lines[start:end])
        if rows:
            before = [""] if out and out[-1].strip() else []
            out += [*before, table(rows), ""]
            start = end
        else:
            out += [line.text for line in lines[start : max(end, start + 1)]]
            start = max(end, start + 1)
    return "\n".join(out)


def _rows(lines: Sequence[Line]) -> list[list[str]]:
    """The cells of a table, each row with all columns; none where the lines form no table."""
    if len(lines) < _LEAST_ROWS:
        return []
    cells = [cell for line in lines for cell in line.cells]
    if sum(len(cell.text) for cell in cells) / len(cells) > _PROSE_CHARACTERS:
        return []
    head, body = lines[0], lines[1:]
    columns = _columns(body)
    if len(head.cells) == len(columns):  # also where its words are centred above their columns
        rows = [[cell.text for cell in head.cells], *(_row(line, columns) for line in body)]
    else:
        columns = _columns(lines)
        rows = [_row(line, columns) for line in lines]
    full = sum(1 for row in rows for text in row if text) / (len(rows) * len(columns))
    return rows if len(columns) >= 2 and full > 0.4 else []


def _columns(lines: Sequence[Line]) -> list[tuple[float, float]]:
    """From where to where cells stand above each other."""
    columns: list[tuple[float, float]] = []
    for cell in sorted((cell for line in lines for cell in line.cells), key=lambda cell: cell.left):
        if columns and cell.left < columns[-1][1]:
            columns[-1] = (columns[-1][0], max(columns[-1][1], cell.right))
        else:
            columns.append((cell.left, cell.right))
    return columns


def _row(line: Line, columns: Sequence[tuple[float, float]]) -> list[str]:
    row = [""] * len(columns)
    for cell in line.cells:
        place = next(index for index, (left, right) in enumerate(columns) if left <= cell.left <= right)
        row[place] = f"{row[place]} {cell.text}".strip()
    return row


def _may_hold_table(words: Any, text: str) -> bool:
    """Cheap: a page of prose has about as many runs of text as lines."""
    return bool(words.count_rects() >= 1.2 * text.count("\n") + 2)


def _lines(words: Any, text: str) -> list[Line]:
    """The page's lines, cut into cells where two neighbouring words stand far apart."""
    letters = _letters(words, text)
    box = _Box(words)
    lines: list[Line] = []
    there: list[_Word] = []
    begin = 0

    def end_line(end: int) -> None:
        nonlocal begin, there
        lines.append(Line(letters[begin:end].replace("\0", "").rstrip(), _cells(_without_leaders(there))))
        begin, there = end, []

    for found in _WORD_OR_BREAK.finditer(letters):
        if found.group()[0] in "\r\n":
            end_line(found.start())
            begin = found.end()
        elif (word := box.of(letters, *found.span())) is not None:
            if there and abs(word.middle - there[-1].middle) > _NEXT_LINE * max(word.height, there[-1].height):
                end_line(found.start())  # PDFium goes on in the same line where a table follows a paragraph
            there.append(word)
    if begin < len(letters):
        end_line(len(letters))
    return lines


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    left: float
    right: float
    middle: float
    height: float


class _Box:
    """Where words stand: asked of PDFium for their first and last letter."""

    def __init__(self, words: Any) -> None:
        import pypdfium2.raw as pdfium

        self._words = words
        self._ask = pdfium.FPDFText_GetCharBox
        self._left, self._right, self._bottom, self._top = (ctypes.c_double() for _ in range(4))

    def of(self, letters: str, start: int, end: int) -> _Word | None:
        left, right, bottom, top = self._left, self._right, self._bottom, self._top
        if not self._ask(self._words, start, left, right, bottom, top):
            return None
        begins, ends, low, high = left.value, right.value, bottom.value, top.value
        if end - start > 1 and self._ask(self._words, end - 1, left, right, bottom, top):
            ends, low, high = max(ends, right.value), min(low, bottom.value), max(high, top.value)
        return _Word(letters[start:end], begins, ends, (low + high) / 2, high - low)


def _letters(words: Any, text: str) -> str:
    """One character for each of PDFium's, so that their numbers are indexes; \\0 for what is no character."""
    import pypdfium2.raw as pdfium

    count = words.count_chars()
    if len(text) == count:
        return text
    codes = (pdfium.FPDFText_GetUnicode(words, index) for index in range(count))
    return "".join(chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\0" for code in codes)


def _without_leaders(words: Sequence[_Word]) -> Sequence[_Word]:
    """The words without the dots that lead from a heading to its page number."""
    others = [word for word in words if word.text.strip(".·…_")]
    return others if len(others) + 3 <= len(words) else words


def _cells(words: Sequence[_Word]) -> tuple[Cell, ...]:
    if not words:
        return ()
    gap = _GAP * max(median(word.height for word in words), 2.0)
    cells: list[Cell] = []
    begun = [words[0]]
    for word in words[1:]:
        if word.left - begun[-1].right > gap or word.left < begun[0].left - gap:
            cells.append(_cell(begun))
            begun = []
        begun.append(word)
    return (*cells, _cell(begun))


def _cell(words: Sequence[_Word]) -> Cell:
    return Cell(" ".join(word.text for word in words), words[0].left, max(word.right for word in words))
