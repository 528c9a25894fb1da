"""Whether a full stop, a question or an exclamation mark ends its sentence: the rules, without any state."""

from __future__ import annotations

import re
from enum import Enum

from sam_py.speech.abbreviations import (
    BEFORE_NUMBER,
    BEFORE_ORDINAL,
    COMPANY,
    EITHER,
    INTERJECTIONS,
    LETTERED,
    MONTHS,
    NEVER_LAST,
    NOT_AFTER_TIME,
    OFTEN_LAST,
    ORDINAL_NOUNS,
    SAID,
    SMALL_ONLY,
    STARTERS,
    TITLES,
    TITLES_EVEN_SMALL,
    UNITS,
)
from sam_py.speech.terminators import CLOSERS, OPENERS, QUOTATIONS, QUOTES

_LEAD = "".join(OPENERS | CLOSERS)
_END = "".join(CLOSERS) + ",;:.!?"
_REACH = 48
"""How far back words are looked at."""
_ROMAN = re.compile(r"[IVXLC]+$")
_LETTER = re.compile(r"[^\W\d_]")
_JOINS = frozenset({"und", "oder", "bis", "sowie"})
_CLIPPED = re.compile(r"[B-DF-HJ-NP-TV-XZ][b-df-hj-np-tv-xz]{1,3}$")
_SHORT = re.compile(r"[^\W\d_]{1,3}\.$")
_DOUBLED = re.compile(r"([^\W\d_])\1$")
_HAN = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_HAN_LETTER = re.compile(rf"[{_HAN}]")
_TAG = re.compile(rf"[{_HAN}]{{0,5}}?(?:道(?=[^了歉谢謝理路德具])|[说說问問喊叫答想嘆叹笑讲講嚷嚀吼骂罵])")
_PARTICLE = re.compile("[とっはがのをにもでだへ]")
_TAG_CHARS = 6
_FINALS = frozenset("了吧啊呢吗嗎哦啦呀嘛哈喔囉耶！")
_DIVIDED = frozenset({"vol", "bd", "kap", "chap", "cap", "art", "pt", "tít", "akt"})
_ELISION = re.compile(r"(?:[cdjlmnst]|qu)'", re.IGNORECASE)


class Verdict(Enum):
    END = 0
    GO_ON = 1
    WAIT = 2
    """What follows so far does not tell yet."""


def judge_mark(before: str, marks: str, following: str, whole: bool, solid: bool) -> Verdict:
    """Judge ``!`` and ``?`` (`marks`, with the closing quotes), `before` and `following` being the text around.

    `whole` says that what follows is a whole word, or all there is; `solid` that it is code or a formula.
    """
    word = following.lstrip(_LEAD)
    if not word:
        return Verdict.END if whole or following[:1] in {"¿", "¡"} else Verdict.WAIT
    if word[0].islower():
        return Verdict.END if solid or _begins_small(before) else Verdict.GO_ON
    if word[0].isupper() and marks[-1] in QUOTES and word == following and _is_speech(before):
        return _tag(word, whole)
    name = word.rstrip(_END)
    if marks == "!" and any(each.startswith(name) for each in COMPANY):
        if not whole:
            return Verdict.WAIT
        return Verdict.GO_ON if name in COMPANY and following == word else Verdict.END
    return Verdict.END


def _is_speech(before: str) -> bool:
    """Whether the sentence begins with the quotation: who said it may stand behind, if not in front."""
    return before[:1] in QUOTATIONS


def _tag(following: str, whole: bool) -> Verdict:
    """Whether "I asked", "Anna said" goes on after words in quotation marks."""
    words = following.split()
    if len(words) > 1 and not any(verb.startswith(words[1]) for verb in SAID):
        return Verdict.END
    if len(words) > 1 and words[1].rstrip(_END) in SAID:
        return Verdict.GO_ON
    if len(words[0]) > 12 or words[0][-1] in _END:
        return Verdict.END
    return Verdict.WAIT


def judge_quoted(before: str, marks: str, following: str, whole: bool) -> Verdict:
    """Judge the full stop of Chinese or Japanese before a closing quotation mark, which "he asked" may follow."""
    if _PARTICLE.match(following) or following[0] in "，、,；":
        return Verdict.GO_ON
    if not _HAN_LETTER.match(following) or any(mark in ")）】》〉〕" for mark in marks):
        return Verdict.END
    if not _is_speech(before):
        return Verdict.END
    if _TAG.match(following):
        return Verdict.GO_ON
    return Verdict.WAIT if not whole and len(following) < _TAG_CHARS else Verdict.END


