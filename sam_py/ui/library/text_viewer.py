"""TextViewer: code, a tool's result or a prompt in a window of its own: read, copy, save; Esc closes it."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QColor, QGuiApplication, QKeySequence, QShortcut, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from sam_py.ui.chat.header import ElidedText
from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.chat.tool_text import ToolText
from sam_py.ui.chat.tool_words import made_visible
from sam_py.ui.library.words import tr
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.plain import window_title

SHOWN_CHARACTERS = 1_000_000
_COLOURED_CHARACTERS = 60_000
_COPIED_MS = 1_500


class TextViewer(QDialog):
    """Opened with ``open()``. `language` colours the text; "" leaves it plain."""

    save_wanted = Signal()
    jump_wanted = Signal()

    def __init__(
        self, context: RowContext, title: str, facts: str, text: str, parent: QWidget, *, language: str = ""
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(window_title(title))
        self._whole = text
        icons = context.icons
        self.facts = ElidedText(icons.themes, muted=True, parent=self)
        self.facts.set_text(facts)
        shown = made_visible(text[:SHOWN_CHARACTERS])
        self.text = ToolText(context, title, shown, most_lines=1_000, parent=self)
        self.copy_button = PillButton(icons, tr("Copy"), icon="copy", parent=self)
        self.save_button = PillButton(icons, tr("Save as…"), icon="download", parent=self)
        self.jump_button = PillButton(icons, tr("Show in its conversation"), kind="accent", parent=self)
        self._copied = QTimer(self)
        self._copied.setSingleShot(True)
        self._copied.setInterval(_COPIED_MS)
        self._copied.timeout.connect(lambda: self.copy_button.set_words(tr("Copy"), icon="copy"))
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(10)
        column.addWidget(self.facts)
        column.addWidget(self.text, 1)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.copy_button)
        foot.addWidget(self.save_button)
        foot.addStretch(1)
        foot.addWidget(self.jump_button)
        column.addLayout(foot)
        self.copy_button.clicked.connect(self.copy)
        self.save_button.clicked.connect(self.save_wanted)
        self.jump_button.clicked.connect(self._jump)
        QShortcut(QKeySequence.StandardKey.Save, self).activated.connect(self.save_wanted)
        scale, room = icons.themes.current.scale, parent.window().size()
        self.resize(min(round(760 * scale), room.width() - 32), min(round(560 * scale), room.height() - 32))
        if language:
            self._colour(shown[:_COLOURED_CHARACTERS], language, dark=icons.themes.current.dark)
        self.text.setFocus()

    def copy(self) -> None:
        """Put the whole text on the clipboard."""
        QGuiApplication.clipboard().setText(self._whole)
        self.copy_button.set_words(tr("Copied"), icon="check")
        self._copied.start()

    def _jump(self) -> None:
        self.close()
        self.jump_wanted.emit()

    def _colour(self, text: str, language: str, *, dark: bool) -> None:
        from sam_py.ui.markdown.highlight import DARK_CODE, LIGHT_CODE, Highlighter

        colours = DARK_CODE if dark else LIGHT_CODE
        lines = text.split("\n")
        highlighter = Highlighter(language)
        highlighter.update(lines, len(lines))
        cursor = QTextCursor(self.text.document())
        start = 0
        for line, spans in zip(lines, highlighter.spans, strict=False):
            for at, length, role in spans:
                look = QTextCharFormat()
                look.setForeground(QColor(colours[role]))
                cursor.setPosition(start + at)
                cursor.setPosition(start + at + length, QTextCursor.MoveMode.KeepAnchor)
                cursor.setCharFormat(look)
            start += len(line) + 1
