"""Real ``kill -9`` at random moments: nothing acknowledged is lost, everything stays readable.

``python -m tests.store.kill9 1000`` runs a thousand; the suite runs twenty.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from sam_py.store.journal import Journal
from tests.store.kit import said

_ROOT = Path(__file__).resolve().parents[2]


def text_of(id: str, version: int, times: int) -> str:
    return f"{version}:" + hashlib.sha256(f"{id}:{version}".encode()).hexdigest() * times


def journal(folder: Path) -> Journal:
    return Journal(folder / "c", "aa", ratio=2.0, min_bytes=64 * 1024)


def versions(folder: Path) -> dict[str, int]:
    """Message id → its version, checked against the text; damage raises."""
    found = {}
    for message in journal(folder).load().messages:
        version, _, body = message.load().text.partition(":")
        assert body == text_of(message.id, int(version), len(body) // 64).partition(":")[2]
        found[message.id] = int(version)
    return found


def save_for_ever(folder: Path, seed: int) -> None:
    """The child: save without pause, and tell standard output after each save that returned."""
    rnd = random.Random(seed)
    known = versions(folder)
    writer = journal(folder)
    writer.load()
    while True:
        events = []
        told = []
        for _ in range(rnd.choice((1, 1, 1, 2, 3))):
            id = f"m{rnd.randrange(200)}"
            known[id] = known.get(id, 0) + 1
            events.append(said(id, text_of(id, known[id], rnd.randrange(1, 40))))
            told.append(f"{id}:{known[id]}")
        writer.save(events)
        os.write(1, (" ".join(told) + "\n").encode())


def kill(runs: int, *, seed: int = 42) -> Counter[str]:
    """Kill `runs` children, ten in a row on the same data; returns counts of what was seen."""
    rnd = random.Random(seed)
    seen: Counter[str] = Counter()
    folder = Path(tempfile.mkdtemp())
    acknowledged: dict[str, int] = {}
    try:
        for run in range(runs):
            if run % 10 == 0:
                shutil.rmtree(folder)
                folder.mkdir()
                acknowledged = {}
            _kill_one(folder, rnd, acknowledged, seen)
            seen["kills"] += 1
            try:
                found = versions(folder)
            except Exception as error:
                seen["unreadable"] += 1
                print("unreadable", repr(error))
                continue
            seen["lost"] += sum(found.get(id, 0) < version for id, version in acknowledged.items())
    finally:
        shutil.rmtree(folder)
    return seen


def _kill_one(folder: Path, rnd: random.Random, acknowledged: dict[str, int], seen: Counter[str]) -> None:
    command = [sys.executable, "-m", "tests.store.kill9", "child", str(folder), str(rnd.randrange(10**6))]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=_ROOT)
    assert child.stdout is not None
    told = bytearray(child.stdout.readline())
    os.set_blocking(child.stdout.fileno(), False)
    end = time.monotonic() + rnd.uniform(0, 0.15)
    while time.monotonic() < end:
        try:
            told += os.read(child.stdout.fileno(), 65536)
        except BlockingIOError:
            time.sleep(0.002)  # the child works meanwhile; the random moment is what is tested
    child.kill()
    child.wait()
    os.set_blocking(child.stdout.fileno(), True)
    told += child.stdout.read()
    child.stdout.close()
    for line in bytes(told).split(b"\n")[:-1]:
        seen["saves acknowledged"] += 1
        for item in line.decode().split():
            id, version = item.split(":")
            acknowledged[id] = max(acknowledged.get(id, 0), int(version))


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        save_for_ever(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        print(dict(kill(int(sys.argv[1]) if len(sys.argv) > 1 else 100)))
