"""Characters that are no words: emoji, and what is never seen."""

from __future__ import annotations

import re
import unicodedata

EMOJI = re.compile("[\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff\u20e3\ufe0f\ufe0e]")
_MODIFIERS = re.compile("[\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff]")
_FLAG_A = 0x1F1E6
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufffc\U000e0020-\U000e007f]"
)


def spoken_emoji(char: str) -> str:
    """Return the name of an emoji; none of what only changes the one before it.

    >>> spoken_emoji("🎉"), spoken_emoji("\\ufe0f"), spoken_emoji("🇩")
    ('party popper', '', 'd')
    """
    if _MODIFIERS.match(char):
        return ""
    if _FLAG_A <= ord(char) < _FLAG_A + 26:
        return chr(ord("a") + ord(char) - _FLAG_A)
    return unicodedata.name(char, "").lower()


def is_dropped(char: str) -> bool:
    """Whether it is a control character or a mark that nobody sees."""
    return _INVISIBLE.match(char) is not None
