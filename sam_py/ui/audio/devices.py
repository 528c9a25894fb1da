"""SoundDevices: the loudspeakers and microphones that there are, and news when one comes or goes."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Signal

from sam_py.speech.base import SpeechError

if TYPE_CHECKING:
    from PySide6.QtMultimedia import QAudioDevice, QMediaDevices

    from sam_py.ui.audio.pulse_watch import PulseWatch

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SoundDevice:
    """`id` is the system's, as the settings keep it."""

    id: str
    name: str
    is_default: bool = False


class SoundDevices(QObject):
    """Asks QtMultimedia, when first asked itself. One object serves the whole program.

    On PulseAudio, Qt (6.11, 6.12) neither tells that a device was unplugged nor takes it off its list, and the server
    moves what plays there to another loudspeaker; `PulseWatch` asks the server itself. While it is away there are none.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._media: QMediaDevices | None = None
        self._watch: PulseWatch | None = None
        self._is_missing = False

    def outputs(self) -> tuple[SoundDevice, ...]:
        """The loudspeakers."""
        return tuple(_described(self._outputs()))

    def inputs(self) -> tuple[SoundDevice, ...]:
        """The microphones."""
        return tuple(_described(self._inputs()))

    def output(self, device_id: str) -> QAudioDevice:
        """The loudspeaker of that id; with "", the system's default. Raises `SpeechError`."""
        live = self._outputs()
        found = _chosen(live, device_id)
        if found is not None:
            return found
        if live:
            raise SpeechError(
                _("The chosen loudspeaker is not connected. Connect it, or choose another one in Settings > Voice.")
            )
        if self._is_missing:
            raise SpeechError(_lacking())
        raise self.server_trouble() or SpeechError(
            _("No loudspeaker or headset was found. Connect one, and see that the system's sound settings show it.")
        )

    def input(self, device_id: str) -> QAudioDevice:
        """The microphone of that id; with "", the system's default. Raises `SpeechError`."""
        live = self._inputs()
        found = _chosen(live, device_id)
        if found is not None:
            return found
        if live:
            raise SpeechError(
                _("The chosen microphone is not connected. Connect it, or choose another one in Settings > Voice.")
            )
        if self._is_missing:
            raise SpeechError(_lacking())
        raise self.server_trouble() or SpeechError(
            _("No microphone was found. Connect one, and see that the system's sound settings show it.")
        )

    def has_output(self, device_id: str) -> bool:
        return any(each.id == device_id for each in self.outputs())

    def has_input(self, device_id: str) -> bool:
        return any(each.id == device_id for each in self.inputs())

    def server_trouble(self) -> SpeechError | None:
        """What to say while the system's sound is away as a whole; else None."""
        if self._watch is None or not self._watch.is_lost:
            return None
        return SpeechError(
            _(
                "The system's sound has stopped. Once it works again, go on; if that does not help, start SAM again: "
                "what you wrote is kept."
            )
        )

    def close(self) -> None:
        """End what watches. Calling it again does nothing."""
        if self._watch is not None:
            self._watch.close()
            self._watch = None

    def _outputs(self) -> list[QAudioDevice]:
        return self._live(media.audioOutputs(), "sink") if (media := self._qt()) is not None else []

    def _inputs(self) -> list[QAudioDevice]:
        return self._live(media.audioInputs(), "source") if (media := self._qt()) is not None else []

    def _qt(self) -> QMediaDevices | None:
        """None where the system lacks what QtMultimedia is linked with."""
        if self._media is not None or self._is_missing:
            return self._media
        try:
            from PySide6.QtMultimedia import QMediaDevices
        except ImportError as error:
            log.warning("QtMultimedia cannot be used: %s", error)
            self._is_missing = True
            return None
        self._media = media = QMediaDevices(self)
        media.audioOutputsChanged.connect(self.changed)
        media.audioInputsChanged.connect(self.changed)
        if media.audioOutputs() or media.audioInputs():
            from sam_py.ui.audio.pulse_watch import watch_pulse

            self._watch = watch_pulse(self)
            if self._watch is not None:
                self._watch.changed.connect(self.changed)
        return media

    def _live(self, devices: Iterable[QAudioDevice], kind: str) -> list[QAudioDevice]:
        if self._watch is not None and self._watch.is_lost:
            return []
        gone = self._watch.gone(kind) if self._watch is not None else frozenset()
        return [each for each in devices if not each.isNull() and id_of(each) not in gone]


def id_of(device: QAudioDevice) -> str:
    return bytes(device.id().data()).decode("utf-8", "replace")


def _described(devices: Iterable[QAudioDevice]) -> Iterable[SoundDevice]:
    return (SoundDevice(id_of(each), each.description(), each.isDefault()) for each in devices)


def _chosen(devices: list[QAudioDevice], device_id: str) -> QAudioDevice | None:
    if device_id:
        return next((each for each in devices if id_of(each) == device_id), None)
    return next((each for each in devices if each.isDefault()), devices[0] if devices else None)


def _lacking() -> str:
    return _(
        "This system lacks a part that sound needs. On Linux, install libpulse (on Debian and Ubuntu: sudo apt install "
        "libpulse0), and start SAM again."
    )


def _(text: str) -> str:
    return QCoreApplication.translate("SoundDevices", text)
