"""Words of the inspector: fates, reasons and numbers as a person says them."""

from __future__ import annotations

from typing import assert_never

from PySide6.QtCore import QCoreApplication, QLocale

from sam_py.messages.importance import score
from sam_py.messages.message import (
    AssistantMessage,
    DeveloperMessage,
    Message,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
)
from sam_py.transcript.plan import Fate, MessageFate, Reason
from sam_py.ui.widgets.plain import one_line

_EXCERPT = 240


def number(value: int) -> str:
    return QLocale().toString(value)


def filled(words: str, *values: str) -> str:
    """`words` with ``%1``, ``%2`` … replaced, in one pass: a value may hold such a sign itself.

    >>> filled("%1 of %2", "%2", "9")
    '%2 of 9'
    """
    pieces = words.split("%")
    told = [pieces[0]]
    for piece in pieces[1:]:
        place = int(piece[0]) - 1 if piece[:1].isdigit() else -1
        told.append(values[place] + piece[1:] if 0 <= place < len(values) else f"%{piece}")
    return "".join(told)


def author(message: Message) -> str:
    """Who speaks."""
    match message:
        case UserMessage():
            return _tr("You")
        case AssistantMessage():
            return _tr("Assistant")
        case ToolResultMessage():
            return filled(_tr("Result of %1"), one_line(message.tool_name))
        case DeveloperMessage():
            return _tr("Summary") if message.covers else _tr("Note of the program")
        case SystemMessage():
            return _tr("System prompt")
        case _:
            assert_never(message)


def excerpt(message: Message) -> str:
    """The beginning of what it says, in one line; what it holds where it says nothing."""
    said = message.output_text if isinstance(message, ToolResultMessage) else message.plain_text
    text = one_line(said[:_EXCERPT])
    if text:
        return text
    if message.tool_calls:
        return filled(_tr("Calls %1"), ", ".join(one_line(call.tool_name) for call in message.tool_calls))
    if message.images:
        return _tr("A picture") if len(message.images) == 1 else filled(_tr("%1 pictures"), number(len(message.images)))
    if message.files:
        return ", ".join(one_line(file.filename) for file in message.files)
    return _tr("Nothing to read")


def fate_name(fate: Fate) -> str:
    match fate:
        case "sent":
            return _tr("Sent")
        case "shortened":
            return _tr("Shortened")
        case "summarised":
            return _tr("Summarised")
        case "left_out":
            return _tr("Left out")
        case _:
            assert_never(fate)


def short_reason(reason: Reason) -> str:
    """Why, in a word or two; empty where there is nothing special about it."""
    match reason:
        case "fits":
            return ""
        case "pinned":
            return _tr("pinned")
        case "always_keep":
            return _tr("always kept")
        case "system":
            return _tr("instructions")
        case "summary":
            return _tr("stands for others")
        case "last_turns":
            return _tr("among the last")
        case "never_send":
            return _tr("never sent")
        case "covered":
            return _tr("in a summary")
        case "least_important":
            return _tr("least important")
        case "too_large":
            return _tr("very long")
        case "without_call":
            return _tr("its call is gone")
        case _:
            assert_never(reason)


def whole_reason(fate: MessageFate) -> str:
    """Why it is sent or not, in a sentence."""
    match fate.reason:
        case "fits":
            return _tr("It is sent: there is room for it.")
        case "pinned":
            return _tr("It is sent whatever else gives way: it is pinned, or belongs to what is.")
        case "always_keep":
            return _tr("It is sent whatever else gives way: you chose to keep it always, or what it belongs to.")
        case "system":
            return _tr("Instructions are always sent.")
        case "summary":
            return _tr("It is sent in the place of the messages that it sums up.")
        case "last_turns":
            return _tr("It is sent: the last turns are left out only when nothing else can give way.")
        case "never_send":
            return _tr("It is not sent: you chose so, for it or for what it belongs to.")
        case "covered":
            return _tr("It is not sent itself: a summary says what matters of it.")
        case "least_important":
            return _tr("It is left out: there is not room for everything, and of what may go the rest matters more.")
        case "too_large":
            return _tr("Its beginning and end are sent: all of it would take too much room.")
        case "without_call":
            return _tr("It is left out: it answers a call that is no longer there.")
        case _:
            assert_never(fate.reason)


def token_figures(fate: MessageFate) -> str:
    """How many tokens are sent; of how many, where it is not all."""
    if fate.tokens == fate.whole_tokens:
        return number(fate.tokens)
    return filled(_tr("%1 of %2"), number(fate.tokens), number(fate.whole_tokens))


def importance_words(message: Message) -> str:
    """How important it is, and by which rule; empty for what is not scored."""
    if not isinstance(message, UserMessage | AssistantMessage):
        return ""
    value, rule = score(message.text, role=message.role)
    if abs(value - message.importance) > 0.005:
        rule = "set by hand"
    figure = QLocale().toString(message.importance, "f", 2)
    return filled(_tr("Importance %1 (%2)"), figure, QCoreApplication.translate("Importance", rule))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Inspector", text)
