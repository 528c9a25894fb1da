"""The words beside a message: who says it, the line of facts below it, and the notes on how it ended."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale, QTime

from sam_py.messages.message import AssistantMessage, Message, ToolResultMessage, UserMessage
from sam_py.ui.chat.row_context import RowContext

_GUIDE = "guide"
"""The offline guide writes no tokens: speeds would be a pretence."""


def spoken(message: Message | None, context: RowContext) -> str:
    """Who says what, for a screen reader."""
    match message:
        case UserMessage():
            who = _tr("You")
        case AssistantMessage():
            who = context.label_of(message.provider, message.model) or _tr("Reply")
        case ToolResultMessage():
            who = _tr("Tool {name}").replace("{name}", message.tool_name)
        case _:
            who = _tr("Note")
    return f"{who}: {message.plain_text if message is not None else ''}"


def facts_of(message: Message, context: RowContext, *, streaming: bool) -> str:
    """Model, time, tokens and speeds, as far as they are known and wanted."""
    local = message.created_at.astimezone()
    time = QLocale().toString(QTime(local.hour, local.minute), QLocale.FormatType.ShortFormat)
    if not isinstance(message, AssistantMessage):
        return time
    facts = [context.label_of(message.provider, message.model), time]
    if context.show_metrics and not streaming and message.provider != _GUIDE:
        facts += _measured(message)
    return " · ".join(fact for fact in facts if fact)


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


def _measured(message: AssistantMessage) -> list[str]:
    facts = []
    usage, metrics, locale = message.usage, message.metrics, QLocale()
    if usage is not None and usage.output_tokens:
        facts.append(_tr("{count} tokens").replace("{count}", locale.toString(usage.output_tokens)))
    if metrics is not None and metrics.first_token_s is not None:
        seconds = locale.toString(metrics.first_token_s, "f", 1)
        facts.append(_tr("first after {seconds} s").replace("{seconds}", seconds))
    if metrics is not None and metrics.tokens_per_second is not None:
        speed = ("≈ " if metrics.estimated else "") + locale.toString(metrics.tokens_per_second, "f", 0)
        facts.append(_tr("{speed} tokens/s").replace("{speed}", speed))
    return facts


def _tr(text: str) -> str:
    return QCoreApplication.translate("MessageRow", text)
