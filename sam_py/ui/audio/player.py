"""AudioPlayer: the voice's player on a real loudspeaker (`speech.base.Player`)."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer

from sam_py.speech.base import Clip, PlayerNews, SpeechError, Trouble
from sam_py.ui.audio.devices import SoundDevices
from sam_py.ui.audio.output import Output, SinkOutput
from sam_py.ui.audio.reel import NEAR_US, Form, Reel

log = logging.getLogger(__name__)

TICK_MS = 15
STALLED_S = 2.0
"""A device that took nothing for so long, though there was something, is dead: some systems say nothing of it."""
TAIL_S = 0.15
"""What the device took is heard a little later (measured with PulseAudio: 40 ms); only then its stream may end."""
IDLE_S = 10.0
"""So long the stream stays open for the next sentence; opening takes some 10 ms."""

OpenOutput = Callable[[str, Form, float], Output]


class AudioPlayer(QObject):
    """Invariants: `_output` is open exactly while the reel has a form; sound goes to the device that `_open` chose.

    All news comes from the timer, never from within a call. The timer runs while a stream is open or something waits.
    """

    def __init__(
        self,
        devices: SoundDevices,
        *,
        device_id: str = "",
        volume: float = 1.0,
        open_output: OpenOutput | None = None,
        clock: Callable[[], float] = time.monotonic,
        parent: QObject | None = None,
    ) -> None:
        """`device_id` as in the settings: "" follows the system's default. `volume`: 0 to 1, as loud as it sounds."""
        super().__init__(parent)
        self._devices = devices
        self._device_id = device_id
        self._volume = volume
        self._open_output = open_output or self._open_sink
        self._clock = clock
        self._reel = Reel()
        self._output: Output | None = None
        self._is_paused = False
        self._error: SpeechError | None = None
        """Why no stream could be opened; the timer tells."""
        self._life = 0
        """Grows when the sound is stopped."""
        self._heard_us = 0
        self._heard_at = 0.0
        """When `_heard_us` last grew."""
        self._listeners: list[Callable[[PlayerNews], None]] = []
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self.advance)
        devices.changed.connect(self._devices_changed)

    # What the settings say

    def set_device(self, device_id: str) -> None:
        """What is being heard goes on there."""
        if device_id != self._device_id:
            self._device_id = device_id
            self._move()

    def set_volume(self, volume: float) -> None:
        """Heard at once (after some 40 ms)."""
        self._volume = volume
        if self._output is not None:
            self._output.set_volume(volume)

    # The protocol

    def subscribe(self, listener: Callable[[PlayerNews], None]) -> Callable[[], None]:
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe

    def play(self, mark: int, clip: Clip) -> None:
        self._reel.add(mark, clip)
        self._wake()

    def end(self, mark: int) -> None:
        self._reel.end(mark)
        self._wake()

    def pause(self) -> None:
        self._is_paused = True
        if self._output is not None:
            self._output.pause()

    def resume(self) -> None:
        if self._is_paused:
            self._is_paused = False
            self._heard_at = self._clock()
            if self._output is not None:
                self._output.resume()
            self._wake()

    def stop(self) -> None:
        self._life += 1
        self._error = None
        self._close()
        self._reel.clear()
        self._timer.stop()

    def close(self) -> None:
        """Silence for good."""
        self.stop()
        self._listeners.clear()

    # Going on

    def advance(self) -> None:
        """What the timer does: tell what was heard, hand on what waits."""
        error, self._error = self._error, None
        if error is not None:
            self._fail(error)
            return
        if not self._tell_heard():
            return
        if self._is_paused:
            self._timer.stop()
            return
        try:
            self._look_after_output()
            self._hand_on()
        except SpeechError as failure:
            self._fail(failure)
            return
        if self._output is None and self._reel.is_empty:
            self._timer.stop()

    def _wake(self) -> None:
        """Start at once: the first sound does not wait for the timer; its news does."""
        if not self._timer.isActive():
            self._timer.start()
        if self._is_paused or self._error is not None:
            return
        try:
            self._hand_on()
        except SpeechError as error:
            self._error = error

    def _tell_heard(self) -> bool:
        """False: a listener stopped the sound meanwhile; what was to be told after that is no news any more."""
        life = self._life
        for news in self._reel.played(self._played_us()):
            self._tell(news)
            if self._life != life:
                return False
        return True

    def _look_after_output(self) -> None:
        """End a stream that is needed no longer. Raises `SpeechError` for one that is dead."""
        if self._output is None:
            return
        if (failure := self._output.failure()) is not None:
            raise failure
        still_s = self._clock() - self._heard_at
        if not self._is_all_heard:
            if still_s > STALLED_S:
                raise SpeechError(
                    _(
                        "The loudspeaker does not take sound any more. See that it is connected and that the system's "
                        "sound works, or choose another one in Settings > Voice."
                    )
                )
        elif still_s > (IDLE_S if self._reel.next_form in (None, self._reel.form) else TAIL_S):
            self._close()

    @property
    def _is_all_heard(self) -> bool:
        return self._heard_us + NEAR_US >= self._reel.taken_us

    def _hand_on(self) -> None:
        """Write as much as there is room for. Raises `SpeechError` where no stream can be opened."""
        if self._output is None:
            form = self._reel.next_form
            if form is None:
                return
            self._output = self._open_output(self._device_id, form, self._volume)
            self._reel.begin(form)
            self._heard_us = 0
        if self._is_all_heard and self._reel.next_form == self._reel.form:
            self._heard_at = self._clock()
        while (room := self._output.room_frames()) > 0 and len(samples := self._reel.take(room)):
            self._output.write(samples)

    def _played_us(self) -> int:
        if self._output is None:
            return 0
        played = self._output.played_us()
        if played > self._heard_us:
            self._heard_us, self._heard_at = played, self._clock()
        return self._heard_us

    def _open_sink(self, device_id: str, form: Form, volume: float) -> Output:
        return SinkOutput(self._devices.output(device_id), form, volume)

    def _close(self) -> None:
        if self._output is not None:
            output, self._output = self._output, None
            output.close()
            self._reel.begin(None)

    # Devices that come and go

    def _devices_changed(self) -> None:
        output = self._output
        if output is None:
            return
        if not self._devices.has_output(output.device_id):
            self._fail(
                self._devices.server_trouble()
                or SpeechError(
                    _(
                        "The loudspeaker or headset that was speaking is not connected any more. Connect it again, or "
                        "choose another one in Settings > Voice."
                    )
                )
            )
        elif not self._device_id:
            default = next((each for each in self._devices.outputs() if each.is_default), None)
            if default is not None and default.id != output.device_id:
                self._move()

    def _move(self) -> None:
        """Go on where it stands on the device that is now meant."""
        if self._output is None:
            return
        if not self._tell_heard() or self._output is None:
            return
        output, self._output = self._output, None
        self._reel.rewind(self._heard_us)
        output.close()
        self._wake()

    def _fail(self, error: SpeechError) -> None:
        self.stop()
        self._tell(Trouble(error))

    def _tell(self, news: PlayerNews) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(news)
            except Exception:  # one broken listener must not silence the voice
                log.exception("a listener failed on %s", type(news).__name__)


def _(text: str) -> str:
    return QCoreApplication.translate("Loudspeaker", text)
