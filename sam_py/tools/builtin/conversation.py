"""Tools that look back into the conversation: older messages, long results."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from pydantic import Field

from sam_py.bus.message_bus import MessageBus
from sam_py.errors import SamError
from sam_py.messages.message import AssistantMessage, Message, ToolResultMessage, UserMessage
from sam_py.tools.base import Arguments, BuiltinTool, Running, ToolError, ToolOutput
from sam_py.tools.builtin.matching import excerpt, fit, words_of

BusOf = Callable[[str], MessageBus | None]
ReadAttachment = Callable[[str], Awaitable[bytes]]

PIECE = 20_000
"""Characters of a long text that one call shows."""
_EXCERPT = 240
_AT_ONCE = 100


def open_bus(bus_of: BusOf, running: Running) -> MessageBus:
    bus = bus_of(running.conversation_id)
    if bus is None:
        raise ToolError("The conversation is closed, so it cannot be searched.")
    return bus


class RecallHistory(Arguments):
    words: str = Field(
        default="", max_length=500, description="Words of the messages to find. Empty: by importance alone."
    )
    least_importance: float = Field(
        default=0.0, ge=0.0, le=1.0, description="Only messages of at least this importance; 0.85 finds decisions."
    )
    message_id: str = Field(default="", max_length=64, description="Read this message whole instead of searching.")
    offset: int = Field(default=0, ge=0, description="With message_id: the character to begin with.")
    most: int = Field(default=10, ge=1, le=50, description="How many messages at most.")


class RecallHistoryTool(BuiltinTool[RecallHistory]):
    name = "recall_history"
    label = "Search this conversation"
    icon = "search"
    description = (
        "Find earlier messages of this conversation, also those that are no longer sent to you because it grew too "
        "long. Search by words, by importance, or both; the answer has ids and excerpts. Call it again with message_id "
        "to read one whole. Use it before you say that you do not know what was said earlier."
    )
    takes = RecallHistory

    def __init__(self, bus_of: BusOf) -> None:
        self._bus_of = bus_of

    def doing(self, arguments: RecallHistory) -> str:
        if arguments.message_id:
            return f"Read the earlier message {arguments.message_id}"
        if arguments.words.strip():
            return f"Look in this conversation for “{arguments.words}”"
        return "Look for the important messages of this conversation"

    async def run(self, arguments: RecallHistory, running: Running) -> ToolOutput:
        bus = open_bus(self._bus_of, running)
        if arguments.message_id:
            return _whole(bus, arguments)
        words = words_of(arguments.words)
        if arguments.words.strip() and not words:
            raise ToolError("Give words to look for, not only signs.")
        found: list[tuple[float, float, int, Message]] = []
        ids = bus.path
        for start in range(0, len(ids), _AT_ONCE):
            for number, id in enumerate(ids[start : start + _AT_ONCE], start):
                message = bus.get(id) if id in bus else None
                if not isinstance(message, UserMessage | AssistantMessage) or bus.is_streaming(id):
                    continue
                if message.importance < arguments.least_importance or not message.plain_text:
                    continue
                rate = fit(message.plain_text, words) if words else 1.0
                if rate > 0:
                    found.append((rate, message.importance, number, message))
            await asyncio.sleep(0)  # the window paints in between
        if not found:
            return ToolOutput("No earlier message fits. Try other words, or a lower importance.")
        best = sorted(found, key=lambda each: each[:3], reverse=True)[: arguments.most]
        lines = [_found(message, words) for *_rates, message in sorted(best, key=lambda each: each[2])]
        head = (
            f"{len(found)} {'message fits' if len(found) == 1 else 'messages fit'}, {len(lines)} shown, oldest first."
        )
        return ToolOutput("\n".join([head, *lines]), details=(head,))


def _found(message: Message, words: tuple[str, ...]) -> str:
    return (
        f"[{message.id}] {message.created_at:%Y-%m-%d %H:%M} {message.role}, importance {message.importance:.2f}: "
        f"{excerpt(message.plain_text, words, _EXCERPT)}"
    )


def _whole(bus: MessageBus, arguments: RecallHistory) -> ToolOutput:
    id = arguments.message_id.strip().strip("[]")
    if id not in bus or not isinstance(bus.get(id), UserMessage | AssistantMessage):
        raise ToolError(f"There is no message {id!r} in this conversation. Find ids by a search first.")
    return piece(bus.get(id).plain_text, arguments.offset, f"Message {id}")


class ReadResult(Arguments):
    call_id: str = Field(max_length=200, description="The call whose result was cut, as the cut result names it.")
    offset: int = Field(default=0, ge=0, description="The character to begin with.")


class ReadResultTool(BuiltinTool[ReadResult]):
    name = "read_result"
    label = "Read a long result"
    icon = "text"
    description = (
        "Read a piece of a tool's result that was too long to be shown whole. The cut result says its call_id and the "
        "offset from which characters are missing; each piece says where the next one begins."
    )
    takes = ReadResult
    untrusted = True  # it may be a page's text

    def __init__(self, bus_of: BusOf, read_attachment: ReadAttachment) -> None:
        self._bus_of = bus_of
        self._read_attachment = read_attachment

    def doing(self, arguments: ReadResult) -> str:
        return f"Read on in a long result, from character {arguments.offset:,}"

    async def run(self, arguments: ReadResult, running: Running) -> ToolOutput:
        bus = open_bus(self._bus_of, running)
        entry = bus.ledger.get(arguments.call_id)
        result = bus.get(entry.result_id) if entry is not None and entry.result_id in bus else None
        if not isinstance(result, ToolResultMessage):
            raise ToolError(f"There is no result of a call {arguments.call_id!r} in this conversation.")
        text = result.output_text
        if result.whole:
            text = (await attachment_of(self._read_attachment, result.whole)).decode("utf-8", "replace")
        return piece(text, arguments.offset, f"The result of {result.tool_name}")


async def attachment_of(read: ReadAttachment, hash: str) -> bytes:
    try:
        return await read(hash)
    except SamError as error:
        raise ToolError(str(error)) from error


def piece(text: str, offset: int, name: str) -> ToolOutput:
    if offset >= len(text) and (text or offset):
        raise ToolError(f"{name} has only {len(text):,} characters.")
    end = min(len(text), offset + PIECE)
    head = f"{name}: characters {offset:,} to {end:,} of {len(text):,}"
    head += f"; go on with offset {end}" if end < len(text) else ""
    return ToolOutput(f"{head}\n\n{text[offset:end]}", details=(head,))
