"""Cutting a text into passages that a small embedding model sees as a whole: some 200 words each. Pure."""

from __future__ import annotations

import re

from sam_py.store.search_index.words import is_unspaced

Span = tuple[int, int]

LENGTH = 1_200
"""Characters of a passage where words have spaces."""
_WEIGHT = 3
"""How many of them one character counts of a script that has none: it is a word, or half of one."""
_EARLIEST = 0.6
_TAIL = 1.25
MOST = 400
"""Passages of one message: what lies beyond the first 80,000 words of it is found by its words alone."""
_ENDS = (re.compile(r"\n\s*\n"), re.compile(r"[.?!…。？！]+[\"')\]»”]*\s+|[。？！]|\n"), re.compile(r"\s+"))


def cut_passages(text: str) -> list[Span]:
    """The ranges of `text` that are embedded, in order: without gaps but for white space, and without overlap.

    >>> cut_passages("  Hello there. "), cut_passages(" ")
    ([(2, 14)], [])
    >>> [end - start for start, end in cut_passages("A sentence of words. " * 100)]
    [1196, 902]
    """
    spans: list[Span] = []
    start = 0
    while start < len(text) and len(spans) < MOST:
        end = _end_of(text, start)
        piece = text[start:end]
        if stripped := piece.strip():
            begin = start + piece.index(stripped[0])
            spans.append((begin, begin + len(stripped)))
        start = end
    return spans


def _end_of(text: str, start: int) -> int:
    """Where the passage that begins at `start` ends: at a paragraph, else a sentence, else a word."""
    window = text[start : start + LENGTH]
    reach = LENGTH
    if not window.isascii():
        unspaced = sum(map(is_unspaced, window))
        reach = max(1, round(LENGTH / (1 + (_WEIGHT - 1) * unspaced / len(window))))
    if len(text) - start <= reach * _TAIL:
        return len(text)
    earliest = start + int(reach * _EARLIEST)
    for pattern in _ENDS:
        ends = [found.end() for found in pattern.finditer(text, earliest, start + reach)]
        if ends:
            return ends[-1]
    return start + reach
