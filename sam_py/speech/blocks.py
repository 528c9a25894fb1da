"""Finds the blocks of Markdown while it grows: paragraphs, headings, items, quotes, code, tables, formulas.

A line's beginning is held back until it tells what the line is; the rest of a paragraph's line goes on at once. Only
what needs its whole line waits for the line's end: fences, rows of tables, definitions.

Always true (tests check it): what comes out depends on the text alone, not on how it was fed, and feeding costs what
the chunk costs.

Deviations from GitHub's dialect, for what models really write: a fence inside a list may be indented too little, a
table ends at a line without a pipe, and display maths (``$$…$$``, ``\\[…\\]``) begins at the start of a line.
"""

from __future__ import annotations

import re

from sam_py.speech.fenced import Code, Formula, Hidden
from sam_py.speech.lines import HEADER_CHARS, LINE_CHARS, Held, Lines
from sam_py.speech.reader import Reader
from sam_py.speech.rows import cell_count

_FENCE = re.compile(r"(`{3,})([^`]*)$|(~{3,})(.*)$")
_RULE = re.compile(r"(?:\*[ \t]*){3,}$|(?:-[ \t]*){3,}$|(?:_[ \t]*){3,}$")
_UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*$")
_DELIMITER = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_DEFINITION = re.compile(
    r"\[(?!\^)[^\[\]]+\]:[ \t]*(?:<[^<>]*>|[^\s<]\S*)(?:[ \t]+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?[ \t]*$"
)
_ALERT = re.compile(r"\[!([A-Za-z]{1,20})\]$")
_NOTE = re.compile(r"\[\^[^\]\s]+\]:[ \t]*")
_TASK = re.compile(r"\[[ xX]\][ \t]")
_CLOSING = re.compile(r"[ \t]+#+[ \t\r]*")
_NO_TAIL = re.compile(r"[^ \t\r\n#]+")
_BULLET = re.compile(r"[-+*](?:[ \t]|$)")
_FORMULA_LANGUAGES = frozenset({"math", "latex-math", "katex"})


