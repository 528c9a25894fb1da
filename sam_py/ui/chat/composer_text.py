"""The box that a person types into: grows with the text, knows Enter from a line break, takes only plain text."""

from __future__ import annotations

import math
from typing import Literal

from PySide6.QtCore import QEvent, QMimeData, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDragMoveEvent,
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QPalette,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextEdit, QWidget

from sam_py.ui.theme import Themes

MOST_LINES = 10
_MARGIN_PX = 4


class ComposerText(QTextEdit):
    """Signals say what a key meant; the composer decides what happens.

    An input method's Enter belongs to the input method: while something is being composed nothing is sent.
    """

    submitted = Signal()
    up_in_empty = Signal()
    escaped = Signal()
    mime_offered = Signal(object)
    """A paste or drop (`QMimeData`), before anything of it is in the box."""
    focus_changed = Signal(bool)

    def __init__(self, themes: Themes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._themes = themes
        self._send_with: Literal["enter", "ctrl_enter"] = "enter"
        self._composing = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAcceptRichText(False)
        self.setTabChangesFocus(True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Message"))
        self.document().setDocumentMargin(_MARGIN_PX)
        self.document().documentLayout().documentSizeChanged.connect(self._grow)
        themes.changed.connect(self._take_theme)
        self._take_theme()

    def set_send_with(self, key: Literal["enter", "ctrl_enter"]) -> None:
        self._send_with = key

    def insert_as_typed(self, text: str) -> None:
        """Put `text` at the cursor, as one step of undo, and keep the cursor in view."""
        self.textCursor().insertText(text)
        self.ensureCursorVisible()

    def set_text(self, text: str) -> None:
        """Replace everything and forget the undo history: the text of another conversation is out of reach."""
        self.setPlainText(text)
        self.moveCursor(QTextCursor.MoveOperation.End)

    def text(self) -> str:
        """What was typed. `toPlainText` would turn no-break spaces into common ones."""
        return self.document().toRawText().translate(_BREAKS)

    def is_empty(self) -> bool:
        return self.document().isEmpty()

    def _take_theme(self) -> None:
        theme = self._themes.current
        font = QFont(self.font())
        font.setPointSizeF(theme.body_pt)
        self.setFont(font)
        self.viewport().setFont(font)  # the placeholder is written with it
        palette = QPalette(self.palette())
        for role, colour in (
            (QPalette.ColorRole.Base, theme.palette.raised),
            (QPalette.ColorRole.Window, theme.palette.raised),
            (QPalette.ColorRole.Text, theme.palette.text),
            (QPalette.ColorRole.PlaceholderText, theme.palette.text_muted),
            (QPalette.ColorRole.Highlight, theme.palette.selection),
            (QPalette.ColorRole.HighlightedText, theme.palette.text),
        ):
            palette.setColor(role, QColor(colour))
        self.setPalette(palette)
        self.viewport().setAutoFillBackground(False)
        self.setCursorWidth(max(1, round(theme.scale)))
        self._grow()

    def _line_px(self) -> float:
        return QFontMetricsF(self.font()).lineSpacing()

    def _grow(self) -> None:
        needed = math.ceil(self.document().size().height())
        most = math.ceil(MOST_LINES * self._line_px() + 2 * _MARGIN_PX)
        scrolls = needed > most + 1
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if scrolls else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        if policy != self.verticalScrollBarPolicy():
            self.setVerticalScrollBarPolicy(policy)
        height = min(needed, most)
        if height != self.height() or height != self.minimumHeight():
            self.setFixedHeight(height)
            self.updateGeometry()

    def _sends(self, event: QKeyEvent) -> bool:
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter) or self._composing:
            return False
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if held == Qt.KeyboardModifier.ControlModifier:
            return True
        return self._send_with == "enter" and held == Qt.KeyboardModifier.NoModifier

    def _leaves_to_conversation(self, event: QKeyEvent) -> bool:
        """Page Up and Page Down, while all of the text is in sight."""
        pages = event.key() in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown) and not event.modifiers() & ~_KEYPAD
        return pages and self.verticalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAlwaysOff

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and self.is_empty() and _goes_to_an_end(event):
            event.ignore()  # nothing to move in here: the keys go through the conversation
            return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._leaves_to_conversation(event):
            event.ignore()
        elif self._sends(event):
            self.submitted.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not self._composing:
            self.insert_as_typed("\n")
        elif event.key() == Qt.Key.Key_Up and self.is_empty() and not event.modifiers() & ~_KEYPAD:
            self.up_in_empty.emit()
        elif event.key() == Qt.Key.Key_Escape and not self._composing:
            self.escaped.emit()
        else:
            super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focus_changed.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._composing = False
        super().focusOutEvent(event)
        self.focus_changed.emit(False)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if offers_attachment(event.mimeData()):
            event.ignore()  # the composer takes it, and shows that it will
        else:
            super().dragEnterEvent(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if offers_attachment(event.mimeData()):
            event.ignore()
        else:
            super().dragMoveEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText() or source.hasUrls() or source.hasImage()

    def insertFromMimeData(self, source: QMimeData) -> None:
        self.mime_offered.emit(source)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.minimumHeight())

    def sizeHint(self) -> QSize:
        return QSize(400, self.minimumHeight())


def offers_attachment(mime: QMimeData) -> bool:
    """Whether `mime` holds files or a picture, and not (also) text that was meant: a cell of a sheet is text."""
    if any(url.isLocalFile() for url in mime.urls()):
        return True
    return mime.hasImage() and (not mime.hasText() or "<img" in mime.html()[:2000].lower())


def _goes_to_an_end(event: QEvent) -> bool:
    return isinstance(event, QKeyEvent) and (
        event.matches(QKeySequence.StandardKey.MoveToStartOfDocument)
        or event.matches(QKeySequence.StandardKey.MoveToEndOfDocument)
    )


_BREAKS = dict.fromkeys((0x2028, 0x2029, 0xFDD0, 0xFDD1), "\n")
_KEYPAD = Qt.KeyboardModifier.KeypadModifier
