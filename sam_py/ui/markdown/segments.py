"""Cuts Markdown into segments while it streams: prose, code, table, maths, image.

A segment is what one part of a message shows. Feeding costs what the chunk costs: only the last segment may still
grow, and a segment of prose is never so long that laying it out again takes a frame. Cuts lie at block boundaries;
a list or a paragraph that goes on and on is cut between items or sentences, and its next segment says that it
`continues`, how deep in a list it stands and which number its first item has.

Always true (tests check it): the segments' sources joined are the text that was fed, and the segments depend on the
text alone, never on how it was cut into chunks.

Deviations from GitHub's dialect, for what models really write: a fence inside a list may be indented too little, a
table ends at a line without a pipe, and display maths (``$$…$$``, ``\\[…\\]``) stands on lines of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from sam_py.ui.markdown.lines import cell_count, columns_before, dedent_line, fold_label, tail

Kind = Literal["prose", "code", "table", "math", "image", "file"]
"""``file`` never comes out of a text: a column shows a message's attached files that way."""

SOFT_CHARS = 600
"""From here on prose is cut at the next blank line outside lists and quotes, or before a heading."""
LIST_CHARS = 700
"""From here on a list is cut before its next item."""
HARD_CHARS = 2_400
"""No prose goes on beyond this: it is cut at a line's or a sentence's end."""
MAX_REFERENCES = 200

_FENCE = re.compile(r"(`{3,}(?=[^`]*$)|~{3,})[ \t]*(.*)$")
_ITEM = re.compile(r"(?:([-+*])|(\d{1,9})([.)]))([ \t]+|$)")
_RULE = re.compile(r"(?:\*[ \t]*){3,}$|(?:-[ \t]*){3,}$|(?:_[ \t]*){3,}$")
_HEADING = re.compile(r"#{1,6}(?:[ \t]|$)")
_IMAGE = re.compile(
    r"!\[((?:[^\[\]\\]|\\.)*)\]\(\s*(?:<([^<>]*)>|([^\s()]*(?:\([^\s()]*\)[^\s()]*)*))(?:\s+[\"'(].*[\"')])?\s*\)$"
)
_REFERENCE = re.compile(r"\[([^\[\]^]{1,200})\]:[ \t]*(\S+)")
_DELIMITER = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$")
_SENTENCE = re.compile(r"[.?!…。？！][\"')\]”’]*(?:\s+|(?<=[。？！]))")
_SPACE = re.compile(r"\s+")
_MARKERS = frozenset("#>-+*=|~`0123456789[!<:")


@dataclass(slots=True)
class Segment:
    """One piece of a message. `closed` says that its content will not change any more."""

    kind: Kind
    pieces: list[str] = field(default_factory=list)
    """The source; joined it is exactly what was fed."""
    size: int = 0
    content: list[str] = field(default_factory=list)
    """Code and maths: what stands between the fences, without the list's indentation."""
    content_size: int = 0
    info: str = ""
    """Code: what follows the fence. Image: its alternative text."""
    url: str = ""
    depth: int = 0
    """How many list levels it stands in."""
    column: int = 0
    """Columns of indentation to take off each line of the source."""
    number: int | None = None
    """The number of its first item, where it goes on with an ordered list."""
    continues: bool = False
    """Goes on with the list or the paragraph of the segment before: no gap between them."""
    closed: bool = False
    terminated: bool = False
    """Code and maths: the closing fence was seen."""

    @property
    def source(self) -> str:
        if len(self.pieces) > 1:
            self.pieces[:] = ["".join(self.pieces)]
        return self.pieces[0] if self.pieces else ""

    @property
    def body(self) -> str:
        """The content of code or maths."""
        return "".join(self.content)

    def content_from(self, start: int) -> str:
        """The content behind its first `start` characters. Costs what it returns."""
        return tail(self.content, self.content_size - start)

    def source_from(self, start: int) -> str:
        """The source behind its first `start` characters. Costs what it returns."""
        return tail(self.pieces, self.size - start)

    @property
    def language(self) -> str:
        """The first word of the info string, lower case."""
        words = self.info.replace("{", " ").replace("}", " ").split()
        return words[0].lstrip(".").lower() if words else ""

    def add(self, text: str) -> None:
        self.pieces.append(text)
        self.size += len(text)

    def add_content(self, text: str) -> None:
        self.content.append(text)
        self.content_size += len(text)


