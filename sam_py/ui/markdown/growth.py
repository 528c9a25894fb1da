"""Which text that streams in can be put behind a parsed document as it is, without parsing it all again.

Most of what a model streams are words behind words. They cannot change how the text before them is read as long as
no character that Markdown knows is near, so they need no parser: a tenth of the cost. Whatever is doubtful is parsed.
"""

from __future__ import annotations

import re

_WORDS = re.compile(r"(?:[^\W_]|[ ,'’]|[.;!?](?= |$))+")
"""A full stop only at a word's end: `www.example` would become a link."""
_TAIL = re.compile(r"(?:^|[ \n])[^\W_]*[.,;!?]?$")
_LETTER = re.compile(r"[^\W\d_]")


def words_behind(before: str, after: str) -> str | None:
    """Return what to put behind the document of `before` so that it is that of `after`; None where only parsing tells.

    White space at a text's end is not in its document, so it comes with the words that follow it. The caller makes
    sure that the document ends in a paragraph or an item of a list.

    >>> words_behind("Some **bold** ", "Some **bold** words, ")
    ' words,'
    >>> words_behind("Some *bold", "Some *bold*") is None
    True
    >>> words_behind("See www", "See www.x.org") is None
    True
    """
    if not after.startswith(before):
        return None
    added = after[len(before) :]
    if not _WORDS.fullmatch(added):
        return None
    line = before[before.rfind("\n") + 1 :]
    if not _LETTER.search(line) or not _TAIL.search(line):
        return None  # a marker, or the middle of an address
    if line[-1] in ".,;!?" and added[0] not in " ":
        return None
    if before.lstrip()[0] == ">" or "|" in before or "]:" in before or "\t" in line:
        return None
    if line.lstrip()[0] == "[":
        return None
    return after.rstrip(" ")[len(before.rstrip(" ")) :]
