"""Asking: tells the person of what is asked in conversations that are not on screen."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication

from sam_py.tools.approval import Question
from sam_py.tools.questions import PersonQuestion
from sam_py.ui.main_window import MainWindow
from sam_py.ui.program_tools import ProgramTools
from sam_py.ui.widgets.plain import one_line

_NOTICE_MS = 0
"""Until it is dismissed: the model waits for the answer."""
_SHOWN_CHARACTERS = 120


class Asking:
    """Marks conversations that ask in the sidebar, and shows a notice for each question that cannot be seen.

    Both kinds of question: whether a tool may run, and what a model wants to know.
    """

    def __init__(self, tools: ProgramTools, window: MainWindow) -> None:
        self._tools = tools
        self._window = window
        self._told: set[tuple[str, str]] = set()
        self._off = (tools.approvals.subscribe(self._changed), tools.questions.subscribe(self._changed))

    def close(self) -> None:
        for off in self._off:
            off()

    def _changed(self) -> None:
        questions: list[Question | PersonQuestion] = [*self._tools.approvals.questions]
        questions += self._tools.questions.questions
        self._window.sidebar.model.set_asking(frozenset(each.conversation_id for each in questions))
        for question in questions:
            if (question.conversation_id, question.call_id) not in self._told:
                self._tell(question)
        self._told = {(each.conversation_id, each.call_id) for each in questions}

    def _tell(self, question: Question | PersonQuestion) -> None:
        if not self._window.isActiveWindow():
            QApplication.alert(self._window)
        shown = self._window.chat.conversation
        if shown is not None and shown.id == question.conversation_id:
            return
        asking = self._window.conversations.get(question.conversation_id)
        title = one_line(asking.bus.settings.title) if asking is not None else ""
        if isinstance(question, PersonQuestion):
            text, asked = _tr("The model asks in “{title}”: “{asked}”"), one_line(question.question)
        else:
            text, asked = _tr("“{title}” asks whether “{asked}” may run."), one_line(question.label)
        if len(asked) > _SHOWN_CHARACTERS:
            asked = asked[: _SHOWN_CHARACTERS - 1].rstrip() + "…"
        before, _, after = text.partition("{title}")  # a title may hold {asked}
        title = title or _tr("Another chat")
        text = before.replace("{asked}", asked) + title + after.replace("{asked}", asked)
        self._window.notices.show_notice(
            text,
            action_text=_tr("Show"),
            on_action=lambda: self._window.open_conversation(question.conversation_id),
            timeout_ms=_NOTICE_MS,
        )


def _tr(text: str) -> str:
    return QCoreApplication.translate("Asking", text)
