"""Dictation: a key is held or the microphone clicked, and what was said stands in the composer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from PySide6.QtCore import QEvent, QObject, Qt, SignalInstance
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QApplication

from sam_py.errors import SamError
from sam_py.ui.chat.composer import Composer
from sam_py.ui.chat.dictation_strip import DictationStrip
from sam_py.ui.widgets.icons import Icons

KEY = Qt.Key.Key_F7
KEY_TEXT = "F7"
HELD_S = 0.4
"""A key that was down for less was tapped: the recording goes on until the next tap."""
SHORTEST_S = 0.3

Phase = Literal["idle", "asking", "recording", "working", "kept", "refused"]


class Hears(Protocol):
    """What is asked of `ui.audio.recorder.Recorder`."""

    @property
    def level_changed(self) -> SignalInstance: ...

    @property
    def ended(self) -> SignalInstance: ...

    @property
    def seconds(self) -> float: ...

    @property
    def was_silent(self) -> bool: ...

    def start(self, device_id: str) -> None: ...

    def stop(self) -> None: ...

    def cancel(self) -> None: ...

    def wav(self) -> bytes: ...


@dataclass(frozen=True)
class Doors:
    """What lies outside the composer. `transcribe` raises `SamError`; `ask` asks the system for the microphone and
    calls back with whether it is allowed."""

    device_id: Callable[[], str]
    is_configured: Callable[[], bool]
    transcribe: Callable[[bytes], Coroutine[Any, Any, str]]
    spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]
    fall_silent: Callable[[], object]
    open_settings: Callable[[], object]
    ask: Callable[[Callable[[bool], None]], None]


class Dictation(QObject):
    """Invariants: what was recorded is in the recorder until it stands in the text or a person discards it; what is
    said is written where it was meant, so that going to another conversation ends the recording and keeps it.
    """

    def __init__(
        self,
        composer: Composer,
        icons: Icons,
        recorder: Hears,
        doors: Doors,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(composer)
        self._composer = composer
        self._recorder = recorder
        self._doors = doors
        self._clock = clock
        self._phase: Phase = "idle"
        self._again: Callable[[], object] = self._begin
        self._key_down_at: float | None = None
        self._task: asyncio.Task[None] | None = None
        self.strip = DictationStrip(icons, composer.box)
        composer.put_above_text(self.strip)
        self.strip.done_clicked.connect(self._end)
        self.strip.again_clicked.connect(lambda: self._again())
        self.strip.dropped.connect(self.cancel)
        recorder.level_changed.connect(self._heard)
        recorder.ended.connect(self._ended_by_itself)
        composer.draft_replaced.connect(self._leave)

    @property
    def phase(self) -> Phase:
        return self._phase

    def press(self, *, by_key: bool = False) -> None:
        """The microphone was clicked, or its key pressed: begin, end, or try again with what is kept."""
        match self._phase:
            case "recording":
                self._end()
            case "kept":
                self._again()
            case "idle" | "refused":
                self._key_down_at = self._clock() if by_key else None
                self._begin()
            case "asking" | "working":
                pass

    def cancel(self) -> None:
        """Discard what was recorded, and give up what is under way."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
        self._recorder.cancel()
        self._go("idle")

    # The course of it

    def _begin(self) -> None:
        if not self._doors.is_configured():
            self._refuse(
                self.tr(
                    "Dictation needs a server that turns speech into text, such as OpenAI's or a whisper server of "
                    "your own. Choose an account and a model for it."
                ),
                self.tr("Open settings"),
                self._doors.open_settings,
            )
            return
        self._go("asking")
        self._doors.ask(self._allowed)

    def _allowed(self, is_allowed: bool) -> None:
        if self._phase != "asking":
            return
        if not is_allowed:
            self._refuse(
                self.tr(
                    "The system does not allow SAM to use the microphone. Allow it in the system's privacy settings."
                )
            )
            return
        self._doors.fall_silent()
        try:
            self._recorder.start(self._doors.device_id())
        except SamError as error:
            self._refuse(str(error))
            return
        if self._key_down_at is not None:
            self._key_down_at = self._clock()  # the first time it takes a while: a key that was tapped is up by now
        self._go("recording")
        how = self.tr("Release %1 to end, Esc to cancel") if self._key_down_at is not None else ""
        how = how or self.tr("Speak. %1 or Done ends it, Esc cancels")
        self.strip.show_recording(how.replace("%1", KEY_TEXT))

    def _end(self) -> None:
        if self._phase != "recording":
            return
        self._recorder.stop()
        if self._recorder.seconds < SHORTEST_S:
            self._recorder.cancel()
            self._refuse(self.tr("That was too short to hear anything. Speak while the time runs."))
        elif self._recorder.was_silent:
            self._recorder.cancel()
            self._refuse(
                self.tr(
                    "Nothing was heard: the microphone is muted or switched off, or it is another one. Choose it in "
                    "Settings > Voice."
                )
            )
        else:
            self._write_down()

    def _write_down(self) -> None:
        self._go("working")
        self.strip.show_working(self.tr("Turning speech into text…"))
        self._task = self._doors.spawn(self._transcribe(self._recorder.wav()))

    async def _transcribe(self, wav: bytes) -> None:
        try:
            words = await self._doors.transcribe(wav)
        except SamError as error:
            self._keep(str(error))
            return
        self._task = None
        if not words.strip():
            self._keep(self.tr("No words were found in the recording."))
            return
        self._insert(words.strip())
        self._recorder.cancel()
        self._go("idle")
        self._composer.focus_text()

    def _keep(self, sentence: str, button: str = "") -> None:
        """The recording waits for the person: try again, or discard."""
        self._task = None
        self._go("kept")
        self._again = self._write_down
        self.strip.show_trouble(sentence, button or self.tr("Try again"), self.tr("Discard the recording"))

    def _refuse(self, sentence: str, button: str = "", again: Callable[[], object] | None = None) -> None:
        """There is no recording."""
        self._go("refused")
        self._again = again or self._begin
        self.strip.show_trouble(sentence, button or self.tr("Try again"), self.tr("Dismiss"))

    def _leave(self) -> None:
        """The composer is about to show another conversation."""
        if self._phase == "recording":
            self._recorder.stop()
            if self._recorder.seconds < SHORTEST_S or self._recorder.was_silent:
                self.cancel()
                return
        elif self._phase == "working" and self._task is not None:
            self._task.cancel()
        else:
            if self._phase in ("asking", "refused"):
                self._go("idle")
            return
        sentence = self.tr("The conversation changed while you were dictating. The recording is kept.")
        self._keep(sentence, self.tr("Write it here"))

    def _heard(self, level: float) -> None:
        if self._phase == "recording":
            self.strip.meter.add(level)
            self.strip.show_seconds(self._recorder.seconds)

    def _ended_by_itself(self, error: SamError | None) -> None:
        if self._phase != "recording":
            return
        if error is None:
            self._end()
        elif self._recorder.seconds < SHORTEST_S or self._recorder.was_silent:
            self._recorder.cancel()
            self._refuse(str(error))
        else:
            self._keep(str(error), self.tr("Use what was heard"))

    def _go(self, phase: Phase) -> None:
        self._phase = phase
        is_on = phase == "recording"
        app = QApplication.instance()
        if app is not None:
            app.removeEventFilter(self)
            if phase in ("asking", "recording", "working"):
                app.installEventFilter(self)
        if not is_on:
            self._key_down_at = None if phase != "asking" else self._key_down_at
        if phase in ("idle", "asking"):
            had_keyboard = self.strip.isAncestorOf(self.strip.window().focusWidget() or self.strip.window())
            self.strip.hide()
            if had_keyboard:
                self._composer.focus_text()
        self._composer.show_dictating(is_on)

    def _insert(self, words: str) -> None:
        """At the cursor, as one step of undo; a selection stays as it is, and the words come after it."""
        text = self._composer.text
        cursor = text.textCursor()
        cursor.setPosition(cursor.selectionEnd())
        document = text.document()
        before = document.characterAt(cursor.position() - 1) if cursor.position() else ""
        after = document.characterAt(cursor.position())
        if before and not before.isspace() and before not in "\u2029\u2028([{\"'“„«":
            words = " " + words
        if after.isalnum() and not words[-1].isspace():
            words += " "
        cursor.beginEditBlock()
        cursor.insertText(words)
        cursor.endEditBlock()
        cursor.movePosition(QTextCursor.MoveOperation.NoMove)
        text.setTextCursor(cursor)
        text.ensureCursorVisible()

    # Qt

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """While it records: Esc cancels, and a held key that is let go ends it."""
        if not isinstance(event, QKeyEvent) or QApplication.activePopupWidget() or QApplication.activeModalWidget():
            return False
        kind = event.type()
        if event.key() == Qt.Key.Key_Escape and kind in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress):
            event.accept()
            if kind == QEvent.Type.KeyPress:
                self.cancel()
            return True
        if event.key() == KEY and kind == QEvent.Type.KeyRelease and not event.isAutoRepeat():
            down_at, self._key_down_at = self._key_down_at, None
            if down_at is not None and self._clock() - down_at >= HELD_S:
                self._end()
            elif down_at is not None:
                words = self.tr("Speak. %1 or Done ends it, Esc cancels")
                self.strip.words.setText(words.replace("%1", KEY_TEXT))
        return False