def ends_without_stop(last: str) -> bool:
    """Whether a Chinese or Japanese sentence may end in this character, and an emoji for a full stop."""
    return last in _FINALS or ("ぁ" <= last <= "ゖ" and _PARTICLE.match(last) is None)


def judge_nothing(before: str, following: str, whole: bool) -> Verdict:
    """Judge a place without a full stop where a sentence may end: behind a picture, behind an emoji."""
    word = following.lstrip(_LEAD)
    if not word:
        return Verdict.END if whole else Verdict.WAIT
    if _HAN_LETTER.match(before[-1:]):
        return Verdict.GO_ON if _PARTICLE.match(word) or word[0] in "，、,；" else Verdict.END
    return Verdict.END if word[0].isupper() or word[0].isnumeric() or _HAN_LETTER.match(word) else Verdict.GO_ON


def judge_line(following: str, whole: bool) -> Verdict:
    """Judge the end of a line: the next one goes on with the sentence where it begins with a small letter."""
    word = following.lstrip(_LEAD)
    if not word:
        return Verdict.END if whole else Verdict.WAIT
    return Verdict.GO_ON if word[0].islower() else Verdict.END


def judge_pause(before: str) -> Verdict:
    """Judge ``……`` that a letter of Chinese or Japanese follows at once: hesitation is short."""
    return Verdict.END if len(_HAN_LETTER.findall(before)) > 5 else Verdict.GO_ON


def judge_stop(before: str, marks: str, following: str, whole: bool, solid: bool) -> Verdict:
    """Judge ``.`` and ``…`` in the same way."""
    word = following.lstrip(_LEAD)
    if not word and not whole:
        return Verdict.WAIT
    if marks.count(".") > 1 or "…" in marks:
        return _trail_off(before, word, whole)
    last = before[-_REACH:].rsplit(None, 1)[-1].lstrip(_LEAD) if before and not before[-1].isspace() else ""
    if any(mark in CLOSERS for mark in marks):
        return _closed(before, last, marks, following, whole, solid)
    if not last:
        return _by_case(before, last, word, solid)
    is_first = len(before.split(None, 2)) == 1 and before.lstrip(_LEAD) == last
    if last.isnumeric() or (_ROMAN.match(last) and len(last) > 1):
        return _number(before, last, word, whole, is_first)
    return _word(before, last, following, whole, solid, is_first)


def _trail_off(before: str, word: str, whole: bool) -> Verdict:
    """ "Well... I think" is one sentence, "He never came... I did." two."""
    if not word:
        return Verdict.END
    if word[0].islower():
        return Verdict.GO_ON
    if not word.startswith("I") or len(before.split()) > 2:
        return Verdict.END
    if word == "I" and not whole:
        return Verdict.WAIT
    return Verdict.GO_ON if word.replace("’", "'").partition("'")[0] == "I" else Verdict.END


def _closed(before: str, last: str, marks: str, following: str, whole: bool, solid: bool) -> Verdict:
    """Judge a full stop inside quotation marks or brackets."""
    word = following.lstrip(_LEAD)
    if marks.strip(".") == ")" and "(" in before and before.rpartition("(")[0].strip(_LEAD + " "):
        inner = before.rpartition("(")[2]
        if _is_known(_compound(inner, last)) or len(inner) <= 4:
            return Verdict.GO_ON  # an abbreviation in a remark: "Maj. (ret.) Jones"
    if word and word[0].isupper() and marks[-1] in QUOTES and word == following and _is_speech(before):
        return _tag(word, whole)
    return _by_case(before, "", word, solid)


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
    if len(last) > 3 and not _ROMAN.match(last):
        return Verdict.END
    if word[0].isnumeric():
        return Verdict.GO_ON if len(last) < 3 else Verdict.END
    words = before[-_REACH:].casefold().split()
    previous = words[-2].lstrip(_LEAD) if len(words) > 1 else ""
    if previous in BEFORE_ORDINAL and not (previous in {"am", "die"} and {"i", "they"} & set(words[-3:-2])):
        return Verdict.GO_ON
    if previous in _JOINS and len(words) > 2 and words[-3].endswith(".") and words[-3][:-1].isnumeric():
        return Verdict.GO_ON  # "im 1. und 2. Quartal"
    if not whole:
        return Verdict.WAIT
    folded = word.rstrip(_END).casefold()
    return Verdict.GO_ON if (folded in MONTHS and folded != "may") or folded in ORDINAL_NOUNS else Verdict.END


