"""Qt's voices for real: Speech Dispatcher with espeak-ng, whose sound a null sink's monitor records."""

from __future__ import annotations

import array
import asyncio
import gc
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from sam_py.speech.base import Manner, Utterance
from sam_py.speech.queue import SpeechQueue
from sam_py.speech.voice_state import VoiceNews
from sam_py.ui.audio.aloud_player import AloudPlayer
from sam_py.ui.audio.aloud_process import AloudProcess
from sam_py.ui.audio.aloud_voices import QtVoices
from tests.fakes.pulse import RATE_HZ, PulseServer, Recorder, pulse_server, what_is_missing
from tests.fakes.sitting import make_runner

LOUD = 300
STEP = RATE_HZ // 20
MODULES = [Path(each, "speech-dispatcher-modules/sd_espeak-ng") for each in ("/usr/lib", "/usr/libexec", "/usr/lib64")]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[PulseServer]:
    if shutil.which("speech-dispatcher") is None or not any(map(Path.exists, MODULES)):
        pytest.skip("Speech Dispatcher with espeak-ng is not installed")
    if missing := what_is_missing():
        pytest.skip(missing)
    folder = Path(tempfile.mkdtemp(prefix="spd-"))  # a socket's path must be short
    try:
        with pulse_server(folder, "speakers") as server:
            monkeypatch.setenv("PULSE_SERVER", server.address)
            monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
            monkeypatch.setenv("HOME", str(folder))
            yield server
            for each in psutil.process_iter(["name", "cmdline"]):  # nobody's child: it was started in the background
                if each.info["name"] == "speech-dispatcher" and str(folder) in " ".join(each.info["cmdline"] or ()):
                    each.kill()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def loud_s(recorder: Recorder) -> float:
    """For how long something was heard; the silence that a busy machine puts in between is not counted."""
    samples = array.array("h", recorder.samples())
    steps = [samples[at : at + STEP] for at in range(0, len(samples), STEP)]
    return sum(max(step) > LOUD or min(step) < -LOUD for step in steps) * STEP / RATE_HZ


def test_sentences_are_heard_at_their_speed_and_stop_is_silence(qapp: Any, server: PulseServer) -> None:
    async def scenario() -> None:
        process = AloudProcess()
        player, engine = AloudPlayer(process), QtVoices(lambda: process)
        manner = Manner("", 1.0)
        queue = SpeechQueue(lambda: engine, lambda: manner, player)
        heard: list[VoiceNews] = []
        queue.subscribe(heard.append)
        recorder = Recorder(server, "speakers")
        text = "The quick brown fox jumps."

        async def hear(*texts: str) -> float:
            recorder.forget()
            queue.say(Utterance(each, place * 100, place * 100 + len(each)) for place, each in enumerate(texts))
            queue.finish()
            async with asyncio.timeout(40):
                while queue.state.phase != "silent":
                    await asyncio.sleep(0.01)
            return loud_s(recorder)

        try:
            voices = await engine.voices()
            assert len(voices) > 50
            assert any("de" in each.languages for each in voices)
            usual = await hear(text)
            assert 0.8 < usual < 4.0
            manner = Manner("", 2.0)
            assert usual / await hear(text) == pytest.approx(2.0, rel=0.3)
            recorder.forget()
            queue.say([Utterance(text * 4, 0, 10)])
            async with asyncio.timeout(20):
                while not loud_s(recorder):
                    await asyncio.sleep(0.01)
            queue.stop()
            assert await hear("One.", "Two.") < usual
            assert [each for each in heard if isinstance(each, Exception)] == []
        finally:
            await queue.aclose()
            player.close()
            process.close()
            recorder.close()

    loop, run = make_runner(qapp)
    with loop:
        run(scenario())
    asyncio.set_event_loop(None)
    gc.collect()
