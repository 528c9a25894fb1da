"""Bounded: a decoder whose answer cannot go on for ever, nor fill the memory. The same for every wire."""

from __future__ import annotations

from sam_py.providers.base import Decoder, StreamEvent, ToolCallStarted
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked, too_large

QUIET_BYTES = 96 << 20
"""So much of which nothing could be read; more than the largest whole answer or picture that a decoder takes."""
TOTAL_BYTES = 512 << 20
CALLS = 1_000


class Bounded:
    """Hands bytes on to `decoder` and events back; sets `error` where there is no end to them.

    Bytes that say nothing, calls and the answer in all have their measure. Text is handed on and not kept.
    """

    def __init__(
        self, decoder: Decoder, asked: Asked, *, quiet_bytes: int = QUIET_BYTES, total_bytes: int = TOTAL_BYTES
    ) -> None:
        self.error: ProviderError | None = None
        self._decoder = decoder
        self._asked = asked
        self._quiet_left = self._quiet_bytes = quiet_bytes
        self._left = total_bytes
        self._calls_left = CALLS

    @property
    def finished(self) -> bool:
        return self._decoder.finished

    def feed(self, chunk: bytes) -> list[StreamEvent]:
        if self.error is not None:
            return []
        events = self._decoder.feed(chunk)
        self.error = self._decoder.error
        if not self.finished and self.error is None:
            self._measure(len(chunk), events)
        return events

    def close(self) -> list[StreamEvent]:
        if self.error is not None:
            return []
        events = self._decoder.close()
        self.error = self._decoder.error
        return events

    def _measure(self, size: int, events: list[StreamEvent]) -> None:
        self._quiet_left = self._quiet_bytes if events else self._quiet_left - size
        self._left -= size
        for event in events:
            if type(event) is ToolCallStarted:
                self._calls_left -= 1
        if min(self._quiet_left, self._left, self._calls_left) < 0:
            self.error = too_large(self._asked)