def _word(before: str, last: str, following: str, whole: bool, solid: bool, is_first: bool) -> Verdict:
    word = following.lstrip(_LEAD)
    key = _compound(before, last)
    if key in NEVER_LAST or (key in TITLES and (last[0].isupper() or key in TITLES_EVEN_SMALL)) or last in SMALL_ONLY:
        return Verdict.GO_ON
    if not word:
        return Verdict.END
    if key in BEFORE_NUMBER and (word[0].isnumeric() or _is_roman(word, key)):
        return Verdict.GO_ON if whole or word[0].isnumeric() else Verdict.WAIT
    if key.endswith("str") and word[0].isnumeric():
        return Verdict.GO_ON  # "Bahnhofstr. 12"
    if key in OFTEN_LAST:
        return Verdict.GO_ON if word[0].islower() and not solid else Verdict.END
    if key in UNITS and _after_number(before, last):
        return _unit(key, last, word, whole)
    if len(last) == 1 and last.isalpha():
        return _letter(before, last, word, whole, is_first)
    if (
        _DOUBLED.match(last)
        and last.isupper()
        and (not whole or _DOUBLED.match(word.rstrip(_END)))
        and word[0].isupper()
    ):
        return Verdict.GO_ON if whole else Verdict.WAIT  # "EE. UU."
    if key in EITHER or key in TITLES or _is_dotted(key) or _is_clipped(last):
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
    folded = key.casefold().replace("’", "'")
    if elided := _ELISION.match(folded):
        return folded[elided.end() :]
    tail = folded.rpartition("-")[2]
    return tail if len(tail) > 1 and _is_known(tail) else folded  # "Dipl.-Ing"


def _is_roman(word: str, key: str) -> bool:
    """Whether it is a Roman number: "Vol. II", but not "No. I don't"."""
    word = word.rstrip(_END)
    return _ROMAN.match(word) is not None and (word != "I" or key in _DIVIDED)


def _after_number(before: str, last: str) -> bool:
    """Whether a number stands before the last word of `before`: "48 h"."""
    words = before[-_REACH:].removesuffix(last).split()
    while words and _SHORT.match(words[-1]):  # "9 a. m."
        words.pop()
    return bool(words) and words[-1][-1:].isnumeric()


def _unit(key: str, last: str, word: str, whole: bool) -> Verdict:
    if word[0].islower() or word[0].isnumeric():
        return Verdict.GO_ON
    if last[0].isupper() and len(last) > 1 and "." not in last:
        return _starts(word, whole)  # German, where any noun may follow: "2,3 Mio. Euro"
    if key not in ("a.m", "p.m") or not any(each.startswith(word.casefold()) for each in NOT_AFTER_TIME):
        return Verdict.END
    if not whole:
        return Verdict.WAIT
    return Verdict.GO_ON if word.rstrip(_END).casefold() in NOT_AFTER_TIME else Verdict.END


def _is_known(key: str) -> bool:
    return any(key in group for group in (NEVER_LAST, TITLES, BEFORE_NUMBER, OFTEN_LAST, EITHER, UNITS))


def _is_dotted(key: str) -> bool:
    """Whether it is letters with full stops between: "n.a.s.a"."""
    pieces = key.replace("-", "").split(".")
    return len(pieces) > 1 and all(len(piece) == 1 and piece.isalpha() for piece in pieces)


def _is_clipped(last: str) -> bool:
    """Whether it looks like a shortened name: "Wm", "Th" have a capital and no vowel."""
    return _CLIPPED.match(last) is not None and last.casefold() not in INTERJECTIONS


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
    folded = word.rstrip(_END).casefold().replace("’", "'")
    if len(folded) == 1 and "." in word:
        return False  # another initial
    return folded in STARTERS or folded.partition("'")[0] in STARTERS


def _letter(before: str, last: str, word: str, whole: bool, is_first: bool) -> Verdict:
    """ "J. Smith" goes on, "vitamin C. The" does not."""
    if is_first or word[0].islower() or word[0].isnumeric():
        return Verdict.GO_ON
    words = before[-_REACH:].split()
    if last == "I" or (len(words) > 1 and words[-2].lstrip(_LEAD).casefold() in LETTERED):
        return Verdict.END
    if not whole:
        return Verdict.WAIT
    return Verdict.END if word == "I" or (_is_starter(word) and len(word) > 1) else Verdict.GO_ON
