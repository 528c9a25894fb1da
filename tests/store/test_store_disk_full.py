"""A disk that runs full for real (a limit of the system on the size of files), and one device after the other."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from sam_py.store.errors import StorageError
from sam_py.store.journal import Journal
from tests.store.kit import RefusingDisk, said

_FULL = """
import json, random, resource, signal, sys
from sam_py.store.errors import StorageError
from sam_py.store.journal import Journal
from tests.store.kit import said

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, resource.RLIM_INFINITY))
rnd = random.Random(7)
journal = Journal(sys.argv[1], "aa", min_bytes=1 << 30)
acknowledged, refused, kinds = {}, {}, set()
for number in range(120):
    id = f"m{number}"
    text = "x" * rnd.randrange(10, 1500)
    try:
        journal.save([said(id, text)])
        acknowledged[id] = text
        acknowledged.update(refused)
        refused.clear()
    except StorageError as error:
        refused[id] = text
        kinds.add(error.kind)
still = {m.id: m.load().text for m in Journal(sys.argv[1], "aa").load(mend=False).messages}
assert refused and acknowledged, (len(refused), len(acknowledged))
assert kinds == {"full"}, kinds
assert still == acknowledged, "what was acknowledged before is there, and nothing else"
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
journal.save([])
after = {m.id: m.load().text for m in Journal(sys.argv[1], "aa").load().messages}
assert after == {**acknowledged, **refused}, "all of it is there once there is space"
print("ok", len(acknowledged), len(refused))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of files")
def test_a_disk_that_runs_full_for_real_loses_nothing(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-c", _FULL, str(tmp_path / "c")]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.startswith("ok"), done.stderr


def test_a_disk_that_fills_and_empties_at_random_loses_nothing(tmp_path: Path) -> None:
    rnd = random.Random(3)
    disk = RefusingDisk()
    journal = Journal(tmp_path / "c", "aa", disk, min_bytes=3000)
    expected: dict[str, str] = {}
    refusals = 0
    for number in range(300):
        disk.refuse = rnd.choice(["", "", "full", "sync", "read_only"])  # type: ignore[assignment]
        disk.free = rnd.randrange(400)
        id = f"m{rnd.randrange(30)}"
        expected[id] = f"{number} " + "x" * rnd.randrange(300)
        try:
            journal.save([said(id, expected[id])])
        except StorageError:
            refusals += 1
        else:
            assert {m.id: m.load().text for m in Journal(tmp_path / "c", "aa").load(mend=False).messages} == expected
    disk.refuse = ""
    journal.save([])
    assert {m.id: m.load().text for m in Journal(tmp_path / "c", "aa").load().messages} == expected
    assert refusals > 100
    assert journal.compactions > 0
