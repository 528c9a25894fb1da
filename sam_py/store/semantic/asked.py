"""What is asked for, and what must not occur: a search by meaning reads a query as the search by words does. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sam_py.store.search_index.query import understand
from sam_py.store.search_index.words import fold

_WITHOUT = re.compile(r'(?<!\S)-(?:["“”„][^"“”„]*["“”„]?|(?=\w)[^\s"“”„]+)')


@dataclass(frozen=True, slots=True)
class Asked:
    """`words` are what the model is asked. A text is left out where it `has_unwanted` words."""

    words: str
    unwanted: tuple[re.Pattern[str], ...] = ()

    def has_unwanted(self, text: str) -> bool:
        if not self.unwanted:
            return False
        folded = fold(text)
        return any(pattern.search(folded) for pattern in self.unwanted)


def asked(text: str) -> Asked:
    """What `text` asks for.

    >>> soup = asked('soup -tomato "of the day"')
    >>> soup.words, soup.has_unwanted("Tomatoes"), soup.has_unwanted("TOMATO soup")
    ('soup "of the day"', False, True)
    >>> asked("-v").words
    '-v'
    """
    query = understand(text, typing=False)
    if not query.without:
        return Asked(text)
    words = re.sub(r"\s+", " ", _WITHOUT.sub(" ", text)).strip()
    return Asked(words or text, tuple(re.compile(term.pattern()) for term in query.without))
