"""FoundMarks: the places in a column's text that a search found, painted softly, and the one of now strongly."""

from __future__ import annotations

import re

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from sam_py.store.search_index.words import fold
from sam_py.ui.chat.parts.base import Part, TextSpan
from sam_py.ui.chat.parts.markdown_column import MarkdownColumn

_MOST = 2_000
"""Places looked for in one part."""
_OVER = 0.34
"""How much of its colour is seen of a mark that lies over a part's own ground, and over its words."""


class FoundMarks:
    """Where `pattern` stands in what a column shows. It is looked for in a part when that is painted, and anew when
    the part shows something else: a long message costs what is seen of it.

    `pattern` is for folded text (`search_index.words.fold`).
    """

    def __init__(self, column: MarkdownColumn, pattern: re.Pattern[str]) -> None:
        self.column = column
        self.pattern = pattern
        self._known: dict[Part, tuple[object, list[list[QRectF]]]] = {}
        self._current: tuple[Part, int] | None = None

    def count(self) -> int:
        """How many places there are in the whole column. Lays all of it out."""
        return sum(len(self._boxes(part)) for part in self.column.parts())

    def choose(self, number: int | None) -> QRectF:
        """Paint the place with this number strongly (None: no place), and return where it lies in the column.

        Empty where there is none of that number.
        """
        before, self._current = self._current, None
        found = QRectF()
        for part in self.column.parts() if number is not None else ():
            assert number is not None
            boxes = self._boxes(part)
            if number < len(boxes):
                self._current = part, number
                if self._current != before and self._scrolled_to(part, boxes[number]):
                    boxes = self._boxes(part)
                for box in boxes[number]:
                    found = found.united(box.translated(part.x, part.top))
                break
            number -= len(boxes)
        if self._current != before:
            self.column.update()
        return found

    def paint(self, painter: QPainter, clip: QRectF) -> None:
        """Behind the words of prose."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint(painter, clip, has_ground=False)

    def paint_over(self, painter: QPainter, clip: QRectF) -> None:
        """Over what has a ground of its own: code and tables."""
        self._paint(painter, clip, has_ground=True)

    # Inside

    def _paint(self, painter: QPainter, clip: QRectF, *, has_ground: bool) -> None:
        style = self.column.text_style
        for part in self.column.parts():
            if part.top > clip.bottom():
                break
            if not part.height or part.top + part.height < clip.top() or part.has_ground != has_ground:
                continue
            for number, boxes in enumerate(self._boxes(part)):
                is_current = self._current == (part, number)
                ground = style.colour("accent" if is_current else "warning" if has_ground else "spoken")
                if has_ground or is_current:
                    ground.setAlphaF(_OVER)
                for box in boxes:
                    place = box.translated(part.x, part.top).adjusted(-1, 0, 1, 1)
                    if not place.intersects(clip):
                        continue
                    painter.setPen(QPen(style.colour("accent"), 1.5) if is_current else Qt.PenStyle.NoPen)
                    painter.setBrush(ground)
                    painter.drawRoundedRect(place, 3, 3)

    def _scrolled_to(self, part: Part, boxes: list[QRectF]) -> bool:
        """Scroll a part sideways until the place can be seen; whether it moved."""
        left = min((box.left() for box in boxes), default=0.0)
        right = max((box.right() for box in boxes), default=0.0)
        if left >= 0 and right <= part.width:
            return False
        return part.scroll_by(left - part.width / 3)

    def _boxes(self, part: Part) -> list[list[QRectF]]:
        """The places in one part, each as rectangles in the part's coordinates."""
        self.column.lay_out_now(part)
        key = part.found_key()
        known = self._known.get(part)
        if known is None or known[0] != key:
            known = self._known[part] = key, part.found(self._find)
        return known[1]

    def _find(self, text: str) -> list[TextSpan]:
        spans: list[TextSpan] = []
        for found in self.pattern.finditer(fold(text)):
            if found.end() > found.start():
                spans.append(found.span())
                if len(spans) >= _MOST:
                    break
        return spans
