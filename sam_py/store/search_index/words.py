"""Words as the index has them: folded, scripts without spaces cut into characters, and found again in a text.

The index's tokenizer (unicode61) folds case and Latin diacritics itself. What is done here makes it see what it cannot:

- Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese and Tibetan have no spaces between words, so each of their
  characters becomes a word of its own, and what is looked for there a phrase of them: found at any length, exactly.
- A text goes in together with those of its words that are looked for in other letters ("strasse" for "Straße") behind
  it, and with a word for each sign that is no letter. What is looked for is always the bare form (`letters.bare`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from sam_py.store.search_index.letters import JOINERS, LOST, as_token, bare, is_plain, spelled
from sam_py.store.search_index.letters import fold as fold

CUT = "\x1f"
"""Between two characters of such a script: no letter, so a border of words; taken out before anybody sees it."""
BEHIND = "\x1e"  # D-045
"""Ends what a person sees of a text in the index; the words that were added stand behind it."""
TAG = "\u01c1"
"""Begins the words that are ours: a letter that hardly anybody writes."""
AROUND = 3
"""So many words on each side stand with one that was added, so that phrases are found: longer ones in pieces."""
LONGEST_WORD = 64

_UNSPACED = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_MARKS = (
    "\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd"
    "\u102b-\u103e\u17b4-\u17d3\u3099\u309a"
)
_SIGN = f"[^\\w\\s\x00-\xff\u2000-\u206f\u3000-\u3004\u3008-\u303f\uff00-\uff20{_MARKS}{LOST}]"
"""An emoji, an icon of a font: SQLite may take it for a letter, as it knows an old Unicode, and glue it to a word."""
_BORDER = re.compile(
    f"(?<=[{_UNSPACED}])(?=[^\\s{CUT}{_MARKS}])|(?<=[^\\s{CUT}])(?=[{_UNSPACED}])(?![{_MARKS}])"
    f"|(?<={_SIGN})(?=\\w)|(?<=\\w)(?={_SIGN})"
)
_HAS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_SIGNS = frozenset({"So", "Sm", "Sc"})
_HAS_BORDERS = re.compile(f"[{_UNSPACED}]|{_SIGN}")
_UNSEEN = re.compile(
    f"[\x00{BEHIND}{CUT}\u200b\ufeff\u00ad\ud800-\udfff]|(?<=[\x00-\u024f])[{JOINERS}]+|[{JOINERS}]+(?=[\x00-\u024f])"
)
_HALVES = re.compile("[\ud800-\udfff]")
_OURS = re.compile(f"[\x00{BEHIND}{CUT}]")
_WORD = re.compile(r"[^\W_]+")
_WRITTEN = re.compile(f"[^\\W_](?:[^\\W_]|[{LOST}])*")
_LETTER = f"[^\\W_\u0640{_UNSPACED}]"
"""Of a script whose words have borders. What only lengthens a line of Arabic is none."""
_BEFORE = "".join(f"(?<!{_LETTER}{f'[{LOST}]' * marks})" for marks in range(4)), f"(?<!{_LETTER})"
_AFTER = f"(?![{LOST}]*{_LETTER})", f"(?!{_LETTER})"
"""The borders of a word that may have points, and of one that has none."""


def prepared(text: str) -> str:
    """`text` as it goes into the index: composed (NFC), what cannot be seen taken out, characters cut apart.

    >>> prepared("Hello, 你好 x").replace(CUT, "|")
    'Hello, 你|好 x'
    """
    if text.isascii():
        return _OURS.sub(" ", text) if "\x00" in text or BEHIND in text or CUT in text else text
    text = _UNSEEN.sub("", unicodedata.normalize("NFC", text))
    return _BORDER.sub(CUT, text) if _HAS_BORDERS.search(text) else text


def entered(text: str) -> str:
    """A text as the index has it: prepared, and behind it what it is found by besides.

    >>> entered("Die Straße!").replace(BEHIND, "|"), entered("plain"), entered("naïve")
    ('Die Straße!|die strasse', 'plain', 'naïve')
    """
    text = prepared(text)
    if text.isascii():
        return text
    added = [*_added_words(text), *(f"{TAG} {word_of_sign(sign)}" for sign in signs_of(text))]
    return f"{text}{BEHIND}{' '.join(added)}" if added else text


def _added_words(text: str) -> Iterator[str]:
    """The words that are looked for in other letters than the tokenizer sees, with those around them."""
    if is_plain(text):
        return
    written = _WRITTEN.findall(text)
    end = 0
    for place, word in enumerate(written):
        if word.isascii() or as_token(word) == bare(word):
            continue
        start = max(end, place - AROUND)
        if end and start > end:
            yield TAG
        end = place + AROUND + 1
        yield from filter(None, map(bare, written[start:end]))


def signs_of(text: str) -> list[str]:
    """The signs that are no letters, each once: emoji, arrows, currencies, mathematics."""
    if text.isascii():
        return []
    return sorted(char for char in set(text) if char > "\x7f" and unicodedata.category(char) in _SIGNS)


def word_of_sign(sign: str) -> str:
    """The word that stands for a sign in the index."""
    return f"{TAG}u{ord(sign):x}"


def is_sign(word: str) -> bool:
    return len(word) == 1 and not word.isalnum()


def storable(text: str) -> str:
    """`text` without what SQLite cannot hold: half of a surrogate pair."""
    return text if text.isascii() else _HALVES.sub("\ufffd", text)


def shown(text: str) -> str:
    """A text from the index as a person reads it."""
    if BEHIND in text:
        text = text[: text.index(BEHIND)]
    return text.replace(CUT, "") if CUT in text else text


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
    pieces: list[str] = []
    for place, word in enumerate(words):
        if place:
            pieces.append(_between(words[place - 1], word))
        if is_sign(word):
            pieces.append(re.escape(word))
        else:
            is_last = place == len(words) - 1
            pieces.append(spelled(bare(word), is_open=is_open and is_last, inside=inside))
    start = "" if inside or _has_no_border(words[0]) else _BEFORE[words[0].isascii()]
    end = "" if inside or is_open or _has_no_border(words[-1]) else _AFTER[words[-1].isascii()]
    return start + "".join(pieces) + end


def _between(before: str, after: str) -> str:
    if is_unspaced(before) or is_unspaced(after):
        return r"[\W_\u0640]*"
    return r"[\W_]+" if before.isascii() and after.isascii() else r"\u0640*[\W_][\W_\u0640]*"


def _has_no_border(word: str) -> bool:
    return is_sign(word) or is_unspaced(word)


def places(text: str, patterns: Iterable[str]) -> list[tuple[int, int]]:
    """Where any of `patterns` stands in `text`: sorted, none within another."""
    alternatives = "|".join(patterns)
    if not alternatives:
        return []
    return [found.span() for found in re.finditer(alternatives, fold(text)) if found.end() > found.start()]
