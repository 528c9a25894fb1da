"""PlainColumn: text exactly as it was typed, with the selection and layout of a MarkdownColumn."""

from __future__ import annotations

import math

from PySide6.QtGui import QTextBlockFormat, QTextCharFormat, QTextCursor

from sam_py.ui.chat.parts.markdown_column import PART_TYPES, MarkdownColumn
from sam_py.ui.chat.parts.prose import ProsePart
from sam_py.ui.markdown.decorations import Decorations
from sam_py.ui.markdown.segments import Segment

_PIECE_CHARACTERS = 8_000
"""A long text becomes several documents, so that each is laid out quickly and only those in view are painted."""
_LINE_CHARACTERS = 4_000
_SHOWN_CHARACTERS = 200_000


class PlainPart(ProsePart):
    """One document of plain text."""

    kind = "plain"

    def layout_for(self, width: int) -> int:
        if self._dirty:
            self._dirty = False
            document, style = self.document, self.style
            document.setDefaultFont(style.body)
            document.setPlainText(self._source)
            lines = QTextBlockFormat()
            lines.setLineHeight(style.line_percent, int(QTextBlockFormat.LineHeightTypes.ProportionalHeight.value))
            text = QTextCharFormat()
            text.setForeground(style.colour("on_bubble"))
            cursor = QTextCursor(document)
            cursor.select(QTextCursor.SelectionType.Document)
            cursor.mergeBlockFormat(lines)
            cursor.mergeCharFormat(text)
            self.decorations = Decorations()
            self.width = -1
        if width != self.width:
            self.document.setTextWidth(width)
            self.width = width
            self.height = round(self.document.size().height())
        return self.height

    def ideal_width(self) -> int:
        """How wide the text would be without wrapping, up to the width it was laid out for."""
        return math.ceil(self.document.idealWidth())

    def labels(self) -> list[str]:
        return []


PART_TYPES.setdefault(PlainPart.kind, PlainPart)


class PlainColumn(MarkdownColumn):
    """Shows `set_plain_text`'s text; nothing in it is read as markup."""

    _natural: tuple[int, int] | None = None
    """A limit, and how wide the text would like to be within it."""

    def set_plain_text(self, text: str) -> None:
        self.clear()
        self._natural = None
        shown = text[:_SHOWN_CHARACTERS]
        if len(text) > _SHOWN_CHARACTERS:
            rest = len(text) - _SHOWN_CHARACTERS
            shown += "\n" + self.tr("… and {count} more characters, which are sent but not shown").replace(
                "{count}", self.locale().toString(rest)
            )
        self._text.append(text)
        for piece in _pieces(shown):
            self._segmenter.segments.append(
                Segment("plain", pieces=[piece], size=len(piece), closed=True, continues=True)  # type: ignore[arg-type]
            )
        self._finished = True
        self._sync()

    def natural_width(self, limit_px: int) -> int:
        """The width of the longest line, at most `limit_px`."""
        if self._natural is None or self._natural[0] != limit_px:
            self.layout_for(limit_px)
            widths = [part.ideal_width() for part in self.parts() if isinstance(part, PlainPart)]
            self._natural = limit_px, min(limit_px, max(widths, default=0) + 1)
        return self._natural[1]

    def set_theme(self) -> None:
        self._natural = None
        super().set_theme()


def _pieces(text: str) -> list[str]:
    """Cut at line ends into documents of bounded size; a giant line is cut within.

    >>> _pieces("one\\ntwo")
    ['one\\ntwo']
    """
    pieces: list[str] = []
    lines: list[str] = []
    size = 0
    for line in text.split("\n"):
        for start in range(0, max(1, len(line)), _LINE_CHARACTERS):
            lines.append(line[start : start + _LINE_CHARACTERS])
            size += len(lines[-1]) + 1
            if size > _PIECE_CHARACTERS:
                pieces.append("\n".join(lines))
                lines, size = [], 0
    if lines or not pieces:
        pieces.append("\n".join(lines))
    return pieces
