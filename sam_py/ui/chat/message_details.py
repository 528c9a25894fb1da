"""MessageDetails: the facts about one message, one click away: times, model, tokens, importance and its rule."""

from __future__ import annotations

from typing import assert_never

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale, Qt
from PySide6.QtWidgets import QDialog, QFormLayout, QLabel, QWidget

from sam_py.agent.summaries import originals_of
from sam_py.messages.importance import score
from sam_py.messages.message import AssistantMessage, DeveloperMessage, Message, StopReason, UserMessage
from sam_py.messages.usage import ReminderReceipt
from sam_py.ui.chat.reply_facts import GUIDE, long_facts
from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.chat.row_sign import sign_of


class MessageDetails(QDialog):
    """Opened with ``open()``; closes with Esc."""

    def __init__(self, message: Message, context: RowContext, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Message details"))
        form = QFormLayout(self)
        form.setContentsMargins(24, 20, 24, 20)
        form.setHorizontalSpacing(24)
        form.setVerticalSpacing(8)
        for name, value in self._facts(message, context):
            form.addRow(_label(name), _label(value, wraps=True))
        width = min(round(440 * context.themes.current.scale), parent.window().width() - 32)
        self.resize(width, form.totalHeightForWidth(width))

    def _facts(self, message: Message, context: RowContext) -> list[tuple[str, str]]:
        local = QDateTime.fromSecsSinceEpoch(int(message.created_at.timestamp()))
        when = QLocale().toString(local, QLocale.FormatType.LongFormat)
        facts = [(self.tr("Written"), when)]
        if isinstance(message, UserMessage | AssistantMessage):
            _value, rule = score(message.text, role=message.role)
            rule = QCoreApplication.translate("Importance", rule)
            facts.append((self.tr("Importance"), f"{self.locale().toString(message.importance, 'f', 2)} ({rule})"))
        facts.append((self.tr("Pinned"), self.tr("yes") if message.pinned else self.tr("no")))
        facts.append(
            (
                self.tr("Length"),
                self.tr("{count} characters").replace("{count}", self.locale().toString(len(message.text))),
            )
        )
        sign = sign_of(message, context)
        if sign is not None:
            facts.append((self.tr("In requests"), f"{sign.words}. {sign.why}"))
        if isinstance(message, AssistantMessage):
            facts += self._reply_facts(message, context)
        elif isinstance(message, DeveloperMessage) and message.covers:
            facts.append((self.tr("Stands for"), self._messages(originals_of(message))))
            if message.model:
                facts.append((self.tr("Written by"), context.label_of(message.provider, message.model)))
        return facts

    def _messages(self, count: int) -> str:
        if count == 1:
            return self.tr("one message")
        return self.tr("{count} messages").replace("{count}", self.locale().toString(count))

    def _ending(self, stop_reason: StopReason) -> str:
        match stop_reason:
            case "stop":
                return self.tr("it was complete")
            case "length":
                return self.tr("it reached the length limit")
            case "tool_use":
                return self.tr("a tool was called")
            case "content_filter":
                return self.tr("the provider's filter ended it")
            case "refusal":
                return self.tr("the model declined")
            case "error":
                return self.tr("an error occurred")
            case "aborted":
                return self.tr("it was stopped")
            case _:
                assert_never(stop_reason)

    def _reply_facts(self, message: AssistantMessage, context: RowContext) -> list[tuple[str, str]]:
        facts = [(self.tr("Model"), context.label_of(message.provider, message.model))]
        if message.provider and message.provider != GUIDE:
            facts.insert(0, (self.tr("Provider"), context.provider_label(message.provider)))
        if message.model:
            facts.append((self.tr("Model id"), message.model))
        if message.stop_reason:
            facts.append((self.tr("Ended because"), self._ending(message.stop_reason)))
        facts += [(fact.name, fact.words()) for fact in long_facts(message, context)]
        facts += [_receipt(receipt) for receipt in message.reminders]
        if message.response_id:
            facts.append((self.tr("Response id"), message.response_id))
        return facts


def _receipt(receipt: ReminderReceipt) -> tuple[str, str]:
    """That the model was reminded of something, whose words are kept nowhere."""
    kinds = {
        "mini_prompts": QCoreApplication.translate("MessageDetails", "Reminded of mini prompts"),
        "todo_list": QCoreApplication.translate("MessageDetails", "Reminded of tasks"),
        "documents": QCoreApplication.translate("MessageDetails", "Reminded of documents"),
    }
    words = QCoreApplication.translate("MessageDetails", "about {tokens} tokens, fingerprint {hash}")
    words = words.replace("{tokens}", QLocale().toString(receipt.tokens)).replace("{hash}", receipt.hash)
    return kinds.get(receipt.kind, receipt.kind), words


def _label(text: str, *, wraps: bool = False) -> QLabel:
    label = QLabel()
    label.setWordWrap(wraps)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setText(text)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
