"""What of a text an engine is given: pieces that are short enough, without what it would take for orders. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

LONGEST = 300
"""Characters of one piece: espeak takes 0.1 s for 300 and 7 s for 10,000."""
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\s]+")


def pieces(text: str, longest: int = LONGEST) -> Iterator[str]:
    """`text` in pieces of at most `longest` characters, cut at spaces where there are any; nothing where it is silent.

    >>> list(pieces("one two three", 8)), list(pieces("… —"))
    (['one two', 'three'], [])
    """
    rest = _UNSEEN.sub(" ", text).strip()
    while rest:
        cut = len(rest)
        if cut > longest:
            space = rest.rfind(" ", 1, longest + 1)
            cut = space if space > 0 else longest
        piece, rest = rest[:cut].strip(), rest[cut:].strip()
        if has_sound(piece):
            yield piece


def has_sound(text: str) -> bool:
    """Whether a voice may have something to say: a letter, a number or a sign (an emoji has a name).

    >>> has_sound("7"), has_sound("。"), has_sound("👍"), has_sound("?!")
    (True, False, True, False)
    """
    return any(unicodedata.category(each)[0] in "LNS" for each in text)


def has_words(text: str) -> bool:
    """Whether there is a letter or a digit, so that no sound at all would be a mistake.

    >>> has_words("7"), has_words("👍")
    (True, False)
    """
    return any(each.isalnum() for each in text)
