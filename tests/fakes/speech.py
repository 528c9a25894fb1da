"""FakeSpeech and FakePlayer, a voice without sound, and SteppedLoop, on which its seconds take no time.

A sentence is sound of one constant value, so that what is heard tells which sentence it is of.
"""

from __future__ import annotations

import array
import asyncio
import selectors
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sam_py.speech.base import (
    Clip,
    Finished,
    Manner,
    PlayerNews,
    SpeechError,
    Started,
    Trouble,
    Utterance,
    Voice,
)

T = TypeVar("T")
RATE_HZ = 1_000


class _Skipping(selectors.DefaultSelector):
    """Where nothing happens but time, time passes at once."""

    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        events = super().select(0)
        if not events:
            if timeout is None:
                raise RuntimeError("the test waits for something that never happens")
            self.now += timeout
        return events


class SteppedLoop(asyncio.SelectorEventLoop):
    """Its clock stands while there is something to do, and jumps to the next timer when there is not."""

    def __init__(self) -> None:
        self._skipping = _Skipping()
        super().__init__(self._skipping)

    def time(self) -> float:
        return self._skipping.now


def stepped(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run `work()` on a `SteppedLoop`; no task may be left when it ends."""
    with asyncio.Runner(loop_factory=SteppedLoop) as runner:
        result = runner.run(work())
        left = asyncio.all_tasks(runner.get_loop())
        assert not left, f"tasks live on: {left}"
        return result


class FakeSpeech:
    """An engine that takes `took_s` per sentence and speaks 20 characters a second, in `pieces` clips.

    `fails` says what happens instead, by text: an exception is raised, once for each that is there, before or (`late`)
    after the first piece; "hang" never ends.
    """

    def __init__(
        self,
        name: str = "Fake voice",
        *,
        took_s: float = 0.05,
        pieces: int = 1,
        silence_s: float = 0.3,
        loudness: int = 1_000,
    ) -> None:
        self._name = name
        self.took_s = took_s
        self.pieces = pieces
        self.silence_s = silence_s
        self.loudness = loudness
        self.fails: dict[str, list[Exception | str]] = {}
        self.late = False
        self.when_cancelled: Exception | None = None
        """What it makes of being cancelled, where it does not let that through."""
        self.closing_s = 0.0
        """So long it needs to give up."""
        self.asked: list[tuple[str, Manner]] = []
        self.open = 0
        self.most_open = 0
        self.warmed = 0

    @property
    def name(self) -> str:
        return self._name

    async def voices(self) -> Sequence[Voice]:
        return [Voice("fake", "Fake")]

    async def synthesise(self, text: str, manner: Manner) -> AsyncIterator[Clip]:
        self.asked.append((text, manner))
        number = len(self.asked)
        self.open += 1
        self.most_open = max(self.open, self.most_open)
        failure = self.fails[text].pop(0) if self.fails.get(text) else None
        try:
            await asyncio.sleep(self.took_s)
            if failure is not None and not self.late:
                await _happen(failure)
            if not text.strip("…"):
                return
            pieces = max(self.pieces, 2 if failure is not None else 1)
            frames = round(spoken_s(text, manner) * RATE_HZ / pieces)
            for piece in range(pieces):
                quiet = array.array("h", [0]) * round(self.silence_s * RATE_HZ)
                sound = array.array("h", [self.loudness + number]) * frames
                before = quiet if piece == 0 else array.array("h")
                after = quiet if piece == pieces - 1 else array.array("h")
                yield Clip((before + sound + after).tobytes(), RATE_HZ)
                if failure is not None:
                    await _happen(failure)
                await asyncio.sleep(0.01)
        except asyncio.CancelledError:
            if self.when_cancelled is None:
                raise
            raise self.when_cancelled from None
        finally:
            try:
                if self.closing_s:
                    await asyncio.sleep(self.closing_s)
            finally:
                self.open -= 1

    def warm_up(self) -> None:
        self.warmed += 1

    async def aclose(self) -> None:
        pass

    def text_of(self, value: int) -> str:
        """Which text the samples of `value` are of."""
        return self.asked[value - self.loudness - 1][0]


def spoken_s(text: str, manner: Manner = Manner()) -> float:  # noqa: B008 - frozen
    """How long `text` is heard."""
    return round(len(text) / 20 / manner.rate, 2)


async def _happen(failure: Exception | str) -> None:
    if isinstance(failure, Exception):
        raise failure
    await asyncio.get_running_loop().create_future()


@dataclass(slots=True)
class Heard:
    """A stretch of sound of one value (0: silence), on the loop's clock."""

    value: int
    mark: int
    start_s: float
    end_s: float


class FakePlayer:
    """Plays on the loop's clock and notes what was heard. Its news comes late, also after `stop`, as Qt's would."""

    def __init__(self, latency_s: float = 0.005) -> None:
        self.latency_s = latency_s
        self.heard: list[Heard] = []
        self.is_paused = False
        self.refuses = 0
        """So many of the next clips make trouble, from within `play`."""
        self.stops = 0
        self.most_clips = 0
        self._clips: deque[tuple[int, int, float]] = deque()
        """(mark, value, seconds)"""
        self._ended: set[int] = set()
        self._begun = 0
        self._over = 0
        self._since_s: float | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._listeners: list[Callable[[PlayerNews], None]] = []

    def subscribe(self, listener: Callable[[PlayerNews], None]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def play(self, mark: int, clip: Clip) -> None:
        assert mark >= max([self._over, *(each[0] for each in self._clips)]), "marks rise"
        samples = array.array("h", clip.samples)
        loud = sorted(set(samples) - {0})
        assert len(loud) <= 1, "a clip is of one sentence"
        for value, frames in ((0, samples.count(0)), (loud[0] if loud else 0, len(samples) - samples.count(0))):
            if frames:
                self._clips.append((mark, value, frames / clip.rate_hz))
        if self.refuses:
            self.refuses -= 1
            self.fail()
            return
        self.most_clips = max(self.most_clips, len({each[0] for each in self._clips}))
        self._go_on()

    def end(self, mark: int) -> None:
        assert mark not in self._ended, "told once"
        self._ended.add(mark)
        self._go_on()

    def pause(self) -> None:
        if not self.is_paused:
            self.is_paused = True
            self._cut()

    def resume(self) -> None:
        self.is_paused = False
        self._go_on()

    def stop(self) -> None:
        """Silence; that it stays paused is the worst that a player may do."""
        self.stops += 1
        self._cut()
        self._clips.clear()

    def fail(self, text: str = "The loudspeaker is gone: plug it in again.") -> None:
        self._cut()
        self._clips.clear()
        for listener in self._listeners:
            listener(Trouble(SpeechError(text)))

    def texts(self, engine: FakeSpeech) -> list[str]:
        """What was heard, in order; a sentence that was interrupted by silence of its own is there once."""
        texts: list[str] = []
        marks: list[int] = []
        for each in self.heard:
            if each.value and (not marks or marks[-1] != each.mark):
                marks.append(each.mark)
                texts.append(engine.text_of(each.value))
        return texts

    def _go_on(self) -> None:
        if self.is_paused or self._timer is not None:
            return
        while self._clips:
            mark, value, seconds = self._clips[0]
            if mark != self._begun:
                self._begun = mark
                self._tell(Started(mark))
            loop = asyncio.get_running_loop()
            self._since_s = loop.time()
            self.heard.append(Heard(value, mark, self._since_s, self._since_s))
            self._timer = loop.call_later(seconds, self._next)
            return
        if self._begun in self._ended:
            self._finish(self._begun)

    def _next(self) -> None:
        assert self._since_s is not None
        mark, _value, _seconds = self._clips.popleft()
        self.heard[-1].end_s = asyncio.get_running_loop().time()
        self._timer, self._since_s = None, None
        if mark in self._ended and (not self._clips or self._clips[0][0] != mark):
            self._finish(mark)
        self._go_on()

    def _finish(self, mark: int) -> None:
        self._ended.discard(mark)
        self._over = mark
        self._tell(Finished(mark))

    def _cut(self) -> None:
        """What is heard is heard no longer; the rest of it stays in the clip."""
        if self._timer is None:
            return
        self._timer.cancel()
        assert self._since_s is not None
        now = asyncio.get_running_loop().time()
        self.heard[-1].end_s = now
        mark, value, seconds = self._clips.popleft()
        self._clips.appendleft((mark, value, max(0.0, seconds - (now - self._since_s))))
        self._timer, self._since_s = None, None

    def _tell(self, news: PlayerNews) -> None:
        for listener in self._listeners:
            asyncio.get_running_loop().call_later(self.latency_s, listener, news)


class FakeSpoken:
    """Sentences of a text without markup: each ends with "." or "!" and white space, or with a line break."""

    def __init__(self) -> None:
        self._text = ""
        self._at = 0
        self._start = 0

    def feed(self, markdown: str) -> list[Utterance]:
        self._text += markdown
        found = []
        while self._at < len(self._text) - 1:
            self._at += 1
            if self._text[self._at].isspace() and (self._text[self._at - 1] in ".!" or self._text[self._at] == "\n"):
                found += self._cut(self._at)
        return found

    def finish(self) -> list[Utterance]:
        return self._cut(len(self._text))

    def _cut(self, end: int) -> list[Utterance]:
        start, self._start = self._start, end
        text = self._text[start:end]
        start += len(text) - len(text.lstrip())
        return [Utterance(text.strip(), start, start + len(text.strip()))] if text.strip() else []
