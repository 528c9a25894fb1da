"""Usage as Messages report it: once at the start, then as running totals that leave out what did not change."""

from __future__ import annotations

from typing import Any

from sam_py.messages.usage import Usage


class UsageTotals:
    """The last word that was said of each count."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def take(self, value: Any) -> Usage | None:
        """Read a usage object; returns what holds now, or None where it says nothing new."""
        if not isinstance(value, dict):
            return None
        details = value.get("output_tokens_details")
        thinking = details.get("thinking_tokens") if isinstance(details, dict) else None
        before = dict(self._counts)
        for name, count in {**value, "thinking_tokens": thinking}.items():
            if isinstance(count, int) and not isinstance(count, bool) and count >= 0:
                self._counts[name] = count
        return self._usage() if self._counts != before else None

    def _usage(self) -> Usage:
        """Ours counts all of the prompt as input; theirs leaves out what was read from the cache or written to it."""
        get = self._counts.get
        cached, written = get("cache_read_input_tokens"), get("cache_creation_input_tokens")
        prompt = [count for count in (get("input_tokens"), cached, written) if count is not None]
        return Usage(
            input_tokens=sum(prompt) if prompt else None,
            output_tokens=get("output_tokens"),
            cached_input_tokens=cached,
            cache_write_tokens=written,
            reasoning_tokens=get("thinking_tokens"),
        )
