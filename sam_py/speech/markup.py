"""Takes the markup out of the running text of one block while it grows: what a person would read aloud remains.

Emphasis marks go, links are their labels, pictures their alternative texts, addresses their host's name, code its own
text, formulas words. What a mark means is told by what follows it; until then its characters are held back, at most
some hundreds, and read again as plain text where they turn out to mean nothing.

Always true (tests check it): what comes out depends on the text alone, not on how it was fed, and a text costs time in
proportion to its length: what is held back is bounded, and an opening bracket that found no partner is not tried again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import ClassVar

from sam_py.speech.links import Links, host_of
from sam_py.speech.scanner import PICTURE_ENDS, Sink

CODE_CHARS = 300
TAG_CHARS = 1_000
INLINE_MATHS_CHARS = 300
MATHS_CHARS = 1_500


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TAG = re.compile(r"</?([A-Za-z][\w:-]*)(?:\s+[\w:@.-]+(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'=<>`]+))?)*\s*/?>$")
_AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*)>$")
_EMAIL_LINK = re.compile(r"<([\w.!#$%&'*+/=?^`{|}~-]+@[\w.-]+)>$")
_ALT = re.compile(r"\balt\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_BLOCK_TAGS = _words(
    "address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3"
    " h4 h5 h6 header hr html li main nav ol p section summary table tbody td tfoot th thead tr ul video audio"
)
_RAW_TAGS = frozenset({"script", "style"})
_ASCII_MARKS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


class Markup(Links):
    """Feed it the text of a block, `finish` at the block's end.

    `describe` makes words of a formula's LaTeX, none where formulas are skipped.
    """

    states: ClassVar[dict[str, str]] = {
        "\\": "_open_escape",
        "`": "_open_code",
        "*": "_open_run",
        "_": "_open_run",
        "~": "_open_run",
        "!": "_open_bang",
        "[": "_open_label",
        "<": "_open_angle",
        "&": "_open_entity",
        "$": "_open_dollars",
        "\n": "_line",
        PICTURE_ENDS: "_end_picture",
        **dict.fromkeys("hHwWfF", "_open_scheme"),
    }

    def __init__(self, sink: Sink, describe: Callable[[str], str], *, emoji: bool = False) -> None:
        super().__init__(sink, emoji=emoji)
        self._describe = describe
        self._run = 0
        self._closing = 0
        self._closer = ""
        self._unclosed = {")": -1, "]": -1}  # up to where no formula ends with such a bracket
        self._raw_end = ""

    # Escapes, emphasis

    def _open_escape(self, char: str, at: int) -> None:
        self._hold(self._escape, char, at)

    def _escape(self, char: str, at: int) -> None:
        closer = {"(": ")", "[": "]"}.get(char)
        if closer and at > self._unclosed[closer]:
            self._closer = closer
            self._held.append((char, at))
            self._escaped = False
            self._state = self._bracketed_maths
        elif char == "\n":
            self._held = []
            self._state = self._text_state
            self._sink.end()
            self._before = " "
        elif char and char in _ASCII_MARKS:
            self._held = []
            self._state = self._text_state
            self._say(char, at, at + 1)
        else:
            self._give_up(1, char, at)

    def _open_run(self, char: str, at: int) -> None:
        self._hold(self._emphasis, char, at)

    def _emphasis(self, char: str, at: int) -> None:
        mark = self._held[0][0]
        if char == mark:
            self._held.append((char, at))
            return
        before, after = self._before, char or " "
        if mark == "~":
            literal = len(self._held) == 1
        elif mark == "_":
            literal = before.isalnum() and after.isalnum()
        else:
            literal = before.isdigit() and after.isdigit()
            literal |= len(self._held) == 1 and (before + after).isascii() and before.isalnum() and after.isalnum()
        if literal or (before.isspace() and after.isspace()):
            self._give_up(len(self._held), char, at)
        else:
            self._resume(char, at)

    # Code

    def _open_code(self, char: str, at: int) -> None:
        self._hold(self._ticks, char, at)

    def _ticks(self, char: str, at: int) -> None:
        if char == "`":
            self._held.append((char, at))
            return
        self._run = len(self._held)
        self._closing = 0
        self._state = self._code
        self._code(char, at)

    def _code(self, char: str, at: int) -> None:
        if char == "`":
            self._closing += 1
        elif self._closing == self._run:
            inner = "".join(each for each, _ in self._held[self._run : -self._run])
            start, end = self._held[self._run][1], self._held[-self._run][1]
            self._sink.add_solid(" ".join(inner.split()), start, end)
            self._before = "`"
            self._resume(char, at)
            return
        else:
            self._closing = 0
        if not char or len(self._held) >= CODE_CHARS + self._run:
            del self._held[: self._run]
            self._give_up(0, char, at)
            return
        self._held.append((char, at))

    # Formulas

    def _bracketed_maths(self, char: str, at: int) -> None:
        r"""In ``\\(…\\)`` or ``\\[…\\]``."""
        if self._escaped and char == self._closer:
            self._held.append((char, at))
            self._say_maths(2, -2)
            self._held = []
            self._state = self._text_state
        elif not char or len(self._held) >= MATHS_CHARS:
            self._unclosed[self._closer] = self._held[-1][1]
            del self._held[0]
            self._give_up(1, char, at)
        else:
            self._escaped = char == "\\" and not self._escaped
            self._held.append((char, at))

    def _open_dollars(self, char: str, at: int) -> None:
        self._hold(self._dollars, char, at)

    def _dollars(self, char: str, at: int) -> None:
        if char == "$":
            self._held.append((char, at))
            return
        self._run = len(self._held)
        is_word = self._before.isascii() and self._before.isalnum()
        if self._run > 2 or not char or (self._run == 1 and (char.isspace() or is_word)):
            self._give_up(self._run, char, at)
            return
        self._closing = 0
        self._escaped = False
        self._state = self._maths
        self._maths(char, at)

    def _maths(self, char: str, at: int) -> None:
        if self._closing == self._run:
            if self._run == 1 and (char.isdigit() or not self._is_formula()):
                self._give_up(1, char, at)
                return
            self._say_maths(self._run, -self._run)
            self._resume(char, at)
            return
        limit = INLINE_MATHS_CHARS if self._run == 1 else MATHS_CHARS
        lone = self._closing and char != "$"
        if not char or len(self._held) >= limit or lone:
            self._give_up(self._run, char, at)
            return
        if char == "$" and not self._escaped:
            if self._run == 1 and self._held[-1][0].isspace():
                self._give_up(1, char, at)
                return
            self._closing += 1
        self._escaped = char == "\\" and not self._escaped
        self._held.append((char, at))

    def _is_formula(self) -> bool:
        """Whether what stands between two dollar signs is more than an amount of money and words."""
        inner = "".join(each for each, _ in self._held[1:-1])
        return not inner[0].isdigit() or " " not in inner or any(each in "\\^_=+<>" for each in inner)

    def _say_maths(self, first: int, last: int) -> None:
        inner = "".join(each for each, _ in self._held[first:last])
        start, end = self._range()
        self._sink.add_solid(self._describe(inner), start, end)
        self._before = "$"

    # Angle brackets and entities

    def _open_angle(self, char: str, at: int) -> None:
        self._hold(self._angle_start, char, at)

    def _angle_start(self, char: str, at: int) -> None:
        if char and ((char.isalpha() and char.isascii()) or char in "/!?"):
            self._held.append((char, at))
            self._state = self._angle
        else:
            self._give_up(1, char, at)

    def _angle(self, char: str, at: int) -> None:
        if not char or char == "<" or len(self._held) >= TAG_CHARS:
            self._give_up(1, char, at)
            return
        self._held.append((char, at))
        if len(self._held) == 4 and "".join(each for each, _ in self._held) == "<!--":
            self._skip_until("-->")
        elif char == ">":
            self._end_angle(at)

    def _end_angle(self, at: int) -> None:
        whole = "".join(each for each, _ in self._held)
        start, end = self._range()
        if link := _AUTOLINK.match(whole):
            self._sink.add_solid(host_of(link[1]), start, end)
        elif link := _EMAIL_LINK.match(whole):
            self._sink.add_solid(link[1], start, end)
        elif tag := _TAG.match(whole):
            self._tag(tag[1].lower(), whole, start, end)
            return
        elif whole[1] not in "!?":
            last = self._held.pop()
            self._give_up(1, *last)
            return
        self._held = []
        self._state = self._text_state
        self._before = ">"

    def _tag(self, name: str, whole: str, start: int, end: int) -> None:
        self._held = []
        self._state = self._text_state
        if name in _BLOCK_TAGS or name == "br":
            self._sink.end()
            self._before = " "
        elif name == "img" and (alternative := _ALT.search(whole)):
            self._sink.add_solid(unescape(alternative[1] or alternative[2] or ""), start, end)
        elif name in _RAW_TAGS and whole[1] != "/":
            self._skip_until(f"</{name}>")

    def _skip_until(self, end: str) -> None:
        self._held = []
        self._raw_end = end
        self._tail = []
        self._state = self._skip

    def _skip(self, char: str, at: int) -> None:
        if not char:
            self._state = self._text_state
            return
        self._tail.append((char, at))
        del self._tail[: -len(self._raw_end)]
        if "".join(each for each, _ in self._tail).lower() == self._raw_end:
            self._state = self._text_state

    def _open_entity(self, char: str, at: int) -> None:
        self._hold(self._entity, char, at)

    def _entity(self, char: str, at: int) -> None:
        if char == ";" and len(self._held) > 1:
            self._held.append((char, at))
            whole = "".join(each for each, _ in self._held)
            meant = unescape(whole)
            if meant == whole:
                self._held.pop()
                self._give_up(len(self._held), char, at)
                return
            start, end = self._range()
            self._held = []
            self._state = self._text_state
            for each in meant:
                self._say(each, start, end)
        elif char and len(self._held) < 33 and char.isascii() and (char.isalnum() or char == "#"):
            self._held.append((char, at))
        else:
            self._give_up(1, char, at)
