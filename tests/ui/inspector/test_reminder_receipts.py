"""The details of a reply say what the model was reminded of, without the words."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QLabel, QWidget

from sam_py.messages.message import AssistantMessage
from sam_py.messages.parts import TextPart
from sam_py.messages.usage import ReminderReceipt
from sam_py.ui.chat.message_details import MessageDetails
from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.icons import Icons


def test_the_details_of_a_reply_name_each_reminder_with_its_size(qtbot: Any) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    themes = Themes()
    context = RowContext(themes, Icons(themes), lambda _hash: None, lambda _provider, model: model)
    receipts = (
        ReminderReceipt(kind="todo_list", hash="3fa9", tokens=61),
        ReminderReceipt(kind="later", hash="b0", tokens=2),
    )
    reply = AssistantMessage(parts=(TextPart(text="Yes."),), stop_reason="stop", reminders=receipts)
    details = MessageDetails(reply, context, parent)
    said = [label.text() for label in details.findChildren(QLabel)]
    assert said[said.index("Reminded of tasks") + 1] == "about 61 tokens, fingerprint 3fa9"
    assert said[said.index("later") + 1] == "about 2 tokens, fingerprint b0"
