"""The narrator: CPU per streamed chunk, how soon the engine has a sentence, and memory over many sentences.

As a program, ``python -m tests.benchmarks.narrator WHAT [KILOBYTES]``: measure and print a JSON object.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import AsyncIterator, Sequence

from sam_py.bus.message_bus import MessageBus
from sam_py.speech.base import Clip, Manner, Readout, Utterance, Voice
from sam_py.speech.narrator import Narrator
from sam_py.speech.queue import SpeechQueue
from tests.benchmarks.run import ROOT, Row, text_of
from tests.benchmarks.words import words
from tests.fakes.speech import FakePlayer, FakeSpeech, stepped

CHUNK_MS = 0.1
HANDED_OVER_MS = 50.0
_SIZES_KB = (1, 100, 1_000)
_CHUNKS = 3_000


def narrator(repeats: int) -> list[Row]:
    """The voice while a reply streams: the narrator's own work, with the real maker of sentences."""
    rows = []
    first_ms = None
    for size in _SIZES_KB:
        ms = statistics.median(_measured("chunk", size)["ms"] for _ in range(repeats))
        first_ms = first_ms or ms
        rows.append(Row(f"chunk, reply of {size:,} kB", ms, "ms CPU", None, CHUNK_MS))
        rows.append(Row(f"chunk, reply of {size:,} kB, to the shortest", ms, "ms CPU", ms / first_ms, 1.5))
    handed = [_measured("handed") for _ in range(repeats)]
    for key, name in (("median_ms", "median"), ("longest_ms", "longest of 500")):
        value = statistics.median(each[key] for each in handed)
        rows.append(Row(f"end of a sentence to the engine, {name}", value, "ms wall", None, HANDED_OVER_MS))
    memory = _measured("memory")
    rows.append(Row("memory after 1,000 sentences", memory["held_kb"], "kB"))
    rows.append(Row("memory kept of a sentence that was heard", memory["kept_bytes"], "bytes", None, 100.0))
    return rows


def _measured(what: str, kilobytes: int = 0) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.narrator", what, str(kilobytes)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    if done.returncode:
        raise SystemExit(f"the measurement of the narrator failed:\n{done.stderr[-4000:]}")
    result: dict[str, float] = json.loads(done.stdout)
    return result


class _Listening:
    """An engine that notes when it was asked, and has nothing to say."""

    name = "Listening"

    def __init__(self) -> None:
        self.asked_s: list[float] = []

    async def voices(self) -> Sequence[Voice]:
        return []

    async def synthesise(self, _text: str, _manner: Manner) -> AsyncIterator[Clip]:
        self.asked_s.append(time.perf_counter())
        for clip in ():
            yield clip

    def warm_up(self) -> None:
        pass

    async def aclose(self) -> None:
        pass


def _bus_with(queue: SpeechQueue | None) -> tuple[MessageBus, str]:
    bus = MessageBus()
    bus.add_user_message("Tell me.")
    if queue is not None:
        reader = Narrator(queue, Readout)
        reader.follow(bus)
        reader.reads_replies = True
    return bus, bus.begin_assistant()


async def chunk(kilobytes: int) -> dict[str, float]:
    """CPU of a chunk with the narrator less that without it, at the end of a reply of so many kilobytes."""

    async def spent_s(queue: SpeechQueue | None) -> float:
        bus, reply = _bus_with(queue)
        for start in range(0, kilobytes, 1):
            bus.append_delta(reply, text_of(start) + "\n\n")
        if queue is not None:  # what waits is of the queue, whose memory is measured below
            queue._waiting.clear()
        gc.collect()
        began = time.process_time()
        for text in words(_CHUNKS):
            bus.append_delta(reply, text)
        return time.process_time() - began

    alone = statistics.median([await spent_s(None) for _ in range(3)])
    queue = SpeechQueue(_Listening, Manner, FakePlayer())
    read = await spent_s(queue)
    await queue.aclose()
    return {"ms": (read - alone) / _CHUNKS * 1000}


async def handed() -> dict[str, float]:
    """From the chunk that decides the end of a sentence to the engine, on a loop with nothing else to do."""
    engine = _Listening()
    queue = SpeechQueue(lambda: engine, Manner, FakePlayer())
    bus, reply = _bus_with(queue)
    delays = []
    for number in range(500):
        bus.append_delta(reply, f"This is sentence {number} of many")
        await asyncio.sleep(0)
        count = len(engine.asked_s)
        began = time.perf_counter()
        bus.append_delta(reply, ". And")  # the next word decides
        bus.append_delta(reply, " on")
        while len(engine.asked_s) == count:
            await asyncio.sleep(0)
        delays.append((engine.asked_s[-1] - began) * 1000)
    bus.complete(reply)
    await queue.aclose()
    return {"median_ms": statistics.median(delays), "longest_ms": max(delays)}


def memory() -> dict[str, float]:
    """What Python holds while sentences are spoken one after another, on a clock without waiting."""

    async def run() -> dict[str, float]:
        engine, player = FakeSpeech(), FakePlayer()
        queue = SpeechQueue(lambda: engine, Manner, player)
        held = {}
        tracemalloc.start()
        for number in range(1_001):
            queue.say([Utterance(f"This is sentence number {number:,} of many.", 0, 1)])
            while len(queue._waiting) > 1:
                await asyncio.sleep(0.5)
            engine.asked.clear()
            del player.heard[:-1]
            if number in (100, 1_000):
                gc.collect()
                held[number] = tracemalloc.get_traced_memory()[0] / 1024
        await queue.aclose()
        return {"held_kb": held[1_000], "kept_bytes": (held[1_000] - held[100]) * 1024 / 900}

    return stepped(run)


def main() -> None:
    what, kilobytes = sys.argv[1], int(sys.argv[2])
    match what:
        case "chunk":
            figures = asyncio.run(chunk(kilobytes))
        case "handed":
            figures = asyncio.run(handed())
        case _:
            figures = memory()
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
