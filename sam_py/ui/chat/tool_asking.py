"""What cards that ask a person have in common: plain words, and when the keyboard may come to them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from sam_py.ui.chat.row_context import RowContext

ARMED_AFTER_MS = 500
"""Nothing is answered by a click or a key that was meant for what stood here before."""


def may_take_keyboard(widget: QWidget) -> bool:
    """Whether the keyboard may come to `widget` by itself: never from somebody who writes, nor from another window."""
    focus = QApplication.focusWidget()
    if isinstance(focus, QPlainTextEdit | QTextEdit) and not focus.isReadOnly() and focus.toPlainText():
        return False
    return not isinstance(focus, QLineEdit) and (focus is None or focus.window() is widget.window())


def plain_words(
    context: RowContext, text: str, parent: QWidget, *, heavy: bool = False, small: bool = False, colour: str = ""
) -> QLabel:
    """A label that shows `text` as it is, wrapped; it can be selected."""
    theme = context.themes.current
    label = QLabel(text, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    font = QFont(parent.font())
    font.setPointSizeF(theme.small_pt if small else theme.body_pt)
    if heavy:
        font.setWeight(QFont.Weight.DemiBold)
    label.setFont(font)
    label.setStyleSheet(f"color: {colour or theme.palette.text}; background: transparent;")
    return label
