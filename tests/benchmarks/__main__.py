"""Figures of speed and size, run by hand: ``python -m tests.benchmarks [NAME …] [--json FILE]``.

Every measurement runs in a process of its own (`child.py`), several times; medians are shown. Compare
ratios within one run: absolute figures wander between machines.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks.cards import cards
from tests.benchmarks.context import context
from tests.benchmarks.decoding import decoding
from tests.benchmarks.dimming import dimming
from tests.benchmarks.inspector import inspector
from tests.benchmarks.library import library
from tests.benchmarks.loop import loop
from tests.benchmarks.meaning import meaning
from tests.benchmarks.narrator import narrator
from tests.benchmarks.playback import playback
from tests.benchmarks.recall import recall
from tests.benchmarks.run import Row, child, make_library
from tests.benchmarks.search import search
from tests.benchmarks.sentences import sentences
from tests.benchmarks.speech_engines import speech_engines
from tests.benchmarks.transcript import transcript
from tests.benchmarks.transfer import transfer

Figures = dict[str, dict[str, float]]


def streaming(repeats: int) -> list[Row]:
    """1. CPU per streamed chunk, by messages in the conversation and by length of the message; the whole process."""
    rows: list[Row] = []
    counts = (100, 1_000, 10_000, 100_000)
    rounds = [[child("stream_row", messages=count)["chunk_ms"] for count in counts] for _ in range(repeats)]
    for place, count in enumerate(counts):
        ms, ratio = compared(rounds, place, 0)
        rows.append(Row(f"chunk, {count:,} messages", ms, "ms CPU", ratio, 1.2 if count == counts[-1] else None))
    sizes = (1, 10, 100, 200)
    rounds = [[child("stream_row", messages=100, kilobytes=kb)["chunk_ms"] for kb in sizes] for _ in range(repeats)]
    for place, kb in enumerate(sizes):
        ms, ratio = compared(rounds, place, 0)
        rows.append(Row(f"chunk, message of {kb} kB", ms, "ms CPU", ratio, 1.5 if kb == sizes[-1] else None))
    whole = [child("stream_window", seconds=6.0) for _ in range(repeats)]
    for key, name, unit, limit in (
        ("cpu_percent", "whole program at 100 chunks/s", "% of a core", 10.0),
        ("stall_p95_ms", "event-loop stall, p95", "ms", 16.0),
        ("stall_max_ms", "event-loop stall, longest", "ms", None),
        ("frames_per_s", "frames of the reply", "1/s", None),
    ):
        rows.append(Row(name, statistics.median(each[key] for each in whole), unit, None, limit))
    return rows


def start(repeats: int) -> list[Row]:
    """2. Cold start to a window that takes typing, against a bare Qt window with one text field."""
    with tempfile.TemporaryDirectory() as empty, tempfile.TemporaryDirectory() as full:
        make_library(Path(full), conversations=1_000, messages=100)
        cases: tuple[tuple[str, dict[str, object]], ...] = (
            ("start_bare", {}),
            ("start_program", {"home": empty}),
            ("start_program", {"home": full}),
        )
        for name, arguments in cases:  # once for the byte code and the disk's cache
            child(name, **arguments)
        rounds = [[child(name, **arguments)["ready_ms"] for name, arguments in cases] for _ in range(repeats)]
    bare, _ = compared(rounds, 0, 0)
    alone, to_bare = compared(rounds, 1, 0)
    stored, to_empty = compared(rounds, 2, 1)
    return [
        Row("bare Qt window", bare, "ms wall"),
        Row("SAM, nothing stored", alone, "ms wall", to_bare, 4.0),
        Row("SAM, 1,000 conversations", stored, "ms wall", to_empty, 1.2),
    ]


def open_(repeats: int) -> list[Row]:
    """3. Opening a conversation of 10,000 messages to its first paint, and jumping in it."""
    opened = []
    for _ in range(repeats):  # a home of its own each: a second start would show the conversation at once
        with tempfile.TemporaryDirectory() as home:
            make_library(Path(home), conversations=1, messages=10_000)
            opened.append(child("open_large", home=home))
    return [
        Row("open 10,000 messages, to the first paint", middle(opened, "open_ms"), "ms CPU", None, 150.0),
        Row("of which reading and merging", middle(opened, "read_ms"), "ms CPU"),
        Row("jump anywhere, median", middle(opened, "jump_ms"), "ms CPU"),
        Row("jump anywhere, longest of 100", middle(opened, "jump_max_ms"), "ms CPU", None, 30.0),
    ]


def save(repeats: int) -> list[Row]:
    """4. Writes and bytes per save, and what a save costs the window's thread."""
    rows: list[Row] = []
    base = None
    for messages in (100, 1_000, 10_000):
        saved = [child("save_one", messages=messages) for _ in range(repeats)]
        size = middle(saved, "bytes")
        base = base or size
        rows.append(Row(f"bytes per save, {messages:,} messages", size, "bytes", size / base, 1.05))
        rows.append(
            Row(f"window's thread per save, {messages:,} messages", middle(saved, "thread_ms"), "ms", None, 2.0)
        )
        rows.append(Row(f"until durable, {messages:,} messages", middle(saved, "durable_ms"), "ms wall"))
    rows.append(Row("writes for five rapid updates", child("save_burst")["writes"], "writes", None, 1.0))
    return rows


