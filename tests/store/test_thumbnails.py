"""Thumbnails are kept as long as there is room, and nothing depends on them."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from sam_py.store import thumbnails
from sam_py.store.thumbnails import Thumbnails
from sam_py.store.writer import Writer

HASHES = [f"{number:064x}" for number in range(20)]


def test_a_thumbnail_is_found_by_content_and_size(tmp_path: Path) -> None:
    async def told() -> None:
        writer = Writer()
        kept = Thumbnails(tmp_path / "thumbnails", writer)
        assert await kept.find(HASHES[0], 160) is None
        await kept.keep(HASHES[0], 160, b"small")
        await kept.keep(HASHES[0], 320, b"larger")
        await kept.keep("../../evil", 160, b"x")
        assert await kept.find(HASHES[0], 160) == b"small"
        assert await kept.find(HASHES[0], 320) == b"larger"
        assert await kept.find("../../evil", 160) is None
        await writer.aclose()

    asyncio.run(told())
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == [
        f"{HASHES[0]}-160",
        f"{HASHES[0]}-320",
    ]


def test_what_was_not_looked_at_for_longest_goes_when_room_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thumbnails, "_TIDY_AFTER", 8)

    async def told() -> None:
        writer = Writer()
        kept = Thumbnails(tmp_path, writer, most_bytes=1_000)
        for place, hash in enumerate(HASHES[:9]):
            await kept.keep(hash, 160, b"x" * 120)
            os.utime(tmp_path / hash[:2] / f"{hash}-160", (1_000 + place, 1_000 + place))
        assert await kept.find(HASHES[0], 160)
        await kept.keep(HASHES[9], 160, b"x" * 120)
        there = [bool(await kept.find(hash, 160)) for hash in HASHES[:10]]
        assert there == [True, *[False] * 4, *[True] * 5]
        await writer.aclose()

    asyncio.run(told())


def test_a_disk_that_refuses_is_no_error(tmp_path: Path) -> None:
    async def told() -> None:
        writer = Writer()
        (tmp_path / "thumbnails").write_bytes(b"in the way")
        kept = Thumbnails(tmp_path / "thumbnails", writer)
        await kept.keep(HASHES[0], 160, b"small")
        assert await kept.find(HASHES[0], 160) is None
        await writer.aclose()

    asyncio.run(told())
