"""ReplyElsewhere: what is said of a reply that is written on another branch than the one that is shown."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QCoreApplication

from sam_py.ui.chat.context_strip import StripNote
from sam_py.ui.open_conversations import OpenConversation
from sam_py.ui.program_tools import ProgramTools


class ReplyElsewhere:
    """Remembers where the reply of the conversation on screen is written, until it was seen there or put away."""

    def __init__(self, tools: ProgramTools) -> None:
        self._tools = tools
        self._last: tuple[str, str, str | None] | None = None
        """The conversation, the message in it, and the one above that."""

    def notes(self, conversation: OpenConversation) -> Iterator[StripNote]:
        """That it goes on, that it asks something, or that it has ended; nothing where it is on screen."""
        at = self.place(conversation)
        if at is None or conversation.bus.index_of(at) is not None:
            if not conversation.is_busy:
                self._last = None
            return
        show = (("elsewhere", _tr("Show it")),)
        if not conversation.is_busy and conversation.bus.error_of(at) is not None:
            yield StripNote("elsewhere_ended", "error", "error", _tr("The reply on the other branch broke off."), show)
        elif not conversation.is_busy:
            yield StripNote("elsewhere_ended", "check", "muted", _tr("The reply on the other branch has ended."), show)
        elif self._asks(conversation.id):
            words = _tr("The reply on another branch waits for your answer.")
            yield StripNote("elsewhere_asks", "tool", "warning", words, show, busy=True)
        else:
            words = _tr("A reply is still being written on another branch.")
            yield StripNote("elsewhere", "text", "muted", words, show, busy=True)

    def place(self, conversation: OpenConversation) -> str | None:
        """The message that is written, or was written last; where nothing came of it, the one that was answered."""
        at, bus = conversation.session.works_at, conversation.bus
        if at is not None and at in bus:
            self._last = conversation.id, at, bus.parent_of(at)
        if self._last is None or self._last[0] != conversation.id:
            return None
        return next((each for each in self._last[1:] if each is not None and each in bus), None)

    def forget(self) -> None:
        """It was put away."""
        self._last = None

    def _asks(self, conversation_id: str) -> bool:
        may_run, to_say = self._tools.approvals.questions, self._tools.questions.questions
        return conversation_id in {each.conversation_id for each in may_run} | {each.conversation_id for each in to_say}


def _tr(text: str) -> str:
    return QCoreApplication.translate("ReplyElsewhere", text)
