"""ToolCard: one tool call in the conversation, from its announcement to its result; it asks where it must."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QHideEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import QWidget

from sam_py.messages.parts import ToolCallPart
from sam_py.tools.approval import ANSWERS
from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.chat.tool_calls import ShownCall
from sam_py.ui.chat.tool_details import ToolDetails
from sam_py.ui.chat.tool_line import HEIGHT_PX, ToolLine
from sam_py.ui.chat.tool_question import ToolQuestion

if TYPE_CHECKING:
    from sam_py.ui.chat.tool_person import PersonAnswer

_SPIN_MS = 80
_TICK_MS = 1000
_PAD_PX = 12
_MOVING = ("writing", "running")


class ToolCard(QWidget):
    """Shows `part` of the reply `message_id` and follows it. Its call id is what it is known by.

    `changed`: the call has news that may change the height. `unfolded`: the person opened or closed it.
    """

    changed = Signal()
    unfolded = Signal()

    def __init__(self, context: RowContext, message_id: str, part: ToolCallPart, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._message_id = message_id
        self._part = part
        self._line = ToolLine(context, self)
        self._details: ToolDetails | None = None
        self._detailed: ShownCall | None = None
        self._question: ToolQuestion | PersonAnswer | None = None
        self._line.clicked.connect(self._clicked)
        self._beat = QTimer(self)
        self._beat.timeout.connect(self._line.spin)
        context.calls.changed.connect(self._hear)
        self.call = context.calls.show(part, message_id)
        self._refresh()

    @property
    def call_id(self) -> str:
        return self._part.call_id

    @property
    def question(self) -> ToolQuestion | None:
        """What asks whether the call may run."""
        return self._question if isinstance(self._question, ToolQuestion) else None

    @property
    def person(self) -> PersonAnswer | None:
        """What the model asks the person, in this very call."""
        return None if isinstance(self._question, ToolQuestion) else self._question

    @property
    def details(self) -> ToolDetails | None:
        """Arguments and result, while the card is open."""
        return self._details

    def show_part(self, part: ToolCallPart) -> None:
        """The call as it is now: its arguments have come to their end."""
        self._part = part
        self._refresh()

    def unfold(self, opened: bool = True) -> None:
        """Open the card, or close it, as the person does. Nothing while it asks something."""
        if self._question is None and opened != (self._details is not None):
            self._clicked()

    def release(self) -> None:
        """Follow the call no more."""
        self._beat.stop()
        self._context.calls.changed.disconnect(self._hear)

    def layout_for(self, width_px: int) -> int:
        if self._question is not None:
            height = self._question.layout_for(width_px)
            self._question.setGeometry(0, 0, width_px, height)
            return height
        height = self._px(HEIGHT_PX)
        self._line.setGeometry(0, 0, width_px, height)
        if self._details is None:
            return height
        pad = self._px(_PAD_PX)
        inner = self._details.layout_for(width_px - 2 * pad)
        self._details.setGeometry(pad, height, width_px - 2 * pad, inner)
        return height + inner + pad // 2

    def _px(self, length_px: float) -> int:
        return round(length_px * self._context.themes.current.scale)

    def _hear(self, call_id: str) -> None:
        if call_id in ("", self.call_id):
            self._refresh()
            self.changed.emit()

    def _refresh(self) -> None:
        calls = self._context.calls
        self.call = call = calls.show(self._part, self._message_id)
        self._line.show_call(call)
        self._show_question(call)
        self._show_details(opened=calls.is_open(call) and self._question is None)
        self._update_beat()
        self.setAccessibleName(self._line.accessibleName())
        self.update()

    def _show_question(self, call: ShownCall) -> None:
        before = self._question
        wanted = call.question or call.asked
        if before is not None and wanted is not (before.question if isinstance(before, ToolQuestion) else before.asked):
            if self.isAncestorOf(before.window().focusWidget() or self.window()):
                self._line.show()
                self._line.setFocus(Qt.FocusReason.OtherFocusReason)
            before.hide()
            before.deleteLater()
            self._question = before = None
        if before is None and wanted is not None:
            self._question = self._asking(call)
            self._question.show()
        self._line.setVisible(self._question is None)

    def _asking(self, call: ShownCall) -> ToolQuestion | PersonAnswer:
        if call.question is not None:
            question = ToolQuestion(self._context, call.question, self)
            question.answered.connect(self._answered)
            return question
        from sam_py.ui.chat.tool_person import PersonAnswer

        assert call.asked is not None
        person = PersonAnswer(self._context, call.asked, self)
        person.answered.connect(self._told)
        return person

    def _show_details(self, *, opened: bool) -> None:
        self._line.setChecked(opened)
        if opened and self._details is not None and self._detailed is not None:
            old, new = self._detailed, self.call
            if (old.part, old.result, old.reason, old.stage) == (new.part, new.result, new.reason, new.stage):
                return
        if self._details is not None:
            self._details.hide()
            self._details.deleteLater()
            self._details = None
        if opened:
            self._detailed = self.call
            self._details = ToolDetails(self._context, self.call, self)
            self._details.whole_requested.connect(self._open_whole)
            self._details.show()

    def _clicked(self) -> None:
        opened = self._details is None
        self._context.calls.set_open(self.call_id, opened)
        self._show_details(opened=opened)
        self.update()
        self.unfolded.emit()

    def _answered(self, answer: str) -> None:
        self._context.calls.answer(self.call_id, next((each for each in ANSWERS if each == answer), ANSWERS[-1]))
        self._give_keyboard_back()

    def _told(self, words: str) -> None:
        self._context.calls.tell(self.call_id, words or None)
        self._give_keyboard_back()

    def _give_keyboard_back(self) -> None:
        """Whoever has answered goes on writing messages."""
        self._context.calls.typed.emit("")

    def _open_whole(self) -> None:
        if self.call.result is not None and self.call.result.whole is not None:
            self._context.calls.whole_requested.emit(self.call.result.whole)

    def _update_beat(self) -> None:
        wanted = self.call.stage in _MOVING and self.isVisible()
        still = self._context.themes.current.reduced_motion
        if wanted and not self._beat.isActive():
            self._beat.start(_TICK_MS if still else _SPIN_MS)
        elif not wanted:
            self._beat.stop()

    # Qt

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._update_beat()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._beat.stop()

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self._context.themes.current.palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(QColor(palette.raised))
        line = palette.border if self._question is None else palette.warning
        painter.setPen(QPen(QColor(palette.accent if self.person is not None else line), 1))
        radius = self._px(10)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.ignore()
