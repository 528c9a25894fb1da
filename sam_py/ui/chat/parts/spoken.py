"""SpokenMark: what of a column's text is being read aloud, found by its place in the Markdown and painted behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from unicodedata import category

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from sam_py.ui.chat.parts.base import Part
from sam_py.ui.chat.parts.markdown_column import MarkdownColumn
from sam_py.ui.chat.parts.prose import ProsePart
from sam_py.ui.chat.parts.table import TablePart
from sam_py.ui.markdown.decorations import boxes_between, utf16_at

_WORD = re.compile(r"[^\W_]+")
_MARKUP = frozenset("*_`[]()<>&\\$#|~\n!")
_OBJECT = "\ufffc"
"""What stands for a formula in a document."""
_FORMULA_BEGINS = ("$", "\\(")
_FORMULA_ENDS = ("$", "\\)")


class SpokenMark:
    """One sentence of one column. It finds its words again when the text around them grows or is drawn anew.

    Prose is marked word by word, a table row by row; of code, a formula or a picture the whole block is.
    """

    def __init__(self, column: MarkdownColumn) -> None:
        self.column = column
        self._start = self._end = 0
        self._from = (0, 0)
        """A part that begins at or before the sentence, and where it begins in the text."""
        self._spans: dict[Part, tuple[str, int, int]] = {}
        """Part of prose → the words that were marked last, and where."""

    @property
    def is_found(self) -> bool:
        """Whether what is read is on screen already: it may be heard before it is drawn."""
        return any(True for _box in self._boxes())

    def move(self, start: int, end: int) -> None:
        """Mark these characters of the column's Markdown. Quick where they lie behind those that were marked."""
        self._repaint()
        if start < self._from[1]:
            self._from = (0, 0)
        self._start, self._end = start, end
        self._spans.clear()
        self._repaint()

    def rect(self) -> QRectF:
        """All that is marked, in the column's coordinates; empty where it is not drawn yet."""
        whole = QRectF()
        for box, _framed in self._boxes():
            whole = whole.united(box)
        return whole

    def paint(self, painter: QPainter, clip: QRectF) -> None:
        """Paint behind the words; blocks with grounds of their own get a frame by `paint_over`."""
        style = self.column.text_style
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(style.colour("spoken"))
        for box, framed in self._boxes():
            if not framed and box.intersects(clip):
                painter.drawRoundedRect(box, 4, 4)

    def paint_over(self, painter: QPainter, clip: QRectF) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self.column.text_style.colour("accent"), 2))
        for box, framed in self._boxes():
            if framed and box.intersects(clip):
                painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 8, 8)

    def forget(self) -> None:
        """Nothing is read there any more."""
        self._repaint()
        self._start = self._end = 0

    # Inside

    def _repaint(self) -> None:
        if self._end > self._start and not (rect := self.rect()).isEmpty():
            self.column.update(rect.toAlignedRect().adjusted(-2, -2, 2, 2))

    def _boxes(self) -> Iterator[tuple[QRectF, bool]]:
        """What is marked: rectangles in the column, and whether one is to be framed: it has a ground of its own."""
        if self._end <= self._start:
            return
        found = self.column.parts_between(self._start, self._end, self._from)
        if found:
            self._from = (found[0][0], found[0][2])
        for _index, part, begin in found:
            if not part.height:
                continue
            if isinstance(part, TablePart):
                rows = part.rows_rect(self._start - begin, self._end - begin)
                if not rows.isEmpty():
                    yield rows.translated(part.x, part.top), False
                continue
            if not isinstance(part, ProsePart):
                yield QRectF(part.x, part.top, part.width, part.height), part.kind != "math"
                continue
            span = self._span(part, self._start - begin, self._end - begin)
            if span is None:
                continue
            for box in boxes_between(part.document, *span):
                yield box.translated(part.x, part.top).adjusted(-3, 0, 3, 2), False

    def _span(self, part: ProsePart, start: int, end: int) -> tuple[int, int] | None:
        """Where the sentence stands in the part's document. Searched for again only where other words stand there."""
        known = self._spans.get(part)
        shown = part.shown_text()
        if known is None or shown[known[1] : known[2]] != known[0]:
            found = span_in(part.source, shown, max(0, start), end)
            if found is None:
                return None
            known = self._spans[part] = (shown[found[0] : found[1]], *found)
        return utf16_at(shown, known[1]), utf16_at(shown, known[2])


def span_in(source: str, shown: str, start: int, end: int) -> tuple[int, int] | None:
    """Where `source[start:end]` stands in `shown`, which is `source` without its markup. None: nothing of it does.

    >>> span_in("A **bold** word. And [more](http://x.y) *here*.", "A bold word. And more here.", 17, 47)
    (13, 27)
    >>> span_in("Yes. No. Yes.", "Yes. No. Yes.", 9, 13)
    (9, 13)
    """
    piece = source[start:end].strip()
    if not piece:
        return None
    if not _MARKUP.intersection(piece) and shown.count(piece) == 1:
        at = shown.index(piece)
        return at, at + len(piece)
    theirs, ours = list(_WORD.finditer(source)), list(_WORD.finditer(shown))
    matcher = SequenceMatcher(None, [each[0] for each in theirs], [each[0] for each in ours], autojunk=False)
    inside: list[int] = []
    before, after = -1, len(ours)
    for block in matcher.get_matching_blocks():
        for step in range(block.size):
            place = theirs[block.a + step].start()
            if place < start:
                before = block.b + step
            elif place < end:
                inside.append(block.b + step)
            else:
                after = min(after, block.b + step)
    left = ours[before].end() if before >= 0 else 0
    right = ours[after].start() if after < len(ours) else len(shown)
    low = ours[inside[0]].start() if inside else right
    high = ours[inside[-1]].end() if inside else left
    low = _widened_left(shown, left, low, takes_formula=not inside or piece.startswith(_FORMULA_BEGINS))
    high = _widened_right(
        shown, high, right, takes_formula=not inside or piece.rstrip(".,;:!?").endswith(_FORMULA_ENDS)
    )
    if not inside and _OBJECT not in shown[low:high]:
        return None
    return (low, high) if low < high else None


def _widened_left(shown: str, left: int, low: int, *, takes_formula: bool) -> int:
    """`low`, with the quote or bracket that opens before it, or the formula that it begins with."""
    if takes_formula and (at := shown.find(_OBJECT, left, low)) >= 0:
        return at
    while low > left and (shown[low - 1] in "\"'¿¡" or category(shown[low - 1]) in ("Ps", "Pi")):
        low -= 1
    return low


def _widened_right(shown: str, high: int, right: int, *, takes_formula: bool) -> int:
    """`high`, with what closes behind it, or the formula that it ends with."""
    if takes_formula and (at := shown.rfind(_OBJECT, high, right)) >= 0:
        high = at + 1
    while high < right and not shown[high].isspace() and category(shown[high]) not in ("Ps", "Pi"):
        high += 1
    return high
