"""Backups of a real library in a real folder: made, checked, thinned out, brought back."""

from __future__ import annotations

import asyncio
import os
import shutil
import zipfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sam_py.messages.parts import ImagePart
from sam_py.paths import Paths
from sam_py.store.backups.making import Cancelled, backups_in, make_backup
from sam_py.store.backups.restoring import Brought
from sam_py.store.backups.shelf import EVERY
from sam_py.store.backups.thinning import ALL_FOR, superfluous
from sam_py.store.disk import Disk
from sam_py.store.errors import StorageError
from tests.store.backups.kept import Kept, texts, with_backups
from tests.store.kit import START


def test_a_conversation_that_was_lost_comes_back_with_its_picture(tmp_path: Path) -> None:
    async def story(kept: Kept) -> None:
        house = kept.house
        bus = await house.talk("question", "answer", title="Lost")
        picture = await house.library.attachments.put(b"a picture")
        bus.add_user_message("look", (ImagePart(attachment=picture, mime_type="image/png"),))
        made = await kept.backups.make()
        await kept.backups.check(made)
        id = bus.conversation_id
        await kept.close(id)
        shutil.rmtree(house.paths.conversations / id)
        shutil.rmtree(house.paths.attachments)
        await house.library.refresh()
        [found] = await kept.backups.contents(made)
        assert (found.state, found.summary.title, found.summary.message_count) == ("missing", "Lost", 3)
        assert await kept.backups.bring_back(made, id) == Brought(id, "back")
        await house.library.refresh()
        assert await texts(house, id) == ["question", "answer", "look"]
        assert await house.library.attachments.read(picture) == b"a picture"
        assert not list(house.paths.data.glob(".restore*"))

    with_backups(tmp_path, story)


def test_what_was_changed_since_comes_back_beside_what_is_here(tmp_path: Path) -> None:
    async def story(kept: Kept) -> None:
        house = kept.house
        bus = await house.talk("question", "answer", title="Soup")
        made = await kept.backups.make()
        bus.add_user_message("more")
        await house.library.flush()
        [found] = await kept.backups.contents(made)
        assert found.state == "same"
        bus.remove(bus.id_at(1))
        [found] = await kept.backups.contents(made)
        assert found.state == "different"
        brought = await kept.backups.bring_back(made, bus.conversation_id)
        copy = brought.id
        assert brought.outcome == "copy"
        assert await kept.backups.bring_back(made, bus.conversation_id) == Brought(copy, "same")
        assert await texts(house, copy) == ["question", "answer"]
        assert [message.text for message in bus.messages()] == ["question", "more"]
        await house.library.refresh()
        summary = house.library.summary(copy)
        assert summary is not None
        assert summary.title.startswith("Soup (2026-01-02")
        assert len(house.library.summaries()) == 2

    with_backups(tmp_path, story)


def test_a_deletion_can_be_undone_after_the_conversation_came_back_from_a_backup(tmp_path: Path) -> None:
    async def story(kept: Kept) -> None:
        house = kept.house
        bus = await house.talk("question", "answer")
        id = bus.conversation_id
        made = await kept.backups.make()
        bus.add_user_message("said since")
        await kept.close(id)
        await house.library.delete(id)
        assert (await kept.backups.bring_back(made, id)).outcome == "back"
        await house.library.refresh()
        await house.library.restore(id)
        assert await texts(house, id) == ["question", "answer", "said since"]
        assert not list((house.paths.data / "trash").iterdir())

    with_backups(tmp_path, story)


def test_one_is_made_when_it_is_due_and_something_changed(tmp_path: Path) -> None:
    async def story(kept: Kept) -> None:
        assert await kept.backups.make_if_due() is None
        bus = await kept.house.talk("question")
        kept.now = datetime.now(UTC) + timedelta(seconds=5)
        assert await kept.backups.make_if_due() is not None
        kept.now += EVERY
        assert await kept.backups.make_if_due() is None
        kept.now += timedelta(seconds=1)
        kept.house.now = kept.now
        bus.add_user_message("more")
        row = kept.house.library.summaries()[0]
        kept.house.library._list.put(replace(row, updated_at=kept.now))
        assert await kept.backups.make_if_due() is not None
        assert len(await kept.backups.made()) == 2

    with_backups(tmp_path, story)


