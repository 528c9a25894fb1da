"""Stop conversations at random instants, over recorded streams and slow tools, and judge what is left.

``python -m tests.reliability.random_stops 2000 [SEED]`` stops 2,000 times. Each time the real session, provider code,
runner and store run against a server that plays recordings. Afterwards: what came is there, finished results are
kept, the rest is aborted, nothing is open, the disk says the same, and every wire takes the next request.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sam_py.providers.http import GATHER_S, Http
from tests.reliability.stop_judge import faults_of_trial
from tests.reliability.stop_streams import Played, recorded_answers, written_answers
from tests.reliability.stop_trial import HOWS, Scene, Stop, Trial

_PER_SCENE = 8


@dataclass
class Verdict:
    stops: int = 0
    too_late: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    phases: Counter[str] = field(default_factory=Counter)
    results: Counter[str] = field(default_factory=Counter)
    idle_s: list[float] = field(default_factory=list)
    closed_s: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        idle, closed = max(self.idle_s, default=0.0), sorted(self.closed_s) or [0.0]
        return (
            f"{self.stops} stops ({_listed(self.kinds)}), in the phases {_listed(self.phases)}; "
            f"results kept or aborted: {_listed(self.results)}; idle after at most {idle * 1000:.1f} ms; "
            f"{len(self.closed_s)} open sockets closed, as the server saw it, after "
            f"{closed[len(closed) // 2] * 1000:.1f} ms (median), {closed[-1] * 1000:.1f} ms (longest); "
            f"{self.too_late} more came when all was over; faults: {len(self.faults)}"
        )


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.most_common())


def scenes(answers: Sequence[Played], seed: int, pace: float) -> Iterator[Scene]:
    """For ever: answers of one wire as a conversation might get them (calls, more calls, words), and the answer to
    what is asked after the stop, often of another wire."""
    by_wire: dict[str, list[Played]] = {}
    for answer in answers:
        by_wire.setdefault(answer.wire, []).append(answer)
    number = seed * 1_000_003
    while True:
        for wire in sorted(by_wire):
            number += 1
            chance = random.Random(number)
            calling = [each for each in by_wire[wire] if each.calls]
            talking = [each for each in by_wire[wire] if not each.calls]
            script = [chance.choice(calling) for _ in range(chance.choice((0, 1, 1, 2, 3)))]
            later = [each for each in (talking if chance.random() < 0.6 else answers) if not each.calls]
            yield Scene(number, (*script, chance.choice(talking)), chance.choice(later), pace)


async def stop_often(folder: Path, stops: int, seed: int, answers: Sequence[Played], pace: float = 1.0) -> Verdict:
    """Stop `stops` times, with all delays `pace` times as long.

    Every scene runs once to its end first, to know how long it is and what happens in it.
    """
    verdict = Verdict()
    doors = [Http(gather_s=gather_s, sleep=_soon) for gather_s in (0.0, GATHER_S * pace)]
    try:
        for scene in scenes(answers, seed, pace):
            await _stop_in(scene, folder, doors, stops, verdict)
            if verdict.stops >= stops:
                break
    finally:
        for door in doors:
            await door.aclose()
    return verdict


async def _soon(seconds: float) -> None:
    """The wait before a request is sent again: services ask for seconds, and minutes."""
    await asyncio.sleep(min(seconds, 0.02))


async def _stop_in(scene: Scene, folder: Path, doors: Sequence[Http], stops: int, verdict: Verdict) -> None:
    chance = random.Random(-scene.number)
    http = chance.choice(doors)
    whole = Trial(folder / f"{scene.number}", scene, http, None)
    async with contextlib.aclosing(whole):
        await whole.run()
    verdict.faults += [f"{scene} to its end: {each}" for each in whole.problems]
    for place in range(min(_PER_SCENE, stops - verdict.stops)):
        how = chance.choices(HOWS, (60, 25, 15))[0]
        if place % 2:
            stop = Stop(how, after_s=chance.uniform(0, whole.lasted_s))
        else:
            stop = Stop(how, after_events=chance.randrange(1, max(2, whole.events)))
        trial = Trial(folder / f"{scene.number}-{place}", scene, http, stop)
        async with contextlib.aclosing(trial):
            await trial.run()
            found = await faults_of_trial(trial)
        _count(trial, stop, verdict)
        verdict.faults += [f"{scene} {stop}: {each}" for each in found]


def _count(trial: Trial, stop: Stop, verdict: Verdict) -> None:
    if trial.phase_at_stop == "idle":
        verdict.too_late += 1
        return
    verdict.stops += 1
    verdict.kinds[stop.how] += 1
    verdict.phases[trial.phase_at_stop] += 1
    verdict.idle_s.append(trial.idle_s)
    verdict.closed_s += trial.closed_s
    verdict.results.update(result.status for result in trial.results_left)


def main() -> int:
    stops = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    logging.disable(logging.CRITICAL)  # tools that fail on purpose say so
    recordings = Path(os.environ.get("SAM_RECORDINGS") or Path(__file__).parents[3] / "shared" / "recordings")
    answers = recorded_answers(recordings) if recordings.is_dir() else written_answers()
    began_s = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        verdict = asyncio.run(stop_often(Path(folder), stops, seed, answers))
    print(f"{len(answers)} streams, {time.monotonic() - began_s:.0f} s. {verdict}")
    for each in verdict.faults:
        print("  FAULT", each)
    return 1 if verdict.faults else 0


if __name__ == "__main__":
    sys.exit(main())
