"""What the tests of engines share: the real espeak-ng, a stand-in for pyttsx3, and how a sentence is taken."""

from __future__ import annotations

import asyncio
import os
import shutil
from array import array
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from sam_py import workers
from sam_py.speech.base import Clip, Manner, SpeechEngine
from sam_py.speech.engines.process import Program
from sam_py.speech.engines.system import system_program

FAKE_PYTTSX3 = """
import os, pathlib, time, wave
HERE = pathlib.Path(__file__).parent
with open(HERE / "starts", "a") as starts:
    starts.write("x")
class Engine:
    work = None
    def connect(self, topic, listener): pass
    def setProperty(self, name, value): pass
    def getProperty(self, name): return [] if name == "voices" else ""
    def save_to_file(self, text, path): self.work = text, path
    def runAndWait(self):
        if self.work is None:
            return
        text, path = self.work
        print("Audio saved to", path, flush=True)
        with open(HERE / "tries", "a") as tries:
            tries.write("x")
        speak(text, path, (HERE / "tries").stat().st_size)
def write(path, frames):
    with wave.open(path, "wb") as out:
        out.setnchannels(1); out.setsampwidth(2); out.setframerate(22050); out.writeframes(b"ab" * frames)
def init(): return Engine()
"""


@pytest.fixture
def espeak() -> None:
    if shutil.which("espeak-ng") is None:
        pytest.skip("espeak-ng is not installed")


@pytest.fixture
def no_process_left() -> Iterator[None]:
    """No child of ours lives after the test that did not before."""
    before = {each.pid for each in psutil.Process().children(recursive=True)}
    yield
    left = [each for each in psutil.Process().children(recursive=True) if each.pid not in before]
    assert left == []


@pytest.fixture
def fake_pyttsx3(tmp_path: Path) -> Callable[[str], Program]:
    """Makes the program of a worker that finds a pyttsx3 of ours, with `speak(text, path, tries so far)` as given."""

    def made(speak: str) -> Program:
        (tmp_path / "pyttsx3.py").write_text(FAKE_PYTTSX3 + speak)

        def environ() -> dict[str, str]:
            usual = workers.environ()
            return usual | {"PYTHONPATH": os.pathsep.join((str(tmp_path), usual["PYTHONPATH"]))}

        return replace(system_program(), environ=environ)

    return made


async def spoken(engine: SpeechEngine, text: str, manner: Manner | None = None) -> list[Clip]:
    return [clip async for clip in engine.synthesise(text, manner or Manner())]


def run(scenario: Callable[[], Awaitable[None]]) -> None:
    async def limited() -> None:
        async with asyncio.timeout(40):
            await scenario()

    asyncio.run(limited())


def loudness(clip: Clip) -> float:
    """Root of the mean square, of 32,768."""
    values = array("h", clip.samples)
    return (sum(value * value for value in values) / len(values)) ** 0.5


async def until(holds: Callable[[], bool]) -> None:
    while not holds():
        await asyncio.sleep(0.01)
