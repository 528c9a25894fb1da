"""Cache markers: where the next request will be the same up to, so that its beginning is not paid for twice.

The API stores what stands before a marker and finds it again, up to 20 blocks further on, when the bytes
are the same. At most four markers; tools come before the system prompt, and that before the messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sam_py.providers.anthropic.opaque import Block

_MARKER = {"type": "ephemeral"}
_MARKABLE = frozenset({"text", "image", "document", "tool_use", "tool_result"})
"""Thinking takes no marker, and what is opaque is not ours to change."""

_REMINDER = "<system-reminder>"
"""How what the program reminds the model of begins, a text of its own."""

_Place = tuple[int, int]
"""Message and block."""


def mark(body: dict[str, Any]) -> None:
    """Mark the tools, the system prompt and the last two stable places of the messages of `body`."""
    for name in ("tools", "system"):
        if body.get(name):
            _mark(body[name], -1)
    for message, block in stable_places(body["messages"])[-2:]:
        _mark(body["messages"][message]["content"], block)


def stable_places(messages: Sequence[Block]) -> list[_Place]:
    """The ends of user's messages up to which the next request will be the same, in order.

    Reminders open the last message that the person wrote, and are gone or others the next time: the place is
    before them.
    """
    places = []
    for number, message in enumerate(messages):
        if message["role"] == "user":
            first = next((place for place, block in enumerate(message["content"]) if _is_reminder(block)), None)
            last = (len(message["content"]) if first is None else first) - 1
            place = (number, last) if last >= 0 else _last_markable(messages, number - 1)
            if place is not None:
                places.append(place)
    return places


def _is_reminder(block: Block) -> bool:
    return block["type"] == "text" and str(block["text"]).startswith(_REMINDER)


def _last_markable(messages: Sequence[Block], number: int) -> _Place | None:
    while number >= 0:
        content = messages[number]["content"]
        for block in range(len(content) - 1, -1, -1):
            if content[block]["type"] in _MARKABLE:
                return number, block
        number -= 1
    return None


def _mark(blocks: list[Block], place: int) -> None:
    blocks[place] = {**blocks[place], "cache_control": _MARKER}
