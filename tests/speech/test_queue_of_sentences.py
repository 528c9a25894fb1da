"""SpeechQueue: order, pauses, skipping, stopping, settings that change, and engines and devices that fail."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Coroutine
from typing import Any

from sam_py.speech.base import Manner, SpeechError, Utterance
from sam_py.speech.making import time_limit_s
from sam_py.speech.queue import FAILURES, LEAD_S, SpeechQueue
from sam_py.speech.silence import PARAGRAPH_PAUSE_S, SENTENCE_PAUSE_S
from sam_py.speech.voice_state import GaveUpError, VoiceNews, VoiceState
from tests.fakes.speech import FakePlayer, FakeSpeech, spoken_s, stepped

TEXTS = [
    "One is the first of them.",
    "Two comes after that.",
    "Three is a little longer than they are.",
    "Four ends it.",
]


def utterances(*texts: str) -> list[Utterance]:
    """As they would stand in a text, a space between them."""
    found, at = [], 0
    for text in texts:
        found.append(Utterance(text, at, at + len(text)))
        at += len(text) + 1
    return found


class Voice:
    """A queue with a fake engine and a fake player, and what it told."""

    def __init__(self, **how: Any) -> None:
        self.engine = FakeSpeech(**how)
        self.manner = Manner()
        self.player = FakePlayer()
        self.queue = SpeechQueue(lambda: self.engine, lambda: self.manner, self.player)
        self.states: list[VoiceState] = []
        self.errors: list[SpeechError] = []
        self.queue.subscribe(self._on_news)

    def _on_news(self, news: VoiceNews) -> None:
        if isinstance(news, VoiceState):
            self.states.append(news)
        else:
            self.errors.append(news)

    @property
    def heard(self) -> list[str]:
        return self.player.texts(self.engine)

    def length_of(self, mark: int) -> float:
        """How long its sound, without silence, was heard."""
        return sum(each.end_s - each.start_s for each in self.player.heard if each.mark == mark and each.value)

    async def until(self, is_so: Callable[[], object]) -> None:
        while not is_so():
            await asyncio.sleep(0.01)

    async def hears(self) -> None:
        await self.until(lambda: self.queue.state.utterance)
        await asyncio.sleep(0.1)

    async def drained(self) -> None:
        self.queue.finish()
        await self.until(lambda: self.queue.state.phase == "silent")


def with_voice(test: Callable[[Voice], Coroutine[Any, Any, None]], **how: Any) -> Voice:
    async def run() -> Voice:
        voice = Voice(**how)
        await test(voice)
        await voice.queue.aclose()
        assert voice.engine.open == 0
        return voice

    return stepped(run)


def test_sentences_are_heard_in_order_with_natural_pauses_and_no_other_gap() -> None:
    async def run(voice: Voice) -> None:
        voice.queue.say(utterances(*TEXTS[:3]))
        voice.queue.say([Utterance("A new paragraph.", 200, 216)])
        await voice.drained()

    voice = with_voice(run)
    assert voice.heard == [*TEXTS[:3], "A new paragraph."]
    loud = [each for each in voice.player.heard if each.value]
    gaps = [round(after.start_s - before.end_s, 3) for before, after in itertools.pairwise(loud)]
    assert gaps[0] == gaps[1] < gaps[2]
    assert SENTENCE_PAUSE_S <= gaps[0] <= SENTENCE_PAUSE_S + 0.05, "the engine's own silence is not added"
    assert PARAGRAPH_PAUSE_S <= gaps[2] <= PARAGRAPH_PAUSE_S + 0.05
    assert [each.utterance.text for each in voice.states if each.utterance] == voice.heard
    assert voice.states[-1] == VoiceState("silent")


def test_the_first_sound_is_handed_over_as_soon_as_the_engine_has_some_of_it() -> None:
    async def run(voice: Voice) -> None:
        voice.queue.say(utterances("A sentence of which the engine makes one piece after another."))
        await voice.drained()

    voice = with_voice(run, took_s=0.1, pieces=5)
    assert round(voice.player.heard[0].start_s, 3) == 0.1
    assert len(voice.heard) == 1


def test_a_sentence_is_made_while_another_one_is_heard_and_only_two_ahead() -> None:
    async def run(voice: Voice) -> None:
        voice.queue.say(utterances(*(f"This is sentence number {n}." for n in range(1_000))))
        while voice.queue.state.phase == "speaking":
            await asyncio.sleep(0.7)
            begun = {each.mark for each in voice.player.heard if each.value}
            assert len(voice.engine.asked) - len(begun) <= 3, "two, and the one whose turn it is during the pause"
            assert len(voice.queue._lines) <= 3
            voice.queue.finish()

    voice = with_voice(run)
    assert len(voice.heard) == 1_000
    assert voice.player.most_clips <= 3, "the sentence that is heard, the pause after it, the next one"
    assert voice.engine.most_open == 1


def test_settings_hold_from_the_next_sentence_on_although_it_was_made_already() -> None:
    async def run(voice: Voice) -> None:
        voice.queue.say(utterances(*TEXTS))
        await voice.until(lambda: voice.engine.asked[2:] and voice.engine.open == 0)
        voice.manner = Manner("other", 2.0)
        await voice.drained()

    voice = with_voice(run)
    assert voice.heard == TEXTS
    said = {text: manner for text, manner in voice.engine.asked}
    assert said == {TEXTS[0]: Manner(), **dict.fromkeys(TEXTS[1:], Manner("other", 2.0))}
    loud = [each.end_s - each.start_s for each in voice.player.heard if each.value]
    assert round(loud[0], 2) == spoken_s(TEXTS[0])
    assert abs(loud[2] - spoken_s(TEXTS[2], voice.manner)) < 0.05


def test_pausing_holds_the_sound_where_it_is() -> None:
    async def run(voice: Voice) -> None:
        voice.queue.say(utterances(*TEXTS))
        await voice.hears()
        await asyncio.sleep(0.3)
        voice.queue.pause()
        assert voice.queue.state == VoiceState("paused", utterances(TEXTS[0])[0])
        await asyncio.sleep(60)
        assert voice.heard == TEXTS[:1]
        voice.queue.resume()
        await voice.drained()

    voice = with_voice(run)
    assert voice.heard == TEXTS
    first = voice.player.heard[0].mark
    assert abs(voice.length_of(first) - spoken_s(TEXTS[0])) < 0.01


def test_skipping_goes_to_the_next_sentence_even_where_none_was_made_yet() -> None:
    async def run(voice: Voice) -> None:
        voice.queue.say(utterances(*TEXTS))
        voice.queue.skip()  # not even begun
        await asyncio.sleep(0.01)
        voice.queue.skip()  # being made
        await voice.hears()
        voice.queue.skip()  # heard
        await voice.drained()

    voice = with_voice(run)
    assert voice.heard == TEXTS[2:]
    assert TEXTS[0] not in {text for text, _ in voice.engine.asked}


def test_skipping_while_paused_stays_paused_and_shows_what_goes_on() -> None:
    async def run(voice: Voice) -> None:
        voice.queue.say(utterances(*TEXTS))
        await voice.hears()
        voice.queue.pause()
        voice.queue.skip()
        voice.queue.skip()
        assert voice.queue.state == VoiceState("paused", utterances(*TEXTS)[2])
        await asyncio.sleep(5)
        assert voice.heard == TEXTS[:1]
        voice.queue.resume()
        await voice.drained()

    assert with_voice(run).heard == [TEXTS[0], *TEXTS[2:]]


def test_after_a_stop_nothing_is_heard_and_the_next_sentence_is_new() -> None:
    async def run(voice: Voice) -> None:
        voice.queue.say(utterances(*TEXTS))
        await voice.hears()
        voice.queue.pause()
        voice.queue.stop()
        assert voice.queue.state == VoiceState()
        count = len(voice.player.heard)
        await asyncio.sleep(10)
        assert len(voice.player.heard) == count
        voice.queue.say(utterances("After the stop."))
        await voice.drained()

    assert with_voice(run).heard == [TEXTS[0], "After the stop."]


def test_a_sentence_that_fails_is_tried_again_then_left_out_and_said_once() -> None:
    async def run(voice: Voice) -> None:
        voice.engine.fails = {TEXTS[0]: [SpeechError("It broke.")], TEXTS[1]: [SpeechError("It broke.")] * 2}
        voice.queue.say(utterances(*TEXTS))
        await voice.drained()

    voice = with_voice(run)
    assert voice.heard == [TEXTS[0], *TEXTS[2:]]
    assert [str(error) for error in voice.errors] == ["A sentence could not be spoken and was left out. It broke."]


def test_after_three_failures_in_a_row_it_falls_silent_and_the_next_try_is_new() -> None:
    async def run(voice: Voice) -> None:
        voice.engine.fails = {text: [SpeechError("The voice is missing: install it.")] * 2 for text in TEXTS}
        voice.queue.say(utterances(*TEXTS))
        await voice.until(lambda: len(voice.errors) == 2)
        assert voice.queue.state == VoiceState()
        voice.engine.fails.clear()
        voice.queue.say(utterances("Now it works."))
        await voice.drained()

    voice = with_voice(run)
    assert voice.heard == ["Now it works."]
    assert isinstance(voice.errors[1], GaveUpError)
    assert str(FAILURES) in str(voice.errors[1])
    assert "install it" in str(voice.errors[1])


def test_an_engine_that_hangs_is_given_up_after_a_time_for_the_length_of_the_sentence() -> None:
    async def run(voice: Voice) -> None:
        voice.engine.fails = {TEXTS[0]: ["hang"], TEXTS[1]: ["hang", "hang"]}
        voice.queue.say(utterances(*TEXTS[:3]))
        await voice.drained()

    voice = with_voice(run)
    assert voice.heard == [TEXTS[0], TEXTS[2]]
    assert time_limit_s(TEXTS[0]) <= voice.player.heard[0].start_s < time_limit_s(TEXTS[0]) + 1
    assert "too long" in str(voice.errors[0])


def test_skipping_or_dropping_a_sentence_that_hangs_goes_on_at_once() -> None:
    async def run(voice: Voice) -> None:
        voice.engine.when_cancelled = SpeechError("The voice was killed.")
        voice.engine.fails = {TEXTS[0]: ["hang"], TEXTS[1]: ["hang"]}
        voice.queue.say(Utterance(text, 0, 1, message_id=text) for text in TEXTS[:3])
        await asyncio.sleep(1)
        voice.queue.skip()
        await asyncio.sleep(1)
        voice.queue.drop(TEXTS[1])
        await asyncio.sleep(1)
        assert voice.heard == TEXTS[2:3]
        await voice.drained()

    assert with_voice(run).errors == []


def test_a_sentence_that_breaks_off_goes_on_where_it_broke() -> None:
    async def run(voice: Voice) -> None:
        voice.engine.late = True
        voice.engine.fails = {TEXTS[0]: [RuntimeError("a bug of the engine")]}
        voice.queue.say(utterances(*TEXTS[:2]))
        await voice.drained()

    voice = with_voice(run, pieces=2)
    assert voice.heard == TEXTS[:2]
    first = voice.player.heard[0].mark
    length = voice.length_of(first)
    assert abs(length - spoken_s(TEXTS[0])) < 0.1, "nothing of it is heard twice"


def test_a_device_that_goes_pauses_the_voice_and_resuming_begins_the_sentence_again() -> None:
    async def run(voice: Voice) -> None:
        voice.queue.say(utterances(*TEXTS[:2]))
        await voice.hears()
        voice.player.fail("The headphones are gone: choose another device.")
        await voice.until(lambda: voice.errors)
        assert voice.queue.state == VoiceState("paused", utterances(TEXTS[0])[0])
        voice.queue.resume()
        await voice.drained()

    voice = with_voice(run)
    assert voice.heard == [TEXTS[0], *TEXTS[:2]]
    assert [str(error) for error in voice.errors] == ["The headphones are gone: choose another device."]


def test_a_device_that_refuses_in_the_pause_between_sentences_loses_none() -> None:
    async def run(voice: Voice) -> None:
        voice.queue.say(utterances(*TEXTS[:3]))
        await voice.hears()
        voice.player.refuses = 1
        await voice.until(lambda: voice.errors)
        assert voice.queue.state == VoiceState("paused", utterances(TEXTS[0])[0])
        voice.queue.resume()
        await voice.drained()

    assert with_voice(run).heard == [TEXTS[0], *TEXTS[:3]]


def test_what_has_nothing_to_say_makes_no_pause() -> None:
    async def run(voice: Voice) -> None:
        voice.queue.say(utterances("…", TEXTS[0], "…", "…", "…", TEXTS[1], "…"))
        await voice.drained()

    assert with_voice(run).heard == TEXTS[:2]


def test_a_message_is_dropped_and_the_others_are_heard() -> None:
    async def run(voice: Voice) -> None:
        of = [Utterance(text, 0, 1, message_id="ab"[n % 2]) for n, text in enumerate(TEXTS)]
        voice.queue.say(of)
        await voice.hears()
        voice.queue.drop("b")
        assert voice.queue.state.utterance == of[0]
        await voice.drained()
        voice.queue.say(of)
        await voice.until(lambda: voice.queue.state.utterance == of[0])
        await voice.hears()
        voice.queue.drop("a")
        await voice.drained()

    assert with_voice(run).heard == [TEXTS[0], TEXTS[2], TEXTS[0], TEXTS[1], TEXTS[3]]


def test_a_message_is_dropped_in_the_last_moment_of_the_sentence_before_it() -> None:
    async def run(voice: Voice) -> None:
        voice.queue.say([Utterance(text, 0, 1, message_id="ab"[n]) for n, text in enumerate(TEXTS[:2])])
        await voice.hears()
        await asyncio.sleep(spoken_s(TEXTS[0]) - 0.2)
        assert voice.player.most_clips > 1, "the next one is with the player already"
        voice.queue.drop("b")
        await voice.drained()

    assert with_voice(run).heard == TEXTS[:1]


def test_an_engine_that_still_gives_up_is_not_asked_for_the_next_sentence() -> None:
    async def run(voice: Voice) -> None:
        voice.engine.closing_s = 0.5
        for text in TEXTS:
            voice.queue.say(utterances(text))
            await asyncio.sleep(0.01)
            voice.queue.stop()
        voice.queue.say(utterances("At last."))
        await voice.drained()

    voice = with_voice(run)
    assert voice.heard == ["At last."]
    assert voice.engine.most_open == 1


def test_the_next_sentence_is_with_the_player_before_the_one_that_is_heard_ends() -> None:
    assert spoken_s(TEXTS[0]) > LEAD_S  # else the test of gaps would prove nothing about the timer