class Blocks(Lines):
    """Feed it Markdown, `finish` when it has ended; it tells `reader` what it finds."""

    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self._reader = reader
        self._at = 0
        self._blank = True  # whether the line before was blank
        self._paragraph_quotes = 0
        self._line: list[str] = []  # the current line of text, while it may be a table's header
        self._line_at = 0
        self._line_size = -1
        self._code: Code | None = None
        self._code_column = 0  # where indented code begins
        self._formula: Formula | None = None
        self._hidden: Hidden | None = None

    def feed(self, markdown: str) -> None:
        """Take the next piece. O(piece)."""
        base = self._at
        self._at += len(markdown)
        self._run(markdown, base)

    def finish(self) -> None:
        """The text has ended: what is held back is decided, open blocks are closed."""
        self._run("\n", self._at)
        if self._held is not None:
            self._release()
        if self._mode == self._in_formula:
            self._give_formula_up()
        self._end_code(self._at)
        self._end_paragraph()

    def _run(self, text: str, base: int) -> None:
        at = 0
        while at < len(text):
            at = self._mode(text, at, base)

    # Whole lines

    def _whole_line(self, line: str, start: int) -> None:
        """A line has ended before anything was told about it, or needed to be whole."""
        text = line.rstrip()
        held = self._held
        if held is not None:
            if _DELIMITER.match(text) and cell_count(text) == cell_count(held.line) and cell_count(text):
                self._begin_table(held)
                return
            self._release()
        if self._in_table:
            if "|" in text and not _FENCE.match(text):
                self._reader.row(text, start)
                self._next_line()
                return
            self._end_table()
            self._replay(line + "\n", start)
            return
        if self._paragraph and _UNDERLINE.match(text) and self._paragraph_quotes == self._quotes:
            self._reader.is_heading()
            self._end_paragraph()
        elif _RULE.match(text):
            self._end_paragraph()
        elif fence := _FENCE.match(text):
            self._begin_fence(fence, start, start + len(line))
            return
        elif self._quotes and not self._paragraph and (alert := _ALERT.match(text)):
            self._prepare_text()
            self._reader.text(alert[1].capitalize(), start + alert.start(1))
            self._end_paragraph()
        elif (text[0] == "[" and _DEFINITION.match(text) and not self._paragraph) or not text.strip("#"):
            self._end_paragraph()
        elif text[0] == "|":
            self._prepare_text()
            self._held = Held(line, start, 0)
        elif _BULLET.match(text) and len(text) == 1 and not self._paragraph:
            self._item(text + " ", "", "")
            self._end_text_line("\n", start + len(line))
            return
        else:
            self._begin_text(line)
            self._run("\n", start + len(line))
            return
        self._next_line()

    def _replay(self, text: str, start: int) -> None:
        """Read a line again, which turned out not to be what it was held back for."""
        column, quotes, blank = self._column, self._quotes, self._blank
        self._next_line()
        self._column, self._quotes, self._blank = column, quotes, blank
        self._run(text, start)

    def _blank_line(self) -> None:
        self._release()
        self._end_table()
        self._end_paragraph()
        self._next_line()
        self._blank = True

    def _next_line(self) -> None:
        self._lead.clear()
        self._column = 0
        self._quotes = 0
        self._blank = False
        self._in_item_line = False
        self._mode = self._at_start

    # Paragraphs, headings, items, quotes

    def _begin_text(self, lead: str) -> None:
        """The line is a paragraph's, and so far reads `lead`."""
        start = self._lead_at
        self._lead.clear()
        if self._in_table:
            self._end_table()
            self._replay(lead, start)
            return
        self._release()
        self._prepare_text()
        if note := _NOTE.match(lead):
            lead, start = lead[note.end() :], start + note.end()
        self._line = []
        self._line_at = start
        self._line_size = 0
        self._mode = self._in_text
        if lead:
            self._run(lead, start)

    def _prepare_text(self) -> None:
        """Go on with the paragraph, or begin one."""
        if self._paragraph and (self._quotes <= self._paragraph_quotes):
            return
        self._end_paragraph()
        if not self._in_item_line:
            while self._levels and self._column < self._levels[-1]:
                self._levels.pop()
        self._reader.begin("item" if self._levels else "quote" if self._quotes else "prose")
        self._paragraph = True
        self._paragraph_quotes = self._quotes

    def _end_paragraph(self) -> None:
        if self._paragraph:
            self._reader.end()
        self._paragraph = False
        self._held = None

    def _heading(self, lead: str) -> None:
        self._release()
        if self._in_table:
            self._end_table()
        self._end_paragraph()
        self._reader.begin("heading")
        self._paragraph = True
        self._lead.clear()
        self._line = []
        self._line_size = -1
        self._mode = self._in_heading

    def _item(self, marker: str, rest: str, number: str) -> None:
        self._release()
        self._end_table()
        self._end_paragraph()
        if not self._in_item_line:
            while self._levels and self._column < self._levels[-1]:
                self._levels.pop()
        self._levels.append(self._column + len(marker.rstrip()) + 1)
        self._column = self._levels[-1]
        self._in_item_line = True
        self._lead.clear()
        self._mode = self._at_item
        start = self._lead_at
        if number:
            self._prepare_text()
            self._reader.text(number + " ", start)
        if rest:
            self._run(rest, start + len(marker))

    def _at_item(self, text: str, at: int, base: int) -> int:
        """Behind an item's mark: a task's box is skipped."""
        char = text[at]
        if not self._lead:
            if char in " \t":
                return at + 1
            if char != "[":
                self._mode = self._at_start
                return at
            self._lead_at = base + at
        if char != "\n":
            self._lead.append(char)
        lead = "".join(self._lead)
        if _TASK.match(lead):
            self._lead.clear()
            self._mode = self._at_start
            return at + 1
        if char != "\n" and len(lead) < 4 and _TASK.match(lead + "[ ] "[len(lead) :]):
            return at + 1
        self._lead.clear()
        self._mode = self._at_start
        self._run(lead, self._lead_at)
        return at + 1 if char != "\n" else at

    def _quote_mark(self) -> None:
        self._lead.clear()
        self._quotes += 1
        if self._quotes > self._paragraph_quotes or not self._paragraph:
            self._release()
            self._end_paragraph()
            if self._levels and self._column < self._levels[-1]:
                self._levels.clear()
        self._column = self._levels[-1] - 1 if self._levels else -1
        self._mode = self._behind_quote_mark

    def _behind_quote_mark(self, text: str, at: int, _base: int) -> int:
        """One space behind ``>`` belongs to the mark."""
        self._mode = self._at_start
        self._column += 1
        return at + 1 if text[at] == " " else at

    # The rest of a line

    def _in_text(self, text: str, at: int, base: int) -> int:
        end = text.find("\n", at)
        stop = len(text) if end < 0 else end
        if self._line_size >= 0:
            pipe = text.find("|", at, stop)
            if pipe >= 0 and self._line_size + pipe - at <= HEADER_CHARS:
                self._send(text, at, pipe, base)
                self._held = Held("".join(self._line), self._line_at, self._line_size)
                self._line = []
                self._mode = self._in_header
                return pipe
        self._send(text, at, stop, base)
        if end < 0:
            return stop
        self._end_text_line("\n", base + end)
        return end + 1

    def _send(self, text: str, at: int, stop: int, base: int) -> None:
        if stop <= at:
            return
        piece = text[at:stop]
        if self._line_size >= 0:
            self._line.append(piece)
            self._line_size += len(piece)
            if self._line_size > HEADER_CHARS:
                self._line_size = -1
                self._line = []
        self._reader.text(piece, base + at)

    def _end_text_line(self, char: str, at: int) -> None:
        if self._paragraph:
            self._reader.text(char, at)
        self._next_line()

    def _in_header(self, text: str, at: int, _base: int) -> int:
        """In a line with a pipe: its rest waits until the next line tells."""
        held = self._held
        assert held is not None
        end = text.find("\n", at)
        stop = len(text) if end < 0 else end
        self._line.append(text[at:stop])
        self._line_size += stop - at
        if self._line_size > LINE_CHARS:
            held.line += "".join(self._line)
            self._held = None
            self._line_size = -1
            self._mode = self._in_text
            self._reader.text(held.line[held.sent :], held.start + held.sent)
            return stop
        if end < 0:
            return stop
        held.line += "".join(self._line)
        self._next_line()
        return end + 1

    def _release(self) -> None:
        """The line with a pipe was no table's header."""
        held, self._held = self._held, None
        if held is not None:
            self._reader.text(held.line[held.sent :] + "\n", held.start + held.sent)

    def _in_heading(self, text: str, at: int, base: int) -> int:
        """Number signs at a heading's end are markup, if white space stands before them."""
        char = text[at]
        if char in " \t\r#":
            self._line.append(char)
            return at + 1
        tail = "".join(self._line)
        self._line = []
        if char == "\n":
            if not _CLOSING.fullmatch(tail):
                self._reader.text(tail, base + at - len(tail))
            self._end_paragraph()
            self._next_line()
            return at + 1
        match = _NO_TAIL.match(text, at)
        stop = match.end() if match else at + 1
        self._reader.text(tail + text[at:stop], base + at - len(tail))
        return stop

    # Tables

    def _begin_table(self, held: Held) -> None:
        self._held = None
        self._reader.take_back(held.start)
        self._end_paragraph()
        self._reader.header(held.line, held.start)
        self._in_table = True
        self._next_line()

    def _end_table(self) -> None:
        self._in_table = False

    # Code

    def _begin_indented(self) -> None:
        self._reader.code("", self._lead_at, self._lead_at)
        self._code_column = self._content_column() + 4
        self._mode = self._in_indented

    def _in_indented(self, text: str, at: int, _base: int) -> int:
        """In indented code: it goes on until a line begins further left."""
        end = text.find("\n", at)
        if end < 0:
            return len(text)
        self._column = 0
        self._mode = self._at_indented
        return end + 1

    def _at_indented(self, text: str, at: int, _base: int) -> int:
        char = text[at]
        if char in " \t":
            self._column += 1 if char == " " else 4 - self._column % 4
        elif char == "\n":
            self._column = 0
            self._blank = True
        elif char != "\r":
            if self._column >= self._code_column:
                self._mode = self._in_indented
            else:
                column = self._column
                self._next_line()
                self._column = column
                self._blank = True
            return at
        return at + 1

    def _begin_fence(self, fence: re.Match[str], start: int, end: int) -> None:
        self._release()
        self._end_paragraph()
        while self._levels and self._column < self._levels[-1] and self._blank:
            self._levels.pop()
        info = (fence[2] if fence[1] else fence[4]).strip()
        self._code = Code(fence[1] or fence[3], self._column, self._quotes, info.lower() in _FORMULA_LANGUAGES, start)
        if not self._code.is_formula:
            self._reader.code(info, start, end)
        self._mode = self._in_code

    def _in_code(self, text: str, at: int, base: int) -> int:
        code = self._code
        assert code is not None
        at = code.take(text, at)
        if code.closed:
            self._end_code(base + at)
            self._next_line()
        return at

    def _end_code(self, at: int) -> None:
        code, self._code = self._code, None
        if code is not None and code.is_formula:
            self._reader.formula("".join(code.kept), code.start, at)

    def _begin_hidden(self, lead: str) -> None:
        self._release()
        self._end_table()
        self._end_paragraph()
        if lead == "<pre":
            self._reader.code("", self._lead_at, self._lead_at + len(lead))
        self._lead.clear()
        self._hidden = Hidden("-->" if lead == "<!--" else f"</{lead[1:]}>")
        self._mode = self._in_hidden

    def _in_hidden(self, text: str, at: int, _base: int) -> int:
        hidden = self._hidden
        assert hidden is not None
        at = hidden.take(text, at)
        if hidden.closed:
            self._hidden = None
            self._mode = self._behind_formula
        return at

    # Formulas

    def _begin_formula(self, lead: str) -> None:
        self._release()
        self._end_table()
        self._end_paragraph()
        self._lead.clear()
        self._formula = Formula(lead, self._lead_at)
        self._mode = self._in_formula

    def _in_formula(self, text: str, at: int, base: int) -> int:
        formula = self._formula
        assert formula is not None
        at = formula.take(text, at)
        if formula.closed:
            self._reader.formula(formula.latex, formula.start, base + at)
            self._formula = None
            self._mode = self._behind_formula
        elif formula.given_up:
            self._give_formula_up()
        return at

    def _behind_formula(self, text: str, at: int, base: int) -> int:
        """Behind a formula: marks belong to it, words are a paragraph."""
        char = text[at]
        if char == "\n":
            self._next_line()
            return at + 1
        if char in " \t\r.,;:":
            return at + 1
        self._lead_at = base + at
        self._begin_text("")
        return at

    def _give_formula_up(self) -> None:
        """What began like a formula does not end: it is text."""
        formula, self._formula = self._formula, None
        assert formula is not None
        text = "".join(formula.kept)
        start = formula.start + len(formula.opening)
        self._no_formula_before = start + len(text)
        self._lead_at = start
        self._begin_text("")
        self._run(text, start)
