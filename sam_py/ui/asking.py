"""Asking: tells the person of questions about tools in conversations that are not on screen."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from sam_py.tools.approval import Approvals, Question
from sam_py.ui.main_window import MainWindow
from sam_py.ui.widgets.plain import one_line

_NOTICE_MS = 0
"""Until it is dismissed: the model waits for the answer."""


class Asking:
    """Marks conversations that ask in the sidebar, and shows a notice for each question that cannot be seen."""

    def __init__(self, approvals: Approvals, window: MainWindow) -> None:
        self._approvals = approvals
        self._window = window
        self._told: set[str] = set()
        self._unsubscribe = approvals.subscribe(self._changed)

    def close(self) -> None:
        self._unsubscribe()

    def _changed(self) -> None:
        questions = self._approvals.questions
        self._window.sidebar.model.set_asking(frozenset(each.conversation_id for each in questions))
        for question in questions:
            if question.call_id not in self._told:
                self._tell(question)
        self._told = {each.call_id for each in questions}

    def _tell(self, question: Question) -> None:
        shown = self._window.chat.conversation
        if shown is not None and shown.id == question.conversation_id:
            return
        asking = self._window.conversations.get(question.conversation_id)
        title = one_line(asking.bus.settings.title) if asking is not None else ""
        text = _tr("“{title}” asks whether “{tool}” may run.")
        text = text.replace("{title}", title or _tr("Another chat")).replace("{tool}", one_line(question.label))
        self._window.notices.show_notice(
            text,
            action_text=_tr("Show"),
            on_action=lambda: self._window.open_conversation(question.conversation_id),
            timeout_ms=_NOTICE_MS,
        )


def _tr(text: str) -> str:
    return QCoreApplication.translate("Asking", text)
