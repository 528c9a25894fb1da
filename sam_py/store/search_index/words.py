"""Words as the index has them: folded, scripts without spaces cut into characters, and found again in a text.

The index's tokenizer (unicode61) folds case and diacritics itself. What is done here makes it see what it cannot:
Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese and Tibetan have no spaces between words, so each of their
characters becomes a word of its own, and what is looked for there a phrase of them: found at any length, exactly.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import pairwise

CUT = "\x1f"
"""Between two characters of such a script: no letter, so a border of words; taken out before anybody sees it."""
LONGEST_WORD = 64

_UNSPACED = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_MARKS = (
    "\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd"
    "\u102b-\u103e\u17b4-\u17d3\u3099\u309a"
)
_SIGN = f"[^\\w\\s\x00-\xff\u2000-\u206f\u3000-\u3004\u3008-\u303f\uff00-\uff20{_MARKS}]"
"""An emoji, an icon of a font: SQLite may take it for a letter, as it knows an old Unicode, and glue it to a word."""
_BORDER = re.compile(
    f"(?<=[{_UNSPACED}])(?=[^\\s{CUT}{_MARKS}])|(?<=[^\\s{CUT}])(?=[{_UNSPACED}])(?![{_MARKS}])"
    f"|(?<={_SIGN})(?=\\w)|(?<=\\w)(?={_SIGN})"
)
_HAS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_HAS_BORDERS = re.compile(f"[{_UNSPACED}]|{_SIGN}")
_UNSEEN = re.compile(f"[\x00{CUT}\u200b\u200c\u200d\ufeff\u00ad\ud800-\udfff]")
_HALVES = re.compile("[\ud800-\udfff]")
_WORD = re.compile(r"[^\W_]+")
_LETTER = f"[^\\W_{_UNSPACED}]"
"""Of a script whose words have borders."""


def prepared(text: str) -> str:
    """`text` as it goes into the index: composed (NFC), what cannot be seen taken out, characters cut apart.

    >>> prepared("Hello, 你好 x").replace(CUT, "|")
    'Hello, 你|好 x'
    """
    if text.isascii():
        return text.replace("\x00", " ").replace(CUT, " ") if "\x00" in text or CUT in text else text
    text = _UNSEEN.sub("", unicodedata.normalize("NFC", text))
    return _BORDER.sub(CUT, text) if _HAS_BORDERS.search(text) else text


def storable(text: str) -> str:
    """`text` without what SQLite cannot hold: half of a surrogate pair."""
    return text if text.isascii() else _HALVES.sub("\ufffd", text)


def shown(text: str) -> str:
    """A text from the index as a person reads it."""
    return text.replace(CUT, "") if CUT in text else text


class _Folds(dict[int, int]):
    """Each character in lower case, letters of the Latin alphabet without diacritics: what the index's tokenizer does.

    One for one, so that places in a text stay what they are.
    """

    def __missing__(self, code: int) -> int:
        low = chr(code).lower()[0]
        base = unicodedata.normalize("NFD", low)[0]
        folded = self[code] = ord(base if base.isascii() and base.isalpha() else low)
        return folded


_FOLDS = _Folds()


def fold(text: str) -> str:
    """Lower case without diacritics, character by character.

    >>> fold("Élan ÇA")
    'elan ca'
    """
    if text.isascii():
        return text.lower()
    return text.translate(_FOLDS)


def words_of(text: str) -> list[str]:
    """The words of a prepared text.

    >>> words_of(prepared("crème_brûlée 2.0 東京"))
    ['crème', 'brûlée', '2', '0', '東', '京']
    """
    return _WORD.findall(text)


def is_unspaced(word: str) -> bool:
    return _HAS_UNSPACED.match(word) is not None


def pattern_of(words: Sequence[str], *, is_open: bool = False, inside: bool = False) -> str:
    """A regular expression that finds the `words`, one after the other, in folded text.

    `is_open`: the last may go on (it is being typed). `inside`: also in the middle of a longer word.
    """
    pieces = [re.escape(fold(words[0]))]
    for before, word in pairwise(words):
        loose = is_unspaced(before) or is_unspaced(word)
        pieces.append(rf"[\W_]{'*' if loose else '+'}")
        pieces.append(re.escape(fold(word)))
    start = "" if inside or is_unspaced(words[0]) else rf"(?<!{_LETTER})"
    end = "" if inside or is_open or is_unspaced(words[-1]) else rf"(?!{_LETTER})"
    return start + "".join(pieces) + end


def places(text: str, patterns: Iterable[str]) -> list[tuple[int, int]]:
    """Where any of `patterns` stands in `text`: sorted, none within another."""
    alternatives = "|".join(patterns)
    if not alternatives:
        return []
    return [found.span() for found in re.finditer(alternatives, fold(text)) if found.end() > found.start()]