def memory(repeats: int) -> list[Row]:
    """5. Resident memory of the whole process."""
    with tempfile.TemporaryDirectory() as empty, tempfile.TemporaryDirectory() as home:
        make_library(Path(home), conversations=1, messages=10_000)
        idle = median("memory_idle", repeats, "mb", home=empty)
        full = median("memory_idle", repeats, "mb", home=home)
    return [
        Row("idle", idle, "MB", None, 130.0),
        Row("10,000 messages open", full, "MB", None, 160.0),
    ]


BENCHMARKS: dict[str, Callable[[int], list[Row]]] = {
    "streaming": streaming,
    "start": start,
    "open": open_,
    "save": save,
    "memory": memory,
    "decoding": decoding,
    "transcript": transcript,
    "context": context,
    "loop": loop,
    "inspector": inspector,
    "cards": cards,
    "dimming": dimming,
    "search": search,
    "meaning": meaning,
    "recall": recall,
    "library": library,
    "transfer": transfer,
    "sentences": sentences,
    "speech-engines": speech_engines,
    "narrator": narrator,
    "playback": playback,
}


def median(name: str, repeats: int, key: str, **arguments: object) -> float:
    return statistics.median(child(name, **arguments)[key] for _ in range(repeats))


def compared(rounds: list[list[float]], place: int, base: int) -> tuple[float, float]:
    """Return a case's median, and the median of its ratio to another case of the same round.

    A round measures all cases one after the other, so that a machine that slows down slows them all.
    """
    value = statistics.median(each[place] for each in rounds)
    return value, statistics.median(each[place] / each[base] for each in rounds)


def middle(results: list[dict[str, float]], key: str) -> float:
    return statistics.median(result[key] for result in results)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which ({', '.join(BENCHMARKS)}); all without")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    unknown = set(options.names) - set(BENCHMARKS)
    if unknown:
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}")
    figures: dict[str, list[dict[str, object]]] = {}
    missed = 0
    for name in options.names or BENCHMARKS:
        benchmark = BENCHMARKS[name]
        print(f"\n{(benchmark.__doc__ or name).strip()}", flush=True)
        rows = benchmark(options.repeats)
        for row in rows:
            print(f"  {row}", flush=True)
            missed += row.is_missed
        figures[name] = [row.as_dict() for row in rows]
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")
    print(f"\n{missed} of the figures are over their limit." if missed else "\nAll figures are within their limits.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
