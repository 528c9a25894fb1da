"""Tells what a line of Markdown is from its beginning, as soon as that can be told."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

LEAD_CHARS = 80
"""So much of a line is looked at to tell what it is, where it needs not be whole."""
HEADER_CHARS = 300
"""A line with a pipe may be a table's header up to this length."""
LINE_CHARS = 2_000
"""A definition or a fence's line that is longer is none."""
_RULE_SO_FAR = re.compile(r"(?:\*[ \t]*)+$|(?:-[ \t]*)+$|(?:_[ \t]*)+$")
_BULLET = re.compile(r"[-+*](?:[ \t]|$)")
_NUMBER = re.compile(r"(\d{1,9})([.)])[ \t]")
_NUMBER_SO_FAR = re.compile(r"\d{1,9}(?:[.)][ \t]*)?$")
_ENVIRONMENT = re.compile(r"\\begin\{[A-Za-z]+\*?\}$")
_HIDDEN = ("<!--", "<script", "<style", "<pre")
_DELIMITER_STARTS = "|:-"

Mode = Callable[[str, int, int], int]
"""Reads a text from a place on, whose beginning stands at the third argument in the source; returns how far."""


@dataclass(slots=True)
class Held:
    """A paragraph's line with a pipe: a table's header, if the next line says so."""

    line: str
    start: int
    sent: int
    """How much of it was handed on."""


