"""ToolDetails: what an opened tool card shows: the arguments of the call and its result."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel, QWidget

from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.chat.tool_calls import ShownCall
from sam_py.ui.chat.tool_text import ToolText
from sam_py.ui.chat.tool_words import made_visible, pretty_arguments
from sam_py.ui.widgets.buttons import PillButton

_ARGUMENT_LINES = 10
_RESULT_LINES = 16
_GAP_PX = 4


class ToolDetails(QWidget):
    """Texts below each other, each under its heading. Made when the card is opened, anew when the call has changed."""

    whole_requested = Signal()

    def __init__(self, context: RowContext, call: ShownCall, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._pieces: list[QWidget] = []
        result = call.result
        self.texts = [self._add(name, text, lines) for name, text, lines, _is_answer in texts_of(call)]
        """From top to bottom."""
        if result is not None and result.whole is not None:
            button = PillButton(context.icons, self.tr("The whole output"), kind="outline", height_px=28, parent=self)
            button.clicked.connect(self.whole_requested)
            self._pieces.append(button)

    def layout_for(self, width_px: int) -> int:
        y = 0
        for piece in self._pieces:
            if isinstance(piece, ToolText):
                height, wide = piece.layout_for(width_px), width_px
                after = 2 * _GAP_PX
            else:
                size = piece.sizeHint()
                height, wide = size.height(), min(width_px, size.width())
                after = _GAP_PX
            piece.setGeometry(0, y, wide, height)
            y += height + after
        return y

    def _add(self, name: str, text: str, most_lines: int) -> ToolText:
        heading = QLabel(name, self)
        heading.setTextFormat(Qt.TextFormat.PlainText)
        theme = self._context.themes.current
        font = QFont(self.font())
        font.setPointSizeF(theme.small_pt)
        heading.setFont(font)
        heading.setStyleSheet(f"color: {theme.palette.text_muted}; background: transparent;")
        box = ToolText(self._context, name, text, most_lines=most_lines, parent=self)
        heading.setBuddy(box)
        self._pieces += [heading, box]
        return box


def texts_of(call: ShownCall) -> list[tuple[str, str, int, bool]]:
    """What an opened card shows of a call: name, text, the most lines, and whether the tool said it."""
    texts = [(_tr("Arguments"), pretty_arguments(call.part.arguments_json), _ARGUMENT_LINES, False)]
    result = call.result
    text = result.output_text if result is not None else call.reason
    notes = "\n".join(result.details) if result is not None else ""
    if notes and notes != text:
        texts.append((_tr("Notes"), made_visible(notes), _ARGUMENT_LINES, True))
    if text:
        name = _tr("Error") if call.stage == "error" else _tr("Result")
        texts.append((name, made_visible(text), _RESULT_LINES, True))
    return texts


def _tr(text: str) -> str:
    return QCoreApplication.translate("ToolDetails", text)
