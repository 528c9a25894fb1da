"""What a person types, understood: words that must all occur, "phrases", -without. Any input is a query."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sam_py.store.search_index.words import is_unspaced, pattern_of, prepared, words_of

_MOST_TERMS = 32
_LONGEST = 2_000
_TERM = re.compile(r'(?P<not>(?<!\S)-(?=["\w]))?(?:["“”„](?P<phrase>[^"“”„]*)(?P<closed>["“”„])?|(?P<word>[^\s"“”„]+))')


@dataclass(frozen=True, slots=True)
class Term:
    """Words that stand one after the other. `is_open`: the last of them is still being typed, and may go on."""

    words: tuple[str, ...]
    is_open: bool = False

    def match(self, also: tuple[str, ...] = ()) -> str:
        """As FTS5 reads it; `also`: words any of which will do as well."""
        own = '"' + " ".join(self.words) + '"' + (" *" if self.is_open else "")
        if not also:
            return own
        return "(" + " OR ".join((own, *(f'"{word}"' for word in also))) + ")"

    def pattern(self, *, inside: bool = False) -> str:
        return pattern_of(self.words, is_open=self.is_open, inside=inside)


@dataclass(frozen=True, slots=True)
class Query:
    """`terms` must all occur, none of `without` may. Empty: there is nothing to look for."""

    terms: tuple[Term, ...] = ()
    without: tuple[Term, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.terms)


def understand(text: str, *, typing: bool = True) -> Query:
    """The query that `text` is. `typing`: its last word may be a beginning, unless a space or quote ends it.

    >>> query = understand('red "green tea" -milk su')
    >>> [term.words for term in query.terms], [term.words for term in query.without]
    ([('red',), ('green', 'tea'), ('su',)], [('milk',)])
    >>> query.terms[-1].is_open, understand("su ").terms[0].is_open
    (True, False)
    >>> understand('-- "" *( NEAR').terms
    (Term(words=('NEAR',), is_open=True),)
    """
    text = text[:_LONGEST]
    terms: list[Term] = []
    without: list[Term] = []
    for found in list(_TERM.finditer(text))[:_MOST_TERMS]:
        words = tuple(words_of(prepared(found["phrase"] or found["word"] or "")))
        if not words:
            continue
        ends_text = found.end() == len(text) and not found["closed"]
        is_last = typing and ends_text and text[-1:].isalnum()
        term = Term(words, is_open=is_last and not is_unspaced(words[-1]))
        (without if found["not"] else terms).append(Term(words) if found["not"] else term)
    if without and not terms:  # "-v" alone is what is looked for
        terms, without = without, []
    return Query(tuple(dict.fromkeys(terms)), tuple(without))
