"""Which letters are looked for as the same: whatever their case, their accents, and how a program writes them.

Case and Latin diacritics fold in the index's own tokenizer (unicode61). Here is what it cannot know: Greek without
accents, ё as е, vocalised Hebrew and Arabic, ł as l, ß as ss, ligatures as PDFs have them, letters of full width.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache

JOINERS = "\u200c\u200d"
LOST = (
    f"\u0300-\u0331{JOINERS}\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
)
"""What may be left out of a word: vowel points, the lengthening of an Arabic line, accents that stand for themselves.

й and ў are letters of their own, and one character each.
"""
_ALIKE = {
    "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "ı": "i",
    "ſ": "s", "ё": "е", "ѐ": "е", "ѝ": "и", "ς": "σ", "µ": "μ", "ϐ": "β", "ϑ": "θ", "ϕ": "φ", "ϖ": "π", "ϰ": "κ",
    "ϱ": "ρ", "ϵ": "ε", "آ": "ا", "أ": "ا", "إ": "ا", "ٱ": "ا",
}  # fmt: skip
_WRITTEN_OTHERWISE = re.compile(
    "[\ufb00-\ufb06\ufb20-\ufb29\ufb50-\ufdcf\ufe80-\ufefc\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff]"
)
"""Ligatures, forms of Hebrew and Arabic letters, letters of full width, of mathematics: NFKC says what they are."""
_SEVERAL = tuple("ßæœþﬀﬁﬂﬃﬄﬅﬆ\ufefb\ufefc\ufef5\ufef6\ufef7\ufef8\ufef9\ufefa")
_MOST_SPELLINGS = 40
_WELL_FOLDED = re.compile("[\x00-\u01df\u01e2-\u024f\u0386-\u03fb\u0400-\u0525\u0531-\u0556\u1e00-\u1fff]")
"""Whose capitals SQLite's tokenizer knows, however old the Unicode it was made from."""
_LOST_ONE = re.compile(f"[{LOST}]")
_DIACRITIC = re.compile("[\u0300-\u0331]")


class _Tokens(dict[int, int]):
    """Each character as the tokenizer has it: lower case, Latin letters without diacritics."""

    def __missing__(self, code: int) -> int:
        char = chr(code)
        if _WELL_FOLDED.match(char):
            char = "σ" if char == "ς" else char.lower()[0]
            base = unicodedata.normalize("NFD", char)[0]
            char = base if base.isascii() and base.isalpha() else char
        folded = self[code] = ord(char)
        return folded


class _Bare(dict[int, str]):
    """Each character as what it is looked for as: one letter, several, or none."""

    def __missing__(self, code: int) -> str:
        found = self[code] = _bare_of(chr(code))
        return found


class _Folds(dict[int, int]):
    """Each character as the one letter that it is looked for as; what is several or none stays, in lower case."""

    def __missing__(self, code: int) -> int:
        bare = _BARE[code]
        folded = self[code] = ord(bare) if len(bare) == 1 else ord(chr(code).lower()[0])
        return folded


def _bare_of(char: str) -> str:
    if _LOST_ONE.match(char):
        return ""
    low = char.lower()[0]
    if _WRITTEN_OTHERWISE.match(low):
        known = unicodedata.normalize("NFKC", low).lower()
        if known.isalnum() and known != low and (len(known) == 1 or low in _SEVERAL):
            return "".join(map(_bare_of, known))
        return low
    if low in _ALIKE:
        return _ALIKE[low]
    base = unicodedata.normalize("NFD", low)[0]
    if (base.isascii() and base.isalpha()) or "\u0370" <= base <= "\u03ff" or base in _ALIKE:
        return _ALIKE.get(base, base)
    return low


_BARE, _TOKENS, _FOLDS = _Bare(), _Tokens(), _Folds()


