"""Recorder: what a microphone hears, kept in memory as 16 kHz mono, and how loud it is meanwhile."""

from __future__ import annotations

import array
import io
import math
import sys
import time
import wave
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer, Signal

from sam_py.speech.base import SpeechError
from sam_py.ui.audio.convert import Converter
from sam_py.ui.audio.devices import SoundDevices, id_of

if TYPE_CHECKING:
    from PySide6.QtCore import QIODevice
    from PySide6.QtMultimedia import QAudioDevice, QAudioFormat, QAudioSource

RATE_HZ = 16_000
"""What whisper hears; more is thrown away there."""
MOST_S = 600.0
STALLED_S = 3.0
_TICK_MS = 50
_QUIET_DB = -60.0
_SILENT = 40
"""Of 32768: a microphone that is switched off or muted gives less, one in a silent room more."""


class Recorder(QObject):
    """Invariants: `samples` grow only between `start` and `stop`; nothing of them is written to the disk."""

    level_changed = Signal(float)
    """0 to 1, some twenty times a second while it records."""
    ended = Signal(object)
    """It stopped by itself: None at the longest that it records, or the `SpeechError` of a microphone that is gone.
    What was heard until then is there."""

    def __init__(
        self,
        devices: SoundDevices,
        *,
        most_s: float = MOST_S,
        clock: Callable[[], float] = time.monotonic,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._devices = devices
        self._most_s = most_s
        self._clock = clock
        self._source: QAudioSource | None = None
        self._io: QIODevice | None = None
        self._device_id = ""
        self._samples = bytearray()
        self._read: Callable[[bytes], bytes] = bytes
        self._came_at = 0.0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._advance)
        devices.changed.connect(self._devices_changed)

    @property
    def is_recording(self) -> bool:
        return self._source is not None

    @property
    def seconds(self) -> float:
        """How much was heard."""
        return len(self._samples) / (2 * RATE_HZ)

    @property
    def samples(self) -> bytes:
        """Signed 16-bit, little-endian, one channel."""
        return bytes(self._samples)

    @property
    def was_silent(self) -> bool:
        """Nothing at all was heard: the microphone is off or muted."""
        return _peak(self._samples) < _SILENT

    def start(self, device_id: str) -> None:
        """Forget what was heard before, and hear. Raises `SpeechError`."""
        self.cancel()
        device = self._devices.input(device_id)
        self._open(device)
        self._device_id = id_of(device)
        self._came_at = self._clock()
        self._timer.start()

    def stop(self) -> None:
        """Hear no more; what was heard stays."""
        if self._source is not None:
            self._take()
            self._close()

    def cancel(self) -> None:
        """Hear no more, and forget what was heard."""
        self._close()
        self._samples.clear()

    def wav(self) -> bytes:
        """What was heard, as a file."""
        return wav_of(bytes(self._samples))

    def _open(self, device: QAudioDevice) -> None:
        from PySide6.QtMultimedia import QAudioSource, QtAudio

        form = _format_for(device)
        self._read = _reader(form)
        source = QAudioSource(device, form, self)
        device_io = source.start()
        if device_io is None or source.error() != QtAudio.Error.NoError:
            source.deleteLater()
            sentence = _(
                "The microphone “%1” cannot be used: another program may hold it, or the system does not allow it. "
                "Look into the system's sound and privacy settings, or choose another one in Settings > Voice."
            )
            raise SpeechError(sentence.replace("%1", device.description()), detail=source.error().name)
        self._source, self._io = source, device_io

    def _close(self) -> None:
        self._timer.stop()
        source, self._source, self._io = self._source, None, None
        if source is not None:
            source.reset()
            source.deleteLater()

    def _advance(self) -> None:
        piece = self._take()
        now = self._clock()
        if piece:
            self._came_at = now
            self.level_changed.emit(level_of(piece))
        if self.seconds >= self._most_s:
            del self._samples[int(self._most_s * RATE_HZ) * 2 :]
            self._end(None)
        elif now - self._came_at > STALLED_S:
            self._end(
                SpeechError(
                    _(
                        "Nothing comes from the microphone. See that it is connected and allowed, or choose another "
                        "one in Settings > Voice."
                    )
                )
            )

    def _take(self) -> bytes:
        if self._io is None:
            return b""
        piece = self._read(bytes(self._io.readAll().data()))
        self._samples += piece
        return piece

    def _devices_changed(self) -> None:
        if self._source is not None and not self._devices.has_input(self._device_id):
            self._end(
                self._devices.server_trouble()
                or SpeechError(
                    _(
                        "The microphone is not connected any more. What it heard until then is kept. Connect it again, "
                        "or choose another one in Settings > Voice."
                    )
                )
            )

    def _end(self, error: SpeechError | None) -> None:
        self._close()
        self.ended.emit(error)


def wav_of(samples: bytes) -> bytes:
    """
    >>> len(wav_of(bytes(32_000)))
    32044
    """
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE_HZ)
        out.writeframes(samples)
    return file.getvalue()


def level_of(samples: bytes) -> float:
    """How loud it is, from 0 (-60 dB below the loudest there can be, or less) to 1.

    >>> level_of(bytes(20)), round(level_of(array.array("h", [3277] * 10).tobytes()), 2)
    (0.0, 0.67)
    """
    values = _values(samples)
    if not values:
        return 0.0
    loudness = math.sqrt(sum(value * value for value in values) / len(values)) / 32_768
    return max(0.0, 1 - 20 * math.log10(loudness) / _QUIET_DB) if loudness > 0 else 0.0


def _peak(samples: bytes | bytearray) -> int:
    values = _values(samples)
    return max(max(values), -min(values)) if values else 0


def _values(samples: bytes | bytearray) -> array.array[int]:
    values = array.array("h", bytes(samples))
    if sys.byteorder == "big":
        values.byteswap()
    return values


def _format_for(device: QAudioDevice) -> QAudioFormat:
    """What is asked of the microphone: what we keep, where it gives that, else what it gives best."""
    from PySide6.QtMultimedia import QAudioFormat

    wanted = QAudioFormat()
    wanted.setSampleRate(RATE_HZ)
    wanted.setChannelCount(1)
    wanted.setSampleFormat(QAudioFormat.SampleFormat.Int16)
    return wanted if device.isFormatSupported(wanted) else device.preferredFormat()


def _reader(form: QAudioFormat) -> Callable[[bytes], bytes]:
    """The function that makes our samples of the microphone's."""
    name = form.sampleFormat().name
    if form.sampleRate() == RATE_HZ and form.channelCount() == 1:
        return lambda piece: _as_int16(name, piece)
    converter = Converter(form.sampleRate(), form.channelCount(), RATE_HZ, 1, "int16")
    return lambda piece: converter.feed(_as_int16(name, piece))


def _as_int16(form: str, piece: bytes) -> bytes:
    match form:
        case "UInt8":
            values = array.array("h", [(value - 128) << 8 for value in piece])
        case "Int32":
            values = array.array("h", [value >> 16 for value in array.array("i", piece)])
        case "Float":
            loud = (round(value * 32_767) for value in array.array("f", piece))
            values = array.array("h", [max(-32_768, min(32_767, value)) for value in loud])
        case _:
            return piece
    return values.tobytes()


def _(text: str) -> str:
    return QCoreApplication.translate("Microphone", text)