@dataclass(slots=True)
class _Level:
    """An open list: where its items' text begins, and the number of its current item."""

    content: int
    marker: str
    number: int


class Segmenter:
    """Feed it text, look at `segments` and `provisional`; `finish` when the text has ended."""

    def __init__(self) -> None:
        self.segments: list[Segment] = []
        self.references: dict[str, str] = {}
        """Link reference definitions met so far: folded label to address."""
        self._line: list[str] = []
        self._held = ""  # a line with a pipe: the header of a table, if a delimiter row follows
        self._held_depth = 0
        self._levels: list[_Level] = []
        self._paragraph = False  # the last line was text that a next line may go on with
        self._quote = False
        self._quote_fence = ""
        self._blank = True
        self._fence = ""
        self._fence_columns = 0
        self._line_sent = False  # part of the current line of code went out already
        self._line_size = 0

    @property
    def provisional(self) -> str:
        """The unfinished last line (and a line that may become a table's header): show it behind the last prose."""
        if self._fence:
            return ""
        return self._held + "".join(self._line)

    @property
    def in_open_block(self) -> bool:
        """Whether the provisional text belongs to an open table or formula instead of prose."""
        last = self.segments[-1] if self.segments else None
        return last is not None and not last.closed and last.kind in ("table", "math")

    def feed(self, chunk: str) -> None:
        """Take the next piece of text. O(chunk)."""
        start = 0
        while (end := chunk.find("\n", start)) >= 0:
            self._line.append(chunk[start : end + 1])
            start = end + 1
            self._end_line()
        if start < len(chunk):
            rest = chunk[start:]
            self._line.append(rest)
            self._line_size += len(rest)
            if self._fence:
                self._send_code()
            elif self._line_size > HARD_CHARS + 64:
                self._line[:] = [self._cut_long_line("".join(self._line))]
                self._line_size = len(self._line[0])

    def finish(self) -> None:
        """The text has ended: the last line counts as complete, an open fence as closed."""
        if self._line:
            self._end_line()
        self._release()
        if self.segments:
            self._close(self.segments[-1])
        self._fence = ""

    # Lines

    def _end_line(self) -> None:
        line = "".join(self._line) if len(self._line) != 1 else self._line[0]
        self._line.clear()
        self._line_size = 0
        if self._fence:
            self._code_line(line)
            return
        line = self._cut_long_line(line)
        text = line.strip()
        last = self.segments[-1] if self.segments else None
        if last is not None and not last.closed:
            if last.kind == "table":
                if text and "|" in text and not _FENCE.match(text):
                    last.add(line)
                    return
                self._close(last)
            elif last.kind == "math":
                self._math_line(last, line, text)
                return
        if not text:
            self._blank_line(line)
        else:
            self._text_line(line, text)
            self._blank = False

    def _blank_line(self, line: str) -> None:
        self._release()
        if not self.segments:
            self.segments.append(Segment("prose"))
        last = self.segments[-1]
        last.add(line)
        self._paragraph = self._quote = False
        self._quote_fence = ""
        self._blank = True
        if last.kind == "prose" and last.size >= SOFT_CHARS and not self._levels:
            self._close(last)

    def _text_line(self, line: str, text: str) -> None:
        if self._held:
            if _DELIMITER.match(text) and "-" in text and cell_count(text) == cell_count(self._held.strip()):
                table = Segment("table", depth=self._held_depth)
                table.add(self._held)
                table.add(line)
                self._held = ""
                self._open(table)
                return
            self._release()
        indent = columns_before(line)
        fence = _FENCE.match(text)
        item = None if _RULE.match(text) else _ITEM.match(text)
        quote = text[0] == ">"
        heading = _HEADING.match(text) is not None
        starts_block = bool(fence or item or quote or heading)
        if self._paragraph and indent > 3 + (self._levels[-1].content if self._levels else 0):
            starts_block = heading = quote = False  # indented text goes on with its paragraph
            fence = item = None
        lazy = self._paragraph and not starts_block
        if item and self._paragraph and not self._levels and item[2] and item[2] != "1":
            item, lazy = None, True  # only a list that starts at 1 may interrupt a paragraph
        popped: _Level | None = None
        if not lazy:
            while self._levels and indent < self._levels[-1].content:
                popped = self._levels.pop()
        depth = len(self._levels)
        base = self._levels[-1].content if self._levels else 0
        if not lazy and indent - base > 3 and not item:
            self._prose(line, depth, base)  # indented code, or text indented too far: the document knows
            return
        if fence and not quote:
            self._open_code(line, fence, indent, depth)
        elif text.startswith(("$$", "\\[")) and self._math(line, text, depth):
            pass
        elif picture := _IMAGE.match(text) if text[0] == "!" else None:
            image = Segment("image", info=picture[1], url=picture[2] or picture[3] or "", depth=depth)
            image.add(line)
            self._open(image)
            self._close(image)
        elif item:
            self._item(line, text, item, indent, popped)
        elif "|" in text and not quote and len(line) <= HARD_CHARS and cell_count(text):
            self._held, self._held_depth = line, depth
            self._paragraph = True
        else:
            self._plain(line, text, depth, base, quote=quote, heading=heading, lazy=lazy)

    def _plain(self, line: str, text: str, depth: int, base: int, *, quote: bool, heading: bool, lazy: bool) -> None:
        last = self._open_prose()
        if last is not None:
            fresh = self._blank and not self._levels and not self._quote
            if last.size >= SOFT_CHARS and (heading or fresh):
                self._close(last)
            elif (
                last.size + len(line) > HARD_CHARS and (lazy or quote) and (not self._quote_fence or last.size > 8_000)
            ):
                self._close(last)
                self._prose(line, depth, base, continues=True)
                self._quote = quote or (self._quote and lazy)
                self._paragraph = True
                return
        if not lazy and (reference := _REFERENCE.match(text)) and len(self.references) < MAX_REFERENCES:
            self.references.setdefault(fold_label(reference[1]), reference[2])
        self._prose(line, depth, base)
        self._quote = quote or (self._quote and lazy)
        if quote and (mark := _FENCE.match(text.lstrip("> "))):
            closes = self._quote_fence and mark[1].startswith(self._quote_fence)
            self._quote_fence = "" if closes else self._quote_fence or mark[1]
        self._paragraph = not heading and not _RULE.match(text)

    def _item(self, line: str, text: str, item: re.Match[str], indent: int, popped: _Level | None) -> None:
        depth = len(self._levels)
        marker = item[1] or item[3]
        number = int(item[2]) if item[2] else 0
        if popped is not None and popped.marker == marker and (popped.number or not item[2]):
            number = popped.number + 1 if item[2] else 0
        last = self._open_prose()
        in_list = depth > 0 or popped is not None
        if last is not None and last.size >= (LIST_CHARS if in_list else SOFT_CHARS) and (in_list or self._blank):
            self._close(last)
            goes_on = depth > 0 or (popped is not None and popped.marker == marker)
            self._prose(line, depth, indent, continues=goes_on, number=number if item[2] else None)
        else:
            self._prose(line, depth, indent, number=number if item[2] else None)
        spaces = item[4] if item[4] and len(item[4].expandtabs(4)) <= 4 else " "
        width = len(item[1] or item[2] + item[3]) + len(spaces)
        self._levels.append(_Level(indent + width, marker, number))
        self._paragraph = bool(text[item.end() :])
        self._quote = False

    def _prose(self, line: str, depth: int, column: int, *, continues: bool = False, number: int | None = None) -> None:
        last = self._open_prose()
        if last is None or (depth < last.depth and last.source.strip()):
            after_list = last is not None or depth > 0
            last = Segment(
                "prose",
                depth=depth,
                column=column,
                number=number,
                continues=continues or (after_list and not self._blank),
            )
            self._open(last)
        last.add(line)
        self._paragraph = True

    def _release(self) -> None:
        """The held line was no table header after all."""
        if self._held:
            line, self._held = self._held, ""
            base = self._levels[-1].content if self._levels else 0
            self._plain(line, line.strip(), self._held_depth, base, quote=False, heading=False, lazy=not self._blank)
            self._blank = False

    def _open_prose(self) -> Segment | None:
        last = self.segments[-1] if self.segments else None
        return last if last is not None and last.kind == "prose" and not last.closed else None

    def _open(self, segment: Segment) -> None:
        if self.segments:
            self._close(self.segments[-1])
        self.segments.append(segment)
        self._paragraph = False
        self._quote = False

    @staticmethod
    def _close(segment: Segment) -> None:
        segment.closed = True

    def _cut_long_line(self, line: str) -> str:
        """Put what is too long for one piece of prose away in pieces of bounded size; return the rest."""
        start = 0
        while len(line) - start > HARD_CHARS + 64:
            last = self.segments[-1] if self.segments else None
            if last is not None and not last.closed and last.kind in ("table", "math"):
                return line
            self._release()
            end = start + _cut_point(line[start : start + HARD_CHARS + 1])
            head, start = line[start:end], end
            if (open_prose := self._open_prose()) is not None and open_prose.size >= SOFT_CHARS:
                self._close(open_prose)
            base = self._levels[-1].content if self._levels else 0
            self._prose(head, len(self._levels), base, continues=self._paragraph)
            self._close(self.segments[-1])
            self._blank = False
        return line[start:] if start else line

    # Code

    def _open_code(self, line: str, fence: re.Match[str], indent: int, depth: int) -> None:
        code = Segment("code", info=fence[2].strip(), depth=depth)
        code.add(line)
        self._open(code)
        self._fence, self._fence_columns = fence[1], indent
        self._line_sent = False

    def _code_line(self, line: str) -> None:
        code = self.segments[-1]
        text = line.strip()
        if not self._line_sent and text and not text.strip(self._fence[0]) and len(text) >= len(self._fence):
            code.add(line)
            code.terminated = True
            self._close(code)
            self._fence = ""
            self._blank = True
            return
        code.add(line)
        code.add_content(line if self._line_sent else dedent_line(line, self._fence_columns))
        self._line_sent = False

    def _send_code(self) -> None:
        """Send out the unfinished line of code, unless it may still become the closing fence."""
        line = "".join(self._line)
        text = line.lstrip()
        if not self._line_sent and not text.strip().strip(self._fence[0]):
            return
        code = self.segments[-1]
        code.add(line)
        code.add_content(line if self._line_sent else dedent_line(line, self._fence_columns))
        self._line_sent = True
        self._line.clear()

    # Maths

    def _math(self, line: str, text: str, depth: int) -> bool:
        close = "$$" if text[0] == "$" else "\\]"
        rest = text[2:]
        at = rest.find(close)
        if at >= 0 and rest[at + 2 :].strip(" .,;"):
            return False  # text goes on behind the formula
        if close == "\\]" and at < 0 and "]" in rest:
            return False
        math = Segment("math", info=close, depth=depth)
        math.add(line)
        self._open(math)
        if at >= 0:
            math.add_content(rest[:at])
            math.terminated = True
            self._close(math)
            self._blank = True
        else:
            math.add_content(rest + "\n")
        return True

    def _math_line(self, math: Segment, line: str, text: str) -> None:
        math.add(line)
        at = text.find(math.info)
        if at >= 0:
            math.add_content(text[:at])
            math.terminated = True
            self._close(math)
            self._blank = True
        elif not text or math.size > HARD_CHARS * 2:
            self._close(math)  # an empty line cannot stand in a formula: what came is shown as it was written
            self._blank = True
        else:
            math.add_content(text + "\n")


