"""Calibrations: how far our estimates of tokens are from what a model's provider counts, learned from its replies."""

from __future__ import annotations

import statistics
from collections import deque
from dataclasses import dataclass
from itertools import combinations

_REMEMBERED = 12
"""Requests per model: enough to outvote a strange one, few enough to follow a change."""
_SPREAD = 1.4
"""The longest remembered request must be so many times as long as the shortest to tell slope from offset."""
_SHORT = 1_500
"""Raw tokens: of a request shorter than this, the frame around it (tools, the service's own prompt) is what is off."""
_LEAST, _MOST = 0.4, 2.5


@dataclass(frozen=True, slots=True)
class Measure:
    """``tokens = factor * raw + offset``."""

    factor: float = 1.0
    offset: float = 0.0

    def tokens(self, raw: float) -> int:
        return max(0, round(self.factor * raw + self.offset))


class Calibrations:
    """Pairs of our raw estimate and the reported prompt tokens, the last of each provider and model.

    Requests with tools are apart: to those, services add hundreds of tokens of their own.
    A line through them that single wrong pairs do not move (Theil–Sen) says what to expect of the next request.
    """

    def __init__(self) -> None:
        self._pairs: dict[tuple[str, str, bool], deque[tuple[float, int]]] = {}
        self._windows: dict[tuple[str, str], int] = {}

    def learn(self, provider: str, model: str, raw: float, reported: int, *, with_tools: bool = False) -> None:
        """A request that we estimated as `raw` tokens was `reported` ones."""
        if raw > 0 and reported > 0:
            key = (provider, model, with_tools)
            self._pairs.setdefault(key, deque(maxlen=_REMEMBERED)).append((raw, reported))

    def learn_too_long(self, provider: str, model: str, raw: float, reported: int, *, with_tools: bool = False) -> None:
        """A request was refused as too long, with its count: that counts more than what was learned before."""
        self._pairs.pop((provider, model, with_tools), None)
        self.learn(provider, model, raw, reported, with_tools=with_tools)

    def learn_window(self, provider: str, model: str, tokens: int) -> None:
        """The model was seen to take no more than `tokens`."""
        self._windows[provider, model] = tokens

    def window_of(self, provider: str, model: str) -> int | None:
        """What the model was seen to take; None where it never refused anything."""
        return self._windows.get((provider, model))

    def measure_of(self, provider: str, model: str, *, with_tools: bool = False) -> Measure:
        """What is known of a model; of one that never answered, our estimates as they are."""
        pairs = self._pairs.get((provider, model, with_tools)) or self._pairs.get((provider, model, not with_tools))
        return _fitted(tuple(pairs)) if pairs else Measure()


def _fitted(pairs: tuple[tuple[float, int], ...]) -> Measure:
    shortest, longest = min(raw for raw, _ in pairs), max(raw for raw, _ in pairs)
    if longest >= _SPREAD * shortest:
        slopes = [(y - v) / (x - u) for (u, v), (x, y) in combinations(pairs, 2) if abs(x - u) > 0.05 * longest]
        factor = min(_MOST, max(_LEAST, statistics.median(slopes)))
        offset = statistics.median(reported - factor * raw for raw, reported in pairs)
        if offset >= 0:
            return Measure(factor, offset)
    elif longest <= _SHORT:
        offset = statistics.median(reported - raw for raw, reported in pairs)
        if offset >= 0:
            return Measure(1.0, offset)
    ratio = statistics.median(reported / raw for raw, reported in pairs)
    return Measure(min(_MOST, max(_LEAST, ratio)), 0.0)
