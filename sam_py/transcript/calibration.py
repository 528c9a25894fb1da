"""Calibrations: how far our estimates of tokens are from what a model's provider counts, learned from its replies.

A service adds what we cannot see: a frame around the conversation, words of its own about tools, a terser form of
their schemas. So what is known of one model is a line, ``tokens = factor * raw + offset``: one factor, as text is text,
and an offset for each set of tools, which stays the same while a conversation grows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

_REMEMBERED = 24
"""Requests per model: enough to outvote a strange one, few enough to follow a change."""
_MODELS = 200
"""So many models are remembered, the last used ones."""
_SPREAD = 1.4
"""The longest remembered request must be so many times as long as the shortest to tell slope from offset."""
_SHORT = 1_500
"""Raw tokens: of a request shorter than this, the frame around it (tools, the service's own prompt) is what is off."""
_LEAST, _MOST = 0.4, 2.5
_ENOUGH = 2
_LEAST_FRAME = 20
"""Tokens by which our frames around messages may be too large."""


@dataclass(frozen=True, slots=True)
class Measure:
    """``tokens = factor * raw + offset``."""

    factor: float = 1.0
    offset: float = 0.0

    def tokens(self, raw: float) -> int:
        return max(0, round(self.factor * raw + self.offset))


class _Seen(NamedTuple):
    """One request: our raw estimate, that of the tools in it, and what the provider counted."""

    raw: float
    tools: int
    reported: int


class Calibrations:
    """What providers reported of the last requests to each model, and what it says of the next one.

    The line through them is one that single wrong reports do not move (Theil–Sen).
    """

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], deque[_Seen]] = {}
        self._windows: dict[tuple[str, str], int] = {}

    def learn(self, provider: str, model: str, raw: float, reported: int, *, tools: float = 0.0) -> None:
        """A request that we estimated as `raw` tokens, `tools` of them for its tools, was `reported` ones."""
        if raw <= 0 or reported <= 0:
            return
        who = (provider, model)
        seen = self._seen.pop(who, None) or deque(maxlen=_REMEMBERED)
        seen.append(_Seen(raw, round(tools), reported))
        self._seen[who] = seen  # last used last
        while len(self._seen) > _MODELS:
            del self._seen[next(iter(self._seen))]

    def learn_too_long(self, provider: str, model: str, raw: float, reported: int, *, tools: float = 0.0) -> None:
        """A request was refused as too long, with its count: that counts more than what was learned before."""
        self._seen.pop((provider, model), None)
        self.learn(provider, model, raw, reported, tools=tools)

    def learn_window(self, provider: str, model: str, tokens: int) -> None:
        """The model was seen to take no more than `tokens`."""
        who = (provider, model)
        self._windows.pop(who, None)
        self._windows[who] = tokens
        while len(self._windows) > _MODELS:
            del self._windows[next(iter(self._windows))]

    def window_of(self, provider: str, model: str) -> int | None:
        """What the model was seen to take; None where it never refused anything."""
        return self._windows.get((provider, model))

    def measure_of(self, provider: str, model: str, *, tools: float = 0.0) -> Measure:
        """What is known of a model's requests with such tools; of one that never answered, ours as they are."""
        seen = self._seen.get((provider, model))
        return _fitted(tuple(seen), round(tools)) if seen else Measure()

    # Kept across restarts

    def written(self) -> dict[str, Any]:
        """All of it as JSON holds it."""
        return {
            "version": 1,
            "seen": [[*who, [list(each) for each in seen]] for who, seen in self._seen.items()],
            "windows": [[*who, tokens] for who, tokens in self._windows.items()],
        }

    def read(self, value: Mapping[str, Any]) -> None:
        """Take what `written` gave, before what is known already. Raises ValueError, TypeError or KeyError."""
        before = Calibrations()
        for provider, model, seen in value["seen"]:
            for raw, tools, reported in seen:
                before.learn(_text(provider), _text(model), float(raw), int(reported), tools=float(tools))
        for provider, model, tokens in value["windows"]:
            before.learn_window(_text(provider), _text(model), int(tokens))
        for (provider, model), known in self._seen.items():
            for each in known:
                before.learn(provider, model, each.raw, each.reported, tools=each.tools)
        self._seen, self._windows = before._seen, {**before._windows, **self._windows}


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} names no model")
    return value


def _fitted(seen: tuple[_Seen, ...], tools: int) -> Measure:
    """The line for requests with `tools`. Two that had the very same count alone, else those with any or with none."""
    near = [each for each in seen if bool(each.tools) == bool(tools)] or list(seen)
    alike = [each for each in seen if each.tools == tools]
    base = alike if len(alike) >= _ENOUGH else near
    of_short = 1.0 if max(each.raw for each in base) <= _SHORT else None
    for factor in (_slope(base), _slope(near), of_short):
        if factor is not None:
            offset = _median(each.reported - factor * each.raw for each in base)
            if offset >= -tools - _LEAST_FRAME:  # services write schemas more tersely, at the most as nothing
                return Measure(factor, offset)
    return Measure(_bounded(_median(each.reported / each.raw for each in base)), 0.0)


def _slope(seen: Sequence[_Seen]) -> float | None:
    """The median slope between the requests; None where they are about equally long."""
    longest = max(each.raw for each in seen)
    if longest < _SPREAD * min(each.raw for each in seen):
        return None
    slopes = [
        (one.reported - other.reported) / (one.raw - other.raw)
        for one, other in combinations(seen, 2)
        if abs(one.raw - other.raw) > 0.05 * longest
    ]
    return _bounded(_median(slopes))


def _median(values: Iterable[float]) -> float:
    from statistics import median  # with fractions and decimals: five milliseconds of the start

    return median(values)


def _bounded(factor: float) -> float:
    return min(_MOST, max(_LEAST, factor))
