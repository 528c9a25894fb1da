"""Cuts text into sentences while it grows.

Fed runs of text and told of line breaks and ends of blocks, it hands each sentence over as soon as its end is
decidable: a full stop waits for what follows it, and for a whole word only where that word decides. No language is
told; script, abbreviations of several languages, and the case of the next word decide.

Always true (tests check it): what comes out depends on the text alone, not on how it was fed; the sentences are the
text, without white space at their ends; no sentence has more than `HARD_CHARS` characters, and therefore no step costs
more than that, however long the text is.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from enum import Enum

from sam_py.speech.stops import (
    Verdict,
    ends_without_stop,
    judge_line,
    judge_mark,
    judge_nothing,
    judge_pause,
    judge_quoted,
    judge_stop,
)
from sam_py.speech.terminators import CLOSERS, COMMAS, FREE, GREEK_QUESTION, OPENERS, QUOTES_OF_HAN, STOPS, TERMINATORS

LINE_CHARS = 40
"""A line break ends a sentence that is at least so long."""
COMMA_CHARS = 200
"""From here on a sentence is cut behind the next comma."""
SPACE_CHARS = 260
"""From here on it is cut at the next space."""
HARD_CHARS = 300
"""No sentence is longer."""
_OPENERS = "".join(OPENERS)
_MARKS = (TERMINATORS | GREEK_QUESTION) - STOPS

Take = Callable[[str, int, int], None]
"""Called with a sentence, and where in the source it starts and ends."""


class _Phase(Enum):
    TEXT = 0
    CLOSING = 1
    """Behind a full stop: more of them, quotes and brackets still belong to the sentence."""
    WAITING = 2
    """Behind a full stop and white space: what follows decides."""


class Sentences:
    """Feed it with `add`, `add_solid`, `break_line` and `end`; it calls `take` with each sentence."""

    def __init__(self, take: Take) -> None:
        self.whole = False
        """Whether full stops end nothing for now: the row of a table is one sentence."""
        self._take = take
        self._chars: list[str] = []
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._phase = _Phase.TEXT
        self._end = 0  # the sentence's length, should the full stop that was met end it
        self._stop_at = 0  # where the first of its full stops stands
        self._at_line = False  # whether it may end for the end of a line
        self._solid_end = -1  # where the last solid run ended
        self._solid_next = -1  # where the first one behind the full stop began
        self._taken = 0  # up to where the source has gone out
        self._guillemets = 0  # open «, or open » where they are used the other way round

    def add(self, text: str, start: int) -> None:
        """Go on with `text`, which stands at `start` in the source, character for character."""
        if self._phase is _Phase.TEXT and text.isalpha() and len(self._chars) + len(text) < COMMA_CHARS:
            self._chars.extend(text)
            self._starts.extend(range(start, start + len(text)))
            self._ends.extend(range(start + 1, start + 1 + len(text)))
            return
        for at, char in enumerate(text, start):
            self._step(char, at, at + 1)

    def add_solid(self, text: str, start: int, end: int) -> None:
        """Go on with `text` that has no sentence ends inside: code, a formula, a host's name.

        It was read for the source from `start` to `end`, which may have another length.
        """
        if not text:
            return
        span = end - start
        for index, char in enumerate(text):
            first, last = start + span * index // len(text), start + span * (index + 1) // len(text)
            if index == 0:
                self._begin_solid(char, first, last)
            elif char.isspace():
                self._space(first, last)
            else:
                self._append(char, first, last)
        if self._phase is not _Phase.TEXT:
            self._decide(solid=True)
        self._solid_end = len(self._chars)

    def add_symbol(self, text: str, start: int, end: int) -> None:
        """Go on with what an emoji is called, if it is called anything; behind a full stop it belongs to the sentence.

        In Chinese and Japanese it is often the only full stop there is.
        """
        if self._phase is _Phase.TEXT or len(self._chars) > self._end + 1:
            ends = self._phase is _Phase.TEXT and bool(self._chars) and ends_without_stop(self._chars[-1])
            if text or not ends:
                self._step(" ", start, start)
                self.add_solid(text, start, end)
            if ends:
                self._may_end_here()
            elif text:
                self._step(" ", end, end)
            return
        self._space(start, start)
        for char in text:
            self._append(char, start, end) if char != " " else self._space(start, end)
        self._stretch()

    def may_end(self, since: int) -> None:
        """What stands from `since` on in the source is a sentence, if it is all there is and a capital follows."""
        if self._phase is _Phase.TEXT and self._chars and self._starts[0] >= since:
            self._may_end_here()

    def break_line(self, at: int) -> None:
        """A line of the source ends at `at`: white space, and an end where the sentence is long enough.

        Not so where the next line goes on in small letters: that is a paragraph that somebody wrapped.
        """
        if self._phase is _Phase.WAITING and len(self._chars) > self._end + 1:
            self._decide(whole=True)
        if self._phase is not _Phase.TEXT and self._length() >= LINE_CHARS:
            self._decide(last=True)
        if self._phase is _Phase.TEXT and self._length() >= LINE_CHARS and not self.whole:
            self._may_end_here(at_line=True)
            self._space(at, at + 1)
        else:
            self._step(" ", at, at + 1)

    def end(self) -> None:
        """The block has ended, and so has its sentence."""
        if self._phase is not _Phase.TEXT:
            self._decide(last=True)
        self._cut(len(self._chars))
        self._guillemets = 0
        self._solid_end = -1

    def forget_from(self, at: int) -> None:
        """Take back what was added from `at` of the source on, as far as it has not gone out."""
        keep = len(self._starts)
        while keep and self._starts[keep - 1] >= at:
            keep -= 1
        del self._chars[keep:], self._starts[keep:], self._ends[keep:]
        self._phase = _Phase.TEXT

    # Characters

    def _step(self, char: str, start: int, end: int) -> None:
        if self._phase is _Phase.TEXT:
            if char.isspace():
                self._space(start, end)
                return
            self._append(char, start, end)
            if not self.whole and self._chars and (char in TERMINATORS or self._asks_in_greek(char)):
                self._phase = _Phase.CLOSING
                self._stop_at = len(self._chars) - 1
                self._end = len(self._chars)
                self._solid_next = -1
        elif self._phase is _Phase.CLOSING:
            self._close(char, start, end)
        else:
            self._wait(char, start, end)

    def _asks_in_greek(self, char: str) -> bool:
        """Whether it is a semicolon behind a Greek letter, which is a question mark."""
        return char in GREEK_QUESTION and "Ͱ" <= self._chars[-2:][0] <= "\u1fff"

    def _append(self, char: str, start: int, end: int) -> None:
        self._chars.append(char)
        self._starts.append(start)
        self._ends.append(end)
        if char == "«" or char == "»":
            self._guillemets = 0 if self._guillemets else 1
        if len(self._chars) >= COMMA_CHARS:
            self._cut_long(char)

    def _space(self, start: int, end: int) -> None:
        if not self._chars or self._chars[-1] == " ":
            return
        size = len(self._chars)
        if self._phase is _Phase.TEXT and size >= COMMA_CHARS and (self._chars[-1] in COMMAS or size >= SPACE_CHARS):
            self._cut(size)
            return
        self._chars.append(" ")
        self._starts.append(start)
        self._ends.append(end)

    def _close(self, char: str, start: int, end: int) -> None:
        """What follows a full stop directly."""
        if char in TERMINATORS or self._closes(char) or unicodedata.combining(char):
            self._append(char, start, end)
            if self._phase is _Phase.CLOSING:
                self._end = len(self._chars)
        elif char.isspace():
            self._phase = _Phase.WAITING
            self._space(start, end)
        elif self._is_free() or self._is_pause(char):
            self._phase = _Phase.WAITING
            self._wait(char, start, end)
        elif self._ends_before(char):
            self._cut(self._end)
            self._step(char, start, end)
        else:
            self._phase = _Phase.TEXT
            self._step(char, start, end)

    def _closes(self, char: str) -> bool:
        """Whether `char`, directly behind a full stop, closes a quotation or a bracket."""
        if char not in CLOSERS:
            return False
        if char in "“‘":  # closes in German, opens elsewhere
            return self._chars.count("„" if char == "“" else "‚") > self._chars.count(char)
        if char in "«»":
            return bool(self._guillemets)
        return char != '"' or not self._is_free() or self._chars.count('"') % 2 == 1

    def _wait(self, char: str, start: int, end: int) -> None:
        """What follows a full stop and white space."""
        if char.isspace():
            if self._chars[-1] != " ":
                self._decide(whole=True)
            self._space_or_step(start, end)
            return
        if len(self._chars) <= self._end + 1 and (char in TERMINATORS or (char in "«»" and self._guillemets)):
            self._append(char, start, end)
            if self._phase is _Phase.WAITING:
                self._phase = _Phase.CLOSING
                self._end = len(self._chars)
            return
        if char not in OPENERS and (char in TERMINATORS or char in COMMAS or char in CLOSERS):
            self._append(char, start, end)
            if self._phase is _Phase.WAITING:
                self._decide(whole=True, last=True)
            return
        self._append(char, start, end)
        if self._phase is _Phase.WAITING:
            self._decide()

    def _space_or_step(self, start: int, end: int) -> None:
        if self._phase is _Phase.TEXT:
            self._step(" ", start, end)
        else:
            self._space(start, end)

    def _begin_solid(self, char: str, start: int, end: int) -> None:
        if self._phase is _Phase.CLOSING:
            if self._is_free():
                self._cut(self._end)
            self._phase = _Phase.TEXT
        elif self._phase is _Phase.WAITING and self._solid_next < 0:
            self._solid_next = len(self._chars)
        self._append(char, start, end)

    # Decisions

    def _is_free(self) -> bool:
        """Whether the full stop ends a sentence by itself, whatever follows."""
        return any(char in FREE for char in self._chars[self._stop_at : self._end])

    def _is_pause(self, char: str) -> bool:
        return self._chars[self._stop_at] == "…" and (_is_uncased(char) or char in QUOTES_OF_HAN)

    def _ends_before(self, char: str) -> bool:
        """Whether a sentence ends at full stops that `char` follows without white space."""
        if not _is_uncased(char):
            return char in "¿¡"
        stop = self._chars[self._stop_at]
        return stop in "!?" or (stop == "." and self._stop_at > 0 and _is_uncased(self._chars[self._stop_at - 1]))

    def _decide(self, *, whole: bool = False, last: bool = False, solid: bool = False) -> None:
        """End the sentence at its full stop, go on, or wait.

        `whole` says that the word behind the full stop is whole, `last` that it is all that can be waited for.
        """
        following = "".join(self._chars[self._end :]).strip()
        if last and not following:
            verdict = Verdict.END
        else:
            verdict = self._judge(following, whole=whole or last, solid=solid or self._solid_next >= 0)
        if verdict is Verdict.END or (last and verdict is Verdict.WAIT):
            self._cut(self._end)
        elif verdict is Verdict.GO_ON:
            self._go_on()

    def _stretch(self) -> None:
        """All that stands here belongs to the sentence that may have ended, if it was not cut for its length."""
        if self._phase is not _Phase.TEXT:
            self._stop_at = len(self._chars) if self._stop_at == self._end else self._stop_at
            self._end = len(self._chars)
            self._phase = _Phase.WAITING

    def _may_end_here(self, *, at_line: bool = False) -> None:
        self._phase = _Phase.WAITING
        self._at_line = at_line
        self._stop_at = self._end = len(self._chars)
        self._solid_next = -1

    def _go_on(self) -> None:
        """No sentence ends at the full stop; what was held back behind it is read as it would have been."""
        rest = list(zip(self._chars[self._end :], self._starts[self._end :], self._ends[self._end :], strict=True))
        solid_next = self._solid_next - self._end
        del self._chars[self._end :], self._starts[self._end :], self._ends[self._end :]
        self._phase = _Phase.TEXT
        self._read_again(rest, solid_next)

    def _judge(self, following: str, *, whole: bool, solid: bool = False) -> Verdict:
        stop = self._stop_at
        if stop == self._end:
            if self._at_line:
                return judge_line(following, whole)
            return judge_nothing("".join(self._chars[:stop]).rstrip(), following, whole)
        if self._is_free() or self._is_pause(following[:1]):
            return self._judge_free(following, whole=whole)
        if (solid and not following.strip(_OPENERS)) or stop == self._solid_end:
            return Verdict.END
        before, marks = "".join(self._chars[:stop]).lstrip(), "".join(self._chars[stop : self._end])
        judge = judge_mark if set(marks) & _MARKS else judge_stop
        return judge(before, marks.replace(" ", ""), following, whole, solid)

    def _judge_free(self, following: str, *, whole: bool) -> Verdict:
        marks = "".join(self._chars[self._stop_at : self._end])
        if not following:
            return Verdict.END if whole else Verdict.WAIT
        if not self._is_free() and self._chars[self._end : self._end + 1] != [" "]:
            return judge_pause("".join(self._chars[: self._stop_at]))
        if marks[-1] in CLOSERS:
            return judge_quoted("".join(self._chars[:4]).lstrip(), marks, following, whole)
        if marks[0] == "．" and following[0].isnumeric() and self._chars[self._end] != " ":
            return Verdict.GO_ON
        return Verdict.END

    # Cuts

    def _length(self) -> int:
        return len(self._chars) - (1 if self._chars and self._chars[-1] == " " else 0)

    def _cut_long(self, char: str) -> None:
        """A sentence that is too long is cut where that hurts least."""
        if self._phase is not _Phase.TEXT:
            if len(self._chars) >= HARD_CHARS:
                self._cut(self._end)
            return
        if char in COMMAS and not char.isascii():
            self._cut(len(self._chars))
        elif len(self._chars) >= HARD_CHARS:
            at = len(self._chars)
            for index in range(at - 1, COMMA_CHARS // 2, -1):
                if self._chars[index] == " ":
                    at = index
                    break
            self._cut(at)

    def _cut(self, at: int) -> None:
        """Hand over the first `at` characters; what stands behind them is read again as the next sentence's."""
        chars, starts, ends = self._chars, self._starts, self._ends
        rest = list(zip(chars[at:], starts[at:], ends[at:], strict=True))
        solid_next = self._solid_next - at if self._solid_next >= at else -1
        first, last = 0, at
        while first < last and chars[first] == " ":
            first += 1
        while last > first and chars[last - 1] == " ":
            last -= 1
        sentence = "".join(chars[first:last])
        begin, finish = (starts[first], ends[last - 1]) if last > first else (0, 0)
        self._chars, self._starts, self._ends = [], [], []
        self._phase = _Phase.TEXT
        self._solid_end = -1
        if sentence:
            begin, finish = max(begin, self._taken), max(finish, self._taken)  # it may begin inside an emoji's name
            self._taken = finish
            self._take(sentence, begin, finish)
        if sum(char in "«»" for char, _, _ in rest) % 2:
            self._guillemets = 1 - self._guillemets  # they are counted when they are read again
        self._read_again(rest, solid_next)

    def _read_again(self, rest: list[tuple[str, int, int]], solid_next: int) -> None:
        for index, (char, start, end) in enumerate(rest):
            if 0 <= solid_next <= index:
                self._append(char, start, end)
            else:
                self._step(char, start, end)


def _is_uncased(char: str) -> bool:
    """Whether it is a letter of a script without capitals."""
    return not char.isascii() and char.isalpha() and unicodedata.category(char) == "Lo"


def split(text: str) -> list[str]:
    """Return the sentences of a whole text.

    >>> split("Dr. Smith paid $3.14. Was it worth it? Yes…")
    ['Dr. Smith paid $3.14.', 'Was it worth it?', 'Yes…']
    """
    found: list[str] = []
    sentences = Sentences(lambda sentence, _start, _end: found.append(sentence))
    for number, line in enumerate(text.splitlines()):
        if number:
            sentences.break_line(0)
        sentences.add(line, 0)
    sentences.end()
    return found
