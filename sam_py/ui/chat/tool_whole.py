"""WholeOutput: all of a tool's output, where its card shows a part of it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QLabel, QVBoxLayout, QWidget

from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.chat.tool_text import ToolText
from sam_py.ui.chat.tool_words import made_visible

_SHOWN_BYTES = 2_000_000
_LINES = 1_000


class WholeOutput(QDialog):
    """Opened with ``open()``; closes with Esc. Raises OSError where the file cannot be read."""

    def __init__(self, path: Path, context: RowContext, parent: QWidget) -> None:
        super().__init__(parent)
        with path.open("rb") as file:
            head = file.read(_SHOWN_BYTES + 1)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("The whole output"))
        text = made_visible(head[:_SHOWN_BYTES].decode("utf-8", "replace"))
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        self.text = ToolText(context, self.windowTitle(), text, most_lines=_LINES, parent=self)
        column.addWidget(self.text)
        if len(head) > _SHOWN_BYTES:
            more = QLabel(self.tr("Only the first 2 MB are shown; the file is {path}").replace("{path}", str(path)))
            more.setTextFormat(Qt.TextFormat.PlainText)
            more.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            more.setWordWrap(True)
            column.addWidget(more)
        scale, room = context.themes.current.scale, parent.window().size()
        self.resize(min(round(760 * scale), room.width() - 32), min(round(560 * scale), room.height() - 32))
