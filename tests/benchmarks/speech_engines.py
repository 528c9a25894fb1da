"""The system's voices: how long a sentence takes to its first sound, what of it is ours, and what 1,000 leave behind.

As a program, ``python -m tests.benchmarks.speech_engines SENTENCES``: measure once, on the program's own event loop,
and print a JSON object. Beside it, ``… bare`` speaks what it is told with pyttsx3 and nothing else.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

from sam_py.speech.base import Manner
from sam_py.speech.engines.system import SystemVoices
from tests.benchmarks.run import ROOT, Row
from tests.benchmarks.words import WORDS

FIRST_SOUND_MS = 300.0
RATIO = 1.5
RESTART_MS = 2_000.0
GROWN_MB = 2.0
_SENTENCES = 1_000
_SETTLED = 100
_KILLS = 20


def speech_engines(repeats: int) -> list[Row]:
    """16. Speech by espeak-ng: to the first sound, against pyttsx3 alone, after a kill, and over 1,000 sentences."""
    rounds = [_measured(_SENTENCES) for _ in range(repeats)]

    def middle(name: str) -> float:
        return statistics.median(each[name] for each in rounds)

    return [
        Row("pyttsx3 alone, a sentence", middle("bare_ms"), "ms wall"),
        Row("our first sound, warm, median", middle("first_ms"), "ms wall", middle("ratio"), RATIO),
        Row("our first sound, warm, p95", middle("first_p95_ms"), "ms wall"),
        Row("our first sound, warm, longest", middle("first_max_ms"), "ms wall", None, FIRST_SOUND_MS),
        Row("first sound of a cold start", middle("cold_ms"), "ms wall"),
        Row("first sound after a kill, median", middle("killed_ms"), "ms wall"),
        Row("first sound after a kill, longest", middle("killed_max_ms"), "ms wall", None, RESTART_MS),
        Row("the program grown over 1,000 sentences", middle("program_mb"), "MB", None, GROWN_MB),
        Row("the voice's process grown over them", middle("worker_mb"), "MB", None, GROWN_MB),
        Row("sentences without sound", middle("silent"), "of 1,000", None, 0.0),
    ]


def sentences(count: int) -> list[str]:
    """Sentences of 3 to 25 words, always the same."""
    chance = random.Random(7)
    plain = [word.strip("*`.,") for word in WORDS if word]
    return [" ".join(chance.choices(plain, k=chance.randint(3, 25))).capitalize() + "." for _ in range(count)]


async def measure(count: int) -> dict[str, float]:
    engine = SystemVoices()
    bare = subprocess.Popen(
        [sys.executable, "-m", __spec__.name, "bare"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    cold_s, _ = await _first(engine, "The first one.")
    own, alone, program, worker, silent = [], [], [], [], 0
    for number, sentence in enumerate(sentences(count), 1):
        alone.append(await asyncio.to_thread(_by_bare, bare, sentence))
        took_s, samples = await _first(engine, sentence)
        own.append(took_s)
        silent += samples == 0
        if number % _SETTLED == 0:
            program.append(_mb(os.getpid()))
            worker.append(_mb(engine.relay.pids[0]))
    killed = []
    for sentence in sentences(_KILLS):
        while engine.relay.idle < 2:
            await asyncio.sleep(0.01)
        os.kill(engine.relay.pids[0], signal.SIGKILL)
        killed.append((await _first(engine, sentence))[0])
    await engine.aclose()
    assert bare.stdin is not None
    bare.stdin.close()
    bare.wait()
    own.sort()
    ratio = statistics.median(own) / statistics.median(alone)
    return {
        "cold_ms": cold_s * 1e3,
        "bare_ms": statistics.median(alone) * 1e3,
        "first_ms": statistics.median(own) * 1e3,
        "first_p95_ms": own[int(len(own) * 0.95)] * 1e3,
        "first_max_ms": own[-1] * 1e3,
        "ratio": ratio,
        "killed_ms": statistics.median(killed) * 1e3,
        "killed_max_ms": max(killed) * 1e3,
        "program_mb": program[-1] - program[0],
        "worker_mb": worker[-1] - worker[0],
        "silent": silent,
    }


async def _first(engine: SystemVoices, sentence: str) -> tuple[float, int]:
    """Seconds to the first clip, and the bytes of all."""
    began_s, first_s, samples = time.perf_counter(), 0.0, 0
    async for clip in engine.synthesise(sentence, Manner()):
        first_s = first_s or time.perf_counter() - began_s
        samples += len(clip.samples)
    return first_s, samples


def _by_bare(bare: subprocess.Popen[str], sentence: str) -> float:
    assert bare.stdin is not None
    assert bare.stdout is not None
    bare.stdin.write(sentence + "\n")
    bare.stdin.flush()
    return float(bare.stdout.readline())


def speak_bare() -> None:
    """Speak each line of standard input into a file and print the seconds that pyttsx3 took for it."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    import pyttsx3

    engine = pyttsx3.init()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "spoken.wav"
        for line in sys.stdin:
            began_s = time.perf_counter()
            engine.save_to_file(line.strip(), str(path))
            engine.runAndWait()
            print(time.perf_counter() - began_s, file=out, flush=True)


def _mb(pid: int) -> float:
    return float(psutil.Process(pid).memory_info().rss) / 1e6


def _measured(count: int) -> dict[str, float]:
    command = [sys.executable, "-m", __name__, str(count)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise SystemExit(f"the voice could not be measured:\n{done.stderr[-4000:]}")
    result: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return result


def _on_our_loop(count: int) -> dict[str, Any]:
    from PySide6.QtWidgets import QApplication

    from sam_py.ui.loop import Loop

    app = QApplication([])
    loop = Loop(app)
    with loop:
        measured: dict[str, Any] = loop.run_until_complete(measure(count))
    return measured


if __name__ == "__main__":
    if sys.argv[1] == "bare":
        speak_bare()
    else:
        print(json.dumps(_on_our_loop(int(sys.argv[1]))))
