"""The system's voices: the real espeak-ng through pyttsx3, its sound measured, its process killed and hung."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
from contextlib import aclosing
from pathlib import Path

import pytest

from sam_py.speech.base import Clip, Manner, SpeechError
from sam_py.speech.engines.relay import Patience
from sam_py.speech.engines.system import SystemVoices
from sam_py.speech.engines.wav import clip_of_wav
from tests.reliability.voice_kills import strike_voices
from tests.speech.engines.conftest import loudness, run, spoken, until

pytestmark = pytest.mark.usefixtures("espeak", "no_process_left")
SENTENCE = "The quick brown fox jumps over the lazy dog near the river."


def of_program(text: str, path: Path) -> Clip:
    """What the espeak-ng program itself makes."""
    subprocess.run(["espeak-ng", "-v", "en", "-s", "200", "-w", str(path), text], check=True, timeout=20)
    return clip_of_wav(path.read_bytes())


def test_a_sentence_is_as_long_and_as_loud_as_espeaks_own(tmp_path: Path) -> None:
    own = of_program(SENTENCE, tmp_path / "own.wav")

    async def scenario() -> None:
        engine = SystemVoices()
        [clip] = await spoken(engine, SENTENCE, Manner("gmw/en"))
        await engine.aclose()
        assert (clip.rate_hz, clip.channels) == (22050, 1)
        assert clip.duration_s == pytest.approx(own.duration_s, rel=0.15)
        assert loudness(clip) == pytest.approx(loudness(own), rel=0.25)
        assert loudness(clip) > 1000

    run(scenario)


def test_twice_as_fast_takes_about_half_the_time() -> None:
    async def scenario() -> None:
        engine = SystemVoices()
        lengths = {}
        for rate in (0.5, 1.0, 2.0):
            [clip] = await spoken(engine, SENTENCE, Manner(rate=rate))
            lengths[rate] = clip.duration_s
        await engine.aclose()
        assert 0.3 < lengths[2.0] / lengths[1.0] < 0.6
        assert 1.6 < lengths[0.5] / lengths[1.0] < 2.6

    run(scenario)


def test_voices_are_listed_with_their_languages_and_can_be_chosen() -> None:
    async def scenario() -> None:
        engine = SystemVoices()
        voices = await engine.voices()
        german = next(each for each in voices if each.languages == ("de",))
        [in_english], [in_german] = (
            await spoken(engine, "Zwei sagen ja.", Manner("")),
            await spoken(engine, "Zwei sagen ja.", Manner(german.id)),
        )
        assert in_german.samples != in_english.samples
        with pytest.raises(SpeechError, match="not on this computer"):
            await spoken(engine, "Hello.", Manner("gone/nowhere"))
        [again] = await spoken(engine, "Zwei sagen ja.", Manner(german.id))
        assert again.duration_s == pytest.approx(in_german.duration_s, rel=0.05)
        await engine.aclose()

    run(scenario)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system itself begins with the person's language")
def test_where_no_voice_is_chosen_it_is_that_of_the_persons_language(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        lengths = {}
        for place in ("C", "de_DE.UTF-8"):
            monkeypatch.setenv("LC_ALL", place)
            engine = SystemVoices()
            for voice in ("", "gmw/de"):
                [clip] = await spoken(engine, "Die Zwiebel und der Streuselkuchen.", Manner(voice))
                lengths[place, voice] = clip.duration_s
            await engine.aclose()
        assert lengths["de_DE.UTF-8", ""] == pytest.approx(lengths["de_DE.UTF-8", "gmw/de"], abs=0.03)
        assert lengths["C", ""] != pytest.approx(lengths["C", "gmw/de"], abs=0.03)

    run(scenario)


def test_killed_and_hung_at_random_each_sentence_comes_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small part of ``python -m tests.reliability.voice_kills 200``."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    async def scenario() -> None:
        outcome = await strike_voices(10, hangs=0.1, seed=1, patience=Patience(answer_s=2.0, character_s=0))
        assert (outcome.wrong, outcome.left) == ([], 0)
        assert outcome.strikes > 5

    run(scenario)


def test_who_stops_waiting_has_it_at_once_and_the_next_sentence_is_the_next() -> None:
    async def scenario() -> None:
        engine = SystemVoices()
        long, short = "A sentence that goes on and on, " * 9, "Short."
        await spoken(engine, short)
        await until(lambda: len(engine.relay.pids) == 2)
        for _ in range(3):
            async with aclosing(engine.synthesise(long, Manner())) as clips:
                await asyncio.wait([waiting := asyncio.ensure_future(anext(clips))], timeout=0.01)
                waiting.cancel()
                await asyncio.wait([waiting])
            [clip] = await spoken(engine, short)
            assert clip.duration_s < 2
        await engine.aclose()

    run(scenario)


def test_after_some_minutes_without_a_word_the_processes_end_and_come_back() -> None:
    async def scenario() -> None:
        engine = SystemVoices(patience=Patience(idle_s=0.05))
        engine.warm_up()
        await until(lambda: bool(engine.relay.pids))
        await until(lambda: not engine.relay.pids)
        assert len(await spoken(engine, SENTENCE)) == 1
        await engine.aclose()

    run(scenario)
