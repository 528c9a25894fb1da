"""SpeechSaving: a message's speech as an audio file, made while a line above the composer tells how far it is."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, QStandardPaths
from PySide6.QtWidgets import QFileDialog

from sam_py.messages.message import Message
from sam_py.speech.base import Readout, SpeechEngine, SpeechError
from sam_py.speech.engines.catalogue import ALOUD, NAMES
from sam_py.speech.rendered import only_aloud, save_speech, utterances_of
from sam_py.ui.links import open_folder
from sam_py.ui.services import Services
from sam_py.ui.voice.foot_line import FootLine
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.notices import Notices

if TYPE_CHECKING:
    from sam_py.speech.base import Manner
    from sam_py.ui.chat.chat_view import ChatView

_NAME_CHARACTERS = 60
_NO_NAME = re.compile(r"[^\w .,-]+")


class Makes(Protocol):
    """Where the sound of a file comes from."""

    def engine(self) -> SpeechEngine:
        """The chosen one. Raises `SpeechError`."""

    def manner(self) -> Manner: ...

    def readout(self) -> Readout: ...


class SpeechSaving(QObject):
    """One file at a time. The voice that reads aloud goes on beside it."""

    def __init__(self, makes: Makes, services: Services, chat: ChatView, notices: Notices) -> None:
        super().__init__(chat)
        self._makes = makes
        self._services = services
        self._chat = chat
        self._notices = notices
        self._task: asyncio.Task[None] | None = None
        self.line = FootLine(services.icons, "download", chat.foot)
        self.cancel_button = PillButton(services.icons, self.tr("Cancel"), kind="outline", height_px=26)
        self.line.add_buttons(self.cancel_button)
        self.cancel_button.clicked.connect(self.cancel)
        chat.put_above_composer(self.line)

    @property
    def is_saving(self) -> bool:
        return self._task is not None and not self._task.done()

    def ask(self, message: Message) -> None:
        """Let the person choose where to; then begin."""
        if self.is_saving:
            self._notices.show_notice(self.tr("Another message is being saved as audio just now."))
            return
        engine = self._services.settings.current.voice.engine
        if engine in ALOUD:
            self._notices.show_notice(str(only_aloud(NAMES[engine])), kind="error")
            return
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.MusicLocation) or str(Path.home())
        dialog = QFileDialog(self._chat.window(), self.tr("Save the speech as an audio file"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter(self.tr("Audio files (*.wav)"))
        dialog.setDefaultSuffix("wav")
        dialog.setDirectory(folder)
        dialog.selectFile(file_name(message.plain_text))
        dialog.fileSelected.connect(lambda path: self.save(message, Path(path)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def save(self, message: Message, path: Path) -> None:
        """Make the file; what stands there is replaced when the new one is whole."""
        if not self.is_saving:
            self._task = self._services.tasks.spawn(self._save(message, path), "save the speech")

    def cancel(self) -> None:
        """Give it up; no file is left."""
        if self._task is not None:
            self._task.cancel()
        self._hide_line()

    # Inside

    async def _save(self, message: Message, path: Path) -> None:
        self._show(0, 0, path)
        try:
            # A long message takes a second to look through, in which the window goes on.
            sentences = await asyncio.to_thread(utterances_of, message, self._makes.readout())
            engine, manner = self._makes.engine(), self._makes.manner()
            seconds = await save_speech(path, sentences, engine, manner, lambda done, of: self._show(done, of, path))
        except SpeechError as error:
            self._hide_line()
            self._notices.show_notice(str(error), kind="error")
            return
        self._hide_line()
        length = f"{int(seconds) // 60}:{int(seconds) % 60:02}"
        self._notices.show_notice(
            self.tr("Saved: %1 (%2)").replace("%2", length).replace("%1", path.name),
            kind="success",
            action_text=self.tr("Open the folder"),
            on_action=lambda: open_folder(path.parent),
        )

    def _show(self, done: int, of: int, path: Path) -> None:
        words = self.tr("Saving %1: sentence %2 of %3") if of else self.tr("Saving %1…")
        words = words.replace("%2", str(min(done + 1, of))).replace("%3", str(of))
        self.line.words = words.replace("%1", path.name)
        self.line.share = done / of if of else 0.0
        self.line.setAccessibleName(self.line.words)
        self.line.show()
        self.line.update()

    def _hide_line(self) -> None:
        had_keyboard = self.line.has_keyboard
        self.line.hide()
        if had_keyboard:
            self._chat.composer.focus_text()


def file_name(text: str) -> str:
    """A name for the file that tells what it says.

    >>> file_name("What is 2/3?  A fraction:\\nit is …")
    'What is 2 3 A fraction it is.wav'
    >>> file_name("…")
    'speech.wav'
    """
    words = " ".join(_NO_NAME.sub(" ", text[:400]).split())[:_NAME_CHARACTERS].strip(" .,-")
    return f"{words or 'speech'}.wav"
