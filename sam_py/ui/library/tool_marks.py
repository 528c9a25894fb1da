"""ToolMarks: the places in an argument or a result on a tool's card that a search found, marked in its text."""

from __future__ import annotations

import re
from bisect import bisect_left

from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit

from sam_py.store.search_index.words import fold
from sam_py.ui.chat.tool_text import ToolText
from sam_py.ui.markdown.decorations import utf16_at
from sam_py.ui.theme import Palette

_MOST = 2_000
"""Places looked for in one text."""
_SOFT, _STRONG = 0.34, 0.5
"""How much of its colour is seen behind the words of a place, and of the one that is current."""


class ToolMarks:
    """Where `pattern`, which is for folded text, stands in `text`. All places are marked as soon as it is made.

    Where there are too many for that, those are that stand nearest to the character `around`.
    """

    def __init__(self, text: ToolText, pattern: re.Pattern[str], palette: Palette, *, around: int = 0) -> None:
        self.text = text
        self.pattern = pattern
        self._palette = palette
        shown = text.toPlainText()
        is_wide = not shown.isascii() and max(shown, default="") > "\uffff"
        spans: list[tuple[int, int]] = []
        for found in pattern.finditer(fold(shown)):
            if found.start() < found.end():
                spans.append(found.span())
                if len(spans) >= _MOST and spans[-_MOST // 2][0] >= around:
                    break
        self._starts = [start for start, _end in spans[-_MOST:]]
        self._spans = [
            (utf16_at(shown, start), utf16_at(shown, end)) if is_wide else (start, end) for start, end in spans[-_MOST:]
        ]
        self._current: int | None = None
        self._show()

    def count(self) -> int:
        """How many places there are."""
        return len(self._spans)

    @property
    def current(self) -> int | None:
        """Which place is marked strongly."""
        return self._current

    def number_at(self, character: int) -> int:
        """Which place is the first at a character of the text or behind it; the last where none is."""
        return min(bisect_left(self._starts, character), len(self._starts) - 1)

    def choose(self, number: int | None) -> QRect:
        """Mark the place with this number strongly (None: no place), scroll the text to it, and return where it is on
        the text's viewport. Empty where there is none of that number."""
        if number is not None and number >= len(self._spans):
            number = None
        if number != self._current:
            self._current = number
            self._show()
            if number is not None:
                cursor = QTextCursor(self.text.document())
                cursor.setPosition(self._spans[number][0])
                self.text.setTextCursor(cursor)
                self.text.ensureCursorVisible()
        if number is None:
            return QRect()
        start, end = (self.text.cursorRect(self._cursor(at, at)) for at in self._spans[number])
        return start.united(end) if start.y() == end.y() else start

    def remove(self) -> None:
        self.text.setExtraSelections([])

    # Inside

    def _cursor(self, start: int, end: int) -> QTextCursor:
        cursor = QTextCursor(self.text.document())
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _show(self) -> None:
        soft, strong = QTextCharFormat(), QTextCharFormat()
        soft.setBackground(_veiled(self._palette.warning, _SOFT))
        strong.setBackground(_veiled(self._palette.accent, _STRONG))
        marks = []
        for number, span in enumerate(self._spans):
            mark = QTextEdit.ExtraSelection()
            mark.cursor = self._cursor(*span)
            mark.format = strong if number == self._current else soft
            marks.append(mark)
        self.text.setExtraSelections(marks)


def _veiled(name: str, opacity: float) -> QColor:
    colour = QColor(name)
    colour.setAlphaF(opacity)
    return colour