def test_a_damaged_backup_is_found_out_and_brings_nothing(tmp_path: Path) -> None:
    async def story(kept: Kept) -> None:
        bus = await kept.house.talk("question", "answer " * 500)
        made = await kept.backups.make()
        whole = made.path.read_bytes()
        for damage in (whole[: len(whole) // 2], whole[:200] + b"\0" * 60 + whole[260:], b"", b"PK\3\4 nothing"):
            made.path.write_bytes(damage)
            with pytest.raises(StorageError, match="damaged: use another"):
                await kept.backups.check(made)
            with pytest.raises(StorageError, match="damaged: use another"):
                await kept.backups.bring_back(made, bus.conversation_id)
        assert len(list(kept.house.paths.conversations.iterdir())) == 1

    with_backups(tmp_path, story)


def test_names_in_a_backup_that_lead_elsewhere_are_not_unpacked(tmp_path: Path) -> None:
    async def story(kept: Kept) -> None:
        await kept.house.talk("question")
        made = await kept.backups.make()
        with zipfile.ZipFile(made.path, "a") as backup:
            for name in ("../../evil.jsonl", "a/../../evil.jsonl", "a/.hidden"):
                backup.writestr(f"conversations/{name}", "{}")
        assert len(await kept.backups.contents(made)) == 1
        assert not list(tmp_path.rglob("*evil*"))

    with_backups(tmp_path, story)


@pytest.mark.parametrize("refuse", ["full", "read_only", "sync"])
def test_a_backup_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path, refuse: Any) -> None:
    async def story(kept: Kept) -> None:
        await kept.house.talk("question")
        digest = await kept.house.library.attachments.put(b"x" * 5000)
        bus = await kept.house.talk("with a file")
        bus.add_user_message("see", (ImagePart(attachment=digest, mime_type="image/png"),))
        await kept.house.library.flush()
        kept.disk.refuse = refuse
        with pytest.raises(StorageError, match="No backup was made"):
            await kept.backups.make()
        assert [path.name for path in kept.folder.iterdir() if path.is_file()] == []
        kept.disk.refuse = ""
        await kept.backups.check(await kept.backups.make())

    with_backups(tmp_path, story)


def test_a_backup_that_is_given_up_leaves_nothing_behind(paths: Paths, tmp_path: Path) -> None:
    (paths.data / "notes").mkdir()
    (paths.data / "notes" / "one.md").write_text("a note")
    with pytest.raises(Cancelled):
        make_backup(paths, tmp_path / "backups", START, Disk(), lambda _done, _of: False)
    assert backups_in(tmp_path / "backups") == []
    assert list((tmp_path / "backups").iterdir()) == []


def test_attached_files_that_no_backup_names_any_more_go(tmp_path: Path) -> None:
    async def story(kept: Kept) -> None:
        house = kept.house
        bus = await house.talk("question")
        old = await house.library.attachments.put(b"old")
        shown = bus.add_user_message("see", (ImagePart(attachment=old, mime_type="image/png"),))
        first = await kept.backups.make()
        again = await kept.backups.make()  # within the same second: the same name, written anew
        assert first.path == again.path
        bus.remove(shown.id)
        await house.library.flush()
        file = house.paths.conversations / bus.conversation_id
        for path in file.glob("*.jsonl"):  # as compaction leaves it
            path.write_bytes(b"".join(line for line in path.read_bytes().splitlines(True) if old.encode() not in line))
        kept.now += timedelta(hours=1)
        await kept.backups.make()
        assert (kept.folder / "attachments" / old[:2] / old).is_file()
        for _step in range(10):
            kept.now += timedelta(days=50)
            await kept.backups.make()
        assert not (kept.folder / "attachments" / old[:2] / old).exists()

    with_backups(tmp_path, story)


@given(st.lists(st.integers(0, 600 * 24 * 60), max_size=60), st.sampled_from([0, 1, -1]))
def test_thinning_keeps_the_newest_all_of_a_day_and_spreads_the_rest(minutes: list[int], jump: int) -> None:
    made = {START - timedelta(minutes=each) for each in minutes}
    if made and jump:  # nine hours with a clock that is ten years off make the others nine hours older
        off = {START + jump * timedelta(days=3650) + timedelta(hours=each) for each in range(-9, 1)}
        assert superfluous(made | off, max(off)) == superfluous(made, max(made) + timedelta(hours=9))
    gone = superfluous(made, START)
    left = made - gone
    assert gone <= made
    assert not made or max(made) in left
    assert all(START - each > ALL_FOR for each in gone)
    days = [each.date() for each in left if ALL_FOR < START - each <= timedelta(days=14) and each != max(made)]
    assert len(days) == len(set(days))
    assert superfluous(left, START) == set()


def test_thinning_over_two_years_of_use_leaves_a_few_dozen() -> None:
    left: set[datetime] = set()
    now = START
    for _step in range(2 * 365 * 4):
        now += timedelta(hours=6)
        left.add(now)
        left -= superfluous(left, now)
    assert 25 <= len(left) <= 45
    ages = sorted((now - each).days for each in left)
    assert ages[0] == 0
    assert ages[-1] > 330
    assert all(later - earlier <= 40 for earlier, later in pairwise(ages))


def test_two_at_once_are_made_one_after_the_other(tmp_path: Path) -> None:
    async def story(kept: Kept) -> None:
        await kept.house.talk("question")
        one = asyncio.ensure_future(kept.backups.make())
        kept.now += timedelta(seconds=1)
        other = asyncio.ensure_future(kept.backups.make())
        made = await asyncio.gather(one, other)
        for each in made:
            await kept.backups.check(each)

    with_backups(tmp_path, story)


def test_what_a_killed_backup_left_behind_goes_after_some_days(tmp_path: Path) -> None:
    async def story(kept: Kept) -> None:
        await kept.house.talk("Hello")
        kept.folder.mkdir()
        old, new = kept.folder / "sam-20250101T000000Z.tmp1", kept.folder / "sam-20250101T000000Z.tmp2"
        for path, age in ((old, timedelta(days=3)), (new, timedelta(minutes=3))):
            path.write_bytes(b"PK")
            os.utime(path, (0, (kept.now - age).timestamp()))
        await kept.backups.make()
        assert not old.exists()
        assert new.exists()

    with_backups(tmp_path, story)
