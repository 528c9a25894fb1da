"""The data folder is moved, or joined to another library, without anything that could be lost on the way."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from sam_py.bus.message_bus import MessageBus
from sam_py.paths import Paths, default_paths
from sam_py.store.disk import Disk
from sam_py.store.library import Library
from sam_py.store.moving import Cancelled, MoveError, check_target, move_data
from tests.store.house import House, at_home
from tests.store.kit import RefusingDisk


def furnish(paths: Paths, *texts: str) -> None:
    async def story(house: House) -> None:
        for text in texts:
            await house.talk(text, f"answer to {text}")
        await house.library.attachments.put(b"a picture")

    at_home(paths, story)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def told(paths: Paths) -> list[str]:
    """What all conversations say, read as the program reads them."""

    async def read() -> list[str]:
        library = Library(paths)
        await library.start()
        await library.refresh()
        texts = []
        for summary in library.summaries():
            bus = MessageBus(summary.id)
            bus.load((await library.open(summary.id)).history)
            texts += [message.text for message in bus.tree()]
        await library.aclose()
        return sorted(texts)

    return asyncio.run(read())


def on(_done: int, _all: int) -> bool:
    return True


def test_everything_is_in_the_new_place_and_found_there(paths: Paths, tmp_path: Path) -> None:
    furnish(paths, "one", "two")
    said, before = told(paths), contents(paths.data)
    target = tmp_path / "drive" / "SAM"
    steps: list[tuple[int, int]] = []
    move_data(paths.data, target, paths.config, Disk(), lambda *step: steps.append(step) is None)
    assert contents(target) == before == contents(paths.data)
    moved = default_paths(tmp_path)
    assert (moved.data, moved.config, moved.state) == (target, paths.config, paths.state)
    assert told(moved) == said
    assert steps[-1][0] == steps[-1][1] == sum(map(len, before.values()))


def test_two_libraries_become_one(tmp_path: Path) -> None:
    ours, theirs = (default_paths(tmp_path / name).create() for name in ("ours", "theirs"))
    furnish(ours, "ours")
    furnish(theirs, "theirs")
    wanted = sorted([*told(ours), *told(theirs)])
    assert check_target(ours.data, theirs.data) == "join"
    move_data(ours.data, theirs.data, ours.config, Disk(), on)
    assert told(default_paths(tmp_path / "ours")) == wanted


def test_a_journal_that_both_have_and_both_went_on_with_keeps_what_both_say(tmp_path: Path) -> None:
    ours = default_paths(tmp_path / "ours").create()
    furnish(ours, "common")
    theirs = default_paths(tmp_path / "theirs").create()
    move_data(ours.data, theirs.data, tmp_path / "theirs" / "config", Disk(), on)
    (tmp_path / "theirs" / "config" / "data-folder.txt").unlink()
    (ours.state / "device-id").rename(theirs.state / "device-id")  # a cloned disk: both write the same file's name

    def go_on(paths: Paths, text: str) -> None:
        async def story(house: House) -> None:
            id = house.library.summaries()[0].id
            bus = await house.reopen(id)
            house.library.attach(bus)
            bus.add_user_message(text)

        (paths.state / "device-id").write_text("cccccccc")
        at_home(paths, story)

    for paths, text in ((ours, "here"), (theirs, "there")):
        go_on(paths, text)
    move_data(ours.data, theirs.data, ours.config, Disk(), on)
    assert told(default_paths(tmp_path / "ours")) == sorted(["common", "answer to common", "here", "there"])


@pytest.mark.parametrize("refuse", ["full", "read_only", "sync"])
def test_a_move_that_fails_changes_nothing_and_goes_on_the_next_time(paths: Paths, tmp_path: Path, refuse: Any) -> None:
    furnish(paths, "one", "two")
    before, target, disk = contents(paths.data), tmp_path / "new", RefusingDisk()
    disk.refuse = refuse
    with pytest.raises(MoveError, match="Everything is where it was"):
        move_data(paths.data, target, paths.config, disk, on)
    assert default_paths(tmp_path).data == paths.data
    assert contents(paths.data) == before
    disk.refuse = ""
    move_data(paths.data, target, paths.config, disk, on)
    assert contents(target) == before


def test_a_move_says_which_folder_cannot_be_written(paths: Paths, tmp_path: Path) -> None:
    furnish(paths, "one")
    (tmp_path / "file").touch()
    with pytest.raises(MoveError, match=r"file/new cannot be (read|written)"):
        move_data(paths.data, tmp_path / "file" / "new", paths.config, Disk(), on)
    for name in ("moving.jsonl", "data-folder.txt"):
        (paths.config / name).mkdir()
        with pytest.raises(MoveError, match="config cannot be written"):
            move_data(paths.data, tmp_path / "new", paths.config, Disk(), on)
        (paths.config / name).rmdir()


def test_a_move_that_is_given_up_changes_nothing(paths: Paths, tmp_path: Path) -> None:
    furnish(paths, "one")
    with pytest.raises(Cancelled):
        move_data(paths.data, tmp_path / "new", paths.config, Disk(), lambda done, _all: done == 0)
    assert default_paths(tmp_path).data == paths.data
    assert check_target(paths.data, tmp_path / "other") == "move"


def test_places_that_cannot_be_are_refused_in_words(paths: Paths, tmp_path: Path) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / "thesis.odt").write_text("mine")
    for target, words in (
        (paths.data, "in this one already"),
        (paths.data / "inside", "neither inside"),
        (paths.data.parent, "neither inside"),
        (full, "holds other files"),
        (Path("relative"), "another folder"),
        (tmp_path / "two\nlines", "another name"),
        (tmp_path / "returned\r", "another name"),
        (tmp_path / os.fsdecode(b"caf\xe9"), "another name"),
    ):
        with pytest.raises(MoveError, match=words):
            check_target(paths.data, target)


def test_a_damaged_attachment_takes_no_whole_ones_place(tmp_path: Path) -> None:
    ours, theirs = (default_paths(tmp_path / name).create() for name in ("ours", "theirs"))
    furnish(ours, "ours")
    furnish(theirs, "theirs")
    digest = hashlib.sha256(b"a picture").hexdigest()
    mine, other = (paths.attachments / digest[:2] / digest for paths in (ours, theirs))
    mine.write_bytes(b"rotten")
    move_data(ours.data, theirs.data, ours.config, Disk(), on)
    assert other.read_bytes() == b"a picture"
    mine.write_bytes(b"a picture")
    other.write_bytes(b"rotten")
    move_data(ours.data, theirs.data, ours.config, Disk(), on)
    assert other.read_bytes() == b"a picture"


class LockedDisk(Disk):
    """Folders and files that have `locked` in their path may not be read."""

    def __init__(self, locked: str) -> None:
        super().__init__()
        self.locked = locked

    def names(self, folder: str) -> list[str]:
        if self.locked in folder:
            raise PermissionError(13, "Permission denied", folder)
        return super().names(folder)


def test_what_cannot_be_read_stops_a_move_before_anything_points_elsewhere(paths: Paths, tmp_path: Path) -> None:
    furnish(paths, "one", "two")
    locked = sorted(paths.conversations.iterdir())[1]
    target = tmp_path / "new"
    with pytest.raises(MoveError, match=f"{locked.name} cannot be read .Permission denied.*where it was"):
        move_data(paths.data, target, paths.config, LockedDisk(locked.name), on)
    for link, leads_to in (("gone", tmp_path / "nowhere"), ("round", paths.data)):
        (paths.data / link).symlink_to(leads_to)
        with pytest.raises(MoveError, match=f"{link} cannot be read .it is a link to"):
            move_data(paths.data, target, paths.config, Disk(), on)
        (paths.data / link).unlink()
    (paths.data / "unreadable").symlink_to("unreadable")
    with pytest.raises(MoveError, match="unreadable cannot be read"):
        move_data(paths.data, target, paths.config, Disk(), on)
    assert not target.exists()
    assert default_paths(tmp_path).data == paths.data


def test_what_a_link_leads_to_is_moved_too(paths: Paths, tmp_path: Path) -> None:
    furnish(paths, "one")
    drive = tmp_path / "drive"
    shutil.move(paths.attachments, drive)
    paths.attachments.symlink_to(drive)
    with pytest.raises(MoveError, match=r"attachments.* leads to this one"):
        move_data(paths.data, drive / "ab" / "new", paths.config, Disk(), on)
    move_data(paths.data, tmp_path / "new", paths.config, Disk(), on)
    attached = tmp_path / "new" / "attachments"
    assert not attached.is_symlink()
    assert [path.read_bytes() for path in attached.glob("??/*")] == [b"a picture"]


def test_what_was_deleted_after_a_move_that_was_given_up_stays_deleted(paths: Paths, tmp_path: Path) -> None:
    furnish(paths, "one", "two", "three")
    target = tmp_path / "new"
    with pytest.raises(Cancelled):
        move_data(paths.data, target, paths.config, Disk(), lambda done, of: of - done > 40)
    copied = {path.parent.name for path in target.glob("conversations/*/*.jsonl")}
    assert len(copied) == 3

    async def story(house: House) -> None:
        by_text = {each.preview: each.id for each in house.library.summaries()}
        await house.library.delete(by_text["answer to one"])
        await house.library.delete(by_text["answer to two"])
        (target / "conversations" / by_text["answer to two"] / "cccccccc.jsonl").write_text("somebody went on with it")
        bus = await house.reopen(by_text["answer to three"])
        house.library.attach(bus)
        bus.add_user_message("more")
        await house.library.flush()

    at_home(paths, story)
    move_data(paths.data, target, paths.config, Disk(), on)
    assert told(default_paths(tmp_path)) == ["answer to three", "answer to two", "more", "three", "two"]
    assert not list(target.rglob("*.joined-*"))


def test_a_sync_programs_own_files_are_in_nobodys_way_and_stay_where_they_are(paths: Paths, tmp_path: Path) -> None:
    furnish(paths, "one")
    synced = tmp_path / "synced"
    for folder in (synced, paths.data):
        (folder / ".stfolder").mkdir(parents=True)
        (folder / ".stfolder" / "syncthing-folder-93d1ab.txt").write_text("# a marker")
    (paths.data / ".stversions" / "old").mkdir(parents=True)
    (paths.data / ".stversions" / "old" / "x~2026.jsonl").write_text("old")
    (paths.data / ".stignore").write_text("(?d)*")
    assert check_target(paths.data, synced) == "move"
    move_data(paths.data, synced, paths.config, Disk(), on)
    assert {path.name for path in synced.rglob(".*")} == {".stfolder"}


def test_names_that_look_odd_are_found_again(paths: Paths, tmp_path: Path) -> None:
    furnish(paths, "one")
    names = ["  two", *(["my library "] if os.name == "posix" else [])]  # Windows cuts off a space at the end
    for name in names:
        move_data(default_paths(tmp_path).data, tmp_path / name, paths.config, Disk(), on)
        assert default_paths(tmp_path).data == tmp_path / name
        assert told(default_paths(tmp_path)) == ["answer to one", "one"]


@pytest.mark.skipif(sys.platform != "linux", reason="names of folders are Unicode there")
def test_a_name_that_is_no_utf_8_is_followed_all_the_same(paths: Paths, tmp_path: Path) -> None:
    furnish(paths, "one")
    odd = Path(os.fsdecode(b"%b/caf\xe9" % os.fsencode(tmp_path)))
    paths.data.rename(odd)
    (paths.config / "data-folder.txt").write_bytes(os.fsencode(odd))
    assert told(default_paths(tmp_path)) == ["answer to one", "one"]

    async def follow(house: House) -> None:
        house.library.follow_others()  # of a watcher that dies the test's runner tells

    at_home(default_paths(tmp_path), follow)
