"""Code between fences and formulas of their own: where they end. What is not kept is not even looked at twice."""

from __future__ import annotations

FORMULA_CHARS = 2_000
"""So much of a formula is kept; a formula that is longer is none."""


class Code:
    """A fenced block from behind its opening line on: `take` it until it is `closed`.

    `fence` is its opening run, `column` its indentation, `quotes` how many quotations it stands in. Only the code of
    a block that `is_formula` is `kept`.
    """

    def __init__(self, fence: str, column: int, quotes: int, is_formula: bool, start: int) -> None:
        self.is_formula = is_formula
        self.start = start
        self.kept: list[str] = []
        self.closed = False
        self._fence = fence
        self._fence_column = column
        self._fence_quotes = quotes
        self._in_line = False
        self._column = 0
        self._quotes = 0
        self._run = 0

    def take(self, text: str, at: int) -> int:
        """Read on in `text` from `at`; return how far. Behind the end, nothing more is read."""
        if self._in_line:
            end = text.find("\n", at)
            stop = len(text) if end < 0 else end + 1
            self._keep(text[at:stop])
            if end >= 0:
                self._begin_line()
            return stop
        char = text[at]
        if not self._run:
            if char in " \t\r":
                self._column += 1
                return at + 1
            if self._quotes < self._fence_quotes:
                if char == ">":
                    self._quotes += 1
                    self._column = -1
                    return at + 1
                self.closed = True  # the quotation has ended, and the code in it
                return at
        if char == self._fence[0] and self._column <= self._fence_column + 3:
            self._run += 1
            return at + 1
        if self._run >= len(self._fence):
            if char in " \t\r":
                return at + 1
            if char == "\n":
                self.closed = True
                return at + 1
        self._keep(self._fence[0] * self._run)
        self._in_line = True
        return at

    def _begin_line(self) -> None:
        self._in_line = False
        self._column = self._quotes = self._run = 0

    def _keep(self, text: str) -> None:
        if self.is_formula and len(self.kept) < FORMULA_CHARS:
            self.kept.extend(text)


class Formula:
    """A formula from behind its `opening` on: `take` it until it is `closed` or `given_up`."""

    def __init__(self, opening: str, start: int) -> None:
        self.opening = opening
        self.end = {"$$": "$$", "\\[": "\\]"}.get(opening) or opening.replace("begin", "end")
        self.start = start
        self.kept: list[str] = []
        self.closed = False
        self.given_up = False
        self._blank = False  # whether the line so far is blank, and not the first

    @property
    def latex(self) -> str:
        return "".join(self.kept[: -len(self.end)])

    def take(self, text: str, at: int) -> int:
        """Read one character."""
        char = text[at]
        if char == "\n":
            if self._blank:
                self.given_up = True
                return at
            self._blank = True
        elif not char.isspace():
            self._blank = False
        self.kept.append(char)
        tail = "".join(self.kept[-1 - len(self.end) :]) if char == self.end[-1] else ""
        if tail.endswith(self.end) and not (self.end == "$$" and tail[:1] == "\\"):
            self.closed = True
        elif len(self.kept) > FORMULA_CHARS:
            self.given_up = True
        return at + 1


class Hidden:
    """What is neither seen nor heard, up to its `end`: a remark, a script. `take` it until it is `closed`."""

    def __init__(self, end: str) -> None:
        self.closed = False
        self._end = end
        self._tail = ""

    def take(self, text: str, at: int) -> int:
        """Read on in `text` from `at`; return how far."""
        seen = self._tail + text[at:].lower()
        place = seen.find(self._end)
        if place < 0:
            self._tail = seen[-len(self._end) + 1 :]
            return len(text)
        self.closed = True
        return at + place + len(self._end) - len(self._tail)
