"""ProgramVoice: engines, loudspeaker, queue and narrator as the settings want them, built when first needed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject

from sam_py.settings.model import Settings
from sam_py.speech.base import Manner, Player, Readout, SpeechEngine, SpeechError, Voice
from sam_py.speech.engines.catalogue import Engines, Guest, Offer
from sam_py.speech.narrator import Narrator
from sam_py.speech.queue import SpeechQueue
from sam_py.speech.speakable import Phrases, SpokenText
from sam_py.speech.voice_state import VoiceNews
from sam_py.ui.audio.devices import SoundDevice, SoundDevices
from sam_py.ui.audio.player import AudioPlayer
from sam_py.ui.audio.routed_player import RoutedPlayer
from sam_py.ui.services import Services
from sam_py.ui.voice.window_voice import WindowVoice

if TYPE_CHECKING:
    from sam_py.ui.audio.aloud_player import AloudPlayer
    from sam_py.ui.audio.aloud_process import AloudProcess
    from sam_py.ui.chat.composer_dictation import Dictation
    from sam_py.ui.main_window import MainWindow


class ProgramVoice(QObject):
    """One for the whole program. Implements `offers.VoiceOffers` and `saving.Makes`; what it reads of the settings it
    reads anew, and what is not read anew it is told of.
    """

    def __init__(
        self,
        services: Services,
        parent: QObject | None = None,
        *,
        player: Player | None = None,
        engines: Engines | None = None,
    ) -> None:
        """`player` and `engines` stand in for the real ones in tests."""
        super().__init__(parent)
        self._settings = services.settings
        voice = self._settings.current.voice
        self.devices = SoundDevices(self)
        self._loudspeaker: AudioPlayer | None = None
        self._aloud: AloudPlayer | None = None
        self._aloud_process: AloudProcess | None = None
        if player is None:
            self._loudspeaker = AudioPlayer(
                self.devices, device_id=voice.output_device, volume=voice.volume, parent=self
            )
            player = RoutedPlayer(self._loudspeaker, self._aloud_player)
        registry = services.registry
        self._engines = engines or Engines(
            lambda: self._settings.current,
            lambda: registry.http,
            services.secrets.key_of,
            qt=Guest(self._qt_voices, _qt_is_missing),
        )
        self.queue = SpeechQueue(self._engines.current, self._engines.manner, player)
        self.narrator = Narrator(self.queue, self.readout, _spoken)
        self._is_testing = False
        self._unsubscribe = self._settings.subscribe(self._settings_changed)

    # What speech is made of

    def engine(self) -> SpeechEngine:
        """The chosen one. Raises `SpeechError`."""
        return self._engines.current()

    def manner(self) -> Manner:
        return self._engines.manner()

    def readout(self) -> Readout:
        voice = self._settings.current.voice
        return Readout(voice.code, voice.tables, voice.maths, voice.emoji)

    # What the settings page asks

    @property
    def is_testing(self) -> bool:
        return self._is_testing

    def engines(self) -> Sequence[Offer]:
        return self._engines.offered()

    async def voices(self, engine: str) -> Sequence[Voice]:
        return await self._engines.engine(engine).voices()

    async def test(self, text: str) -> None:
        """Speak `text` as replies are spoken, instead of what is being read. Raises `SpeechError`."""
        self.narrator.stop()
        heard: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def listen(news: VoiceNews) -> None:
            if heard.done():
                return
            if isinstance(news, SpeechError):
                heard.set_exception(news)
            elif news.phase == "silent":
                heard.set_result(None)

        unsubscribe = self.narrator.subscribe(listen)
        self._is_testing = True
        try:
            self.narrator.read_text(text)
            await heard
        finally:
            unsubscribe()
            self.end_test()

    def end_test(self) -> None:
        if self._is_testing:
            self._is_testing = False
            self.narrator.stop()

    def outputs(self) -> Sequence[SoundDevice]:
        return self.devices.outputs()

    def inputs(self) -> Sequence[SoundDevice]:
        return self.devices.inputs()

    def watch_devices(self, listener: Callable[[], None]) -> Callable[[], None]:
        self.devices.changed.connect(listener)
        return lambda: self._forget(listener)

    def _forget(self, listener: Callable[[], None]) -> None:
        self.devices.changed.disconnect(listener)

    # Beginning and end

    def warm_up(self) -> None:
        """Begin to start the chosen engine."""
        self._engines.warm_up()

    async def aclose(self) -> None:
        """Silence, and the end of engines and devices."""
        self._unsubscribe()
        self.narrator.follow(None)
        await self.queue.aclose()
        await self._engines.aclose()
        if self._loudspeaker is not None:
            self._loudspeaker.close()
        if self._aloud is not None:
            self._aloud.close()
        if self._aloud_process is not None:
            self._aloud_process.close()
        self.devices.close()

    def _settings_changed(self, settings: Settings) -> None:
        if self._loudspeaker is not None:
            self._loudspeaker.set_device(settings.voice.output_device)
            self._loudspeaker.set_volume(settings.voice.volume)
        if self._aloud is not None:
            self._aloud.set_volume(settings.voice.volume)

    # Voices that speak by themselves: imported and made when one is first chosen

    def _qt_voices(self) -> SpeechEngine:
        from sam_py.ui.audio.aloud_voices import QtVoices

        return QtVoices(self._process_aloud)

    def _process_aloud(self) -> AloudProcess:
        if self._aloud_process is None:
            from sam_py.ui.audio.aloud_process import AloudProcess

            self._aloud_process = AloudProcess(parent=self)
        return self._aloud_process

    def _aloud_player(self) -> Player:
        if self._aloud is None:
            from sam_py.ui.audio.aloud_player import AloudPlayer

            self._aloud = AloudPlayer(self._process_aloud(), volume=self._settings.current.voice.volume, parent=self)
        return self._aloud


def voice_of_window(services: Services, window: MainWindow) -> WindowVoice:
    """The voice, joined with a window."""
    voice = ProgramVoice(services, window)
    joined = WindowVoice(voice.narrator, voice, services, window.chat, window.notices, window.open_settings)
    joined.make_dictation = lambda: _dictation_of(services, window, voice)
    window.closed.connect(joined.end)
    return joined


def _dictation_of(services: Services, window: MainWindow, voice: ProgramVoice) -> Dictation:
    from sam_py.ui.voice.window_dictation import dictation_in  # not needed to read aloud

    def fall_silent() -> None:
        voice.narrator.stop()

    return dictation_in(window.chat, services, voice.devices, fall_silent, lambda: window.open_settings("voice"))


def _qt_is_missing() -> str:
    from sam_py.ui.audio.aloud_words import what_is_missing

    return what_is_missing()


def _spoken(readout: Readout) -> SpokenText:
    """What is announced, in the window's language."""
    return SpokenText(
        readout,
        Phrases(
            code=QCoreApplication.translate("Spoken", "A block of code."),
            code_in=QCoreApplication.translate("Spoken", "A block of code in %1."),
        ),
    )
