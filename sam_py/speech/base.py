"""What the parts of the voice hand to each other: sentences, sound, and the protocols of engines and players."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from sam_py.errors import SamError

Kind = Literal["prose", "heading", "item", "quote", "code", "table", "maths", "text"]
"""What of a message an utterance came from. ``text`` is no message's: a selection, a test."""

SAMPLE_BYTES = 2


@dataclass(frozen=True, slots=True)
class Utterance:
    """One sentence, ready to be spoken.

    `text` has neither markup nor line breaks. `start` and `end` are characters of the Markdown of one text part: what
    was read for it, so that it can be marked on screen. Utterances of a part neither overlap nor go back.
    """

    text: str
    start: int
    end: int
    kind: Kind = "prose"
    message_id: str = ""
    part_index: int = 0


@dataclass(frozen=True, slots=True)
class Readout:
    """How what is no prose is read."""

    code: Literal["announce", "skip"] = "announce"
    tables: Literal["rows", "skip"] = "rows"
    maths: Literal["describe", "skip"] = "describe"
    emoji: bool = False


@dataclass(frozen=True, slots=True)
class Manner:
    """How one utterance is to sound: an engine's own id of a voice ("" is its default), and 1.0 for normal speed."""

    voice: str = ""
    rate: float = 1.0
    """0.5 to 2: twice as fast at 2."""


@dataclass(frozen=True, slots=True)
class Voice:
    """A voice that an engine offers. `languages` are BCP 47 tags ("de", "pt-BR"), as far as the engine tells."""

    id: str
    name: str
    languages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Clip:
    """Sound: signed 16-bit samples, little-endian, of all channels in turn."""

    samples: bytes
    rate_hz: int
    channels: int = 1

    @property
    def duration_s(self) -> float:
        """
        >>> Clip(bytes(2 * 22050), 22050).duration_s
        1.0
        """
        return len(self.samples) / (SAMPLE_BYTES * self.channels * self.rate_hz)


@dataclass(frozen=True, slots=True)
class TextClip(Clip):
    """What a voice says that hands over no samples but speaks by itself: a player has it speak. Silence without text.

    `rate_hz` means nothing here.
    """

    text: str = ""
    manner: Manner = Manner()
    seconds: float = 0.0
    """As far as can be told beforehand."""

    @property
    def duration_s(self) -> float:
        return self.seconds


class SpeechError(SamError):
    """An engine, a player or a microphone does not do what it should; the sentence says what helps."""


class SpeechEngine(Protocol):
    """Makes sound of text. One object serves the whole program; it starts what it needs when it is first asked."""

    @property
    def name(self) -> str:
        """What a person calls it: "System voices", "Piper"."""

    async def voices(self) -> Sequence[Voice]:
        """What can be chosen. Raises `SpeechError` where the engine is missing or does not start."""

    def synthesise(self, text: str, manner: Manner) -> AsyncIterator[Clip]:
        """The sound of `text` (at most some 300 characters), in one or more clips of the same format.

        Closing the iterator or cancelling its task gives the work up at once. Text without anything to say ("…") has
        no clips. Raises `SpeechError`; after it the engine is ready again, or says in its next error what is missing.
        """

    def warm_up(self) -> None:
        """Begin to start, so that the first sentence need not wait. Does nothing where that is done or under way."""

    async def aclose(self) -> None:
        """End processes and connections. Calling it again does nothing."""


@dataclass(frozen=True, slots=True)
class Started:
    """The first sample of what was played under `mark` is heard now."""

    mark: int


@dataclass(frozen=True, slots=True)
class Finished:
    """The last sample of what was played under `mark` was heard."""

    mark: int


@dataclass(frozen=True, slots=True)
class Trouble:
    """The device is gone or refuses; the player is silent and empty now, and takes new clips."""

    error: SpeechError


PlayerNews = Started | Finished | Trouble


class Player(Protocol):
    """Plays clips one after another, without gaps, on the chosen device."""

    def subscribe(self, listener: Callable[[PlayerNews], None]) -> Callable[[], None]:
        """Call `listener` with what happens, on the loop's thread. Returns the function that ends it."""

    def play(self, mark: int, clip: Clip) -> None:
        """Add `clip` to the end of what waits. Clips of one mark follow each other; marks rise."""

    def end(self, mark: int) -> None:
        """No more clips come under `mark`: it is `Finished` when what waits of it was heard (at once, if nothing)."""

    def pause(self) -> None: ...

    def resume(self) -> None: ...

    def stop(self) -> None:
        """Silence at once, and forget what waits: there is no `Finished` for it."""
