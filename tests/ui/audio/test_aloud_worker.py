"""The speaker in the process that speaks aloud, with an engine whose news we choose."""

from __future__ import annotations

import json
from typing import Any

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtTextToSpeech import QTextToSpeech

from sam_py.ui.audio.aloud_worker import Speaker

State = QTextToSpeech.State


class Engine(QObject):
    """As Speech Dispatcher's: it tells late, and of what was cancelled too."""

    stateChanged = Signal(State)
    errorOccurred = Signal(QTextToSpeech.ErrorReason, str)

    def __init__(self) -> None:
        super().__init__()
        self.done: list[Any] = []

    def engineCapabilities(self) -> QTextToSpeech.Capability:
        return QTextToSpeech.Capability.Speak | QTextToSpeech.Capability.PauseResume

    def say(self, text: str) -> None:
        self.done.append(text)

    def stop(self, _hint: object) -> None:
        self.done.append("stop")

    def pause(self, _hint: object) -> None:
        self.done.append("pause")

    def resume(self) -> None:
        self.done.append("resume")

    def setVolume(self, volume: float) -> None: ...

    def setRate(self, rate: float) -> None:
        self.done.append(rate)

    def setLocale(self, _locale: object) -> None: ...


class Room:
    def __init__(self, name: str) -> None:
        self.engine = Engine()
        self.told: list[dict[str, Any]] = []
        speech: Any = self.engine
        self.speaker = Speaker(speech, name, self.told.append)

    def order(self, **order: Any) -> None:
        self.speaker.ordered.emit(json.dumps(order))

    def say(self, number: int, text: str, rate: float = 1.0) -> None:
        self.order(say=number, text=text, voice="", rate=rate, volume=1.0)

    def happens(self, *states: State) -> None:
        for state in states:
            self.engine.stateChanged.emit(state)


@pytest.fixture
def room(qapp: Any) -> Room:
    return Room("speechd")


def test_what_an_engine_tells_of_a_stopped_sentence_is_not_taken_for_the_next_one(room: Room) -> None:
    room.say(1, "One.")
    room.order(stop=True)
    room.say(2, "Two.", 2.0)
    assert room.engine.done == ["One.", "stop"]
    room.happens(State.Speaking, State.Ready)
    assert room.engine.done == ["One.", "stop", 0.6, "Two."]
    assert room.told == []
    room.happens(State.Speaking, State.Ready)
    assert room.told == [{"began": 2}, {"ended": 2}]


def test_an_engine_that_says_nothing_of_a_stopped_sentence_is_not_waited_for_long(room: Room, qtbot: Any) -> None:
    room.say(1, "One.")
    room.order(stop=True)
    room.say(2, "Two.")
    qtbot.waitUntil(lambda: room.engine.done[-1] == "Two.", timeout=20_000)


def test_a_pause_that_nobody_asked_for_is_ended(qapp: Any) -> None:
    room = Room("other")
    room.say(1, "One.")
    room.happens(State.Speaking, State.Paused)
    assert room.engine.done == ["One.", "resume"]
    room.order(pause=True)
    room.happens(State.Paused)
    assert room.engine.done[2:] == ["pause"]


def test_an_error_is_told_with_the_sentence_that_it_broke(room: Room) -> None:
    room.say(7, "One.")
    room.engine.errorOccurred.emit(QTextToSpeech.ErrorReason.Playback, "no device")
    room.happens(State.Ready)
    assert room.told == [{"failed": 7, "why": "engine", "detail": "no device"}]


def test_a_dispatcher_that_would_fall_mute_is_never_paused(room: Room) -> None:
    room.say(1, "One.")
    room.happens(State.Speaking)
    room.order(pause=True)
    assert room.engine.done == ["One."]
    assert not room.speaker.pauses
