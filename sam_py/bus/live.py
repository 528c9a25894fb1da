"""LiveReply: a reply that still streams, and what was measured of it."""

from __future__ import annotations

from dataclasses import dataclass

from sam_py.messages.builder import PartsBuilder, mend_surrogates
from sam_py.messages.usage import CHARACTERS_PER_TOKEN, Metrics, Usage

_SHORTEST_S = 0.001
"""A reply that came all at once has no speed."""


@dataclass(slots=True)
class LiveReply:
    """Its parts so far; times are of the bus's monotonic clock, in seconds."""

    builder: PartsBuilder
    started_s: float
    first_token_s: float | None = None
    characters: int = 0
    half: str = ""
    """The first half of a character that was cut in two between chunks; it waits for the other."""

    def whole(self, text: str) -> str:
        """`text` with the half that waited, less a half that now waits. O(len(text)).

        >>> live = LiveReply(PartsBuilder(), 0.0)
        >>> live.whole("a\\ud83c"), live.whole("\\udf89") == "\\N{PARTY POPPER}"
        ('a', True)
        """
        text = self.half + text
        self.half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        return mend_surrogates(text.removesuffix(self.half))

    def measured(self, usage: Usage | None, now_s: float) -> Metrics:
        """Times and speed at the end; without reported tokens the speed is estimated from characters."""
        duration = now_s - self.started_s
        if self.first_token_s is None:
            return Metrics(duration_s=duration)
        first = self.first_token_s - self.started_s
        tokens = usage.output_tokens if usage is not None and not usage.estimated else None
        estimated = tokens is None
        if tokens is None:
            tokens = self.characters // CHARACTERS_PER_TOKEN
        writing = duration - first
        speed = tokens / writing if writing > _SHORTEST_S and tokens else None
        return Metrics(first_token_s=first, duration_s=duration, tokens_per_second=speed, estimated=estimated)
