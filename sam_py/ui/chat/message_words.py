"""The words beside a message: who says it, the line of facts below it, and the notes on how it ended."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale, QTime

from sam_py.messages.message import (
    AssistantMessage,
    DeveloperMessage,
    Message,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
)
from sam_py.ui.chat.reply_facts import GUIDE, long_facts, short_facts
from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.chat.row_note import said_in, title_of
from sam_py.ui.chat.tool_words import spoken_call


def spoken(message: Message | None, context: RowContext) -> str:
    """Who says what, for a screen reader."""
    match message:
        case UserMessage():
            who = _tr("You")
        case AssistantMessage():
            who = context.label_of(message.provider, message.model) or _tr("Reply")
        case ToolResultMessage():
            who = _tr("Tool {name}").replace("{name}", message.tool_name)
        case DeveloperMessage() | SystemMessage():
            return f"{title_of(message)}: {said_in(message)}"
        case _:
            return ""
    words = [message.plain_text]
    if isinstance(message, AssistantMessage):
        words += [spoken_call(context.calls.show(part, message.id)) for part in message.tool_calls]
    elif isinstance(message, ToolResultMessage):
        words.append(message.output_text)
    return f"{who}: {'. '.join(word for word in words if word)}"


def facts_of(message: Message, context: RowContext, *, streaming: bool) -> str:
    """Model, time, tokens and speeds, as far as they are known and wanted."""
    local = message.created_at.astimezone()
    time = QLocale().toString(QTime(local.hour, local.minute), QLocale.FormatType.ShortFormat)
    if not isinstance(message, AssistantMessage):
        return time
    if message.provider == GUIDE:
        return f"{context.label_of(message.provider, message.model)} · {time}"
    facts = [context.provider_label(message.provider), context.label_of(message.provider, message.model), time]
    if context.show_metrics and not streaming:
        facts += short_facts(message, context)
    return " · ".join(dict.fromkeys(fact for fact in facts if fact))


def explained_facts(message: Message | None, context: RowContext) -> str:
    """The same in lines, each with where its figure is from; empty where there is nothing to explain."""
    if not isinstance(message, AssistantMessage) or not context.show_metrics or message.provider == GUIDE:
        return ""
    return "\n".join(f"{fact.name}: {fact.words()}" for fact in long_facts(message, context))


def notes_of(message: Message, *, streaming: bool) -> list[str]:
    """How a reply ended, where that was not by itself."""
    if not isinstance(message, AssistantMessage) or streaming:
        return []
    match message.stop_reason:
        case "aborted":
            return [_tr("Stopped here")]
        case "length":
            return [_tr("Cut off at the length limit: Continue lets it go on")]
        case "content_filter":
            return [_tr("Ended by the provider's content filter")]
        case "refusal":
            return [_tr("The model declined to answer")]
        case _:
            return []


def _tr(text: str) -> str:
    return QCoreApplication.translate("MessageRow", text)