def split(text: str) -> list[Segment]:
    """Return the segments of a whole text.

    >>> [(s.kind, s.source) for s in split("Hi\\n```py\\nx\\n```\\n")]
    [('prose', 'Hi\\n'), ('code', '```py\\nx\\n```\\n')]
    """
    segmenter = Segmenter()
    segmenter.feed(text)
    segmenter.finish()
    return segmenter.segments


def _cut_point(line: str) -> int:
    """Where to cut a line that is longer than `HARD_CHARS`: behind a sentence outside code, else behind a word."""
    window = line[:HARD_CHARS]
    for pattern in (_SENTENCE, _SPACE):
        ends = [m.end() for m in pattern.finditer(window, HARD_CHARS // 4)]
        for end in reversed(ends[-40:]):
            if line[end] not in _MARKERS and _is_balanced(window[:end]):
                return end
        if ends and pattern is _SPACE:
            return next((end for end in reversed(ends[-40:]) if line[end] not in _MARKERS), ends[-1])
    return HARD_CHARS


def _is_balanced(text: str) -> bool:
    if text.count("`") % 2 or text.count("**") % 2 or text.count("~~") % 2:
        return False
    if (text.count("*") - 2 * text.count("**")) % 2 or text.count("$") % 2:
        return False
    return text.rfind("[") <= text.rfind("]") or text.rfind("[") < len(text) - 200
