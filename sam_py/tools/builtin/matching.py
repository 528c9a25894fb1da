"""How well a text fits the words of a question, and the piece of it that shows them. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

_WORD = re.compile(r"\w+")


def words_of(text: str) -> tuple[str, ...]:
    """The different words of `text`, folded, in order.

    >>> words_of("The plan, the PLAN!")
    ('the', 'plan')
    """
    return tuple(dict.fromkeys(word.casefold() for word in _WORD.findall(text)))


def fit(text: str, words: Sequence[str]) -> float:
    """From 0 (none) to 1: how many of `words` occur in `text`; a word that only begins one there counts half.

    >>> fit("We planned it", ["plan"]), fit("A plan", ["plan"]), fit("Nothing", ["plan"])
    (0.5, 1.0, 0.0)
    """
    if not words:
        return 0.0
    there = set(words_of(text))
    found = 0.0
    for word in words:
        if word in there:
            found += 1.0
        elif any(other.startswith(word) for other in there):
            found += 0.5
    return found / len(words)


def excerpt(text: str, words: Sequence[str], length: int) -> str:
    """At most `length` characters of `text` in one line, around the first of `words` that occurs."""
    flat = " ".join(text.split())
    if len(flat) <= length:
        return flat
    folded = flat.casefold()
    places = [place for word in words if (place := folded.find(word)) >= 0]
    begin = max(0, min(places, default=0) - length // 4)
    begin = min(begin, len(flat) - length)
    return f"{'…' if begin else ''}{flat[begin : begin + length]}{'…' if begin + length < len(flat) else ''}"
