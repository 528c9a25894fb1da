"""Saving speech as a file: whole or not at all, with words for what goes wrong; and a real voice's silences."""

from __future__ import annotations

import array
import asyncio
import errno
import os
import shutil
import subprocess
import wave
from pathlib import Path

import pytest

from sam_py.messages.message import AssistantMessage
from sam_py.messages.parts import TextPart, ThinkingTextPart, ToolCallPart
from sam_py.speech.base import Clip, Manner, Readout, SpeechError, Utterance
from sam_py.speech.rendered import save_speech, utterances_of
from sam_py.speech.silence import PARAGRAPH_PAUSE_S, SENTENCE_PAUSE_S, Trimmer, pause_s
from tests.fakes.permissions import can_hold, permissions_hold
from tests.fakes.speech import FakeSpeech, spoken_s

MESSAGE = AssistantMessage(
    parts=(
        ThinkingTextPart(text="Not this."),
        TextPart(text="One is *here*. Two is there."),
        ToolCallPart(call_id="1", tool_name="never"),
        TextPart(text="Three comes last"),
    )
)
TEXTS = ["One is here.", "Two is there.", "Three comes last"]


def voice() -> FakeSpeech:
    return FakeSpeech(took_s=0.0, pieces=2)


def test_what_is_read_of_a_message_is_its_text_in_order() -> None:
    found = utterances_of(MESSAGE, Readout())
    assert [(each.text, each.part_index, each.message_id) for each in found] == [
        (TEXTS[0], 1, MESSAGE.id),
        (TEXTS[1], 1, MESSAGE.id),
        (TEXTS[2], 3, MESSAGE.id),
    ]


def test_speech_is_saved_as_one_file_with_its_pauses(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    target = tmp_path / "speech.wav"
    target.write_bytes(b"before")
    found = [*utterances_of(MESSAGE, Readout()), Utterance("…", 0, 1)]
    engine = voice()
    engine.fails = {TEXTS[1]: [SpeechError("Once.")]}
    seconds = asyncio.run(save_speech(target, found, engine, Manner(), lambda done, total: told.append((done, total))))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    with wave.open(str(target)) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 1_000)
        assert file.getnframes() / 1_000 == seconds
    spoken = sum(spoken_s(text) for text in TEXTS) + SENTENCE_PAUSE_S + PARAGRAPH_PAUSE_S
    assert spoken <= seconds < spoken + 0.2
    assert os.listdir(tmp_path) == ["speech.wav"]


@pytest.mark.parametrize("fails", ["engine", "cancel", "nothing", "full", "format"])
def test_a_file_that_does_not_become_whole_leaves_the_old_one(
    tmp_path: Path, fails: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "speech.wav"
    target.write_bytes(b"before")
    found = utterances_of(MESSAGE, Readout())
    engine = voice()
    text = {"engine": "Broken", "nothing": "nothing to read", "full": "disk is full", "format": "format"}.get(fails)

    def hears(done: int, _all: int) -> None:
        if done == 2 and fails == "cancel":
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
        if fails == "full":
            monkeypatch.setattr(os, "fsync", full)
        if fails == "format":
            monkeypatch.setattr("tests.fakes.speech.RATE_HZ", 2_000)

    def full(_fd: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    if fails == "engine":
        engine.fails = {TEXTS[2]: [SpeechError("Broken: mend it.")] * 2}
    if fails == "nothing":
        found = [Utterance("…", 0, 1)]
    expected = asyncio.CancelledError if fails == "cancel" else SpeechError
    with pytest.raises(expected, match=text):
        asyncio.run(save_speech(target, found, engine, Manner(), hears))
    assert target.read_bytes() == b"before"
    assert os.listdir(tmp_path) == ["speech.wav"]
    assert engine.open == 0


def test_a_folder_that_is_gone_or_refuses_is_named(tmp_path: Path) -> None:
    with pytest.raises(SpeechError, match="not there any more"):
        asyncio.run(save_speech(tmp_path / "gone" / "a.wav", utterances_of(MESSAGE, Readout()), voice(), Manner()))


@pytest.mark.skipif(not can_hold(), reason="file permissions do not hold here")
def test_a_folder_that_may_not_be_written_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(0o500)
    with permissions_hold(), pytest.raises(SpeechError, match="cannot be written"):
        asyncio.run(save_speech(folder / "a.wav", utterances_of(MESSAGE, Readout()), voice(), Manner()))
    folder.chmod(0o700)


def test_silence_goes_from_both_ends_however_the_sound_is_cut() -> None:
    samples = array.array("h", [0] * 300 + [5_000] * 200 + [10] * 150 + [-5_000] * 100 + [3] * 400).tobytes()
    whole = _trimmed(samples, len(samples))
    values = array.array("h", whole)
    assert 450 <= len(values) <= 450 + 2 * 30
    assert list(values).count(10) == 150, "a pause within the sentence stays"
    for size in (2, 14, 100, 510):
        again = array.array("h", _trimmed(samples, size))
        assert abs(len(again) - len(values)) <= 2 * 20
        assert [value for value in again if abs(value) > 9] == [value for value in values if abs(value) > 9]
    assert _trimmed(bytes(2_000), 100) == b""


def _trimmed(samples: bytes, size: int) -> bytes:
    trimmer = Trimmer()
    pieces = [trimmer.take(Clip(samples[at : at + size], 1_000)) for at in range(0, len(samples), size)]
    return b"".join(piece.samples for piece in (*pieces, trimmer.end()) if piece is not None)


def test_pauses_are_those_of_a_speaker() -> None:
    first = Utterance("A long part of a sentence,", 0, 26)
    assert pause_s(first, Utterance("and its rest.", 27, 40), 1.0) < SENTENCE_PAUSE_S
    assert pause_s(Utterance("An end.”", 0, 8), Utterance("Next.", 9, 14), 1.0) == SENTENCE_PAUSE_S
    assert pause_s(Utterance("An end.", 0, 7), Utterance("New.", 9, 13), 1.0) == PARAGRAPH_PAUSE_S
    assert pause_s(Utterance("One", 0, 3, "item"), Utterance("Two", 4, 7, "item"), 2.0) == PARAGRAPH_PAUSE_S / 2


@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="espeak-ng is not installed")
@pytest.mark.parametrize("words_per_minute", [90, 175, 350])
def test_a_real_voice_loses_its_silence_and_nothing_else(tmp_path: Path, words_per_minute: int) -> None:
    path = tmp_path / "a.wav"
    command = ["espeak-ng", "-v", "en", "-s", str(words_per_minute), "-w", str(path), "Hello there, this is it."]
    subprocess.run(command, check=True, timeout=30)
    with wave.open(str(path)) as file:
        rate, samples = file.getframerate(), file.readframes(file.getnframes())
    trimmer = Trimmer()
    pieces = [trimmer.take(Clip(samples[at : at + 9_000], rate)) for at in range(0, len(samples), 9_000)]
    kept = array.array("h", b"".join(piece.samples for piece in (*pieces, trimmer.end()) if piece is not None))
    loud = [place for place, value in enumerate(kept) if abs(value) > 200]
    all_loud = sum(abs(value) > 200 for value in array.array("h", samples))
    assert len(loud) == all_loud
    assert loud[0] / rate < 0.05
    assert (len(kept) - loud[-1]) / rate < 0.05
    assert len(kept) * 2 < len(samples)
