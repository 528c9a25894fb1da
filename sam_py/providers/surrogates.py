"""TextChannels: text deltas without half characters. JavaScript gateways cut an emoji into two lone surrogates."""

from __future__ import annotations

from typing import Literal

from sam_py.messages.builder import mend_surrogates
from sam_py.providers.base import StreamEvent, TextDelta, ThinkingDelta

Channel = Literal["text", "thinking"]


class TextChannels:
    """Holds back a half character at the end of a piece until its other half comes on the same channel."""

    def __init__(self) -> None:
        self._held = ""
        self._channel: Channel = "text"

    def add(self, channel: Channel, text: str, events: list[StreamEvent]) -> None:
        """Append the delta for `text` to `events`, without a trailing high surrogate."""
        if channel != self._channel:
            self.flush_into(events)
            self._channel = channel
        text, self._held = self._held + text, ""
        if "\ud800" <= text[-1] <= "\udbff":
            text, self._held = text[:-1], text[-1]
        if text:
            events.append(_delta(channel, mend_surrogates(text)))

    def flush_into(self, events: list[StreamEvent]) -> None:
        """Give up on the other half: it becomes U+FFFD."""
        if self._held:
            events.append(_delta(self._channel, "\ufffd"))
            self._held = ""


def _delta(channel: Channel, text: str) -> TextDelta | ThinkingDelta:
    return TextDelta(text) if channel == "text" else ThinkingDelta(text)
