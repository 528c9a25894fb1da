"""Backups where something is damaged or cannot be read: in the library, in the backup folder, among old backups."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sam_py.bus.message_bus import MessageBus
from sam_py.messages.parts import ImagePart
from sam_py.store.backups import attached
from sam_py.store.backups.making import backups_in, name_of, sweep_attachments
from sam_py.store.backups.restoring import Brought
from sam_py.store.backups.shelf import EVERY
from sam_py.store.backups.thinning import superfluous
from sam_py.store.errors import StorageError
from tests.store.backups.kept import Kept, with_backups
from tests.store.kit import START


async def with_a_picture(kept: Kept) -> tuple[MessageBus, str]:
    bus = await kept.house.talk("question", title="Pictures")
    digest = await kept.house.library.attachments.put(b"a picture")
    bus.add_user_message("look", (ImagePart(attachment=digest, mime_type="image/png"),))
    await kept.house.library.flush()
    return bus, digest


def test_a_backup_holds_all_that_can_be_read_and_says_what_it_lacks(tmp_path: Path) -> None:
    async def story(kept: Kept) -> None:
        house, kept.now = kept.house, datetime.now(UTC) + timedelta(seconds=5)
        first, second = [(await house.talk(text)).conversation_id for text in ("one", "two")]
        journal = next((house.paths.conversations / first).glob("*.jsonl"))
        house.disk.refuse = "full"
        house.library._autosaves[first][0].bus.add_user_message("said while the disk is full")
        made = await kept.backups.make()
        assert ["disk is full" in said for said in made.unread] == [True]
        house.disk.refuse = ""
        await kept.close(first)
        whole = journal.read_bytes()
        journal.unlink()
        journal.symlink_to(journal.name)
        made = await kept.backups.make()
        assert made.path.name == name_of(kept.now, is_incomplete=True)
        assert [said.startswith(f"{journal} (") for said in made.unread] == [True]
        assert [each.is_incomplete for each in await kept.backups.made()] == [True]
        assert (await kept.backups.check(made)).unread == made.unread
        assert [each.summary.id for each in await kept.backups.contents(made)] == [second]
        journal.unlink()
        journal.write_bytes(whole)
        kept.now += EVERY
        assert await kept.backups.is_due(), "what it lacks may be there now"
        made = await kept.backups.make()
        kept.now += EVERY
        assert not await kept.backups.is_due()
        assert (made.unread, made.is_incomplete) == ((), False)
        await kept.close(second)
        shutil.move(house.paths.conversations, tmp_path / "drive")
        with pytest.raises(StorageError, match=r"No backup was made.*conversations could not be read"):
            await kept.backups.make()
        house.paths.conversations.symlink_to(tmp_path / "drive")
        kept.now += timedelta(hours=1)
        assert len(await kept.backups.contents(await kept.backups.make())) == 2, "a link is followed"

    with_backups(tmp_path, story)


def test_an_attached_file_that_has_rotten_in_the_backups_is_renewed_from_the_good_one(tmp_path: Path) -> None:
    async def story(kept: Kept) -> None:
        _bus, digest = await with_a_picture(kept)
        await kept.backups.make()
        beside = attached.kept_at(kept.folder / "attachments", digest)
        beside.write_bytes(b"a pixture")
        kept.now += timedelta(hours=1)
        made = await kept.backups.make()
        assert beside.read_bytes() == b"a picture"
        await kept.backups.check(made)
        here = attached.kept_at(kept.house.paths.attachments, digest)
        here.write_bytes(b"a pixture")
        kept.now += timedelta(hours=1)
        made = await kept.backups.make()
        assert beside.read_bytes() == b"a picture", "what has rotten here takes no good one's place"
        await kept.backups.bring_back(made, _bus.conversation_id)
        assert here.read_bytes() == b"a picture", "and is mended from there"
        beside.write_bytes(b"a pixture")
        here.write_bytes(b"a pixture")
        with pytest.raises(StorageError, match="missing or damaged"):
            await kept.backups.check(made)
        kept.now += timedelta(hours=1)
        assert (await kept.backups.check(await kept.backups.make())).lacking == 1, "nobody has it any more"

    with_backups(tmp_path, story)


def test_a_damaged_old_backup_stops_neither_a_new_one_nor_thinning(tmp_path: Path) -> None:
    async def story(kept: Kept) -> None:
        bus, digest = await with_a_picture(kept)
        (kept.folder / "attachments" / "00").mkdir(parents=True)
        unnamed = kept.folder / "attachments" / "00" / ("00" * 32)
        unnamed.write_bytes(b"of a backup that went")
        (kept.folder / "sam-20269999T000000Z.zip").write_bytes(b"an odd name")
        old = [await kept.backups.make()]
        for _hours in range(3):
            kept.now += timedelta(hours=2)
            old.append(await kept.backups.make())
        old[3].path.write_bytes(b"PK damaged")
        kept.now += timedelta(days=4)
        made = await kept.backups.make()
        assert [each.path for each in backups_in(kept.folder)] == [made.path, old[3].path], "one of that day stays"
        assert unnamed.exists(), "the damaged one may come whole yet"
        for path, weeks in ((made.path, 5), (old[3].path, 3)):
            os.utime(path, (0, (kept.now - timedelta(weeks=weeks)).timestamp()))
        assert sweep_attachments(kept.folder, kept.now) == 1
        assert not unnamed.exists()
        assert attached.kept_at(kept.folder / "attachments", digest).exists()
        await kept.backups.bring_back(made, bus.conversation_id)

    with_backups(tmp_path, story)


def test_one_that_is_incomplete_never_takes_a_whole_ones_place() -> None:
    day = START - timedelta(days=3)
    hours = [day + timedelta(hours=each) for each in range(4)]
    assert superfluous([*hours, START], START, incomplete={hours[3], START}) == {hours[0], hours[3]}
    months = [START - timedelta(days=30 * each) for each in range(3, 20)]
    assert months[0] not in superfluous([*months, START], START, incomplete={*months[1:], START})


def test_a_full_disk_hinders_no_look_into_a_backup_and_is_called_by_its_name(tmp_path: Path) -> None:
    async def story(kept: Kept) -> None:
        gone = await kept.house.talk("question", "answer", title="Soup")
        changed = await kept.house.talk("more", title="Bread")
        made = await kept.backups.make()
        await kept.close(gone.conversation_id)
        shutil.rmtree(kept.house.paths.conversations / gone.conversation_id)
        changed.remove(changed.id_at(0))
        await kept.house.library.flush()
        kept.disk.refuse = "full"
        states = {each.summary.title: each.state for each in await kept.backups.contents(made)}
        assert states == {"Soup": "missing", "Bread": "different"}
        for bus in (gone, changed):
            with pytest.raises(StorageError, match=r"could not be brought back: .*data cannot be written") as refused:
                await kept.backups.bring_back(made, bus.conversation_id)
            assert refused.value.kind == "full"
        assert len(list(kept.house.paths.conversations.iterdir())) == 1
        assert not list(kept.house.paths.data.glob(".restore*"))
        kept.disk.refuse = ""
        assert (await kept.backups.bring_back(made, gone.conversation_id)).outcome == "back"
        assert await kept.backups.bring_back(made, gone.conversation_id) == Brought(gone.conversation_id, "same")

    with_backups(tmp_path, story)


def test_notes_that_are_missing_come_back_and_those_that_are_here_stay(tmp_path: Path) -> None:
    async def story(kept: Kept) -> None:
        notes, config = kept.house.paths.data / "notes", kept.house.paths.config
        notes.mkdir()
        mine, other = notes / f"{'a' * 32}.json", notes / f"{'b' * 32}.json"
        for note in (mine, other):
            note.write_text(note.name)
        for name in ("settings.json", "mini_prompts.json"):
            (config / name).write_text("{}")
        made = await kept.backups.make()
        found = await kept.backups.besides(made)
        assert (found.notes_missing, found.settings, found.prompts) == (0, None, None)
        mine.unlink()
        other.write_text("another state")
        (config / "settings.json").write_text('{"a": 1}')
        found = await kept.backups.besides(made)
        assert (found.notes_missing, found.settings, found.prompts) == (1, b"{}", None)
        assert await kept.backups.bring_notes(made) == 1
        assert (mine.read_text(), other.read_text()) == (mine.name, "another state")

    with_backups(tmp_path, story)
