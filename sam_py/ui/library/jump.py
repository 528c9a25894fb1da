"""Jumps: from a hit, a pin or a thing of the library to its message in the conversation; the last wish counts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from sam_py.ui.chat.chat_view import ChatView

if TYPE_CHECKING:
    from sam_py.ui.library.finder import Finder

_CHECKS_MS = (0, 40, 100, 200, 400, 800, 1_500)
"""When a landing is looked at again after the jump: pictures come, long texts are laid out to their end."""
_SLACK_PX = 3


class Jumps(QObject):
    """Brings a message of any conversation into view, whatever is shown now or still being read."""

    troubled = Signal(str)
    landed = Signal(str)
    """The message that is in view now, marked."""

    def __init__(
        self,
        chat: ChatView,
        open_conversation: Callable[[str], Awaitable[None]],
        finder: Callable[[], Finder],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._chat = chat
        self._open = open_conversation
        self._finder = finder
        self._wishes = 0
        self.landing = Landing(chat, self)

    def take_keyboard(self) -> None:
        """Put the keyboard on the message that is in view now."""
        timeline = self._chat.timeline
        if self.landing.message_id:
            timeline.setFocus(Qt.FocusReason.OtherFocusReason)
            timeline.set_current(self.landing.message_id)

    def stop(self) -> None:
        """Forget what is under way."""
        self._wishes += 1
        self.landing.stop()

    async def go(self, conversation_id: str, message_id: str, words: str = "") -> bool:
        """Open the conversation at the message, and mark `words` in it. True where it is in view now.

        A message on another branch makes that branch the one that is shown. "" for `message_id` opens the conversation
        as it was left. Where the person wished something else meanwhile, nothing is done.
        """
        self._wishes += 1
        wish = self._wishes
        self.landing.stop()
        await self._open(conversation_id)
        shown = self._chat.conversation
        if wish != self._wishes or shown is None or shown.id != conversation_id or not message_id:
            return False
        if message_id not in shown.bus:
            self.troubled.emit(self.tr("This message is no longer in its conversation."))
            return False
        calls = self._chat.context.calls
        if shown.bus.index_of(calls.place_of(message_id)) is None:
            shown.session.select_branch(message_id)
        place = calls.place_of(message_id)
        self.landing.land(place, self._finder().mark(words, place, message_id) if words else None)
        self.landed.emit(message_id)
        return True


class Landing(QObject):
    """Holds a message where a jump brought it, until all around it is laid out or the person scrolls.

    What is above a message may get its height only after the jump; the view must not end up somewhere else for it.
    """

    def __init__(self, chat: ChatView, parent: QObject) -> None:
        super().__init__(parent)
        self._chat = chat
        self._message_id = ""
        self._reveal: Callable[[], bool] | None = None
        self._checks = 0
        self._moving = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._check)
        chat.timeline.verticalScrollBar().valueChanged.connect(self._scrolled)
        chat.conversation_changed.connect(self.stop)

    @property
    def message_id(self) -> str:
        """What is held now; "" for nothing."""
        return self._message_id

    def land(self, message_id: str, reveal: Callable[[], bool] | None = None, *, mark: bool = True) -> None:
        """Show the message now, and see to it that it stays. `reveal` brings into view what matters in it; with True
        it says that it could, and where the message's own edge stands does not matter then."""
        self._message_id, self._reveal, self._checks = message_id, reveal, 0
        timeline = self._chat.timeline
        self._move(lambda: timeline.show_message(message_id, mark=mark))
        if reveal is not None:
            self._move(reveal)
        self._timer.start(_CHECKS_MS[0])

    def stop(self) -> None:
        self._message_id, self._reveal = "", None
        self._timer.stop()

    def is_in_view(self) -> bool:
        """Whether something of the message can be seen where one looks first: not below the middle of the view."""
        row = self._chat.timeline.row_of(self._message_id)
        if row is None or row.isHidden():
            return False
        view = self._chat.timeline.viewport().rect()
        is_at_end = self._chat.timeline.is_at_end  # nothing is below it that could be scrolled up
        return row.geometry().intersects(view) and (row.y() <= view.height() // 2 or is_at_end)

    def _check(self) -> None:
        if not self._message_id:
            return
        if self._reveal is None or not self._revealed():
            self._hold()
        self._checks += 1
        if self._checks < len(_CHECKS_MS):
            self._timer.start(_CHECKS_MS[self._checks] - _CHECKS_MS[self._checks - 1])
        else:
            self.stop()

    def _revealed(self) -> bool:
        found: list[bool] = []
        reveal = self._reveal
        if reveal is not None:
            self._move(lambda: found.append(reveal()))
        return bool(found) and found[0]

    def _hold(self) -> None:
        timeline = self._chat.timeline
        row = timeline.row_of(self._message_id)
        wanted = timeline.viewport().height() // 6
        if row is None or (abs(row.y() - wanted) > _SLACK_PX and not self._is_at_edge(row.y(), wanted)):
            message_id = self._message_id
            self._move(lambda: timeline.show_message(message_id, mark=False))

    def _is_at_edge(self, y_px: int, wanted_px: int) -> bool:
        """Whether it cannot stand where it should: the conversation begins or ends in view."""
        bar = self._chat.timeline.verticalScrollBar()
        return (bar.value() == 0 and y_px < wanted_px) or (bar.value() == bar.maximum() and y_px > wanted_px)

    def _move(self, scroll: Callable[[], object]) -> None:
        self._moving = True
        try:
            scroll()
        finally:
            self._moving = False

    def _scrolled(self) -> None:
        if not self._moving and not self._chat.timeline.is_placing and self._message_id:
            self.stop()  # the person scrolls: what they read now is theirs to choose
