"""BodyText: a request to be read: in pieces with headings, or as its very bytes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QMimeData
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QPalette,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from sam_py.ui.inspector.request_words import Piece
from sam_py.ui.inspector.words import filled, number
from sam_py.ui.widgets.icons import Icons

MOST_SHOWN = 600_000
"""Characters of a body; the whole of it can be copied and saved."""
_LINE = 1_000
"""A body is one line of perhaps millions of characters, which no text view takes: it is laid out in pieces."""
_HIDDEN = re.compile("[\u0080-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufdd0-\ufdef\ufeff\ufff9-\uffff]")
"""Characters that a text view hides, or takes for the end of a line."""


class BodyText(QPlainTextEdit):
    """Read only. What is copied from a body has no more line breaks than the body."""

    def __init__(self, icons: Icons, label: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._pieces: Sequence[Piece] | None = None
        self._is_body = False
        self._text = ""
        self.setReadOnly(True)
        self.setAccessibleName(label)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().setDocumentMargin(16)
        icons.changed.connect(self._retheme)
        self._retheme()

    def show_pieces(self, pieces: Sequence[Piece]) -> None:
        """Each text below its heading. At first its end is seen: what is being written is there."""
        if tuple(pieces) == self._pieces:
            return
        bar = self.verticalScrollBar()
        at_end = self._pieces is None or bar.value() == bar.maximum()
        self._pieces, self._is_body, self._text = tuple(pieces), False, ""
        self._take_font()
        place = self._place()
        self.clear()
        theme = self._icons.themes.current
        heading, said = QTextCharFormat(), QTextCharFormat()
        heading.setFontWeight(QFont.Weight.DemiBold)
        heading.setForeground(QColor(theme.palette.accent))
        said.setForeground(QColor(theme.palette.text))
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        for index, piece in enumerate(pieces):
            if index:
                cursor.insertBlock()
                cursor.insertBlock()
            cursor.insertText(_visible(piece.heading), heading)
            cursor.insertBlock(QTextBlockFormat())
            cursor.insertText(_visible(piece.text), said)
        cursor.endEditBlock()
        self._go_to(bar.maximum() if at_end else place)

    def show_lines(self, text: str) -> None:
        """A text as it is."""
        self._pieces, self._is_body = None, False
        self._take_font()
        self._set(_visible(_shown_part(text)))

    def show_body(self, body: bytes) -> None:
        """The bytes of a request, laid out in pieces."""
        self._pieces, self._is_body = None, True
        self._take_font()
        text = body.decode("utf-8", "replace")
        shown = [text[start : start + _LINE] for start in range(0, min(len(text), MOST_SHOWN), _LINE)]
        if len(text) > MOST_SHOWN:
            more = self.tr("[… %1 more characters. Copy or save it to have all.]")
            shown.append(filled(more, number(len(text) - MOST_SHOWN)))
        self._set("\n".join(map(_visible, shown)))

    def _set(self, text: str) -> None:
        """What is shown already keeps its selection."""
        if text != self._text:
            place = self._place()
            self.setPlainText(text)
            self._text = text
            self._go_to(place)

    def _place(self) -> int:
        return self.verticalScrollBar().value()

    def _go_to(self, place: int) -> None:
        self.verticalScrollBar().setValue(place)

    def _take_font(self) -> None:
        theme = self._icons.themes.current
        if self._pieces is None:
            font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
            font.setPointSizeF(theme.code_pt)
        else:
            font = QFont()
            font.setPointSizeF(theme.body_pt * 0.95)
        self.setFont(font)

    def _retheme(self) -> None:
        palette = QPalette(self.palette())
        colours = self._icons.themes.current.palette
        palette.setColor(QPalette.ColorRole.Base, QColor(colours.code))
        palette.setColor(QPalette.ColorRole.Text, QColor(colours.text))
        self.setPalette(palette)
        self._take_font()
        if self._pieces is not None:
            pieces, self._pieces = self._pieces, ()
            self.show_pieces(pieces)

    # Qt

    def createMimeDataFromSelection(self) -> QMimeData:
        mime = QMimeData()
        breaks = "" if self._is_body else "\n"
        mime.setText(self.textCursor().selectedText().replace("\u2029", breaks))
        return mime


def _shown_part(text: str) -> str:
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}\n…"


def _visible(text: str) -> str:
    """`text` with each character written out that would be hidden.

    >>> _visible("a\\u2029b")
    'a⟨U+2029⟩b'
    """
    return _HIDDEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)
