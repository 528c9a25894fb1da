"""Kill and hang the voice's processes again and again while they speak, and count what goes wrong.

``python -m tests.reliability.voice_kills 200`` strikes 200 times, at any moment: in a sentence, between two, while a
process starts; the one that works or the spare. A sentence must come once, as long as it is; nothing may be left.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from sam_py.speech.base import Clip, Manner, SpeechError
from sam_py.speech.engines.relay import Patience
from sam_py.speech.engines.system import SystemVoices

SENTENCES = tuple(f"Number {count}: {'and once more ' * count}done." for count in range(6))
RESTART_S = 2.0
_NEAR_S = 0.15
"""espeak's own sentences differ by a few milliseconds; ours by half a second."""


@dataclass
class Outcome:
    strikes: int = 0
    hangs: int = 0
    wrong: list[str] = field(default_factory=list)
    """Sentences that were lost, doubled, cut or another one's, and errors."""
    waited_s: list[float] = field(default_factory=list)
    """From a kill to the sound of the sentence that was being made."""
    hung_s: list[float] = field(default_factory=list)
    """The same where one of the processes hangs: with the time until that is seen."""
    left: int = 0
    """Processes that still live, and folders that still lie there, after the engine was closed."""


async def strike_voices(times: int, *, hangs: float, seed: int, patience: Patience | None = None) -> Outcome:
    """Speak sentence after sentence and strike in each; `hangs` is the share of strikes that stop a process."""
    chance = random.Random(seed)
    before = {each.pid for each in psutil.Process().children(recursive=True)}
    engine = SystemVoices(patience=patience)
    outcome = Outcome()
    hanging = set(chance.sample(range(times), round(times * hangs)))
    hung: set[int] = set()
    usual = [(await _spoken(engine, sentence))[0].duration_s for sentence in SENTENCES]
    for number in range(times):
        place = number % len(SENTENCES)
        speaking = asyncio.ensure_future(_spoken(engine, SENTENCES[place]))
        await asyncio.sleep(chance.choice((0, chance.uniform(0, 0.02), chance.uniform(0, 0.2))))
        is_hang = number in hanging
        if pids := engine.relay.pids:
            outcome.strikes += 1
            outcome.hangs += is_hang
            pid = chance.choice(pids)
            with contextlib.suppress(ProcessLookupError):  # it just ended by itself
                os.kill(pid, signal.SIGSTOP if is_hang else signal.SIGKILL)
            hung |= {pid} if is_hang else set()
        may_hang = not hung.isdisjoint(engine.relay.pids)
        began_s = time.monotonic()
        try:
            clips = await speaking
        except SpeechError as error:
            outcome.wrong.append(f"{number}: {error} ({error.detail})")
            continue
        (outcome.hung_s if may_hang else outcome.waited_s).append(time.monotonic() - began_s)
        if len(clips) != 1 or abs(clips[0].duration_s - usual[place]) > _NEAR_S:
            outcome.wrong.append(f"{number}: {[clip.duration_s for clip in clips]} instead of {usual[place]}")
    await engine.aclose()
    outcome.left = sum(each.pid not in before for each in psutil.Process().children(recursive=True))
    outcome.left += len(list(Path(tempfile.gettempdir()).glob("sam-py-voice-*")))
    return outcome


async def _spoken(engine: SystemVoices, sentence: str) -> list[Clip]:
    return [clip async for clip in engine.synthesise(sentence, Manner())]


def main() -> int:
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as folder:
        tempfile.tempdir = folder
        outcome = asyncio.run(strike_voices(times, hangs=0.2, seed=time.time_ns()))
    waited, hung = sorted(outcome.waited_s), sorted(outcome.hung_s) or [0.0]
    print(f"{outcome.strikes} strikes, {outcome.hangs} of them hangs; left behind: {outcome.left}")
    print(f"to the sound after a kill: median {waited[len(waited) // 2]:.3f} s, longest {waited[-1]:.3f} s")
    print(f"with one that hangs, seen by its time limit: median {hung[len(hung) // 2]:.3f} s, longest {hung[-1]:.3f} s")
    for each in outcome.wrong:
        print(f"WRONG {each}")
    return 1 if outcome.wrong or outcome.left or waited[-1] > RESTART_S else 0


if __name__ == "__main__":
    sys.exit(main())
