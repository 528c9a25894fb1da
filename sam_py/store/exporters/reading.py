"""Reading order: what a person reads of a conversation, section by section, each tool's result with its call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from sam_py.messages.history import ErrorOccurred
from sam_py.messages.message import (
    AssistantMessage,
    DeveloperMessage,
    Message,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
)
from sam_py.messages.parts import ThinkingSignaturePart
from sam_py.store.exporters.conversation import StoredConversation

_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_MARKS = re.compile(r"[*_`#>~]+")
LONGEST_RESULT = 200_000
"""Characters of a tool's result in forms for reading; the lossless forms have all of it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A message, what its calls gave back (by call id), and what went wrong at it."""

    message: Message
    results: dict[str, ToolResultMessage]
    error: ErrorOccurred | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """Messages in a row: the shown path, or (`branch` > 0) another version from the message that it begins with."""

    branch: int
    after: str
    """The beginning of the message that a branch follows; "" for the first message of all."""
    ids: tuple[str, ...]
    is_chosen: bool = False
    """Message by message: what their calls gave back may not be among them."""


def sections(
    conversation: StoredConversation, messages: Sequence[str] = (), *, branches: bool = False
) -> list[Section]:
    """What is to be read: chosen messages, or the shown path, or all ways through the tree, each message once."""
    if messages:
        return [Section(0, "", tuple(messages), is_chosen=True)]
    if not branches:
        return [Section(0, "", tuple(conversation.path))]
    found: list[Section] = []
    for number, way in enumerate(conversation.branches()):
        above = conversation.tree.nodes[way[0]].parent_id
        after = beginning(conversation.message(above)) if number and above is not None else ""
        found.append(Section(number, after, tuple(way)))
    return found


def entries(conversation: StoredConversation, section: Section) -> Iterator[Entry]:
    """The messages of a section. A result stands with the call that it answers and not by itself."""
    called: set[str] = set()
    results: dict[str, ToolResultMessage] = {}
    for id in section.ids:
        if conversation.tree.nodes[id].role == "tool":
            message = conversation.message(id)
            if isinstance(message, ToolResultMessage):  # else it could not be read, and stands there as a note
                results.setdefault(message.call_id, message)
        elif conversation.tree.nodes[id].role == "assistant":
            called |= {call.call_id for call in conversation.message(id).tool_calls}
    for id in section.ids:
        message = conversation.message(id)
        if (
            isinstance(message, ToolResultMessage)
            and results.get(message.call_id) is message
            and message.call_id in called
        ):
            continue
        if not conversation.has_details and (isinstance(message, ToolResultMessage) or not message.parts):
            continue
        known = results if not section.is_chosen else {**_results_below(conversation, message), **results}
        own = {call.call_id: known[call.call_id] for call in message.tool_calls if call.call_id in known}
        yield Entry(message, own, conversation.error_below(id))


def _results_below(conversation: StoredConversation, message: Message) -> dict[str, ToolResultMessage]:
    """What the calls of a message gave back, of several times that which is shown."""
    found: dict[str, ToolResultMessage] = {}
    waiting = [message.id] if message.tool_calls else []
    while waiting:
        above = waiting.pop()
        shown = conversation.tree.choice(above)
        below = [id for id in conversation.tree.children(above) if conversation.tree.nodes[id].role == "tool"]
        for id in sorted(below, key=lambda id: id != shown):
            result = conversation.message(id)
            if isinstance(result, ToolResultMessage):
                found.setdefault(result.call_id, result)
        waiting += sorted(below, key=lambda id: id == shown)
    return found


def beginning(message: Message, length: int = 60) -> str:
    """The first words of a message on one line."""
    words = " ".join(_MARKS.sub("", _LINK.sub(r"\1", message.plain_text[: length * 8])).split())
    return words if len(words) <= length else f"{words[: length - 1].rstrip()}…"


def who(message: Message) -> str:
    """Whose message it is, in a word or a model's name."""
    match message:
        case UserMessage():
            return "You"
        case AssistantMessage():
            return message.model or "Assistant"
        case ToolResultMessage():
            return message.tool_name or "Tool"
        case SystemMessage() | DeveloperMessage():
            return "Instructions"


def how_it_ended(message: Message) -> str:
    """What a reader must know of a reply's end; "" where it simply ended."""
    if not isinstance(message, AssistantMessage):
        return ""
    match message.stop_reason:
        case "aborted":
            return "Stopped here."
        case "length":
            return "Cut off: the reply reached its longest length."
        case "content_filter" | "refusal":
            return "The provider ended the reply."
        case "error":
            return "The reply broke off."
        case _:
            return ""


def is_only_signature(message: Message) -> bool:
    """True where nothing of a message can be read."""
    return bool(message.parts) and all(isinstance(part, ThinkingSignaturePart) for part in message.parts)


def state_of(result: ToolResultMessage | None) -> str:
    """What became of a call, in a word."""
    if result is None:
        return "no result"
    return {"success": "done", "error": "failed", "aborted": "stopped"}[result.status]


def local_time(at: datetime) -> str:
    """A time as this computer's clock says it.

    >>> len(local_time(datetime(2026, 5, 3, 14, 5, tzinfo=__import__("datetime").UTC))) > 10
    True
    """
    here = at.astimezone()
    return f"{here.day} {here:%B %Y, %H:%M}"


def shortened(text: str, longest: int = LONGEST_RESULT) -> str:
    """`text`, or its beginning and how much is left out."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}\n[… {len(text) - longest:,} more characters are in the JSON export]"
