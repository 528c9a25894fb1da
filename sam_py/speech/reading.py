"""Reading: one message as it is read aloud, from its first word or from where it is joined, to its end."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib import import_module
from threading import Thread
from typing import Protocol

from sam_py.messages.message import Message
from sam_py.messages.parts import TextPart
from sam_py.speech.base import Readout, Utterance

SLICE = 2_000
"""So many characters of a message that is there already are read at a time: some milliseconds of work."""


class Spoken(Protocol):
    """Makes sentences of one growing text, whatever pieces it comes in."""

    def feed(self, markdown: str) -> list[Utterance]:
        """The sentences that are certain now that this came, too. Costs what `markdown` costs."""

    def finish(self) -> list[Utterance]:
        """The rest: no more comes."""


def spoken_text(readout: Readout) -> Spoken:
    """Of Markdown. Its parser is imported when the first text is read."""
    from sam_py.speech.speakable import SpokenText

    return SpokenText(readout)


def import_soon() -> None:
    """Import the parser in a thread: that takes some 40 ms, too long for the moment when the first chunk comes."""
    if "sam_py.speech.speakable" not in sys.modules:
        Thread(target=import_module, args=("sam_py.speech.speakable",), name="import speech", daemon=True).start()


def plain_text() -> Spoken:
    """Of text without markup."""
    from sam_py.speech.plain import PlainText

    return PlainText()


Moves = dict[int, tuple[int, int]]
"""Part while it streamed → the part that it is now, and how many characters of its beginning went."""


class Reading:
    """Follows the text parts of one message, in order: a part is over as soon as another one begins."""

    def __init__(self, message_id: str, spoken: Callable[[], Spoken]) -> None:
        self.message_id = message_id
        self.is_whole = False
        """The message does not stream any more."""
        self.found = 0
        """How many utterances there were in it so far."""
        self._spoken = spoken
        self._open: tuple[int, Spoken] | None = None
        self._texts: dict[int, list[str]] = {}
        self._moves: Moves = {}
        self._later: deque[tuple[int, str, str]] = deque()
        self._looked_through = 0
        """So many of the slices that wait are not returned."""

    @property
    def has_more(self) -> bool:
        """Whether something of it is there that `more` has not returned yet."""
        return bool(self._later)

    @property
    def is_over(self) -> bool:
        return self.is_whole and not self._later

    def take(self, part_index: int, kind: str, text: str) -> list[Utterance]:
        """What is certain now that `text` came; nothing yet where earlier text still waits for `more`.

        O(len(text)), however long the message is.
        """
        if kind == "text":
            self._texts.setdefault(part_index, []).append(text)
        if self._later:
            self._later.append((part_index, kind, text))
            return []
        return self._read(part_index, kind, text)

    def begin(self, message: Message, *, joins: bool = False) -> None:
        """Take what of `message` is there already; `more` returns it piece by piece.

        With `joins` that is only looked through: what is returned begins with the sentence that is being written.
        """
        for part_index, part in enumerate(message.parts):
            text = part.text if isinstance(part, TextPart) else ""
            if isinstance(part, TextPart):
                self._texts[part_index] = [text]
            self._wait(part_index, part.kind, text)
        self._looked_through = len(self._later) if joins else 0

    def begin_text(self, text: str) -> None:
        """Take `text`, which is whole and no message's."""
        self._wait(0, "text", text)
        self.is_whole = True

    def more(self) -> list[Utterance]:
        """The utterances of the next slice of what waits, with the last of a whole message if that was it."""
        utterances = self._read(*self._later.popleft()) if self._later else []
        if self._looked_through:
            self._looked_through -= 1
            utterances = []
        return utterances + (self._close() if self.is_over else [])

    def moves_to(self, message: Message) -> Moves | None:
        """How the parts that were read stand in `message` now; None where its text is another one.

        The end of a reply trims it (`PartsBuilder.freeze`): blank parts go, as do line breaks before the first text
        and white space after the last.
        """
        read = [(at, "".join(pieces)) for at, pieces in sorted(self._texts.items())]
        now = [(at, part.text) for at, part in enumerate(message.parts) if isinstance(part, TextPart)]
        if read == now:
            return {}
        kept = [(at, text) for at, text in read if text.strip()]
        if len(kept) != len(now):
            return None
        moves: Moves = {}
        for place, ((at_then, then), (at_now, text)) in enumerate(zip(kept, now, strict=True)):
            cut = then.lstrip("\r\n") if place == 0 else then
            ended = cut.rstrip() if place == len(kept) - 1 else cut
            if text not in (cut, ended):
                return None
            moves[at_then] = (at_now, len(then) - len(cut))
        return moves

    def settle(self, message: Message, moves: Moves) -> list[Utterance]:
        """The message is whole now; what is certain by that."""
        self.is_whole = True
        rest = self._close() if self.is_over else []
        self._moves = moves
        self._texts = {at: [part.text] for at, part in enumerate(message.parts) if isinstance(part, TextPart)}
        return [moved(each, moves) for each in rest]

    def _wait(self, part_index: int, kind: str, text: str) -> None:
        for start in range(0, max(len(text), 1), SLICE):
            self._later.append((part_index, kind, text[start : start + SLICE]))

    def _read(self, part_index: int, kind: str, text: str) -> list[Utterance]:
        utterances = []
        if self._open is not None and part_index > self._open[0]:  # arguments of an earlier call may still come
            utterances = self._close()
        if kind == "text":
            if self._open is None:
                self._open = (part_index, self._spoken())
            utterances += self._placed(self._open[1].feed(text), part_index)
        return utterances

    def _close(self) -> list[Utterance]:
        if self._open is None:
            return []
        part_index, spoken = self._open
        self._open = None
        return self._placed(spoken.finish(), part_index)

    def _placed(self, utterances: Iterable[Utterance], part_index: int) -> list[Utterance]:
        placed = [replace(each, message_id=self.message_id, part_index=part_index) for each in utterances]
        self.found += len(placed)
        return [moved(each, self._moves) for each in placed] if self._moves else placed


def moved(utterance: Utterance, moves: Moves) -> Utterance:
    """`utterance` where its part is now.

    >>> moved(Utterance("Hello.", 2, 8, part_index=1), {1: (0, 2)})
    Utterance(text='Hello.', start=0, end=6, kind='prose', message_id='', part_index=0)
    """
    if utterance.part_index not in moves:
        return utterance
    part_index, gone = moves[utterance.part_index]
    return replace(
        utterance, part_index=part_index, start=max(0, utterance.start - gone), end=max(0, utterance.end - gone)
    )
