"""The player and its reel on a device whose time we move: order, news, devices that come, go and die."""

from __future__ import annotations

import array
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QObject, Signal

from sam_py.speech.base import Clip, Finished, PlayerNews, SpeechError, Started, Trouble
from sam_py.ui.audio.convert import Converter
from sam_py.ui.audio.devices import SoundDevice, SoundDevices
from sam_py.ui.audio.player import STALLED_S, AudioPlayer
from sam_py.ui.audio.reel import Form, Reel

RATE = 1_000


def clip(frames: int, value: int = 1, rate_hz: int = RATE) -> Clip:
    return Clip(array.array("h", [value] * frames).tobytes(), rate_hz)


class FakeOutput:
    """Takes 200 frames ahead; `hear` lets time pass."""

    def __init__(self, device_id: str, form: Form) -> None:
        self.device_id = device_id
        self.form = form
        self.samples: list[int] = []
        self.heard = 0
        self.is_dead = False
        self.is_closed = False
        self.is_paused = False
        self.error: SpeechError | None = None

    def room_frames(self) -> int:
        return 200 - (len(self.samples) - self.heard)

    def write(self, samples: memoryview) -> None:
        self.samples += array.array("h", bytes(samples)).tolist()
        assert self.room_frames() >= 0

    def played_us(self) -> int:
        return self.heard * 1_000_000 // self.form.rate_hz

    def failure(self) -> SpeechError | None:
        return self.error

    def set_volume(self, volume: float) -> None:
        self.volume = volume

    def pause(self) -> None:
        self.is_paused = True

    def resume(self) -> None:
        self.is_paused = False

    def close(self) -> None:
        self.is_closed = True


class FakeDevices(QObject):
    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.names = ["speakers", "headset"]

    def outputs(self) -> tuple[SoundDevice, ...]:
        return tuple(SoundDevice(name, name, index == 0) for index, name in enumerate(self.names))

    def server_trouble(self) -> SpeechError | None:
        return None

    def has_output(self, device_id: str) -> bool:
        return device_id in self.names


