"""Whether a full stop, a question or an exclamation mark ends its sentence: the rules, without any state."""

from __future__ import annotations

import re
from enum import Enum

from sam_py.speech.abbreviations import (
    BEFORE_NUMBER,
    BEFORE_ORDINAL,
    COMPANY,
    EITHER,
    MONTHS,
    NEVER_LAST,
    OFTEN_LAST,
    ORDINAL_NOUNS,
    STARTERS,
    TITLES,
)
from sam_py.speech.terminators import CLOSERS, OPENERS

_LEAD = "".join(OPENERS | CLOSERS)
_REACH = 48
"""How far back words are looked at."""
_ROMAN = re.compile(r"[IVXLC]+$")
_LETTER = re.compile(r"[^\W\d_]")
_SHORT = re.compile(r"[^\W\d_]{1,3}\.$")


class Verdict(Enum):
    END = 0
    GO_ON = 1
    WAIT = 2
    """What follows so far does not tell yet."""


def judge_mark(before: str, marks: str, following: str, whole: bool, solid: bool) -> Verdict:
    """Judge ``!`` and ``?`` (`marks`, with the closing quotes), `before` and `following` being the text around.

    `whole` says that `following` does not go on; `solid` that it is code or a formula.
    """
    word = following.lstrip(_LEAD)
    if not word:
        return Verdict.END if whole or following[:1] in {"¿", "¡"} else Verdict.WAIT
    if word[0].islower():
        return Verdict.END if solid or _begins_small(before) else Verdict.GO_ON
    if marks == "!" and any(name.startswith(word) for name in COMPANY):
        if not whole:
            return Verdict.WAIT
        return Verdict.GO_ON if word in COMPANY and following == word else Verdict.END
    return Verdict.END


def judge_stop(before: str, marks: str, following: str, whole: bool, solid: bool) -> Verdict:
    """Judge ``.`` and ``…`` in the same way."""
    word = following.lstrip(_LEAD)
    if not word and not whole:
        return Verdict.WAIT
    if marks.count(".") > 1 or "…" in marks:
        return _trail_off(word, whole)
    if any(mark in CLOSERS for mark in marks):
        return _by_case(before, "", word, solid)
    last = before[-_REACH:].rsplit(None, 1)[-1].lstrip(_LEAD) if before and not before[-1].isspace() else ""
    if not last:
        return _by_case(before, last, word, solid)
    is_first = len(before.split(None, 2)) == 1 and before.lstrip(_LEAD) == last
    if last.isnumeric() or (_ROMAN.match(last) and last not in {"I", "C"}):
        return _number(before, last, word, whole, is_first)
    return _word(before, last, following, whole, solid, is_first)


def _trail_off(word: str, whole: bool) -> Verdict:
    if not word:
        return Verdict.END
    if word[0].islower():
        return Verdict.GO_ON
    if word == "I" and not whole:
        return Verdict.WAIT
    return Verdict.GO_ON if word == "I" else Verdict.END


def _by_case(before: str, last: str, word: str, solid: bool) -> Verdict:
    if not word or solid or not word[0].islower():
        return Verdict.END
    if _begins_small(before):
        return Verdict.END
    return Verdict.END if len(last) > 4 and last.isalpha() else Verdict.GO_ON


def _begins_small(before: str) -> bool:
    """Whether the sentence itself begins with a small letter: its writer does not care for capitals."""
    letter = _LETTER.search(before[:24])
    return letter is not None and letter[0].islower()


def _number(before: str, last: str, word: str, whole: bool, is_first: bool) -> Verdict:
    """ "3. Mai" goes on, "I have 3. You have 5." does not."""
    if is_first and len(last) <= 3:
        return Verdict.GO_ON
    if not word:
        return Verdict.END
    if word[0].islower():
        return Verdict.GO_ON if len(last) <= 3 else _by_case(before, "", word, False)
    if len(last) > 2 and not _ROMAN.match(last):
        return Verdict.END
    if word[0].isnumeric():
        return Verdict.GO_ON
    words = before[-_REACH:].casefold().split()
    previous = words[-2].lstrip(_LEAD) if len(words) > 1 else ""
    if previous in BEFORE_ORDINAL and not (previous in {"am", "die"} and {"i", "they"} & set(words[-3:-2])):
        return Verdict.GO_ON
    if not whole:
        return Verdict.WAIT
    folded = word.rstrip(_LEAD).casefold()
    return Verdict.GO_ON if (folded in MONTHS and folded != "may") or folded in ORDINAL_NOUNS else Verdict.END


def _word(before: str, last: str, following: str, whole: bool, solid: bool, is_first: bool) -> Verdict:
    word = following.lstrip(_LEAD)
    key = _compound(before, last)
    if key in NEVER_LAST or (key in TITLES and last[0].isupper()):
        return Verdict.GO_ON
    if not word:
        return Verdict.END
    if key in BEFORE_NUMBER and (word[0].isnumeric() or (whole and _ROMAN.match(word))):
        return Verdict.GO_ON
    if key in OFTEN_LAST:
        return Verdict.GO_ON if word[0].islower() and not solid else Verdict.END
    if len(last) == 1 and last.isalpha():
        return _letter(before, last, word, whole, is_first)
    if key in EITHER or _is_dotted(key):
        return _starts(word, whole)
    if key in BEFORE_NUMBER and word[0].islower():
        return Verdict.GO_ON
    return _by_case(before, last, word, solid)


def _compound(before: str, last: str) -> str:
    """The abbreviation that ends `before`, joined where it is written in pieces: "z. B" is "z.b".

    >>> _compound("Das ist z. B", "B"), _compound("l'art", "l'art")
    ('z.b', 'art')
    """
    words = before[-_REACH:].split()
    key = last
    for earlier in reversed(words[-4:-1]):
        earlier = earlier.lstrip(_LEAD)
        if len(last) > 5 or not _SHORT.match(earlier):
            break
        key = earlier + key
    for form in (key, last):
        folded = form.casefold().replace("’", "'")
        if _is_known(folded):
            return folded
    folded = key.casefold().replace("’", "'").rpartition("'")[2]
    return folded


def _is_known(key: str) -> bool:
    return any(key in group for group in (NEVER_LAST, TITLES, BEFORE_NUMBER, OFTEN_LAST, EITHER))


def _is_dotted(key: str) -> bool:
    """Whether it is letters with full stops between: "n.a.s.a"."""
    pieces = key.split(".")
    return len(pieces) > 1 and all(len(piece) == 1 and piece.isalpha() for piece in pieces)


def _starts(word: str, whole: bool) -> Verdict:
    """An abbreviation that may end a sentence does where a word follows that often begins one."""
    if word[0].islower() or word[0].isnumeric():
        return Verdict.GO_ON
    if not word[0].isupper():
        return Verdict.END
    if not whole:
        return Verdict.WAIT
    return Verdict.END if _is_starter(word) else Verdict.GO_ON


def _is_starter(word: str) -> bool:
    folded = word.rstrip(_LEAD).casefold().replace("’", "'")
    return folded in STARTERS or folded.partition("'")[0] in STARTERS


def _letter(before: str, last: str, word: str, whole: bool, is_first: bool) -> Verdict:
    """ "J. Smith" goes on, "vitamin C. The" does not."""
    if is_first or word[0].islower() or word[0].isnumeric():
        return Verdict.GO_ON
    if last == "I":
        return Verdict.END
    if not whole:
        return Verdict.WAIT
    return Verdict.END if _is_starter(word) and len(word) > 1 else Verdict.GO_ON
