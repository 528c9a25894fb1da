"""Sign: what the foot of a message says of its place in requests: not sent, shortened, always kept."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QLocale

from sam_py.messages.message import AssistantMessage, Message, ToolResultMessage
from sam_py.transcript.plan import MessageFate
from sam_py.ui.chat.row_context import RowContext


@dataclass(frozen=True, slots=True)
class Sign:
    """`words` stand in the foot and are read out, `why` is said where the mouse rests on them.

    `dims`: the message is not sent, and is drawn more quietly.
    """

    icon: str
    words: str
    why: str
    dims: bool


def sign_of(message: Message, context: RowContext) -> Sign | None:
    """What is to be said of `message`; None where it is sent as any other."""
    if message.context == "never":  # at once, whatever the last plan says
        return Sign(
            "eye-off", _tr("Not sent: your choice"), _tr("You chose that the model never gets this message."), True
        )
    fate = context.fates.of(message.id)
    if fate is not None and fate.fate in ("left_out", "summarised") and not message.context:
        if fate.reason != "never_send" or message.tool_calls or isinstance(message, ToolResultMessage):
            return _not_sent(fate)
        return None  # the plan is from before the person took that back
    if message.context == "keep":
        return Sign("keep", _tr("Always sent"), _tr("You chose that every request holds this message."), False)
    if fate is not None and fate.fate == "shortened":
        return _shortened(fate, _tr("Sent shortened"))
    if isinstance(message, AssistantMessage):
        for call in message.tool_calls:
            result = context.calls.result_of(call.call_id, message.id)
            fate = context.fates.of(result.id) if result is not None else None
            if fate is not None and fate.fate == "shortened":
                return _shortened(fate, _tr("A result is sent shortened"))
    return None


def spoken_sign(sign: Sign | None) -> str:
    """For a screen reader, as a sentence of its own; empty where there is none."""
    return f"{sign.words}." if sign is not None else ""


def _not_sent(fate: MessageFate) -> Sign:
    match fate.reason:
        case "covered":
            return Sign(
                "text",
                _tr("Not sent: it stands in the summary"),
                _tr("A summary is sent in its place. Remove the summary, and this message is sent again."),
                True,
            )
        case "never_send":
            return Sign(
                "eye-off",
                _tr("Not sent: it belongs to what is never sent"),
                _tr("You chose that the model never gets the message that this one belongs to."),
                True,
            )
        case "without_call":
            return Sign(
                "eye-off",
                _tr("Not sent: the call that it answers is gone"),
                _tr("Models refuse the result of a call that is not in the conversation."),
                True,
            )
        case _:
            words = _tr(
                "The conversation no longer fits into what the model takes at once. What matters least goes first, "
                "the oldest before the newer. It stays here; “Always keep in context” in its menu brings it back "
                "({tokens} tokens)."
            )
            return Sign("eye-off", _tr("Not sent: least important"), _counted(words, tokens=fate.whole_tokens), True)


def _shortened(fate: MessageFate, words: str) -> Sign:
    why = _tr("To save room the model gets its beginning and its end: {tokens} of {whole} tokens.")
    return Sign("shorten", words, _counted(why, tokens=fate.tokens, whole=fate.whole_tokens), False)


def _counted(words: str, **numbers: int) -> str:
    for name, number in numbers.items():
        words = words.replace(f"{{{name}}}", QLocale().toString(number))
    return words


def _tr(text: str) -> str:
    return QCoreApplication.translate("Sign", text)