class Lines(ABC):
    """Reads the beginnings of lines: `_mode` is `_at_start` there. What a line is, the methods without a body take."""

    def __init__(self) -> None:
        self._mode: Mode = self._at_start
        self._lead: list[str] = []
        self._lead_at = 0
        self._column = 0
        self._quotes = 0
        self._paragraph = False  # whether the line before was text that this line may go on with
        self._levels: list[int] = []  # where the text of the open items begins
        self._in_item_line = False
        self._held: Held | None = None
        self._in_table = False
        self._has_pipe = False
        self._no_formula_before = 0  # up to there no formula ends

    def _at_start(self, text: str, at: int, base: int) -> int:
        char = text[at]
        if not self._lead:
            if char == " " or char == "\t":
                self._column += 1 if char == " " else 4 - self._column % 4
                return at + 1
            if char == "\r":
                return at + 1
            if char == "\n":
                self._blank_line()
                return at + 1
            self._lead_at = base + at
            if self._is_indented():
                self._begin_indented()
                return at
            if self._goes_on_indented(char):
                self._begin_text("")
                return at
        if char == "\n":
            line = "".join(self._lead).rstrip("\r")
            self._lead.clear()
            self._whole_line(line, self._lead_at)
            return at + 1
        self._lead.append(char)
        self._has_pipe = char == "|" or (self._has_pipe and len(self._lead) > 1)
        if not self._needs_whole_line():
            self._look()
        return at + 1

    def _needs_whole_line(self) -> bool:
        first = self._lead[0]
        size = len(self._lead)
        if first == ">":
            return False
        if self._in_table:
            return size <= HEADER_CHARS or self._has_pipe
        if first == "|":
            return size <= LINE_CHARS
        if self._held is not None and first in _DELIMITER_STARTS:
            return self._lead[-1] in "|:- \t\r" and size <= LINE_CHARS
        if first in "`~" and size >= 3:
            return self._lead[1] == self._lead[2] == first and size <= LINE_CHARS
        if first == "=":
            return self._paragraph and size <= LEAD_CHARS and self._lead[-1] in "= \t\r"
        if first == "[":
            return self._may_define(size)
        return False

    def _may_define(self, size: int) -> bool:
        if size <= 2:
            return True
        if size > LINE_CHARS:
            return False
        if "]" not in self._lead[:LEAD_CHARS]:
            return size <= LEAD_CHARS
        closed = self._lead.index("]") + 1
        if size == closed:
            return True
        if self._lead[closed] != ":" or self._paragraph:
            return False
        return self._lead[1] != "^"

    def _look(self) -> None:
        """Decide what the line is, if its beginning tells by now."""
        lead = "".join(self._lead)
        first = lead[0]
        if first == ">":
            self._quote_mark()
        elif len(lead) > LEAD_CHARS and not self._in_table:
            self._begin_text(lead)
        elif first == "#":
            rest = lead.lstrip("#")
            if rest or len(lead) > 6:
                self._heading(lead) if rest[:1].isspace() and len(lead) - len(rest) <= 6 else self._begin_text(lead)
        elif first in "-+*_":
            self._look_at_bullet(lead)
        elif first.isascii() and first.isdigit():
            if match := _NUMBER.match(lead):
                self._number(lead, match)
            elif not _NUMBER_SO_FAR.match(lead):
                self._begin_text(lead)
        elif first == "$" or first == "\\":
            self._look_at_formula(lead)
        elif first == "<" and any(each.startswith(lead.lower()) for each in _HIDDEN):
            if lead == "<!--":
                self._begin_hidden(lead)
        elif first == "<" and lead[:-1].lower() in _HIDDEN and lead[-1] in " \t>":
            self._begin_hidden(lead[:-1].lower())
        elif first in "`~" and lead == first * len(lead) and len(lead) < 3:
            return
        else:
            self._begin_text(lead)

    def _look_at_bullet(self, lead: str) -> None:
        if len(lead) == 1 or _RULE_SO_FAR.match(lead):
            return  # a rule, or an underline, so far
        if _BULLET.match(lead) and not self._cannot_begin_item():
            rest = lead[1:].lstrip(" \t")
            self._item(lead[: len(lead) - len(rest)], rest, "")
        else:
            self._begin_text(lead)

    def _number(self, lead: str, match: re.Match[str]) -> None:
        if self._cannot_begin_number(match):
            self._begin_text(lead)
        else:
            self._item(lead, "", lead.strip())

    def _cannot_begin_item(self) -> bool:
        return self._paragraph and self._column > 3 + self._content_column()

    def _cannot_begin_number(self, match: re.Match[str]) -> bool:
        if not self._paragraph:
            return False
        return self._cannot_begin_item() or (not self._levels and match[1] != "1")

    def _look_at_formula(self, lead: str) -> None:
        if len(lead) < 2:
            return
        if "\\begin{".startswith(lead) or (lead.startswith("\\begin{") and lead[-1].isalpha()):
            return
        is_formula = lead in ("$$", "\\[") or _ENVIRONMENT.match(lead)
        if not is_formula or self._lead_at < self._no_formula_before:
            self._begin_text(lead)
        else:
            self._begin_formula(lead)

    def _is_indented(self) -> bool:
        return (
            not self._paragraph
            and not self._in_table
            and self._column - self._content_column() > 3
            and (not self._in_item_line)
        )

    def _goes_on_indented(self, char: str) -> bool:
        """Whether the line is so far indented that it goes on with its paragraph, whatever it looks like.

        But a fence is one: models indent those in lists by guess, and code must not be read aloud.
        """
        return self._paragraph and not self._in_table and char not in "`~>" and self._cannot_begin_item()

    def _content_column(self) -> int:
        return self._levels[-1] if self._levels else 0

    @abstractmethod
    def _blank_line(self) -> None: ...

    @abstractmethod
    def _whole_line(self, line: str, start: int) -> None: ...

    @abstractmethod
    def _begin_text(self, lead: str) -> None: ...

    @abstractmethod
    def _begin_indented(self) -> None: ...

    @abstractmethod
    def _begin_formula(self, lead: str) -> None: ...

    @abstractmethod
    def _begin_hidden(self, lead: str) -> None: ...

    @abstractmethod
    def _heading(self, lead: str) -> None: ...

    @abstractmethod
    def _item(self, marker: str, rest: str, number: str) -> None: ...

    @abstractmethod
    def _quote_mark(self) -> None: ...
