"""Dictation in a real composer: what was said stands at the cursor, and what could not be written is kept."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtTest import QTest

from sam_py.speech.base import SpeechError
from sam_py.store.drafts import Draft
from sam_py.ui.chat.composer import Composer
from sam_py.ui.chat.composer_dictation import Dictation, Doors


class FakeMicrophone(QObject):
    level_changed = Signal(float)
    ended = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.seconds = 0.0
        self.was_silent = False
        self.is_on = False
        self.problem = ""

    def start(self, device_id: str) -> None:
        if self.problem:
            raise SpeechError(self.problem)
        self.is_on, self.seconds = True, 0.0

    def hear(self, seconds: float) -> None:
        self.seconds += seconds
        self.level_changed.emit(0.5)

    def stop(self) -> None:
        self.is_on = False

    def cancel(self) -> None:
        self.is_on, self.seconds = False, 0.0

    def wav(self) -> bytes:
        return f"{self.seconds:.1f} s".encode()


class Stage:
    """The composer with a fake microphone and a server that answers what `says` is."""

    def __init__(self, composer: Composer, running: Any) -> None:
        self.composer = composer
        self.running = running
        self.microphone = FakeMicrophone()
        self.says: str | SpeechError = "hello there"
        self.sent: list[bytes] = []
        self.silenced = 0
        self.opened = 0
        self.is_configured = True
        self.is_allowed = True
        self.now = 0.0
        doors = Doors(
            device_id=lambda: "mic",
            is_configured=lambda: self.is_configured,
            transcribe=self.transcribe,
            spawn=running.spawn,
            fall_silent=self.fall_silent,
            open_settings=self.open_settings,
            ask=lambda answer: answer(self.is_allowed),
        )
        self.dictation = Dictation(composer, composer._icons, self.microphone, doors, clock=lambda: self.now)
        self.strip = self.dictation.strip

    async def transcribe(self, wav: bytes) -> str:
        self.sent.append(wav)
        await asyncio.sleep(0)
        if isinstance(self.says, SpeechError):
            raise self.says
        return self.says

    def fall_silent(self) -> None:
        self.silenced += 1

    def open_settings(self) -> None:
        self.opened += 1

    def speak(self, seconds: float = 2.0) -> None:
        self.dictation.press()
        self.microphone.hear(seconds)
        self.dictation.press()


@pytest.fixture
def stage(composer: Composer, running: Any) -> Any:
    made = Stage(composer, running)
    yield made
    made.dictation.cancel()


@pytest.mark.parametrize(
    ("typed", "at", "then"),
    [
        ("", 0, "hello there"),
        ("Well,", 5, "Well, hello there"),
        ("Well, ", 6, "Well, hello there"),
        ("one two", 4, "one hello there two"),
        ("(", 1, "(hello there"),
        ("end.", 0, "hello there end."),
    ],
)
def test_what_was_said_stands_at_the_cursor_and_can_be_undone(stage: Stage, typed: str, at: int, then: str) -> None:
    QTest.keyClicks(stage.composer.text, typed)
    cursor = stage.composer.text.textCursor()
    cursor.setPosition(at)
    stage.composer.text.setTextCursor(cursor)
    stage.speak()
    stage.running.finish()
    assert stage.composer.text.text() == then
    assert stage.strip.isHidden()
    assert stage.silenced == 1
    stage.composer.text.undo()
    assert stage.composer.text.text() == typed


def test_a_selection_is_not_replaced(stage: Stage) -> None:
    QTest.keyClicks(stage.composer.text, "keep me")
    stage.composer.text.selectAll()
    stage.speak()
    stage.running.finish()
    assert stage.composer.text.text() == "keep me hello there"


def test_while_it_records_loudness_and_time_are_shown_and_the_button_says_so(stage: Stage) -> None:
    stage.dictation.press()
    stage.microphone.hear(65)
    assert stage.strip.isVisible()
    assert stage.strip.time.text() == "1:05"
    assert stage.strip.meter.level == 0.5
    assert stage.composer.microphone.accessibleName() == "End dictation"
    stage.strip.done.click()
    assert stage.strip.look == "working"
    assert stage.composer.microphone.accessibleName() == "Dictate"


def test_in_a_narrow_window_the_meter_gives_way_and_the_hint_goes_before_the_button_does(stage: Stage) -> None:
    stage.dictation.press()
    strip = stage.strip
    strip.resize(900, strip.height())
    assert strip.words.isVisibleTo(strip)
    strip.resize(320, strip.height())
    strip.layout().activate()
    assert not strip.words.isVisibleTo(strip)
    assert strip.done.width() == strip.done.sizeHint().width()
    assert 0 < strip.meter.width() <= strip.meter.maximumWidth()
    assert "Esc cancels" in strip.accessibleName()


def test_escape_cancels_the_recording_and_nothing_else(stage: Stage) -> None:
    stops: list[bool] = []
    stage.composer.stop_requested.connect(lambda: stops.append(True))
    stage.composer.set_busy(True)
    stage.dictation.press()
    stage.microphone.hear(2)
    QTest.keyClick(stage.composer.text, Qt.Key.Key_Escape)
    assert stage.dictation.phase == "idle"
    assert not stage.microphone.is_on
    assert stops == []
    QTest.keyClick(stage.composer.text, Qt.Key.Key_Escape)
    assert stops == [True]


def test_a_held_key_ends_when_it_is_let_go_and_a_tapped_one_does_not(stage: Stage) -> None:
    stage.dictation.press(by_key=True)
    stage.microphone.hear(2)
    stage.now = 0.1
    QTest.keyRelease(stage.composer.text, Qt.Key.Key_F7)
    assert stage.dictation.phase == "recording"
    stage.dictation.press(by_key=True)
    assert stage.dictation.phase == "working"
    stage.running.finish()
    stage.dictation.press(by_key=True)
    stage.microphone.hear(2)
    stage.now = 3.0
    QTest.keyRelease(stage.composer.text, Qt.Key.Key_F7)
    assert stage.dictation.phase == "working"


def test_a_key_that_was_tapped_while_the_microphone_opened_slowly_was_not_held(stage: Stage) -> None:
    opening = stage.microphone.start

    def slowly(device_id: str) -> None:
        stage.now += 0.8
        opening(device_id)

    stage.microphone.start = slowly  # type: ignore[method-assign]
    stage.dictation.press(by_key=True)
    QTest.keyRelease(stage.composer.text, Qt.Key.Key_F7)
    assert stage.dictation.phase == "recording"


def test_what_could_not_be_written_is_kept_and_tried_again_where_it_happened(stage: Stage) -> None:
    stage.says = SpeechError("The key was refused. Paste it again.")
    stage.speak()
    stage.running.finish()
    assert stage.strip.words.text() == "The key was refused. Paste it again."
    assert stage.dictation.phase == "kept"
    stage.says = "second time"
    stage.strip.again.click()
    stage.running.finish()
    assert stage.sent == [b"2.0 s", b"2.0 s"]
    assert stage.composer.text.text() == "second time"
    assert stage.microphone.seconds == 0


def test_a_kept_recording_can_be_discarded(stage: Stage) -> None:
    stage.says = ""
    stage.speak()
    stage.running.finish()
    assert "No words were found" in stage.strip.words.text()
    stage.strip.close_button.click()
    assert stage.strip.isHidden()
    assert stage.microphone.seconds == 0


def test_going_to_another_conversation_keeps_the_recording_and_writes_it_nowhere_by_itself(stage: Stage) -> None:
    stage.dictation.press()
    stage.microphone.hear(3)
    stage.composer.set_draft(Draft(text="another"))
    assert not stage.microphone.is_on
    stage.running.finish()
    assert stage.composer.text.text() == "another"
    stage.strip.again.click()
    stage.composer.set_draft(Draft(text="a third"))
    stage.running.finish()
    assert stage.composer.text.text() == "a third"
    stage.strip.again.click()
    stage.running.finish()
    assert stage.composer.text.text() == "a third hello there"


def test_what_is_missing_is_said_where_it_is_missed(stage: Stage) -> None:
    stage.is_configured = False
    stage.dictation.press()
    assert "Choose an account" in stage.strip.words.text()
    stage.strip.again.click()
    assert stage.opened == 1
    stage.is_configured, stage.is_allowed = True, False
    stage.dictation.press()
    assert "privacy settings" in stage.strip.words.text()
    stage.is_allowed, stage.microphone.problem = True, "No microphone was found."
    stage.dictation.press()
    assert stage.strip.words.text() == "No microphone was found."
    stage.microphone.problem, stage.microphone.was_silent = "", True
    stage.speak()
    assert "muted" in stage.strip.words.text()
    stage.microphone.was_silent = False
    stage.speak(0.1)
    assert "too short" in stage.strip.words.text()
    assert stage.sent == []


def test_a_microphone_that_goes_leaves_what_it_heard(stage: Stage) -> None:
    stage.dictation.press()
    stage.microphone.hear(4)
    stage.microphone.ended.emit(SpeechError("The microphone is not connected any more."))
    assert stage.dictation.phase == "kept"
    stage.strip.again.click()
    stage.running.finish()
    assert stage.composer.text.text() == "hello there"
    stage.dictation.press()
    stage.microphone.hear(600)
    stage.microphone.ended.emit(None)
    assert stage.dictation.phase == "working"
