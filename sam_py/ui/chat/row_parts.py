"""Which parts of a message its row draws, and what those that stream were fed."""

from __future__ import annotations

from collections.abc import Sequence

from sam_py.messages.message import DeveloperMessage, Message, SystemMessage, ToolResultMessage
from sam_py.messages.parts import Part, TextPart, ThinkingSignaturePart, ThinkingTextPart, ToolCallPart
from sam_py.ui.chat.blocks import Block, CallBlock


def shown_parts(message: Message) -> list[tuple[int, Part]]:
    """The parts that are drawn, each with its index in the message; of a tool's result its text first.

    The text of a note stands in its card.
    """
    if isinstance(message, ToolResultMessage):
        return [(-1, TextPart(text=message.output_text)), *enumerate(message.parts)]
    hidden = TextPart if isinstance(message, DeveloperMessage | SystemMessage) else ThinkingSignaturePart
    return [(index, part) for index, part in enumerate(message.parts) if not isinstance(part, hidden)]


def says_the_same(message: Message, blocks: Sequence[Block]) -> bool:
    """Whether `blocks`, which streamed, show what the finished `message` says."""
    parts = [part for _index, part in shown_parts(message)]
    told = [part for part in parts if text_of(part) is None or (text_of(part) or "").strip()]
    seen = [block for block in blocks if block.source is None or block.source.strip()]
    if len(told) != len(seen):
        return False
    for part, block in zip(told, seen, strict=True):
        if isinstance(part, ToolCallPart) and isinstance(block, CallBlock) and block.card.call_id == part.call_id:
            continue
        if block.kind != part.kind or text_of(part) is None:
            return False
        if (block.source or "").rstrip() != (text_of(part) or "").rstrip():
            return False
    return True


def text_of(part: Part) -> str | None:
    """What a streamed block was fed; None for parts that come whole."""
    match part:
        case TextPart() | ThinkingTextPart():
            return part.text
        case _:
            return None


def empty_part(kind: str) -> Part | None:
    match kind:
        case "text":
            return TextPart(text="")
        case "thinking_text":
            return ThinkingTextPart(text="")
        case _:
            return None
