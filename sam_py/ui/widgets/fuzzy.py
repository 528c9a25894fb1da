"""Fuzzy matching: how well a few typed letters name something."""

from __future__ import annotations


def rank(needle: str, text: str) -> float | None:
    """How well `needle` names `text`, higher is better; None where its letters are not all there, in order.

    A beginning beats the beginning of a word, that beats letters inside, and those beat letters that are
    strewn about; shorter texts win ties. Case does not matter. O(len(text)) for each word of `needle`.

    >>> rank("new", "New chat") > rank("new", "Renew") > rank("new", "Nothing seen below")
    True
    >>> rank("xyz", "New chat") is None
    True
    """
    folded = text.casefold()
    total = 0.0
    for word in needle.casefold().split():
        score = _rank_word(word, folded)
        if score is None:
            return None
        total += score
    return total - len(folded) / 1000


def _rank_word(word: str, text: str) -> float | None:
    place = text.find(word)
    if place == 0:
        return 100.0
    while place > 0:
        if not text[place - 1].isalnum():
            return 80.0 - min(place, 40) / 10
        place = text.find(word, place + 1)
    if word in text:
        return 60.0
    return _rank_strewn(word, text)


def _rank_strewn(word: str, text: str) -> float | None:
    """Letters in order with gaps; where each begins a word ("nc": New chat) that is a find."""
    score = 0.0
    place = -1
    for letter in word:
        found = text.find(letter, place + 1)
        if found < 0:
            return None
        starts = found == 0 or not text[found - 1].isalnum()
        score += 3.0 if starts else 1.5 if found == place + 1 else 0.5
        place = found
    return 70.0 if score == 3.0 * len(word) > 3.0 else 10.0 + 10 * score / len(word)
