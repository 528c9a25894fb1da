"""Voices that speak by themselves, through the real queue: Qt's "mock" engine in the process that speaks aloud."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sam_py.speech.base import Clip, Finished, Manner, Player, SpeechError, Started, TextClip, Trouble, Utterance
from sam_py.speech.queue import SpeechQueue
from sam_py.speech.rendered import save_speech
from sam_py.ui.audio.aloud_player import AloudPlayer, Limits
from sam_py.ui.audio.aloud_process import AloudProcess
from sam_py.ui.audio.aloud_voices import QtVoices
from sam_py.ui.audio.routed_player import RoutedPlayer
from tests.fakes.sitting import make_runner
from tests.fakes.speech import RATE_HZ, FakePlayer

Run = Callable[[Any], Any]
LONG = "A b c d e f g h i j k."
"""Half a second: the mock says 20 words in one at twice the speed."""
PATIENT = Limits(start_s=40, begin_s=20, end_s=20)


class NotingProcess(AloudProcess):
    """Keeps what it was told; `holds` says whether its engine is one that can pause."""

    holds = True

    def __init__(self) -> None:
        super().__init__("mock")
        self.orders: list[dict[str, Any]] = []

    @property
    def pauses(self) -> bool:
        return self.holds and super().pauses

    def send(self, order: dict[str, Any]) -> None:
        self.orders.append(order)
        super().send(order)

    @property
    def said(self) -> list[str]:
        return [order["text"] for order in self.orders if "say" in order]


@pytest.fixture(scope="module")
def shared(qapp: Any) -> Iterator[NotingProcess]:
    made = NotingProcess()
    made.start()
    yield made
    made.close()


@pytest.fixture
def process(shared: NotingProcess) -> NotingProcess:
    shared.orders.clear()
    shared.holds = True
    return shared


@pytest.fixture
def run(qapp: Any) -> Iterator[Run]:
    loop, run = make_runner(qapp)
    with loop:
        yield run
    asyncio.set_event_loop(None)
    gc.collect()


class Room:
    def __init__(self, process: NotingProcess, limits: Limits = PATIENT) -> None:
        self.process = process
        self.player = AloudPlayer(process, volume=0.5, limits=limits)
        self.loudspeaker = FakePlayer()
        self.engine = QtVoices(lambda: process)
        self.manner = Manner("nb/Kjersti", 2.0)
        routed: Player = RoutedPlayer(self.loudspeaker, lambda: self.player)
        self.queue = SpeechQueue(lambda: self.engine, lambda: self.manner, routed)
        self.heard: list[str] = []
        self.errors: list[str] = []
        self.queue.subscribe(self._note)

    def _note(self, news: Any) -> None:
        if isinstance(news, SpeechError):
            self.errors.append(str(news))
        elif news.phase == "speaking" and news.utterance is not None and news.utterance.text not in self.heard[-1:]:
            self.heard.append(news.utterance.text)

    def say(self, *texts: str) -> None:
        self.queue.say(Utterance(text, place * 100, place * 100 + len(text)) for place, text in enumerate(texts))
        self.queue.finish()

    async def until(self, what: Callable[[], object]) -> None:
        async with asyncio.timeout(30):
            while not what():
                await asyncio.sleep(0.005)

    async def until_silent(self) -> None:
        await self.until(lambda: self.queue.state.phase == "silent")

    async def close(self) -> None:
        await self.queue.aclose()
        self.player.close()


def test_sentences_are_said_in_order_in_the_chosen_voice_speed_and_loudness(run: Run, process: NotingProcess) -> None:
    async def scenario() -> None:
        room = Room(process)
        voices = {each.id: each for each in await room.engine.voices()}
        assert voices["nb/Kjersti"].name == "Kjersti"
        assert voices["nb/Kjersti"].languages == ("nb",)
        room.say("One two.", "…", "Three.", "Four.")
        await room.until_silent()
        assert room.heard == ["One two.", "Three.", "Four."] == process.said
        says = [order for order in process.orders if "say" in order]
        assert {(each["voice"], each["rate"], each["volume"]) for each in says} == {("nb/Kjersti", 2.0, 0.5)}
        room.player.set_volume(0.25)
        assert process.orders[-1] == {"volume": 0.25}
        assert room.loudspeaker.heard == []
        await room.close()

    run(scenario())


def test_a_pause_holds_the_sentence_and_one_that_cannot_be_held_begins_anew(run: Run, process: NotingProcess) -> None:
    async def scenario() -> None:
        room = Room(process)
        first, second = LONG, "Four."
        for holds, order, said in ((True, "pause", [first, second]), (False, "stop", [first, first, second])):
            process.orders.clear()
            room.heard.clear()
            process.holds = holds
            room.say(first, second)
            await room.until(lambda: room.heard)
            room.queue.pause()
            assert room.queue.state.phase == "paused"
            assert process.orders[-1] == {order: True}
            room.queue.resume()
            await room.until_silent()
            assert process.said == said
            assert room.heard == [first, second]
        await room.close()

    run(scenario())


def test_skip_goes_to_the_next_sentence_and_stop_is_silence(run: Run, process: NotingProcess) -> None:
    async def scenario() -> None:
        room = Room(process)
        room.say("One two three four five six.", "Seven.", "Eight nine ten eleven.", "Twelve.")
        await room.until(lambda: room.heard)
        room.queue.skip()
        await room.until(lambda: room.heard[-1] == "Eight nine ten eleven.")
        room.queue.stop()
        assert process.orders[-1] == {"stop": True}
        assert process.said == ["One two three four five six.", "Seven.", "Eight nine ten eleven."]
        room.say("Again.")
        await room.until_silent()
        assert room.heard[-2:] == ["Eight nine ten eleven.", "Again."]
        assert room.errors == []
        await room.close()

    run(scenario())


def test_a_voice_that_is_gone_is_told_and_another_one_goes_on(run: Run, process: NotingProcess) -> None:
    async def scenario() -> None:
        room = Room(process)
        room.manner = Manner("xx/Nobody")
        room.say("One.", "Two.")
        await room.until(lambda: room.errors)
        assert "Choose another one" in room.errors[0]
        assert room.queue.state.phase == "paused"
        room.manner = Manner("fi/Kari", 2.0)
        room.queue.resume()
        await room.until_silent()
        assert room.heard == ["One.", "Two."]
        await room.close()

    run(scenario())


@pytest.mark.skipif(sys.platform == "win32", reason="a process is halted by a signal")
def test_a_process_that_crashes_or_hangs_in_a_sentence_is_replaced(run: Run, process: NotingProcess) -> None:
    async def scenario() -> None:
        for number, limits in ((signal.SIGKILL, PATIENT), (signal.SIGSTOP, Limits(start_s=40, begin_s=20, end_s=1.0))):
            room = Room(process, limits)
            process.orders.clear()
            room.say(LONG, "Seven.")
            await room.until(lambda room=room: room.heard)
            os.kill(process.pid, number)
            await room.until_silent()
            assert process.said == [LONG] * 2 + ["Seven."]
            assert room.heard == [LONG, "Seven."]
            assert room.errors == []
            await room.close()

    run(scenario())


def test_an_engine_that_never_answers_is_told_and_may_be_tried_again(run: Run, process: NotingProcess) -> None:
    async def scenario() -> None:
        process.end()
        room = Room(process, Limits(start_s=0.0))
        room.say("One.")
        await room.until(lambda: room.errors)
        assert "do not answer" in room.errors[0]
        assert process.said == ["One.", "One."]
        room.player._limits = PATIENT
        room.queue.resume()
        await room.until_silent()
        assert room.heard == ["One."]
        await room.close()

    run(scenario())


def test_a_voice_that_only_speaks_cannot_be_saved_and_says_what_can(tmp_path: Path) -> None:
    async def scenario() -> None:
        engine = QtVoices(lambda: pytest.fail("nothing is to be started"))
        with pytest.raises(SpeechError, match="choose the system voices"):
            await save_speech(tmp_path / "a.wav", [Utterance("One.", 0, 4)], engine, Manner())

    asyncio.run(scenario())
    assert list(tmp_path.iterdir()) == []


class Silent:
    """A player that tells what it is told to."""

    def __init__(self) -> None:
        self.given: list[tuple[int, Clip | None]] = []
        self.tell: Callable[[Any], None] = lambda _news: None
        self.stops = 0

    def subscribe(self, listener: Callable[[Any], None]) -> Callable[[], None]:
        self.tell = listener
        return lambda: None

    def play(self, mark: int, clip: Clip) -> None:
        self.given.append((mark, clip))

    def end(self, mark: int) -> None:
        self.given.append((mark, None))

    def pause(self) -> None: ...
    def resume(self) -> None: ...

    def stop(self) -> None:
        self.stops += 1


def test_sound_and_what_is_spoken_aloud_follow_each_other() -> None:
    sound, aloud, news = Silent(), Silent(), []
    routed = RoutedPlayer(sound, lambda: aloud)
    routed.subscribe(news.append)
    noise, words = Clip(bytes(8), RATE_HZ), TextClip(b"", 1, text="One.")
    for mark, clip in ((1, noise), (2, words), (3, noise)):
        routed.play(mark, clip)
        routed.end(mark)
    assert (sound.given, aloud.given) == ([(1, noise), (1, None)], [])
    sound.tell(Started(1))
    sound.tell(Finished(1))
    assert aloud.given == [(2, words), (2, None)]
    assert len(sound.given) == 2
    aloud.tell(Finished(2))
    assert sound.given[2:] == [(3, noise), (3, None)]
    sound.tell(Finished(3))
    routed.play(4, noise)
    routed.play(4, words)
    routed.end(4)
    assert sound.given[4:] == [(4, noise), (4, None)]
    sound.tell(Finished(4))
    assert aloud.given[2:] == [(4, words), (4, None)]
    aloud.tell(Finished(4))
    sound.tell(Trouble(SpeechError("Gone.")))
    assert [type(each) for each in news] == [Started, *[Finished] * 4, Trouble]
    routed.play(5, words)
    assert aloud.given[4:] == [(5, words)]
