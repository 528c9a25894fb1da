"""Dictation, joined with the program: its account and key, its microphone, and leave to use it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QMicrophonePermission, QPermission, Qt

from sam_py.providers.audio_service import audio_service
from sam_py.providers.transcriptions import transcribe
from sam_py.speech.base import SpeechError
from sam_py.ui.audio.devices import SoundDevices
from sam_py.ui.audio.recorder import Recorder
from sam_py.ui.chat.composer_dictation import Dictation, Doors
from sam_py.ui.services import Services

if TYPE_CHECKING:
    from sam_py.ui.chat.chat_view import ChatView


def dictation_in(
    chat: ChatView,
    services: Services,
    devices: SoundDevices,
    fall_silent: Callable[[], object],
    open_settings: Callable[[], object],
) -> Dictation:
    """Dictation in the chat's composer, as the settings want it at the time."""
    settings = services.settings

    async def written(wav: bytes) -> str:
        voice = settings.current.voice
        service = audio_service(settings.current, voice.dictation)
        if service is None:
            raise SpeechError(
                QCoreApplication.translate(
                    "Dictation", "The account for dictation is gone. Choose another one in Settings > Voice."
                )
            )
        key = await services.secrets.key_of(service.account)
        return await transcribe(services.registry.http, service, wav, key, voice.dictation_language)

    doors = Doors(
        device_id=lambda: settings.current.voice.input_device,
        is_configured=lambda: audio_service(settings.current, settings.current.voice.dictation) is not None,
        transcribe=written,
        spawn=lambda work: services.tasks.spawn(work, "turn speech into text"),
        fall_silent=fall_silent,
        open_settings=open_settings,
        ask=ask_for_microphone,
    )
    return Dictation(chat.composer, services.icons, Recorder(devices, parent=chat.composer), doors)


def ask_for_microphone(answer: Callable[[bool], None]) -> None:
    """Call `answer` with whether the system lets us hear, at once or when the person has answered it (macOS)."""
    app = QCoreApplication.instance()
    permission = QMicrophonePermission()
    status = app.checkPermission(permission) if app is not None else Qt.PermissionStatus.Denied
    if app is not None and status == Qt.PermissionStatus.Undetermined:

        def answered(given: QPermission) -> None:
            answer(given.status() == Qt.PermissionStatus.Granted)

        app.requestPermission(permission, app, answered)
        return
    answer(status == Qt.PermissionStatus.Granted)