class Stage:
    def __init__(self, device_id: str = "") -> None:
        self.devices = FakeDevices()
        self.outputs: list[FakeOutput] = []
        self.now = 0.0
        self.refusal = ""
        devices: Any = self.devices
        self.player = AudioPlayer(devices, device_id=device_id, open_output=self.open, clock=lambda: self.now)
        self.news: list[PlayerNews] = []
        self.player.subscribe(self.news.append)

    def open(self, device_id: str, form: Form, volume: float) -> FakeOutput:
        if self.refusal:
            raise SpeechError(self.refusal)
        self.outputs.append(FakeOutput(device_id or self.devices.names[0], form))
        return self.outputs[-1]

    def pass_ms(self, ms: int) -> None:
        for _ in range(ms // 10):
            self.now += 0.01
            for each in self.outputs:
                if not (each.is_closed or each.is_paused or each.is_dead):
                    each.heard = min(len(each.samples), each.heard + each.form.rate_hz // 100)
            self.player.advance()

    def told(self) -> list[PlayerNews]:
        news, self.news[:] = list(self.news), []
        return news


@pytest.fixture
def stage(qapp: Any) -> Any:
    made = Stage()
    yield made
    made.player.close()


def test_news_comes_when_sound_was_heard_not_when_it_was_handed_on(stage: Stage) -> None:
    stage.player.play(1, clip(100))
    stage.player.end(1)
    assert stage.outputs[0].samples == [1] * 100
    assert stage.told() == []
    stage.pass_ms(50)
    assert stage.told() == [Started(1)]
    stage.pass_ms(60)
    assert stage.told() == [Finished(1)]


def test_a_mark_without_sound_is_finished_in_its_turn(stage: Stage) -> None:
    stage.player.end(1)
    stage.player.play(2, clip(50))
    stage.player.end(2)
    stage.player.end(3)
    stage.pass_ms(200)
    assert stage.told() == [Finished(1), Started(2), Finished(2), Finished(3)]


def test_what_was_stopped_has_no_news_and_what_a_listener_stops_neither(stage: Stage) -> None:
    stage.player.subscribe(lambda news: stage.player.stop() if news == Finished(1) else None)
    for mark in (1, 2):
        stage.player.play(mark, clip(5))
        stage.player.end(mark)
    stage.pass_ms(100)
    assert stage.told() == [Started(1), Finished(1)]
    assert stage.outputs[0].is_closed


def test_clips_of_another_rate_wait_until_the_sound_before_them_was_heard(stage: Stage) -> None:
    stage.player.play(1, clip(100, 1))
    stage.player.play(2, clip(100, 2, 2 * RATE))
    stage.pass_ms(90)
    assert len(stage.outputs) == 1
    stage.pass_ms(400)
    assert [each.form.rate_hz for each in stage.outputs] == [RATE, 2 * RATE]
    assert stage.outputs[0].heard == 100
    assert stage.outputs[1].samples == [2] * 100


def test_a_chosen_device_that_goes_leaves_silence_and_a_sentence(qapp: Any) -> None:
    stage = Stage("headset")
    stage.player.play(1, clip(500))
    stage.pass_ms(50)
    stage.told()
    stage.devices.names.remove("headset")
    stage.devices.changed.emit()
    [trouble] = stage.told()
    assert isinstance(trouble, Trouble)
    assert "not connected any more" in str(trouble.error)
    stage.pass_ms(100)
    assert len(stage.outputs) == 1
    stage.player.close()


def test_a_new_default_device_goes_on_where_the_old_one_was(stage: Stage) -> None:
    samples = array.array("h", range(500))
    stage.player.play(1, Clip(samples.tobytes(), RATE))
    stage.player.end(1)
    stage.pass_ms(100)
    stage.devices.names.reverse()
    stage.devices.changed.emit()
    stage.pass_ms(600)
    old, new = stage.outputs
    assert (old.device_id, new.device_id) == ("speakers", "headset")
    assert old.samples[: old.heard] + new.samples == samples.tolist()
    assert stage.told() == [Started(1), Finished(1)]


def test_a_device_that_takes_nothing_any_more_is_trouble(stage: Stage) -> None:
    stage.player.play(1, clip(500))
    stage.pass_ms(50)
    stage.outputs[0].is_dead = True
    stage.pass_ms(int(STALLED_S * 1000) - 100)
    assert stage.told() == [Started(1)]
    stage.pass_ms(300)
    [trouble] = stage.told()
    assert "does not take sound" in str(trouble.error)  # type: ignore[union-attr]


def test_a_device_that_refuses_is_trouble_and_the_next_clip_tries_again(stage: Stage) -> None:
    stage.refusal = "No loudspeaker was found."
    stage.player.play(1, clip(100))
    stage.pass_ms(10)
    assert [str(each.error) for each in stage.told()] == ["No loudspeaker was found."]  # type: ignore[union-attr]
    stage.refusal = ""
    stage.player.play(2, clip(100))
    stage.pass_ms(50)
    assert stage.told() == [Started(2)]


@given(
    st.lists(st.tuples(st.integers(0, 40), st.booleans()), min_size=1, max_size=8),
    st.lists(st.tuples(st.integers(1, 30), st.integers(0, 5)), max_size=30),
)
def test_a_reel_loses_nothing_and_tells_everything_once(
    clips: list[tuple[int, bool]], steps: list[tuple[int, int]]
) -> None:
    """Whatever is taken in pieces, heard in part and rewound on to another device."""
    reel = Reel()
    sent, expected = [], []
    for mark, (frames, is_wide) in enumerate(clips, 1):
        values = [mark * 100 + n for n in range(frames)]
        sent += values
        reel.add(mark, Clip(array.array("h", values).tobytes(), 2 * RATE if is_wide else RATE))
        reel.end(mark)
        expected += [Started(mark), Finished(mark)] if frames else [Finished(mark)]
    heard: list[int] = []
    news: list[PlayerNews] = []
    taken: list[int] = []
    rewinds = 0

    def hear_all() -> None:
        news.extend(reel.played(reel.taken_us))
        heard.extend(taken)
        taken.clear()

    for most, left in [*steps, *[(1000, 0)] * (2 * len(clips) + 2)]:
        if reel.form is None or (not taken and reel.next_form not in (None, reel.form)):
            hear_all()
            reel.begin(reel.next_form)
        taken += array.array("h", bytes(reel.take(most))).tolist()
        if left and reel.form is not None and len(taken) > left:
            frames = len(taken) - left
            us = reel.taken_us - left * 1_000_000 // reel.form.rate_hz
            news.extend(reel.played(us))
            heard.extend(taken[:frames])
            taken.clear()
            reel.rewind(us)
            rewinds += 1
        else:
            hear_all()
    hear_all()
    assert news == expected
    assert list(dict.fromkeys(heard)) == [value for value in sent if value in set(heard)]
    assert abs(len(heard) - len(sent)) <= 3 * rewinds  # a device counts in microseconds, not in samples


@pytest.mark.parametrize("to", [(2 * RATE, 2, "float"), (RATE // 2, 1, "int32"), (RATE, 1, "uint8"), (441, 6, "int16")])
def test_converted_sound_is_as_long_and_as_loud_however_it_was_cut(to: tuple[Any, ...]) -> None:
    rate_hz, channels, form = to
    code, full = {"float": ("f", 1.0), "int32": ("i", 2.0**31), "uint8": ("B", 128.0), "int16": ("h", 32768.0)}[form]
    sound = clip(1_000, 16_384).samples
    whole = Converter(RATE, 1, rate_hz, channels, form).feed(sound)
    pieces = Converter(RATE, 1, rate_hz, channels, form)
    assert b"".join(pieces.feed(sound[at : at + 14]) for at in range(0, len(sound), 14)) == whole
    values = array.array(code, whole)
    assert len(values) == rate_hz * channels
    level = values[len(values) // 2] - (128 if form == "uint8" else 0)
    assert level / full == pytest.approx(0.5, abs=0.01)


def test_where_qtmultimedia_cannot_be_loaded_a_sentence_says_what_to_install(
    qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "PySide6.QtMultimedia", None)
    devices = SoundDevices()
    assert devices.outputs() == devices.inputs() == ()
    with pytest.raises(SpeechError, match="install libpulse"):
        devices.output("")
    with pytest.raises(SpeechError, match="install libpulse"):
        devices.input("headset")
