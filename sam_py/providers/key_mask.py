"""KeyMask: a reply without the key that it was asked with, which a server may repeat and we would keep. # D-019"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from sam_py.providers.base import StreamEvent, TextDelta, ThinkingDelta, ToolCallDelta

HIDDEN = "[key]"
SHORTEST = 16
"""Shorter ones are words that a server without keys is given ("lm-studio"): they may be meant."""


def without_key(data: bytes, key: str | None) -> bytes:
    """An answer that came whole, without the key."""
    key = (key or "").strip()
    return data.replace(key.encode(), HIDDEN.encode()) if len(key) >= SHORTEST else data


class KeyMask:
    """Takes one key out of the texts of a stream, however it was cut.

    What may be the beginning of the key waits for what follows it on the same channel; every other event, and
    `end`, sets it free.
    """

    def __init__(self, key: str | None) -> None:
        key = (key or "").strip()
        self._key = key if len(key) >= SHORTEST else ""
        self._held: TextDelta | ThinkingDelta | ToolCallDelta | None = None

    def read(self, events: list[StreamEvent]) -> list[StreamEvent]:
        """Return `events` without the key."""
        if not self._key or not events:
            return events
        clean: list[StreamEvent] = []
        for event in events:
            match event:
                case TextDelta() | ThinkingDelta() | ToolCallDelta():
                    self._read_piece(event, clean)
                case _:
                    clean += self.end()
                    clean.append(self._without(event))
        return clean

    def end(self) -> list[StreamEvent]:
        """Nothing follows: return what was held."""
        held, self._held = self._held, None
        return [] if held is None else [held]

    def _read_piece(self, event: TextDelta | ThinkingDelta | ToolCallDelta, clean: list[StreamEvent]) -> None:
        text = _text_of(event)
        if self._held is not None:
            if _channel_of(self._held) == _channel_of(event):
                text, self._held = _text_of(self._held) + text, None
            else:
                clean += self.end()
        if self._key in text:
            text = text.replace(self._key, HIDDEN)
        end = self._beginning_in(text)
        if end < len(text):
            self._held = _with_text(event, text[end:])
            text = text[:end]
        if text:
            clean.append(_with_text(event, text) if text != _text_of(event) else event)

    def _beginning_in(self, text: str) -> int:
        """Where the beginning of the key stands at the end of `text`; its length where it does not."""
        place = text.find(self._key[0], max(0, len(text) - len(self._key) + 1))
        while place >= 0:
            if self._key.startswith(text[place:]):
                return place
            place = text.find(self._key[0], place + 1)
        return len(text)

    def _without(self, event: StreamEvent) -> StreamEvent:
        """`event`, which came whole, with no key in any of its texts."""
        clean: dict[str, Any] = {}
        for each in fields(event):
            text = getattr(event, each.name)
            if isinstance(text, str) and self._key in text:
                clean[each.name] = text.replace(self._key, HIDDEN)
        return replace(event, **clean) if clean else event


def _text_of(event: TextDelta | ThinkingDelta | ToolCallDelta) -> str:
    return event.arguments_json if isinstance(event, ToolCallDelta) else event.text


def _with_text(
    event: TextDelta | ThinkingDelta | ToolCallDelta, text: str
) -> TextDelta | ThinkingDelta | ToolCallDelta:
    if isinstance(event, ToolCallDelta):
        return ToolCallDelta(event.key, text)
    return type(event)(text)


def _channel_of(event: TextDelta | ThinkingDelta | ToolCallDelta) -> tuple[type, str]:
    return type(event), event.key if isinstance(event, ToolCallDelta) else ""
