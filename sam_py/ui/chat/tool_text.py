"""ToolText: arguments and results as they are: monospaced, selectable, scrolled beyond some lines, never markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontDatabase, QFontMetrics, QTextLayout, QTextOption
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from sam_py.ui.chat.row_context import RowContext

if TYPE_CHECKING:
    from sam_py.ui.library.tool_marks import ToolMarks

_PAD_PX = 8
_MEASURED_CHARACTERS = 4_000


class ToolText(QPlainTextEdit):
    """Shows `text` whole; `layout_for` gives the height that it needs, at most `most_lines`."""

    def __init__(self, context: RowContext, name: str, text: str, *, most_lines: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._most_lines = most_lines
        self._shown = text
        self.found: ToolMarks | None = None
        """What a search found in it."""
        theme = context.themes.current
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(theme.code_pt)
        font.setStyleHint(QFont.StyleHint.Monospace)
        self.setFont(font)
        self.setReadOnly(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.DefaultContextMenu)
        self.document().setDocumentMargin(_PAD_PX)
        palette = theme.palette
        ground = palette.window if theme.dark else palette.code  # in the dark, code is as light as the cards
        self.setStyleSheet(
            f"QPlainTextEdit {{ background: {ground}; color: {palette.text}; border-radius: 6px;"
            f" selection-background-color: {palette.selection}; selection-color: {palette.text}; }}"
        )
        self.setAccessibleName(name)
        self.setPlainText(text)

    def layout_for(self, width_px: int) -> int:
        """The height at a width, without laying out more than is seen."""
        metrics = QFontMetrics(self.font())
        inner = max(40, width_px - 2 * _PAD_PX - 4)
        exact = len(self._shown) <= _MEASURED_CHARACTERS
        lines = 0
        for line in self._shown.split("\n", self._most_lines)[: self._most_lines]:
            if exact:
                lines += self._lines_of(line, inner)
            else:
                wide = metrics.horizontalAdvance(line[:_MEASURED_CHARACTERS].expandtabs(8))
                lines += max(1, -(-wide // inner))
            if lines >= self._most_lines:
                break
        # A line more than words alone would need: wrapping at words wastes the ends of lines.
        lines += not exact and lines > 2 and self._shown.count("\n") + 1 < lines
        return min(lines, self._most_lines) * metrics.lineSpacing() + 2 * _PAD_PX + 2

    def _lines_of(self, text: str, width_px: int) -> int:
        """How many lines it takes, wrapped as it will be."""
        layout = QTextLayout(text, self.font())
        layout.setTextOption(self.document().defaultTextOption())
        layout.beginLayout()
        lines = 0
        while (line := layout.createLine()).isValid():
            line.setLineWidth(width_px)
            lines += 1
        layout.endLayout()
        return max(1, lines)
