"""SpeechQueue: sentences wait, are made into sound a little ahead of time, and are heard one after another."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
from collections import deque
from collections.abc import Callable, Iterable
from typing import assert_never

from sam_py.speech.base import (
    Finished,
    Manner,
    Player,
    PlayerNews,
    SpeechEngine,
    SpeechError,
    Started,
    Trouble,
    Utterance,
)
from sam_py.speech.making import Line
from sam_py.speech.silence import pause_s, silent_clip
from sam_py.speech.voice_state import GaveUpError, VoiceNews, VoiceState

log = logging.getLogger(__name__)

AHEAD = 2
"""So many sentences are made into sound while another one is heard."""
ATTEMPTS = 2
FAILURES = 3
"""After so many sentences in a row that could not be spoken, the queue falls silent."""
LEAD_S = 0.4
"""The next sentence is handed to the player so long before the one that is heard ends: no gap, and settings that
change meanwhile still hold for it."""
_CLOSING_S = 2.0
"""So long a new sentence waits for an engine that is still giving up an old one."""


class SpeechQueue:
    """Speaks what it is told, in order: each sentence at most once.

    Invariants: `_lines` are in order, the first is heard or the next to be heard, at most the last is still being
    made; the player has something of the first two at most. One task makes sound, and lives only while it has
    something to make. What was stopped, skipped or dropped is not in `_lines`, so that its late sound goes nowhere.
    """

    def __init__(self, engine: Callable[[], SpeechEngine], manner: Callable[[], Manner], player: Player) -> None:
        """`engine` and `manner` are asked for each sentence, as late as can be; `engine` may raise `SpeechError`."""
        self._engine = engine
        self._manner = manner
        self._player = player
        self._waiting: deque[Utterance] = deque()
        self._lines: deque[Line] = deque()
        self._heard: Line | None = None
        """Stays while the pause after it lasts."""
        self._is_open = False
        self._paused_at: float | None = None
        self._failures = 0
        self._marks = itertools.count(1)
        self._worker: asyncio.Task[None] | None = None
        self._leaving: set[asyncio.Task[None]] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._listeners: list[Callable[[VoiceNews], None]] = []
        self._told = VoiceState()
        self._unsubscribe = player.subscribe(self._on_player)

    # Asking

    @property
    def state(self) -> VoiceState:
        if not (self._is_open or self._lines or self._waiting):
            return VoiceState()
        if self._paused_at is None:
            return VoiceState("speaking", self._heard.utterance if self._heard is not None else None)
        ahead = [line.utterance for line in (self._heard, *self._lines) if line is not None] or self._waiting
        return VoiceState("paused", ahead[0] if ahead else None)

    def subscribe(self, listener: Callable[[VoiceNews], None]) -> Callable[[], None]:
        """Call `listener` with each new state and each error; returns the function that ends it."""
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe

    # Telling

    def say(self, utterances: Iterable[Utterance]) -> None:
        """Speak them after what waits. The queue stays open for more until `finish`."""
        before = len(self._waiting)
        self._waiting.extend(utterances)
        if len(self._waiting) > before:
            self._is_open = True
            self._advance()

    def finish(self) -> None:
        """No more comes: the state is ``silent`` once all was heard."""
        self._is_open = False
        self._advance()

    def pause(self) -> None:
        """Hold the sound where it is. Nothing where nothing is to be said."""
        if self._paused_at is None and self.state.phase != "silent":
            self._paused_at = self._now()
            self._player.pause()
            self._advance()

    def resume(self) -> None:
        if self._paused_at is None:
            return
        if self._lines and (heard_at := self._lines[0].heard_at) is not None:
            self._lines[0].heard_at = heard_at + self._now() - self._paused_at
        self._paused_at = None
        self._player.resume()
        self._advance()

    def skip(self) -> None:
        """Go to the next sentence, also where the present one is not heard yet. Paused stays paused."""
        if self._heard is not None and self._heard not in self._lines:
            pass  # in the pause after a sentence: what is skipped is the pause
        elif self._lines:
            line = self._lines.popleft()
            if not line.is_whole:
                self._give_up_work()
        elif self._waiting:
            self._waiting.popleft()
        else:
            return
        self._silence()
        self._advance()

    def stop(self) -> None:
        """Silence at once; what waits is forgotten."""
        self._waiting.clear()
        self._lines.clear()
        self._failures = 0
        self._is_open = False
        self._give_up_work()
        if self._told.phase != "silent":
            self._silence()
        self._tell()

    def drop(self, message_id: str) -> None:
        """Forget what waits of one message; silence at once where it is the one that is heard."""
        self._waiting = deque(each for each in self._waiting if each.message_id != message_id)
        gone = [line for line in self._lines if line.utterance.message_id == message_id]
        if not all(line.is_whole for line in gone):
            self._give_up_work()
        if any(line.mark for line in gone) and (heard := self._lines[0]) not in gone:
            gone.append(heard)  # its last moment: a player cannot take back what follows and play on
        is_heard = any(line.mark for line in gone)
        self._lines = deque(line for line in self._lines if line not in gone)
        if is_heard:
            self._silence()
        self._advance()

    def relabel(self, message_id: str, change: Callable[[Utterance], Utterance]) -> None:
        """Apply `change` to what is heard and what waits of one message: its parts stand elsewhere now."""

        def changed(utterance: Utterance) -> Utterance:
            return change(utterance) if utterance.message_id == message_id else utterance

        self._waiting = deque(changed(each) for each in self._waiting)
        for line in self._lines:
            line.utterance = changed(line.utterance)
        if self._heard is not None and self._heard not in self._lines:
            self._heard.utterance = changed(self._heard.utterance)
        self._tell()

    def warm_up(self) -> None:
        """Let the engine begin to start."""
        with contextlib.suppress(SpeechError):  # the first sentence says so, where there is one
            self._engine().warm_up()

    async def aclose(self) -> None:
        """Fall silent for good, and wait until the engine gave up what it was doing."""
        self.stop()
        self._unsubscribe()
        if self._leaving:
            await asyncio.wait(self._leaving)

    # Going on

    def _advance(self) -> None:
        """Do all that can be done now: give sound to the player, make more of it, tell how things stand."""
        self._renew()
        self._give_next()
        self._work_on()
        self._tell()

    def _renew(self) -> None:
        """What was made by another engine or in another manner than now holds, and not given yet, is made again."""
        old = (line for line in self._lines if not line.mark and line.engine is not None)
        first = next((line for line in old if not self._is_as_chosen(line)), None)
        line = None
        while first is not None and line is not first:
            line = self._lines.pop()
            self._waiting.appendleft(line.utterance)
            if not line.is_whole:
                self._give_up_work()

    def _is_as_chosen(self, line: Line) -> bool:
        try:
            return line.engine is self._engine() and line.manner == self._manner()
        except SpeechError:  # what is there already can still be heard
            return True

    def _give_next(self) -> None:
        if self._paused_at is not None or not self._lines:
            return
        first = self._lines[0]
        self._give(first)
        if len(self._lines) < 2 or self._lines[0] is not first:  # a player may tell news from within `play`
            return
        second = self._lines[1]
        if second.mark or not second.is_whole or not first.is_ended or first.heard_at is None:
            return
        wait_s = first.heard_at + first.duration_s - LEAD_S - self._now()
        self._disarm()
        if wait_s > 0:
            self._timer = asyncio.get_running_loop().call_later(wait_s, self._advance)
            return
        pause = silent_clip(pause_s(first.utterance, second.utterance, second.manner.rate), second.clips[0])
        mark = next(self._marks)
        self._player.play(mark, pause)
        self._player.end(mark)
        self._give(second)

    def _give(self, line: Line) -> None:
        if self._paused_at is None and not line.mark and line.clips:
            line.mark = next(self._marks)
        while self._paused_at is None and line.given < len(line.clips):
            line.given += 1
            self._player.play(line.mark, line.clips[line.given - 1])
        if self._paused_at is None and line.mark and line.is_whole and not line.is_ended:
            line.is_ended = True
            self._player.end(line.mark)

    def _silence(self) -> None:
        """Empty the player; what is still in `_lines` will be given anew."""
        self._disarm()
        self._player.stop()
        for line in self._lines:
            line.take_back()
        self._heard = None

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # The player's news

    def _on_player(self, news: PlayerNews) -> None:
        match news:
            case Started(mark):
                if self._is_given(mark):
                    while self._lines[0].mark != mark:
                        self._lines.popleft()
                    self._lines[0].heard_at = self._now()
                    self._heard = self._lines[0]
            case Finished(mark):
                if self._is_given(mark):
                    while self._lines.popleft().mark != mark:
                        pass
                    if not (self._lines and self._lines[0].mark):  # else the next one follows after its pause
                        self._heard = None
            case Trouble(error):
                self._hold(error)
            case _:
                assert_never(news)
        self._advance()

    def _is_given(self, mark: int) -> bool:
        """Whether the player has a line by `mark`: not so where it was stopped, or is a pause."""
        return any(line.mark == mark for line in self._lines)

    def _hold(self, error: SpeechError) -> None:
        """The device is gone. Go on when the person says so: the next best loudspeaker may not be meant to be heard.

        The sentence that broke off is then heard again from its beginning.
        """
        self._disarm()
        for line in self._lines:
            line.take_back()
        if self.state.phase != "silent":
            self._heard = None
            if self._paused_at is None:
                self._paused_at = self._now()
        self._publish(error)

    # Making sound

    def _work_on(self) -> None:
        if self._worker is None and self._waiting and len(self._lines) <= AHEAD:
            self._worker = asyncio.get_running_loop().create_task(self._work(), name="make speech")

    def _give_up_work(self) -> None:
        task, self._worker = self._worker, None
        if task is not None and not task.done():
            self._leaving.add(task)
            task.add_done_callback(self._leaving.discard)
            task.cancel()

    async def _work(self) -> None:
        """Make sound of what waits, until enough is ahead."""
        task = asyncio.current_task()
        if self._leaving:
            await asyncio.wait(self._leaving, timeout=_CLOSING_S)
        while self._worker is task and self._waiting and len(self._lines) <= AHEAD:
            line = Line(self._waiting.popleft())
            self._lines.append(line)
            await self._make(line)
            if line.is_whole and not line.clips and line in self._lines:  # nothing to hear in it
                self._lines.remove(line)
            self._advance()
        if self._worker is task:
            self._worker = None

    async def _make(self, line: Line) -> None:
        """Fill `line`; a failure is tried once more, and then the sentence is left out."""
        for attempt in range(ATTEMPTS):
            try:
                await line.make(self._engine(), self._manner(), self._give_next)
            except SpeechError as error:
                if line in self._lines and attempt == ATTEMPTS - 1:
                    self._failed(line, error)
            else:
                self._failures = 0
            if line.is_whole or line not in self._lines:
                return

    def _failed(self, line: Line, error: SpeechError) -> None:
        line.is_whole = True
        if not line.given:
            line.clips.clear()
        self._failures += 1
        if self._failures >= FAILURES:
            self.stop()
            text = f"Reading aloud has stopped: {FAILURES} sentences in a row could not be spoken. {error}"
            self._publish(GaveUpError(text, detail=error.detail))
        elif self._failures == 1:
            self._publish(SpeechError(f"A sentence could not be spoken and was left out. {error}", detail=error.detail))

    # Telling

    def _tell(self) -> None:
        state = self.state
        if state.phase == "silent" and self._paused_at is not None:
            self._paused_at = None
            self._player.resume()  # it is empty; the next sentence must be heard
        if state != self._told:
            self._told = state
            self._publish(state)

    def _publish(self, news: VoiceNews) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(news)
            except Exception:  # one broken listener must not silence the voice
                log.exception("a listener failed on %s", type(news).__name__)

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()
