"""The frame in which markup is read character by character: what may be markup is held back, and read again if not."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from typing import ClassVar, Protocol

from sam_py.speech.symbols import EMOJI, is_dropped, spoken_emoji

Held = list[tuple[str, int]]
"""Characters with their places in the source."""
PICTURE_ENDS = "\ufffc"
"""Read where a picture's alternative text ends; its place is where that began."""
ENDS = ""
"""Read where a block ends, and where a link's label does: never spoken, and the end of whatever is held."""
_PLAIN = re.compile(
    r"(?:(?!(?<![^\W_])[hHwWfF])[^\\`*_~\[\]!<&$\s\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202f\u2060-\u206f"
    r"\u20e3\u2300-\u27bf\u2934-\u2935\u2b00-\u2bff\ufe0e\ufe0f\ufeff\ufffc\U0001f000-\U0001faff\U000e0020-\U000e007f])+"
)


class Sink(Protocol):
    """Takes the text without markup; see `Sentences`."""

    def add(self, text: str, start: int) -> None: ...

    def add_solid(self, text: str, start: int, end: int) -> None: ...

    def add_symbol(self, text: str, start: int, end: int) -> None: ...

    def may_end(self, since: int) -> None: ...

    def break_line(self, at: int) -> None: ...

    def end(self) -> None: ...


class Scanner:
    """Hands plain text on at once; what a character means that may be markup is told by the methods in `states`.

    `emoji` says whether those are called by name. `_state` takes the next character. What `_again` holds is read
    before any new character.
    """

    states: ClassVar[dict[str, str]]
    """Character → the name of the method that takes it."""

    def __init__(self, sink: Sink, *, emoji: bool = False) -> None:
        self._sink = sink
        self.emoji = emoji
        self._text_state = self._text
        self._state: Callable[[str, int], None] = self._text_state
        self._openers: dict[str, Callable[[str, int], None]] = {
            char: getattr(self, name) for char, name in self.states.items()
        }
        self._before = " "  # the character in front
        self._again: deque[tuple[str, int]] = deque()
        self._held: Held = []
        self._dead: set[int] = set()  # where brackets open without a partner
        self._after_emoji = False
        self._spaces = 0  # how many stand in front

    def feed(self, text: str, start: int) -> None:
        """Go on with `text`, which stands at `start` in the source. O(text)."""
        at = 0
        size = len(text)
        while at < size:
            if self._state is self._text_state and (at or not self._before.isalnum()):
                match = _PLAIN.match(text, at)
                if match is not None:
                    piece = match[0]
                    self._sink.add(piece, start + at)
                    self._before = piece[-1]
                    self._after_emoji = False
                    self._spaces = 0
                    at = match.end()
                    continue
            self._step(text[at], start + at)
            at += 1

    def finish(self) -> None:
        """The block has ended: what was held back is text."""
        self.finish_cell()
        self._sink.end()

    def finish_cell(self) -> None:
        """What was fed belongs together, and the sentence goes on."""
        self._step(ENDS, -1)
        while self._state is not self._text_state:
            self._step(ENDS, -1)
        self._before = " "
        self._dead.clear()

    def forget(self) -> None:
        """The text since the last block was no text: begin anew, without what is held back."""
        self._held.clear()
        self._again.clear()
        self._state = self._text_state
        self._before = " "

    def _step(self, char: str, at: int) -> None:
        self._state(char, at)
        again = self._again
        while again:
            char, at = again.popleft()
            self._state(char, at)

    # Text

    def _text(self, char: str, at: int) -> None:
        opens = self._openers.get(char)
        if opens is not None:
            opens(char, at)
        else:
            self._say(char, at, at + 1)

    def _say(self, char: str, start: int, end: int) -> None:
        """Hand a character on, unless it is none that is spoken."""
        if not char:
            return
        self._before = char
        self._spaces = self._spaces + 1 if char == " " else 0
        if EMOJI.match(char):
            self._after_emoji = True
            self._sink.add_symbol(spoken_emoji(char) if self.emoji else "", start, end)
        elif is_dropped(char) or (char == "\u200d" and self._after_emoji):
            return
        else:
            self._after_emoji = False
            self._sink.add(char if len(char) == 1 else char[:1], start)

    def _line(self, _char: str, at: int) -> None:
        self._before = " "
        if self._spaces > 1:
            self._sink.end()  # a hard break
        else:
            self._sink.break_line(at)
        self._spaces = 0

    def _hold(self, state: Callable[[str, int], None], char: str, at: int) -> None:
        self._held = [(char, at)]
        self._state = state

    def _give_up(self, spoken: int, char: str, at: int) -> None:
        """What is held is no markup: say its first `spoken` characters, read the rest again, then `char`."""
        held = self._held
        self._held = []
        self._state = self._text_state
        self._again.appendleft((char, at))
        self._again.extendleft(reversed(held[spoken:]))
        for literal, place in held[:spoken]:
            self._say(literal, place, place + 1)

    def _resume(self, char: str, at: int) -> None:
        """What was held is dealt with; go on with `char` as text."""
        self._held = []
        self._state = self._text_state
        self._again.appendleft((char, at))

    def _range(self) -> tuple[int, int]:
        return self._held[0][1], self._held[-1][1] + 1
