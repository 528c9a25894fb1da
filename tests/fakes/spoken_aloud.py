"""Markdown that comes in pieces, spoken by espeak-ng through all parts of the voice into a real loudspeaker.

Run as a program with the same environment as ``tests/fakes/heard.py``; prints one JSON object.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any

import numpy as np
from PySide6.QtWidgets import QApplication

from sam_py.speech.base import Clip, Manner, Readout, Started
from sam_py.speech.engines.system import SystemVoices
from sam_py.speech.queue import SpeechQueue
from sam_py.speech.speakable import SpokenText
from sam_py.ui.audio.devices import SoundDevices
from sam_py.ui.audio.player import AudioPlayer
from sam_py.ui.loop import Loop
from tests.fakes.heard import _Known, heard
from tests.fakes.pulse import RATE_HZ, Recorder

MARKDOWN = "# Tides\nThe sea **rises** here. By 3.14 metres!\n"


class NotingPlayer(AudioPlayer):
    """Keeps what it was given."""

    def __init__(self, devices: SoundDevices) -> None:
        super().__init__(devices, device_id="headset")
        self.given: list[Clip] = []

    def play(self, mark: int, clip: Clip) -> None:
        self.given.append(clip)
        super().play(mark, clip)


async def speak() -> dict[str, Any]:
    devices = SoundDevices()
    player, engine = NotingPlayer(devices), SystemVoices()
    queue = SpeechQueue(lambda: engine, Manner, player)
    started: list[float] = []
    player.subscribe(lambda news: started.append(time.monotonic()) if isinstance(news, Started) else None)
    server = _Known()
    headset = Recorder(server, "headset")  # type: ignore[arg-type]
    speakers = Recorder(server, "speakers")  # type: ignore[arg-type]
    async for _clip in engine.synthesise("Warm.", Manner()):
        pass
    text, said = SpokenText(Readout()), []
    at = time.monotonic()
    for start in range(0, len(MARKDOWN), 5):
        found = text.feed(MARKDOWN[start : start + 5])
        said += found
        queue.say(found)
        await asyncio.sleep(0.005)
    said += (rest := text.finish())
    queue.say(rest)
    queue.finish()
    async with asyncio.timeout(30):
        while queue.state.phase != "silent":
            await asyncio.sleep(0.02)
    await asyncio.sleep(0.3)
    await queue.aclose()
    await engine.aclose()
    player.close()
    for recorder in (headset, speakers):
        recorder.close()
    devices.close()
    sent = np.concatenate([np.frombuffer(clip.samples, "<i2") for clip in player.given])
    loud = np.flatnonzero(np.abs(sent) > 300)
    sent = sent[loud[0] : loud[-1] + 1]
    got = heard(headset)
    return {
        "said": [each.text for each in said],
        "rates": sorted({clip.rate_hz for clip in player.given}),
        "seconds": len(sent) / RATE_HZ,
        "is_whole": bool(np.array_equal(got[got != 0], sent[sent != 0])),
        "added_ms": (len(got) - len(sent)) / RATE_HZ * 1000,
        "elsewhere": len(heard(speakers)),
        "first_sound_ms": (started[0] - at) * 1000,
    }


def main() -> int:
    app = QApplication(sys.argv)
    with Loop(app) as loop:
        print(json.dumps(loop.run_until_complete(speak())))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
