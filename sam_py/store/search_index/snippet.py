"""The piece of a text that is shown for a hit, with the ranges of its words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sam_py.store.search_index.results import Span
from sam_py.store.search_index.words import places, shown

LENGTH = 180
_BEFORE = 48
_LOOKED_AT = 400_000
_SPACE = re.compile(r"\s+")


def snippet_of(text: str, patterns: Sequence[str], length: int = LENGTH) -> tuple[str, tuple[Span, ...]]:
    """About `length` characters of `text` on one line, where most of `patterns` are near each other, and their ranges.

    >>> snippet_of("A word,\\n and a Wörd.", ["word"])
    ('A word, and a Wörd.', ((2, 6), (14, 18)))
    """
    text = shown(text)
    found = places(text[:_LOOKED_AT], patterns) or (places(text, patterns) if len(text) > _LOOKED_AT else [])
    start = _best_start(found, length) if found else 0
    return _cut(text, found, start, length)


def _best_start(found: Sequence[Span], length: int) -> int:
    """Where the window of `length` characters begins that holds the most places; of equal ones, the first."""
    best, most, end = 0, 0, 0
    reach = length - _BEFORE
    for begin, (at, _to) in enumerate(found):
        end = max(end, begin)
        while end < len(found) and found[end][1] <= at + reach:
            end += 1
        if end - begin > most:
            best, most = begin, end - begin
    return found[best][0]


def _cut(text: str, found: Sequence[Span], at: int, length: int) -> tuple[str, tuple[Span, ...]]:
    begin = max(0, at - _BEFORE)
    if begin:
        gap = text.find(" ", begin, at)
        begin = gap + 1 if gap >= 0 else begin
    end = min(len(text), begin + length)
    longest = max((to for start, to in found if start >= begin and start == at), default=end)
    end = max(end, min(longest, begin + 3 * length))
    pieces: list[str] = ["…"] if begin else []
    size = len(pieces)
    marks: list[Span] = []
    position = begin
    for start, to in found:
        if start < begin or to > end:
            continue
        before = _SPACE.sub(" ", text[position:start])
        word = _SPACE.sub(" ", text[start:to])
        size += len(before)
        marks.append((size, size + len(word)))
        size += len(word)
        pieces += (before, word)
        position = to
    pieces.append(_SPACE.sub(" ", text[position:end]).rstrip())
    if end < len(text):
        pieces.append("…")
    whole = "".join(pieces)
    lead = len(whole) - len(whole.lstrip())
    if lead:
        return whole[lead:], tuple((start - lead, to - lead) for start, to in marks)
    return whole, tuple(marks)
