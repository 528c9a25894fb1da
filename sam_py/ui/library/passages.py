"""Passages: the place in an attached file's text that a search showed, found again in the window of that file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sam_py.store.search_index.query import understand
from sam_py.store.search_index.results import Hit
from sam_py.store.search_index.words import fold
from sam_py.ui.library.seen_words import closest

if TYPE_CHECKING:
    from sam_py.ui.chat.tool_text import ToolText
    from sam_py.ui.library.tool_marks import ToolMarks
    from sam_py.ui.theme import Palette

_NEAR = 30
"""So many characters from the first word on tell the place where the file's window writes something else out."""


@dataclass(frozen=True, slots=True)
class Passage:
    """`part_index` is the file's in its message, `words` what was looked for, `at` where they begin in `snippet`.

    `label` is that of the section ("Page 3"), "" where there is none.
    """

    part_index: int
    words: str
    snippet: str
    at: int = 0
    label: str = ""


def passage_of(hit: Hit, words: str) -> Passage | None:
    """Where in a file the hit is; None where it is in the message itself."""
    if hit.kind != "document" or hit.part_index < 0:
        return None
    return Passage(hit.part_index, words, hit.snippet, hit.marks[0][0] if hit.marks else 0, hit.label)


def place_in(text: str, passage: Passage) -> int | None:
    """The character of `text` at which the words of the passage begin; None where they are not in it.

    Blocking: some 0.1 s for a million characters.

    >>> text = "[Page 1]\\nred tea\\n\\n[Page 2]\\nred  tea and\\nmilk"
    >>> [place_in(text, Passage(0, "tea", "red tea", 4, label)) for label in ("Page 1", "Page 2")]
    [13, 32]
    >>> place_in(text, Passage(0, "tea milk", "not quite as it stands there")), place_in(text, Passage(0, "salt", ""))
    (32, None)
    """
    folded = fold(text)
    patterns = list(_patterns(folded, passage.words))
    either = _either(patterns)
    if either is None:
        return None
    section = max(0, folded.find(fold(f"[{passage.label}]\n"))) if passage.label else 0
    for said in (passage.snippet.strip("…"), passage.snippet[passage.at : passage.at + _NEAR].strip("…")):
        words = [re.escape(word) for word in fold(said).split()]
        context = re.compile(r"\s+".join(words)) if words else None
        found = context and (context.search(folded, section) or context.search(folded))
        place = either.search(folded, found.start()) if found else None
        if place is not None:
            return place.start()
    places = [((found.lastindex or 1) - 1, found.start()) for found in either.finditer(folded, section)]
    places = places or [((found.lastindex or 1) - 1, found.start()) for found in either.finditer(folded)]
    return places[closest(places, len(patterns))][1] if places else None


def mark_passage(text: ToolText, passage: Passage, palette: Palette) -> ToolMarks | None:
    """Mark the words in what is shown, the passage's own strongly and in view; None where none of them is there."""
    from sam_py.ui.library.tool_marks import ToolMarks

    shown = text.toPlainText()
    place = place_in(shown, passage)
    pattern = _either(list(_patterns(fold(shown), passage.words)))
    if place is None or pattern is None:
        return None
    marks = ToolMarks(text, pattern, palette, around=place)
    marks.choose(marks.number_at(place))
    text.centerCursor()
    return marks


def _patterns(folded: str, words: str) -> Iterator[str]:
    """What finds each term as a word; inside of words only where it is none of this text."""
    for term in understand(words).terms:
        yield term.pattern() if re.search(term.pattern(), folded) else term.pattern(inside=True)


def _either(patterns: list[str]) -> re.Pattern[str] | None:
    return re.compile("|".join(f"({pattern})" for pattern in patterns)) if patterns else None
