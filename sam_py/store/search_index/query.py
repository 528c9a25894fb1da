"""What a person types, understood: words that must all occur, "phrases", -without. Any input is a query."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sam_py.store.search_index.letters import bare
from sam_py.store.search_index.words import (
    AROUND,
    is_sign,
    is_unspaced,
    pattern_of,
    prepared,
    signs_of,
    word_of_sign,
    words_of,
)

_MOST_TERMS = 32
_LONGEST = 2_000
_TERM = re.compile(r'(?P<not>(?<!\S)-(?=["\w]))?(?:["“”„](?P<phrase>[^"“”„]*)(?P<closed>["“”„])?|(?P<word>[^\s"“”„]+))')


@dataclass(frozen=True, slots=True)
class Term:
    """Words that stand one after the other, bare; or one sign. `is_open`: the last is being typed, and may go on."""

    words: tuple[str, ...]
    is_open: bool = False

    def match(self, also: tuple[str, ...] = ()) -> str:
        """As FTS5 reads it; `also`: words any of which will do as well."""
        words = [word_of_sign(word) if is_sign(word) else word for word in self.words]
        whole = _phrase(words) + (" *" if self.is_open else "")
        either = [whole, *(f'"{word}"' for word in also)]
        longest = AROUND + 1
        if len(words) > longest:  # where only some of it stands in other letters
            pieces = [_phrase(words[start : start + longest]) for start in range(len(words) - longest + 1)]
            either.append(f"({' AND '.join(pieces)}{' *' if self.is_open else ''})")
        return f"({' OR '.join(either)})" if len(either) > 1 else whole

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
    (Term(words=('near',), is_open=True),)
    >>> [term.words for term in understand("Łódź → Straße").terms]
    [('lodz',), ('→',), ('strasse',)]
    """
    text = text[:_LONGEST]
    terms: list[Term] = []
    without: list[Term] = []
    for found in list(_TERM.finditer(text))[:_MOST_TERMS]:
        said = found["phrase"] or found["word"] or ""
        words = tuple(words_of(prepared(bare(said))))
        into = without if found["not"] else terms
        if words:
            ends_text = found.end() == len(text) and not found["closed"]
            is_last = typing and ends_text and (text[-1:].isalnum() or not bare(text[-1:]))
            is_open = is_last and not found["not"] and not is_unspaced(words[-1])
            into.append(Term(words, is_open=is_open))
        into += [Term((sign,)) for sign in signs_of(said)]
    if without and not terms:  # "-v" alone is what is looked for
        terms, without = without, []
    return Query(tuple(dict.fromkeys(terms)), tuple(without))


def _phrase(words: Sequence[str]) -> str:
    return '"' + " ".join(words) + '"'
