"""Two devices and a dumb sync program that hands over whole files, sometimes half copied."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from sam_py.store.journal import Journal
from tests.store.kit import said


def sync(one: Path, other: Path, rnd: random.Random, *, torn: bool) -> None:
    """Each device's file goes to the other side; a file in conflict leaves a copy beside it."""
    for source, target, device in ((one, other, "aa"), (other, one, "bb")):
        target.mkdir(exist_ok=True)
        path = source / f"{device}.jsonl"
        if not path.exists():
            continue
        content = path.read_bytes()
        if torn and rnd.random() < 0.3:
            content = content[: rnd.randrange(len(content) + 1)]
        if rnd.random() < 0.1:
            (target / f"{device}.sync-conflict-20260102-030405-XYZ.jsonl").write_bytes(content)
            continue
        temporary = target / ".syncthing.tmp"
        temporary.write_bytes(content)
        os.replace(temporary, target / f"{device}.jsonl")


def texts(folder: Path, device: str) -> dict[str, tuple[str | None, str]]:
    return {m.id: (m.parent_id, m.load().text) for m in Journal(folder, device).load().messages}


@pytest.mark.parametrize("seed", range(12))
def test_two_devices_lose_nothing_and_agree(tmp_path: Path, seed: int) -> None:
    rnd = random.Random(seed)
    folders = {"aa": tmp_path / "A", "bb": tmp_path / "B"}
    written: set[str] = set()
    for step in range(25):
        for device, folder in folders.items():
            if rnd.random() < 0.5:
                continue
            journal = Journal(folder, device, ratio=1.5, min_bytes=1000)
            known = [message.id for message in journal.load().messages]
            id = rnd.choice(known) if known and rnd.random() < 0.3 else f"{device}-{step}"
            journal.save([said(id, f"{device} {step}", rnd.choice([None, *known]) if id not in known else None)])
            written.add(id)
        if rnd.random() < 0.4:
            sync(folders["aa"], folders["bb"], rnd, torn=True)
    for _ in range(2):
        sync(folders["aa"], folders["bb"], random.Random(1), torn=False)
    assert texts(folders["aa"], "aa") == texts(folders["bb"], "bb")
    assert set(texts(folders["aa"], "aa")) == written
