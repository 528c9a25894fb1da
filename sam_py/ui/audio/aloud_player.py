"""AloudPlayer: plays what a voice says by itself (`TextClip`), as a `speech.base.Player`."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QTimer

from sam_py.speech.base import Clip, Finished, PlayerNews, SpeechError, Started, TextClip, Trouble
from sam_py.ui.audio.aloud_process import AloudProcess
from sam_py.ui.audio.aloud_words import no_answer, refusal

log = logging.getLogger(__name__)

TAIL_S = 0.3
"""So long an engine is silent at the end of a sentence before it says that it is done (espeak-ng: 0.32 s)."""
ATTEMPTS = 2
"""So often a sentence is said where the process ends or hangs in it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long to wait for news, in seconds."""

    start_s: float = 10.0
    """Until a process that is just being started says its first word."""
    begin_s: float = 2.0
    """Until a sentence begins; 10 ms are usual."""
    end_s: float = 3.0
    """Until a sentence ends, and twice as long as it is expected to be."""


@dataclass(slots=True)
class _Saying:
    mark: int
    clip: TextClip
    number: int = 0
    """Under which the process knows it; 0 for silence."""
    attempts: int = 0
    has_begun: bool = False


class AloudPlayer(QObject):
    """All news comes from a timer or from the process, never from within a call. What is played must be `TextClip`s."""

    def __init__(
        self,
        process: AloudProcess,
        *,
        volume: float = 1.0,
        limits: Limits = Limits(),
        parent: QObject | None = None,
    ) -> None:
        """`volume`: 0 to 1."""
        super().__init__(parent)
        self._process = process
        self._volume = volume
        self._limits = limits
        self._waiting: deque[tuple[int, TextClip | None]] = deque()
        """Clips, and None where a mark ends."""
        self._saying: _Saying | None = None
        self._is_paused = False
        self._life = 0
        """Grows when the sound is stopped."""
        self._numbers = 0
        self._started = 0
        """The mark whose `Started` was told last."""
        self._listeners: list[Callable[[PlayerNews], None]] = []
        self._next = self._timer(self._go_on)
        self._silence = self._timer(self._silence_over)
        self._watch = self._timer(self._hangs)
        process.told.connect(self._hear)
        process.ended.connect(self._lost)

    def set_volume(self, volume: float) -> None:
        """Heard at once where the engine can do so, else with the next sentence."""
        self._volume = volume
        self._process.send({"volume": volume})

    # The protocol

    def subscribe(self, listener: Callable[[PlayerNews], None]) -> Callable[[], None]:
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe

    def play(self, mark: int, clip: Clip) -> None:
        assert isinstance(clip, TextClip)
        self._waiting.append((mark, clip))
        self._wake()

    def end(self, mark: int) -> None:
        self._waiting.append((mark, None))
        self._wake()

    def pause(self) -> None:
        """Hold the sentence, or silence it and say it from its beginning after `resume`, where the engine cannot."""
        if self._is_paused:
            return
        self._is_paused = True
        saying = self._saying
        if saying is None:
            return
        self._watch.stop()
        if saying.has_begun and saying.number and self._process.pauses:
            self._process.send({"pause": True})
            return
        self._take_back()

    def resume(self) -> None:
        if not self._is_paused:
            return
        self._is_paused = False
        if self._saying is not None and self._process.is_ready:
            self._process.send({"resume": True})
            self._watch_end(self._saying)
        else:  # it was ended meanwhile, as it does where it is not needed for long
            self._take_back()
        self._wake()

    def stop(self) -> None:
        self._life += 1
        self._take_back()
        self._waiting.clear()
        self._started = 0
        self._next.stop()

    def close(self) -> None:
        """Silence for good."""
        self.stop()
        self._listeners.clear()

    # Going on

    def _wake(self) -> None:
        if self._saying is None and not self._is_paused:
            self._next.start(0)

    def _go_on(self) -> None:
        """Say what is next; tell what ended."""
        life = self._life
        while self._life == life and self._saying is None and not self._is_paused and self._waiting:
            mark, clip = self._waiting.popleft()
            if clip is None:
                self._tell(Finished(mark))
            elif clip.text:
                self._say(_Saying(mark, clip))
            else:
                self._saying = _Saying(mark, clip)
                self._silence.start(round(max(0.0, clip.seconds - TAIL_S) * 1000))

    def _say(self, saying: _Saying) -> None:
        self._saying = saying
        self._numbers += 1
        saying.number = self._numbers
        saying.attempts += 1
        manner = saying.clip.manner
        is_ready = self._process.is_ready
        order: dict[str, Any] = {"say": saying.number, "text": saying.clip.text, "voice": manner.voice}
        self._process.send(order | {"rate": manner.rate, "volume": self._volume})
        self._watch.start(round((self._limits.begin_s if is_ready else self._limits.start_s) * 1000))

    def _silence_over(self) -> None:
        self._saying = None
        self._go_on()

    def _take_back(self) -> None:
        """Silence at once; what was being said waits again, to be said from its beginning."""
        saying, self._saying = self._saying, None
        self._silence.stop()
        self._watch.stop()
        if saying is not None:
            self._waiting.appendleft((saying.mark, saying.clip))
            self._process.send({"stop": True})

    # The process's news

    def _hear(self, said: dict[str, Any]) -> None:
        saying = self._saying
        if "failed" in said:
            if saying is not None and said["failed"] in (0, saying.number):
                self._fail(refusal(said["why"], said["detail"]))
            return
        if saying is None or saying.number not in (said.get("began"), said.get("ended")):
            return  # of what was stopped meanwhile
        if "began" in said:
            saying.has_begun = True
            if not self._is_paused:
                self._watch_end(saying)
            if self._started != saying.mark:
                self._started = saying.mark
                self._tell(Started(saying.mark))
            return
        self._saying = None
        self._watch.stop()
        self._go_on()

    def _watch_end(self, saying: _Saying) -> None:
        self._watch.start(round((self._limits.end_s + 2 * saying.clip.seconds) * 1000))

    def _hangs(self) -> None:
        log.warning("a voice that speaks aloud says nothing any more")
        self._process.end()
        self._lost()

    def _lost(self) -> None:
        saying = self._saying
        if saying is None or not saying.number:
            return
        if self._is_paused:
            self._take_back()
        elif saying.attempts < ATTEMPTS:
            saying.has_begun = False
            self._say(saying)
        else:
            self._fail(no_answer())

    def _fail(self, error: SpeechError) -> None:
        self.stop()
        self._tell(Trouble(error))

    def _tell(self, news: PlayerNews) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(news)
            except Exception:  # one broken listener must not silence the voice
                log.exception("a listener failed on %s", type(news).__name__)

    def _timer(self, slot: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.timeout.connect(slot)
        return timer
