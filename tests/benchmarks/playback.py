"""The loudspeaker: CPU for a second of sound, and how soon it is silent, on a PulseAudio server of our own.

As a program, ``python -m tests.benchmarks.playback``, with ``PULSE_SERVER``: measure once and print a JSON object.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from PySide6.QtCore import QCoreApplication

from sam_py.speech.base import Started
from tests.benchmarks.run import ROOT, Row
from tests.fakes.heard import LOUD, Scene, _Known, noise, wait
from tests.fakes.pulse import pulse_server, what_is_missing

_STOPS = 10
_SECONDS = 5
_STOP_MS = 50.0
_CPU_MS = 50.0


def playback(repeats: int) -> list[Row]:
    """17. Playback: CPU of the player, and stop, pause and first sound as a null sink's monitor hears them."""
    if missing := what_is_missing():
        print(f"   skipped: {missing}")
        return []
    rounds = [_measured() for _ in range(repeats)]

    def middle(name: str) -> float:
        return statistics.median(each[name] for each in rounds)

    return [
        Row("CPU for a second of sound", middle("cpu_ms"), "ms CPU", None, _CPU_MS),
        Row("first sound of an open stream", middle("first_ms"), "ms wall"),
        Row("silent after stop, median", middle("stop_ms"), "ms wall"),
        Row("silent after stop, longest", max(each["stop_max_ms"] for each in rounds), "ms wall", None, _STOP_MS),
        Row("the call of stop, longest", max(each["call_max_ms"] for each in rounds), "ms wall"),
        Row("added between five clips, median", middle("added_ms"), "ms", None, 1.0),
    ]


def _measured() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder, pulse_server(Path(folder), "speakers", "headset") as server:
        done = subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.playback"],
            cwd=ROOT,
            env=server.environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
    if done.returncode:
        raise SystemExit(f"the measurement failed:\n{done.stderr[-4000:]}")
    result: dict[str, float] = json.loads(done.stdout)
    return result


def measure(scene: Scene) -> dict[str, float]:
    firsts, stops, calls = [], [], []
    for number in range(_STOPS):
        scene.begin()
        begun = time.monotonic()
        scene.play(1, noise(3, number))
        wait(lambda: Started(1) in scene.news, 5)
        wait(lambda: False, 0.2)
        at = time.monotonic()
        scene.player.stop()
        calls.append(time.monotonic() - at)
        wait(lambda: False, 0.2)
        loud = [came for came, piece in scene.headset.pieces() if np.abs(np.frombuffer(piece, "<i2")).max() > LOUD]
        firsts.append(loud[0] - begun)
        stops.append(max(0.0, loud[-1] - at))
    scene.begin()
    sounds = [noise(0.3, seed) for seed in range(5)]
    for mark, sound in enumerate(sounds, 1):
        scene.play(mark, sound)
    scene.finished(5)
    samples = np.frombuffer(scene.headset.samples(), "<i2")
    loud_at = np.flatnonzero(np.abs(samples) > LOUD)
    added = (loud_at[-1] - loud_at[0] + 1 - sum(map(len, sounds))) / 22.05
    scene.headset.close()  # its thread is no player's
    scene.speakers.close()
    scene.player.stop()
    before = time.process_time()
    wait(lambda: False, 1)
    idle = time.process_time() - before  # of the measuring itself
    scene.play(9, noise(_SECONDS + 1, 9))
    wait(lambda: Started(9) in scene.news, 5)
    before = time.process_time()
    wait(lambda: False, _SECONDS)
    used = time.process_time() - before
    return {
        "cpu_ms": (used / _SECONDS - idle) * 1000,
        "first_ms": statistics.median(firsts) * 1000,
        "stop_ms": statistics.median(stops) * 1000,
        "stop_max_ms": max(stops) * 1000,
        "call_max_ms": max(calls) * 1000,
        "added_ms": float(added),
    }


def main() -> int:
    app = QCoreApplication(sys.argv)
    scene = Scene(_Known())
    print(json.dumps(measure(scene)))
    scene.player.close()
    scene.devices.close()
    del app
    return 0


if __name__ == "__main__":
    assert os.environ.get("PULSE_SERVER")
    raise SystemExit(main())