def fold(text: str) -> str:
    """`text` character by character as it is looked for, so that places in it stay what they are.

    >>> fold("Élan ÇA, Łódź, ΕΛΛΆΔΑ, ещё, ＡＢＣ")
    'elan ca, lodz, ελλαδα, еще, abc'
    """
    return text.lower() if text.isascii() else text.translate(_FOLDS)


def bare(text: str) -> str:
    """`text` as it is looked for, whatever its length then is.

    >>> bare("Straße, oﬃce, הַשָּׁלוֹם")
    'strasse, office, השלום'
    """
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", text).translate(_BARE)


def as_token(text: str) -> str:
    """A piece of a composed text as the tokenizer has it, where it makes one word of it."""
    return text.lower() if text.isascii() else _DIACRITIC.sub("", text.translate(_TOKENS))


def is_plain(text: str) -> bool:
    """Whether the tokenizer itself makes of each character of `text` what it is looked for as. Quick."""
    if text.isascii():
        return True
    return not any(
        char > "\x7f" and _BARE[code := ord(char)] != chr(_TOKENS[code]) and not _DIACRITIC.match(char)
        for char in set(text)
    )


@lru_cache(256)
def spelled(word: str, *, is_open: bool, inside: bool) -> str:
    """A regular expression for a `bare` word in folded text: with ligatures, with points and without.

    `is_open`: more may follow, so its last letters may be the first of several that are written as one.
    """
    between = "" if word.isascii() else f"[{LOST}]*"
    return between.join(_pieces(word, is_open=is_open or inside, inside=inside))


def _pieces(word: str, *, is_open: bool, inside: bool) -> Iterator[str]:
    """The word letter by letter; what several letters in it may be written as one, as alternatives."""
    spans = [
        (at, min(at + len(said), len(word)))
        for said in _WRITTEN
        for at in range(1 - len(said) if inside else 0, len(word))
        if _stands(said, word, at, is_open=is_open)
    ]
    at = 0
    for start, end in _joined(spans):
        yield from map(re.escape, word[at:start])
        spellings = list(_spellings(word[start:end], start == 0 and inside, end == len(word) and is_open))
        yield f"(?:{'|'.join(spellings)})"
        at = end
    yield from map(re.escape, word[at:])


def _stands(said: str, word: str, at: int, *, is_open: bool) -> bool:
    """Whether `said` stands in `word` at `at`, as far as either reaches."""
    if at + len(said) > len(word) and not is_open:
        return False
    return said[max(0, -at) :].startswith(word[max(0, at) :][: len(said) + min(at, 0)])


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in sorted((max(0, start), end) for start, end in spans):
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def _spellings(piece: str, opens: bool, ends: bool) -> list[str]:
    """All ways of writing `piece`; of very many some."""
    found: list[str] = []
    waiting: list[tuple[str, int]] = [("", 0)]
    if opens:
        waiting += [
            (signs, len(said) - cut)
            for said, signs in _WRITTEN.items()
            for cut in range(1, len(said))
            if piece.startswith(said[cut:]) or (ends and said[cut:].startswith(piece))
        ]
    while waiting and len(found) < _MOST_SPELLINGS:
        begun, at = waiting.pop()
        if at >= len(piece):
            found.append(begun)
            continue
        waiting.append((begun + re.escape(piece[at]), at + 1))
        for said, signs in _WRITTEN.items():
            rest = piece[at : at + len(said)]
            if said.startswith(rest) and (len(rest) == len(said) or ends):
                waiting.append((begun + signs, at + len(said)))
    return list(dict.fromkeys(reversed(found)))


def _written(of: Mapping[int, str]) -> dict[str, str]:
    """By letters, the signs that stand for several of them at once, as a class of a regular expression."""
    found: dict[str, str] = {}
    for sign in _SEVERAL:
        found[of[ord(sign)]] = found.get(of[ord(sign)], "") + sign
    return {said: f"[{signs}]" for said, signs in found.items()}


_WRITTEN = _written(_BARE)
