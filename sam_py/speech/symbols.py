"""Characters that are no words: emoji, and what is never seen."""

from __future__ import annotations

import re
import unicodedata

# Unicode's property Emoji (emoji-data.txt, version 16) from U+2300 on, whole blocks beyond U+1F000
EMOJI = re.compile(
    "[\u231a-\u231b\u2328\u23cf\u23e9-\u23f3\u23f8-\u23fa\u24c2\u25aa-\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u2604"
    "\u260e\u2611\u2614-\u2615\u2618\u261d\u2620\u2622-\u2623\u2626\u262a\u262e-\u262f\u2638-\u263a\u2640\u2642"
    "\u2648-\u2653\u265f-\u2660\u2663\u2665-\u2666\u2668\u267b\u267e-\u267f\u2692-\u2697\u2699\u269b-\u269c"
    "\u26a0-\u26a1\u26a7\u26aa-\u26ab\u26b0-\u26b1\u26bd-\u26be\u26c4-\u26c5\u26c8\u26ce-\u26cf\u26d1\u26d3-\u26d4"
    "\u26e9-\u26ea\u26f0-\u26f5\u26f7-\u26fa\u26fd\u2702\u2705\u2708-\u270d\u270f\u2712\u2714\u2716\u271d\u2721"
    "\u2728\u2733-\u2734\u2744\u2747\u274c\u274e\u2753-\u2755\u2757\u2763-\u2764\u2795-\u2797\u27a1\u27b0\u27bf"
    "\u2934-\u2935\u2b05-\u2b07\u2b1b-\u2b1c\u2b50\u2b55\U0001f000-\U0001faff\u20e3\ufe0f\ufe0e]"
)
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
