"""Piper's voices: by the real program where it is installed, and by a stand-in that answers as it does."""

from __future__ import annotations

import os
import signal
import sys
from array import array
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from sam_py.speech.base import Clip, Manner, SpeechError, Voice
from sam_py.speech.engines.piper import PiperVoices, find_piper
from tests.fakes.tiny_piper import write_stand_in, write_tiny_voice
from tests.speech.engines.conftest import loudness, run, spoken, until

pytestmark = [
    pytest.mark.usefixtures("no_process_left"),
    pytest.mark.skipif(
        sys.platform == "win32", reason="the stand-in is a script with its interpreter in the first line"
    ),
]
TEXT = "Hello there, this is a test."


@pytest.fixture
def made(tmp_path: Path) -> Callable[..., PiperVoices]:
    program = write_stand_in(tmp_path / "piper")
    return lambda *files, **options: PiperVoices([str(each) for each in files], find=lambda: str(program), **options)


@pytest.fixture
def voice(tmp_path: Path) -> Path:
    return write_tiny_voice(tmp_path / "en_US-hum-low.onnx")


def pitch(clip: Clip) -> float:
    """Hertz, from how often the sound crosses zero upwards."""
    values = array("h", clip.samples)
    return sum(1 for one, two in pairwise(values) if one < 0 <= two) / clip.duration_s


@pytest.mark.parametrize("program", ["stand-in", "real"])
def test_speaker_and_speed_are_those_that_were_asked_for(
    program: str, made: Callable[..., PiperVoices], voice: Path
) -> None:
    real = find_piper()
    if program == "real" and real is None:
        pytest.skip("Piper is not installed (pipx install piper-tts)")

    async def scenario() -> None:
        engine = made(voice) if program == "stand-in" else PiperVoices([str(voice)])
        low, high = await engine.voices()
        assert [low, high] == [
            Voice(f"{voice}#0", "en_US-hum-low: low", ("en-US",)),
            Voice(f"{voice}#1", "en_US-hum-low: high", ("en-US",)),
        ]
        [usual] = await spoken(engine, TEXT)
        [again] = await spoken(engine, TEXT, Manner(low.id))
        [fast] = await spoken(engine, TEXT, Manner(high.id, 2.0))
        assert len(engine.pids) == 1
        assert await spoken(engine, "… 👍") == []
        await engine.aclose()
        assert usual.rate_hz == 16_000
        assert again.duration_s == pytest.approx(usual.duration_s, rel=0.02)
        assert fast.duration_s == pytest.approx(usual.duration_s / 2, rel=0.02)
        assert (pitch(usual), pitch(fast)) == (pytest.approx(100, abs=3), pytest.approx(200, abs=6))
        assert loudness(usual) > 15_000

    run(scenario)


def test_a_process_that_is_killed_comes_back_with_the_sentence(made: Callable[..., PiperVoices], voice: Path) -> None:
    async def scenario() -> None:
        engine = made(voice)
        await spoken(engine, "First.")
        for _ in range(3):
            os.kill(engine.pids[0], signal.SIGKILL)
            assert len(await spoken(engine, TEXT)) == 1
        await engine.aclose()

    run(scenario)


def test_a_sentence_that_breaks_it_is_told_and_the_next_is_spoken(
    made: Callable[..., PiperVoices], voice: Path
) -> None:
    async def scenario() -> None:
        engine = made(voice)
        await spoken(engine, "First.")
        with pytest.raises(SpeechError, match="cannot say this sentence"):
            await spoken(engine, "Please explode.")
        assert len(await spoken(engine, "Next.")) == 1
        await engine.aclose()
        with pytest.raises(SpeechError, match="switched off"):
            await spoken(engine, "Last.")

    run(scenario)


def test_warming_up_starts_the_voice_that_will_be_asked(made: Callable[..., PiperVoices], voice: Path) -> None:
    async def scenario() -> None:
        engine = made(voice, usual=Manner(f"{voice}#1"))
        engine.warm_up()
        await until(lambda: bool(engine.pids))
        [pid] = engine.pids
        assert pitch((await spoken(engine, TEXT, Manner(f"{voice}#1")))[0]) == pytest.approx(200, abs=6)
        assert engine.pids == [pid]
        await engine.aclose()

    run(scenario)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda voice: voice.with_name(f"{voice.name}.json").unlink(), "en_US-hum-low.onnx.json is missing"),
        (lambda voice: voice.with_name(f"{voice.name}.json").write_text("[1]"), "does not describe a voice"),
        (lambda voice: write_tiny_voice(voice, inference={"length_scale": -1}), "does not describe a voice"),
        (lambda voice: voice.unlink(), "is not there any more"),
        (lambda voice: voice.write_bytes(b"<html>"), "may be damaged"),
    ],
)
def test_what_is_wrong_with_a_voice_file_is_told(
    spoil: Callable[[Path], object], words: str, made: Callable[..., PiperVoices], voice: Path
) -> None:
    spoil(voice)

    async def scenario() -> None:
        engine = made(voice)
        engine.warm_up()
        with pytest.raises(SpeechError, match=words):
            await spoken(engine, TEXT)
        await engine.aclose()

    run(scenario)


def test_without_a_voice_or_the_program_the_error_says_what_to_do(made: Callable[..., PiperVoices]) -> None:
    async def scenario() -> None:
        with pytest.raises(SpeechError, match="Add a voice file"):
            await made().voices()
        with pytest.raises(SpeechError, match="pipx install piper-tts"):
            await PiperVoices(["x.onnx"], find=lambda: None).voices()

    run(scenario)


def test_the_program_of_the_same_name_for_mice_is_not_taken(tmp_path: Path) -> None:
    mouse = tmp_path / "piper"
    mouse.write_text("#!/usr/bin/python3\nimport gi\ngi.require_version('Gtk', '3.0')\n")
    mouse.chmod(0o755)
    assert find_piper(str(tmp_path)) is None
    assert find_piper(str(write_stand_in(mouse).parent)) == str(mouse)
