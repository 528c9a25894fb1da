"""The search by meaning over 100,000 passages: how soon it answers, what it holds in memory, and whether it is exact.

As a program, ``python -m tests.benchmarks.meaning FOLDER``: measure in that folder and print a JSON object.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from sam_py.store.semantic.vectors import NAME, Cut, Vectors, digest_of
from tests.benchmarks.run import Row, apart

PASSAGES, LENGTH, QUESTIONS, FIRST = 100_000, 384, 60, 30
QUESTION_CPU_MS, MEMORY_MB = 200.0, 30.0


def meaning(repeats: int) -> list[Row]:
    """19. Search by meaning, 100,000 passages of 384 numbers, all of them compared: time, memory, size, exactness."""
    rounds = [_measured() for _ in range(min(repeats, 2))]

    def middle(key: str) -> float:
        return statistics.median(each[key] for each in rounds)

    return [
        Row("the nearest 30, p95", middle("p95_ms"), "ms wall"),
        Row("the nearest 30, median", middle("median_ms"), "ms wall"),
        Row("of which CPU", middle("cpu_ms"), "ms CPU", None, QUESTION_CPU_MS),
        Row("within one conversation of 500, p95", middle("narrow_p95_ms"), "ms wall"),
        Row("memory of our own for it", middle("memory_mb"), "MB", None, MEMORY_MB),
        Row("size of the database", middle("size_mb"), "MB"),
        Row("writing a passage", middle("write_ms"), "ms wall"),
        Row("wrong among the first 30 (recall 1 − this)", middle("wrong"), "share", None, 0.0),
    ]


def _measured() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        return apart("meaning", folder, timeout_s=550)


def measure(folder: Path) -> dict[str, float]:
    import numpy
    import psutil

    random = numpy.random.default_rng(7)
    known = random.standard_normal((PASSAGES, LENGTH), dtype=numpy.float32)
    known /= numpy.linalg.norm(known, axis=1, keepdims=True)
    vectors = Vectors(folder / NAME, "random")
    started = time.perf_counter()
    for start in range(0, PASSAGES, 500):
        names = [str(number) for number in range(start, start + 500)]
        cuts = [Cut(name, 1, ((0, 9),), (digest_of(name),)) for name in names]
        rows = {digest_of(name): known[int(name)].tolist() for name in names}
        vectors.put(f"c{start}", cuts, rows)
    found = {"write_ms": (time.perf_counter() - started) * 1000 / PASSAGES}
    vectors.close()
    found["size_mb"] = (folder / NAME).stat().st_size / 1e6
    questions = random.standard_normal((QUESTIONS, LENGTH), dtype=numpy.float32)
    questions /= numpy.linalg.norm(questions, axis=1, keepdims=True)
    process = psutil.Process()
    before = process.memory_full_info().uss
    vectors = Vectors(folder / NAME, "random")
    times, cpu, narrow, wrong, most = [], [], [], 0, 0
    for question in questions:
        asked = question.tolist()
        started, worked = time.perf_counter(), time.process_time()
        near = vectors.nearest(asked, FIRST)
        times.append((time.perf_counter() - started) * 1000)
        cpu.append((time.process_time() - worked) * 1000)
        most = max(most, process.memory_full_info().uss - before)
        exact = {str(number) for number in numpy.argsort(-(known @ question))[:FIRST]}
        wrong += len(exact - {each.message for each in near})
    found["cpu_ms"] = statistics.median(cpu)
    for question in questions[:20]:
        started = time.perf_counter()
        vectors.nearest(question.tolist(), FIRST, "c500")
        narrow.append((time.perf_counter() - started) * 1000)
    vectors.close()
    found["p95_ms"], found["median_ms"] = sorted(times)[int(QUESTIONS * 0.95)], statistics.median(times)
    found["narrow_p95_ms"] = sorted(narrow)[-2]
    found["memory_mb"], found["wrong"] = most / 1e6, wrong / (QUESTIONS * FIRST)
    return found


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]))))
