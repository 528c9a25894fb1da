"""Power loss before every primitive of a run of saves, recovery (itself cut short) and check of the promises.

``python -m tests.store.crash 40`` sweeps 40 seeds; the suite runs a few.
"""

from __future__ import annotations

import copy
import random
import sys
from collections import Counter
from collections.abc import Callable

from sam_py.bus.loaded import LoadedHistory
from sam_py.store.journal import Journal
from tests.store.kit import said
from tests.store.simdisk import PowerLoss, SimDisk

FOLDER = "/c/conversation"


def journal(disk: SimDisk) -> Journal:
    return Journal(FOLDER, "aa", disk, ratio=1.5, min_bytes=1500)


def versions(history: LoadedHistory) -> dict[str, int]:
    """Message id → the version that its text names; a text that is not whole raises."""
    found = {}
    for message in history.messages:
        text = message.load().text
        id, version, rest = text.split(":", 2)
        assert id == message.id
        assert rest.endswith("end"), text
        found[id] = int(version)
    return found


def crash(
    make: Callable[[], SimDisk], seed: int, crash_at: int, *, saves: int = 12, states: int = 2
) -> tuple[bool, list[str]]:
    """Save, lose power at primitive `crash_at`, recover. True where the run ended before; then what was broken."""
    rnd = random.Random(seed)
    disk = make()
    disk.crash_at = crash_at
    tried: dict[str, int] = {}
    acknowledged: dict[str, int] = {}
    finished = False
    try:
        writer = journal(disk)
        writer.load()
        for _ in range(saves):
            ids = [f"m{rnd.randrange(5)}" for _ in range(rnd.choice((1, 1, 2)))]
            events = []
            for id in ids:
                tried[id] = tried.get(id, 0) + 1
                events.append(said(id, f"{id}:{tried[id]}:{'é' * rnd.randrange(1, 60)}end"))
            writer.save(events)
            acknowledged.update({id: tried[id] for id in ids})
        finished = True
    except PowerLoss:
        pass
    problems: list[str] = []
    chance = random.Random(seed * 1_000_003 + crash_at)
    for _ in range(states):
        state = copy.deepcopy(disk)
        state.power_loss(chance)
        problems += _recover(state, chance, tried, acknowledged)
    return finished, problems


def _recover(disk: SimDisk, chance: random.Random, tried: dict[str, int], acknowledged: dict[str, int]) -> list[str]:
    disk.crash_at = chance.randint(1, 5)
    try:
        journal(disk).load()
    except PowerLoss:
        disk.power_loss(chance)
    disk.crash_at = None
    try:
        reader = journal(disk)
        found = versions(reader.load())
        reader.save([said("after", "after:1:end")])
        again = versions(journal(disk).load())
    except Exception as error:
        return [f"unreadable: {error!r}"]
    problems = []
    for id, version in acknowledged.items():
        if found.get(id, 0) < version:
            problems.append("lost")
        elif again.get(id, 0) < version:
            problems.append("lost by the next save")
    if any(version > tried.get(id, 0) for id, version in found.items()):
        problems.append("invented")
    if again.get("after") != 1:
        problems.append("the next save was lost")
    return problems


def sweep(make: Callable[[], SimDisk], seeds: range) -> tuple[int, Counter[str]]:
    """Every crash point of every seed; returns how many there were and the problems by kind."""
    points = 0
    problems: Counter[str] = Counter()
    for seed in seeds:
        at = 1
        while True:
            finished, found = crash(make, seed, at)
            points += 1
            problems.update(found)
            if finished:
                break
            at += 1
    return points, problems


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    print("the journal", *sweep(SimDisk, range(count)))
    print("negative controls: each must find losses")
    print("folders never synced", *sweep(lambda: SimDisk(folder_sync_lies=True), range(count)))
    print("files never synced", *sweep(lambda: SimDisk(sync_lies=True), range(count)))
    print("compacted files never synced", *sweep(lambda: SimDisk(new_file_sync_lies=True), range(count)))
