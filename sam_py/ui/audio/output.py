"""Output: a stream of sound to one device, as the player needs it, and how QAudioSink gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QCoreApplication

from sam_py.speech.base import SpeechError
from sam_py.ui.audio.convert import Converter, SampleForm
from sam_py.ui.audio.devices import id_of
from sam_py.ui.audio.reel import Form

if TYPE_CHECKING:
    from PySide6.QtCore import QIODevice
    from PySide6.QtMultimedia import QAudioDevice, QAudioFormat, QAudioSink

BUFFER_MS = 200
"""So long the window may be busy without a gap in the sound (measured: 60 ms break at a stall of 100). It costs
nothing else: stopping throws the buffer away, and `processedUSecs` counts what left it."""


class Output(Protocol):
    """A stream that is open from its making until `close`."""

    @property
    def device_id(self) -> str: ...

    def room_frames(self) -> int:
        """How many frames may be written now."""

    def write(self, samples: memoryview) -> None:
        """At most as many frames as there is room for."""

    def played_us(self) -> int:
        """How much of what was written the device took, in microseconds of sound."""

    def failure(self) -> SpeechError | None:
        """Why nothing more is heard; None while all is well."""

    def set_volume(self, volume: float) -> None:
        """0 to 1, as loud as it sounds."""

    def pause(self) -> None: ...

    def resume(self) -> None: ...

    def close(self) -> None:
        """Silence at once; what was not heard is lost."""


class SinkOutput:
    """QAudioSink in push mode. Its news is asked for, not waited for: PySide cannot hand ``QAudio::State`` to Python
    functions (6.11: "parameter 0 of type QAudio::State cannot be converted")."""

    def __init__(self, device: QAudioDevice, form: Form, volume: float) -> None:
        """Raises `SpeechError`."""
        from PySide6.QtMultimedia import QAudioSink

        self._device_id = id_of(device)
        self._form = form
        wanted = format_for(device, form)
        self._converter = converter_for(form, wanted)
        self._frame_bytes = wanted.bytesPerFrame()
        self._sink: QAudioSink = QAudioSink(device, wanted)
        self._sink.setBufferSize(wanted.bytesForDuration(BUFFER_MS * 1_000))
        self._sink.setVolume(_linear(volume))
        self._io: QIODevice | None = self._sink.start()
        if self._io is None or (failure := self.failure()) is not None:
            error = failure if self._io is not None else refused(device.description())
            self.close()
            raise error or refused(device.description())

    @property
    def device_id(self) -> str:
        return self._device_id

    def room_frames(self) -> int:
        room = self._sink.bytesFree() // self._frame_bytes
        return room if self._converter is None else self._converter.most_frames(room)

    def write(self, samples: memoryview) -> None:
        assert self._io is not None
        out = bytes(samples) if self._converter is None else self._converter.feed(samples)
        if out:
            self._io.write(out)

    def played_us(self) -> int:
        return int(self._sink.processedUSecs())

    def failure(self) -> SpeechError | None:
        from PySide6.QtMultimedia import QtAudio

        if self._sink.error() in (QtAudio.Error.NoError, QtAudio.Error.UnderrunError):
            return None
        return SpeechError(
            _(
                "The loudspeaker does not take sound any more. See that it is connected, or choose another one in "
                "Settings > Voice."
            ),
            detail=self._sink.error().name,
        )

    def set_volume(self, volume: float) -> None:
        self._sink.setVolume(_linear(volume))

    def pause(self) -> None:
        self._sink.suspend()

    def resume(self) -> None:
        self._sink.resume()

    def close(self) -> None:
        self._io = None
        self._sink.reset()
        self._sink.deleteLater()


def format_for(device: QAudioDevice, form: Form) -> QAudioFormat:
    """What the device is sent: the sound as it is where it takes that, else the nearest that it takes."""
    from PySide6.QtMultimedia import QAudioFormat

    wanted = QAudioFormat()
    wanted.setSampleRate(form.rate_hz)
    wanted.setChannelCount(form.channels)
    wanted.setSampleFormat(QAudioFormat.SampleFormat.Int16)
    if device.isFormatSupported(wanted):
        return wanted
    preferred = device.preferredFormat()
    wanted.setSampleFormat(preferred.sampleFormat())
    if device.isFormatSupported(wanted):
        return wanted
    return preferred


def converter_for(form: Form, wanted: QAudioFormat) -> Converter | None:
    """None where nothing is to be changed. Raises `SpeechError` for what cannot be made."""
    name = wanted.sampleFormat().name
    forms: dict[str, SampleForm] = {"UInt8": "uint8", "Int16": "int16", "Int32": "int32", "Float": "float"}
    if name not in forms or not wanted.isValid():
        raise SpeechError(
            _("The loudspeaker takes no form of sound that this program knows. Choose another one in Settings > Voice.")
        )
    is_same = (wanted.sampleRate(), wanted.channelCount()) == (form.rate_hz, form.channels)
    if is_same and forms[name] == "int16":
        return None
    return Converter(form.rate_hz, form.channels, wanted.sampleRate(), wanted.channelCount(), forms[name])


def refused(name: str) -> SpeechError:
    sentence = _(
        "The loudspeaker “%1” cannot be used: another program may hold it. Close that program, or choose another "
        "loudspeaker in Settings > Voice."
    )
    return SpeechError(sentence.replace("%1", name))


def _linear(volume: float) -> float:
    """Half a volume sounds half as loud; ``QAudioSink`` wants the factor of the samples. 0 is silence."""
    from PySide6.QtMultimedia import QtAudio

    scale = QtAudio.VolumeScale
    return QtAudio.convertVolume(volume, scale.LogarithmicVolumeScale, scale.LinearVolumeScale)


def _(text: str) -> str:
    return QCoreApplication.translate("Loudspeaker", text)
