"""What a real loudspeaker plays of what the player is told. Run as a program: ``PULSE_SERVER`` is a `PulseServer`'s.

QtMultimedia connects to a server once in the life of a process, so that each server needs a process of its own.
Prints one JSON object: name of the scene → figures.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QCoreApplication, QEventLoop, QTimer

from sam_py.speech.base import Clip, Finished, PlayerNews, SpeechError, Started, Trouble
from sam_py.ui.audio.devices import SoundDevices
from sam_py.ui.audio.player import AudioPlayer
from sam_py.ui.audio.recorder import Recorder as Dictaphone
from tests.fakes.pulse import RATE_HZ, PulseServer, Recorder

LOUD = 300


class Scene:
    """A player on the loudspeaker "headset", and ears at both loudspeakers."""

    def __init__(self, server: _Known) -> None:
        self.server = server
        self.devices = SoundDevices()
        self.player = AudioPlayer(self.devices, device_id="headset")
        self.news: list[PlayerNews] = []
        self.player.subscribe(self.news.append)
        self.headset = Recorder(server, "headset")  # type: ignore[arg-type]
        self.speakers = Recorder(server, "speakers")  # type: ignore[arg-type]

    def begin(self) -> None:
        self.player.stop()
        self.player.set_device("headset")
        self.news.clear()
        wait(lambda: False, 0.1)
        self.headset.forget()
        self.speakers.forget()

    def play(self, mark: int, sound: np.ndarray, rate_hz: int = RATE_HZ, channels: int = 1) -> None:
        self.player.play(mark, Clip(sound.astype("<i2").tobytes(), rate_hz, channels))
        self.player.end(mark)

    def finished(self, mark: int) -> bool:
        wait(lambda: Finished(mark) in self.news or any(isinstance(each, Trouble) for each in self.news), 15)
        wait(lambda: False, 0.2)
        return Finished(mark) in self.news

    def told(self) -> list[str]:
        return [f"{type(each).__name__} {getattr(each, 'mark', '')}".strip() for each in self.news]


class _Known:
    """The server that another process started."""

    def __init__(self) -> None:
        self.address = os.environ["PULSE_SERVER"]

    environment = PulseServer.environment
    ask = PulseServer.ask
    unplug = PulseServer.unplug


def noise(seconds: float, seed: int) -> np.ndarray:
    """Never still, and nowhere twice the same."""
    values = np.random.default_rng(seed).integers(1_000, 9_000, round(seconds * RATE_HZ))
    return values * np.where(np.arange(len(values)) % 2, 1, -1)


def heard(recorder: Recorder) -> np.ndarray:
    """What was loud, from the first sample to the last."""
    samples = np.frombuffer(recorder.samples(), "<i2")
    loud = np.flatnonzero(np.abs(samples) > LOUD)
    return samples[loud[0] : loud[-1] + 1] if len(loud) else samples[:0]


def wait(until: Callable[[], bool], seconds: float) -> bool:
    loop = QEventLoop()
    end = time.monotonic() + seconds
    timer = QTimer()
    timer.timeout.connect(lambda: (until() or time.monotonic() > end) and loop.quit())
    timer.start(5)
    loop.exec()
    return until()


def gapless(scene: Scene) -> dict[str, Any]:
    sounds = [noise(0.25, seed) for seed in range(5)]
    for mark, sound in enumerate(sounds[:3], 1):
        scene.play(mark, sound)
    wait(lambda: Started(2) in scene.news, 5)
    time.sleep(0.12)  # the window is busy
    for mark, sound in enumerate(sounds[3:], 4):
        scene.play(mark, sound)
    scene.finished(5)
    got, sent = heard(scene.headset), np.concatenate(sounds)
    return {
        "is_whole": bool(np.array_equal(got[got != 0], sent)),
        "added_ms": (len(got) - len(sent)) / RATE_HZ * 1000,
        "elsewhere": len(heard(scene.speakers)),
        "told": scene.told(),
    }


def stopped(scene: Scene) -> dict[str, Any]:
    scene.play(1, noise(3, 1))
    wait(lambda: Started(1) in scene.news, 5)
    wait(lambda: False, 0.2)
    at = time.monotonic()
    scene.player.stop()
    wait(lambda: False, 0.3)
    last = max(
        came for came, piece in scene.headset.pieces() if np.abs(np.frombuffer(piece, "<i2")).max(initial=0) > LOUD
    )
    first = len(heard(scene.headset)) / RATE_HZ
    scene.play(2, noise(0.1, 2))
    scene.finished(2)
    return {"heard_s": first, "silent_after_ms": (last - at) * 1000, "told": scene.told()}


def paused(scene: Scene) -> dict[str, Any]:
    sound = noise(0.8, 3)
    scene.play(1, sound)
    wait(lambda: Started(1) in scene.news, 5)
    wait(lambda: False, 0.15)
    scene.player.pause()
    wait(lambda: False, 0.3)
    scene.player.resume()
    scene.finished(1)
    got = heard(scene.headset)
    return {
        "is_whole": bool(np.array_equal(got[np.abs(got) > LOUD], sound)),
        "pause_s": (len(got) - len(sound)) / RATE_HZ,
    }


def quieter(scene: Scene) -> dict[str, Any]:
    def loudness() -> float:
        scene.headset.forget()
        scene.play(1, np.full(RATE_HZ // 4, 8000))
        scene.finished(1)
        scene.news.clear()
        return float(np.median(np.abs(heard(scene.headset))))

    full = loudness()
    scene.player.set_volume(0.5)
    half = loudness()
    scene.player.set_volume(1.0)
    return {"ratio": half / full}


def another_form(scene: Scene) -> dict[str, Any]:
    scene.play(1, np.full(RATE_HZ // 4, 8000))
    scene.play(2, np.full(2 * 8000, 4000), 16_000, 2)
    scene.finished(2)
    got = np.abs(heard(scene.headset).astype(int))
    return {
        "first_s": int((got > 6000).sum()) / RATE_HZ,
        "second_s": int(((got > 2000) & (got <= 6000)).sum()) / RATE_HZ,
        "told": scene.told(),
    }


def followed(scene: Scene) -> dict[str, Any]:
    scene.player.set_device("")
    sound = noise(1.2, 4)
    scene.play(1, sound)
    wait(lambda: Started(1) in scene.news, 5)
    wait(lambda: False, 0.2)
    scene.server.ask("set-default-sink", "headset")
    scene.finished(1)
    before, after = heard(scene.speakers), heard(scene.headset)
    scene.server.ask("set-default-sink", "speakers")
    return {
        "before_s": len(before) / RATE_HZ,
        "after_s": len(after) / RATE_HZ,
        "ends_right": bool(np.array_equal(after[-2000:], sound[-2000:])),
        "told": scene.told(),
    }


def unplugged(scene: Scene) -> dict[str, Any]:
    scene.play(1, noise(3, 5))
    wait(lambda: Started(1) in scene.news, 5)
    wait(lambda: False, 0.2)
    scene.server.unplug("headset")
    wait(lambda: any(isinstance(each, Trouble) for each in scene.news), 5)
    at_once = len(heard(scene.speakers)) / RATE_HZ
    names = [each.id for each in scene.devices.outputs()]
    scene.play(2, noise(0.2, 6))
    wait(lambda: sum(isinstance(each, Trouble) for each in scene.news) > 1, 5)
    wait(lambda: False, 0.2)
    words = [str(each.error) for each in scene.news if isinstance(each, Trouble)]
    return {"elsewhere_s": at_once, "in_all_s": len(heard(scene.speakers)) / RATE_HZ, "words": words, "left": names}


def recorded(scene: Scene) -> dict[str, Any]:
    """The microphone hears what is played into the sink "voice"."""
    recorder = Dictaphone(scene.devices)
    levels: list[float] = []
    ended: list[Any] = []
    recorder.level_changed.connect(levels.append)
    recorder.ended.connect(ended.append)
    recorder.start("microphone")
    wait(lambda: recorder.seconds > 0.2, 5)
    quiet = max(levels)
    wav = Path(os.environ["SPOKEN_WAV"])
    playing = subprocess.Popen(["paplay", "--device=voice", str(wav)], env=scene.server.environment)
    wait(lambda: playing.poll() is not None, 15)
    wait(lambda: False, 0.3)
    recorder.stop()
    with wave.open(io.BytesIO(recorder.wav())) as file:
        form = [file.getframerate(), file.getnchannels(), file.getsampwidth()]
        got = np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(float)
    with wave.open(str(wav)) as file:
        rate_hz, sent = file.getframerate(), np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(float)
    seconds = len(got) / form[0]
    silent = recorder.was_silent
    recorder.start("")
    wait(lambda: recorder.seconds > 0.1, 5)
    was_silent = recorder.was_silent
    recorder.cancel()
    after_cancel = recorder.seconds
    try:
        recorder.start("another")
        words = ""
    except SpeechError as error:
        words = str(error)
    recorder.start("microphone")
    wait(lambda: recorder.seconds > 0.1, 5)
    remap = next(line for line in scene.server.ask("list", "short", "modules").splitlines() if "remap" in line)
    scene.server.ask("unload-module", remap.split("\t")[0])
    wait(lambda: bool(ended), 5)
    return {
        "form": form,
        "seconds": seconds,
        "loud_s": loud_s(got, form[0]),
        "sent_loud_s": loud_s(sent, rate_hz),
        "rms": float(np.sqrt((got[np.abs(got) > LOUD] ** 2).mean())),
        "sent_rms": float(np.sqrt((sent[np.abs(sent) > LOUD] ** 2).mean())),
        "level_quiet": quiet,
        "level_loud": max(levels),
        "silent": [silent, was_silent],
        "after_cancel": after_cancel,
        "words": [words, *map(str, ended)],
        "kept_s": recorder.seconds,
    }


def loud_s(samples: np.ndarray, rate_hz: int) -> float:
    loud = np.flatnonzero(np.abs(samples) > 4 * LOUD)
    return float(loud[-1] - loud[0]) / rate_hz if len(loud) else 0.0


SCENES = (gapless, stopped, paused, quieter, another_form, followed, unplugged)
LISTENING = (recorded,)


def main() -> int:
    QCoreApplication(sys.argv)
    wanted = sys.argv[1:]
    scene = Scene(_Known())
    figures = {}
    for each in (*SCENES, *LISTENING):
        if each.__name__ in wanted:
            scene.begin()
            figures[each.__name__] = each(scene)
    scene.player.close()
    scene.headset.close()
    scene.speakers.close()
    scene.devices.close()
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    raise SystemExit(main())
