"""The processes behind an engine, with a stand-in for pyttsx3: what is missing, breaks, hangs or says nothing."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from sam_py import workers
from sam_py.speech.base import SpeechError
from sam_py.speech.engines import system
from sam_py.speech.engines.process import Program
from sam_py.speech.engines.relay import Patience
from sam_py.speech.engines.system import SystemVoices
from tests.speech.engines.conftest import run, spoken, until

pytestmark = pytest.mark.usefixtures("no_process_left")
FakePyttsx3 = Callable[[str], Program]
WELL = "def speak(text, path, tries): write(path, len(text))"


def times(tmp_path: Path, what: str) -> int:
    return (tmp_path / what).stat().st_size


def test_where_espeak_is_missing_the_error_says_how_to_install_it(
    fake_pyttsx3: FakePyttsx3, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system, "install_command", lambda: "sudo apt install espeak-ng")
    monkeypatch.setattr(sys, "platform", "linux")
    program = fake_pyttsx3("def init(): raise RuntimeError('you probably do not have eSpeak')")

    async def scenario() -> None:
        engine = SystemVoices(program=program)
        for count in (1, 2):  # it looks again each time: the person may have installed it
            with pytest.raises(SpeechError, match="sudo apt install espeak-ng") as told:
                await engine.voices()
            assert "probably do not have eSpeak" in told.value.detail
            assert times(tmp_path, "starts") == count
        program_now = fake_pyttsx3(WELL)
        assert program_now.environ() == program.environ()
        assert len(await spoken(engine, "Installed.")) == 1
        await engine.aclose()

    run(scenario)


def test_after_three_starts_that_crash_the_person_is_told(fake_pyttsx3: FakePyttsx3, tmp_path: Path) -> None:
    async def scenario() -> None:
        engine = SystemVoices(program=fake_pyttsx3("def init(): os._exit(3)"))
        with pytest.raises(SpeechError, match="do not start"):
            await spoken(engine, "Hello.")
        assert times(tmp_path, "starts") == 3
        await engine.aclose()

    run(scenario)


def test_a_start_that_hangs_is_ended(fake_pyttsx3: FakePyttsx3) -> None:
    async def scenario() -> None:
        patience = Patience(start_s=0.3, hurry_s=0.1)
        engine = SystemVoices(program=fake_pyttsx3("def init(): time.sleep(60)"), patience=patience)
        with pytest.raises(SpeechError, match="do not start"):
            await spoken(engine, "Hello.")
        await engine.aclose()

    run(scenario)


def test_a_file_with_a_header_alone_is_made_again(fake_pyttsx3: FakePyttsx3, tmp_path: Path) -> None:
    async def scenario() -> None:
        speak = "def speak(text, path, tries): write(path, len(text) if tries > 3 else 0)"
        engine = SystemVoices(program=fake_pyttsx3(speak))
        [clip] = await spoken(engine, "Hello.")
        assert len(clip.samples) == 2 * len("Hello.")
        assert times(tmp_path, "tries") == 4
        await engine.aclose()

    run(scenario)


def test_a_voice_that_says_nothing_of_words_is_an_error_and_of_a_sign_is_none(fake_pyttsx3: FakePyttsx3) -> None:
    async def scenario() -> None:
        engine = SystemVoices(program=fake_pyttsx3("def speak(text, path, tries): write(path, 0)"))
        with pytest.raises(SpeechError, match="says nothing"):
            await spoken(engine, "Hello.")
        assert await spoken(engine, "👍") == []
        assert await spoken(engine, "…") == []
        await engine.aclose()

    run(scenario)


def test_a_sentence_that_hangs_every_engine_is_given_up_and_the_next_is_spoken(fake_pyttsx3: FakePyttsx3) -> None:
    async def scenario() -> None:
        speak = "def speak(text, path, tries): time.sleep(60) if 'bad' in text else write(path, len(text))"
        patience = Patience(answer_s=0.7, character_s=0, dropped_s=0.05)
        engine = SystemVoices(program=fake_pyttsx3(speak), patience=patience)
        with pytest.raises(SpeechError, match="failed three times"):
            await spoken(engine, "A bad sentence.")
        assert len(await spoken(engine, "A good one.")) == 1
        dropped = asyncio.ensure_future(spoken(engine, "Another bad one."))
        await until(lambda: len(engine.relay.pids) == 2)
        dropped.cancel()
        assert len(await spoken(engine, "Heard at once.")) == 1
        await engine.aclose()
        with pytest.raises(SpeechError, match="switched off"):
            await spoken(engine, "After the end.")

    run(scenario)


def test_a_text_that_is_too_long_for_an_engine_is_given_in_pieces(fake_pyttsx3: FakePyttsx3) -> None:
    async def scenario() -> None:
        engine = SystemVoices(program=fake_pyttsx3(WELL))
        clips = await spoken(engine, "word " * 130 + "x" * 310)
        assert [len(clip.samples) // 2 for clip in clips] == [299, 299, 49, 300, 10]
        await engine.aclose()

    run(scenario)


def test_what_a_killed_program_left_is_removed_after_a_day(
    fake_pyttsx3: FakePyttsx3, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    old, new = tmp_path / "sam-py-voice-old", tmp_path / "sam-py-voice-new"
    for folder in (old, new):
        folder.mkdir()
        (folder / "spoken.wav").touch()
    os.utime(old, (1_000_000_000, 1_000_000_000))

    async def scenario() -> None:
        engine = SystemVoices(program=fake_pyttsx3(WELL))
        await spoken(engine, "Hello.")
        await engine.aclose()

    run(scenario)
    assert [each.name for each in tmp_path.glob("sam-py-voice-*")] == ["sam-py-voice-new"]


def test_no_key_is_in_a_workers_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    program = system.system_program()
    assert "sk-secret" not in program.environ().values()
    assert "sk-secret" not in repr(program)


def test_a_frozen_program_is_its_own_worker(
    fake_pyttsx3: FakePyttsx3, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ = fake_pyttsx3(WELL).environ()
    folder = tmp_path / "spoken"
    folder.mkdir()
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    [program, *arguments] = workers.command("voice", str(folder))
    command = [program, "-m", "sam_py", *arguments]  # what a frozen program is without saying so
    with subprocess.Popen(command, stdin=-1, stdout=-1, env=environ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == b'{"ready": true}\n'
        process.stdin.close()  # as when the program is killed
        assert process.wait(20) == 0
    assert not folder.exists()
    with pytest.raises(SystemExit, match="no worker 'os'"):
        workers.run(["os"])
