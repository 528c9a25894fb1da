"""TimelineActions: what can be done with a message, as a bar on its row and as a menu."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QMenu, QWidget

from sam_py.messages.message import AssistantMessage
from sam_py.ui.chat.row_actions import ActionBar, Offer
from sam_py.ui.chat.row_context import RowContext

if TYPE_CHECKING:
    from sam_py.ui.chat.timeline import Timeline

_GAP_PX = 12


class TimelineActions(QObject):
    """Owns the one action bar of a timeline and stands it on the row that the mouse or the keyboard is on."""

    chosen = Signal(str, str)

    def __init__(self, timeline: Timeline, context: RowContext) -> None:
        super().__init__(timeline)
        self._timeline = timeline
        self._context = context
        self.bar = ActionBar(context.icons, timeline.viewport())
        self.bar.chosen.connect(self.chosen)
        self._on: str | None = None

    def offer_of(self, message_id: str) -> Offer | None:
        """What can be done with a message of the conversation."""
        model = self._timeline.model
        if model is None or message_id not in model.bus:
            return None
        from sam_py.ui.chat.row_note import is_summary

        message = model.bus.get(message_id)
        fate = self._context.fates.of(message_id)
        stopped = isinstance(message, AssistantMessage) and message.stop_reason in ("aborted", "length", "error")
        return Offer(
            message_id=message_id,
            role=message.role,
            is_pinned=message.pinned,
            is_streaming=model.bus.is_streaming(message_id),
            can_continue=stopped and model.bus.tip == message_id,
            has_text=bool(message.plain_text or message.text),
            context=message.context,
            is_summary=is_summary(message),
            is_covered=fate is not None and fate.reason == "covered",
            is_read=self._context.voice is not None and self._context.voice.is_read(message_id),
        )

    def show_on(self, message_id: str) -> None:
        """Stand the bar on the foot of a message's row, beside its facts."""
        shown, offer = self._timeline.row_of(message_id), self.offer_of(message_id)
        if shown is None or offer is None or not shown.isVisible():
            return
        if shown.is_told_above:  # what could be done there is offered at the reply
            self.hide()
            return
        if self._on != message_id:
            self._take_no_room()
        self._on = message_id
        focus = self._focus_in_bar()
        self.bar.offer(offer)
        if focus is not None and not focus.isVisible():
            self._timeline.setFocus(Qt.FocusReason.OtherFocusReason)
        foot = shown.foot_rect().translated(shown.pos())
        size = self.bar.sizeHint()
        shown.leave_room(size.width() + _GAP_PX)
        words = shown.words_shown
        taken = shown.foot.branch_width() + (words + _GAP_PX if words else 0)
        x = foot.right() - taken - size.width() if shown.at_right else foot.left() + taken
        x = max(foot.left(), min(x, foot.right() - size.width()))
        self.bar.setGeometry(x, foot.top() + (foot.height() - size.height()) // 2, size.width(), size.height())
        self.bar.show()
        self.bar.raise_()

    def hide(self) -> None:
        self._take_no_room()
        self._on = None
        if self._focus_in_bar() is not None:
            self._timeline.setFocus(Qt.FocusReason.OtherFocusReason)  # else the keyboard would go anywhere
        self.bar.hide()

    def _take_no_room(self) -> None:
        shown = self._timeline.row_of(self._on) if self._on is not None else None
        if shown is not None:
            shown.leave_room(0)

    def _focus_in_bar(self) -> QWidget | None:
        focus = self._timeline.window().focusWidget()
        return focus if focus is not None and self.bar.isAncestorOf(focus) else None

    def follow(self) -> None:
        """Rows were moved: the bar goes with its row."""
        if self._on is None:
            return
        if self._timeline.row_of(self._on) is not None:
            self.show_on(self._on)
        else:
            self.hide()

    def open_menu(self, message_id: str, at: QPoint | None = None) -> None:
        """What can be done with a message, and with the text at a point of the viewport, as a menu."""
        offer, shown = self.offer_of(message_id), self._timeline.row_of(message_id)
        if offer is None or shown is None or shown.is_told_above:
            return
        point = at or shown.geometry().center()
        menu = (self._timeline.selection.menu_for(point) if at is not None else None) or QMenu(self._timeline)
        if not menu.isEmpty():
            menu.addSeparator()
        self.bar.fill_menu(menu, offer)
        menu.popup(self._timeline.viewport().mapToGlobal(point))
