"""Kill the program again and again while it is used, and count what is missing.

``python -m tests.reliability.kill_program 200 [SEED [KIND …]]`` kills it 200 times. Lost would be: a message whose
request the server got; words of a reply that came more than a second before the end; a draft or a queued message that
had stood for a second and a half; the result of a tool that ended a moment before; anything of an import or a backup
that was acknowledged, or half a conversation of one that was not. Of what is left, every wire must take the next
request.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.reliability.kill_judge import Verdict, judge
from tests.reliability.telling_server import TellingServer

ROOT = Path(__file__).resolve().parent.parent.parent
STREAM_S = 1.0
PATIENCE_S = 30.0
KINDS = ("typing", "streaming", "tools", "saving", "compaction", "import", "search", "backup")
_PER_HOME = 24
"""Kills on one folder: what a judge reads grows with them."""


class Killed:
    """Programs on one folder, one after the other, each killed."""

    def __init__(self, server: TellingServer, home: Path) -> None:
        self.home = home
        self._server = server
        provider = {"id": "p", "label": "P", "base_url": f"http://127.0.0.1:{server.port}/v1", "models": ["m"]}
        chat = {"default": {"provider": "p", "model": "m"}, "model_titles": False}
        (home / "config").mkdir(parents=True)
        settings = {"schema_version": 1, "providers": [provider], "chat": chat, "detect_local_servers": False}
        (home / "config/settings.json").write_text(json.dumps(settings))
        self._starter = subprocess.Popen(
            [sys.executable, "-m", "tests.reliability.driven"],
            cwd=ROOT,
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def close(self) -> None:
        self._starter.communicate()

    def kill_one(
        self, seed: int, kind: str, chance: random.Random, longest_s: float, verdict: Verdict
    ) -> tuple[Path, int, float]:
        """Start a program, let it work, kill it; returns its diary, where the server's began, and when it died."""
        assert self._starter.stdin is not None
        assert self._starter.stdout is not None
        diary, output = self.home / f"diary{seed}", self.home / f"output{seed}"
        since = len(self._server.told)
        order = {"seed": seed, "diary": str(diary), "focus": kind, "home": str(self.home), "output": str(output)}
        print(json.dumps(order), file=self._starter.stdin, flush=True)
        pid = int(self._starter.stdout.readline())
        try:
            if not _until(lambda: _noted(diary, "ready")):
                raise AssertionError(f"run {seed} did not start: {output.read_text()}")
            self._wait(diary, kind, since, chance, longest_s)
        finally:
            killed_s = time.monotonic()
            os.kill(pid, signal.SIGKILL)
            assert self._starter.stdout.readline() == "ended\n"
        if said := output.read_text():
            verdict.lost.append(f"run {seed} said {said[-2000:]}")
        return diary, since, killed_s

    def _wait(self, diary: Path, kind: str, since: int, chance: random.Random, longest_s: float) -> None:
        if kind in ("streaming", "tools"):
            _until(lambda: len(self._server.told) > since)
        if kind in ("tools", "saving", "compaction", "import", "search", "backup"):
            wanted = chance.randrange(1, 6)
            _until(lambda: _noted(diary, "begins", kind) >= wanted, longest_s + 2)
            time.sleep(chance.choice((0.0, chance.uniform(0, 0.02), chance.uniform(0, 0.3))))
        else:
            time.sleep(chance.uniform(0.05, longest_s))


def kill_often(
    folder: Path, kills: int, seed: int, longest_s: float, *, kinds: Sequence[str] = KINDS, stream_s: float = STREAM_S
) -> dict[str, Verdict]:
    """Start and kill the program `kills` times, the `kinds` in turn; the verdict of each kind."""
    server, chance = TellingServer(), random.Random(seed)
    verdicts = {kind: Verdict() for kind in kinds}
    for first in range(0, kills, _PER_HOME):
        killed = Killed(server, folder / f"home{first}")
        try:
            for number in range(first, min(first + _PER_HOME, kills)):
                kind = kinds[number % len(kinds)]
                verdict = verdicts[kind]
                diary, since, killed_s = killed.kill_one(seed * 10_000 + number, kind, chance, longest_s, verdict)
                verdict.kills += 1
                judge(killed.home, diary, server.told[since:], killed_s, verdict, stream_s=stream_s)
        finally:
            killed.close()
    return verdicts


def _until(what: Callable[[], Any], patience_s: float = PATIENCE_S) -> bool:
    end_s = time.monotonic() + patience_s
    while not what():
        if time.monotonic() > end_s:
            return False
        time.sleep(0.01)
    return True


def _noted(diary: Path, what: str, of: str = "") -> int:
    """How often a diary says so."""
    mark = f'{{"what": "{what}"'.encode()
    about = f'"of": "{of}"'.encode() if of else b""
    lines = diary.read_bytes().splitlines() if diary.exists() else []
    return sum(line.startswith(mark) and about in line for line in lines)


def main() -> int:
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with tempfile.TemporaryDirectory() as folder:
        verdicts = kill_often(Path(folder), kills, seed, longest_s=2.0, kinds=sys.argv[3:] or KINDS)
    for kind, verdict in verdicts.items():
        print(f"{kind}: {verdict}")
        for each in verdict.lost:
            print("  LOST", each)
    return 1 if any(verdict.lost for verdict in verdicts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
