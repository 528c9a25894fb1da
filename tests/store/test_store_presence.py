"""A data folder whose drive goes away under the program, or is not there yet, and comes back."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from sam_py.paths import DATA_FOLDER, Paths, default_paths
from sam_py.store.errors import StorageError
from sam_py.store.library import LibraryChange
from sam_py.store.notes import Note
from tests.store.house import House, at_home


def unmount(paths: Paths) -> None:
    """What lies below the mount point is seen: folders that were made there once by mistake."""
    paths.data.rename(paths.data.with_name("unplugged"))
    paths.conversations.mkdir(parents=True)


def mount(paths: Paths) -> None:
    shutil.rmtree(paths.data)
    paths.data.with_name("unplugged").rename(paths.data)


def written_below(paths: Paths) -> list[str]:
    return [path.name for path in paths.data.rglob("*") if path.is_file()]


def test_nothing_is_written_in_the_place_of_a_drive_that_was_pulled_out_and_nothing_is_lost(paths: Paths) -> None:
    async def story(house: House) -> None:
        library = house.library
        bus, closed = await house.talk("open"), await house.talk("closed")
        library._autosaves[closed.conversation_id][0].close()
        await library.notes.add(Note(text="first"))
        rows = {each.id for each in library.summaries()}
        unmount(paths)
        await library.refresh()
        assert {each.id for each in library.summaries()} == rows
        assert "connect the drive" in str(house.problems[-1])
        bus.add_user_message("said meanwhile")
        fresh = await asyncio.wait_for(refused_talk(house), 5)
        (paths.attachments / "ab").mkdir(parents=True)
        lost = library.notes.add(Note(text="lost?")), library.attachments.put(b"lost?")
        for attempt in (library.flush(), library.notes.all(), *lost):
            with pytest.raises(StorageError, match="connect the drive"):
                await attempt
        assert written_below(paths) == []
        mount(paths)
        house.clock.pass_s(40)
        await library.flush()
        await library.refresh()
        assert house.problems[-1].solved
        assert {each.id for each in library.summaries()} == {*rows, fresh}
        assert [m.text for m in (await house.reopen(bus.conversation_id)).messages()] == ["open", "said meanwhile"]
        assert [note.text for note in await library.notes.all()] == ["first"]

    at_home(paths, story)


async def refused_talk(house: House) -> str:
    with pytest.raises(StorageError, match="kept in memory"):
        await house.talk("begun meanwhile")
    return next(iter(reversed(house.library._autosaves)))


def test_a_drive_that_comes_after_the_start_is_found_by_itself(paths: Paths) -> None:
    async def first(house: House) -> None:
        await house.talk("there")

    async def later() -> None:
        house = House(paths)
        with pytest.raises(StorageError, match="connect the drive"):
            await house.library.start()
        for attempt in (house.library.notes.add(Note(text="lost?")), house.library.attachments.put(b"lost?")):
            with pytest.raises(StorageError, match="connect the drive"):
                await attempt
        assert written_below(paths) == []
        house.clock.pass_s(6)
        await house.library._chores.settle()
        assert house.library.summaries() == []
        mount(paths)
        house.clock.pass_s(6)
        await house.library._chores.settle()
        assert len(house.library.summaries()) == 1
        assert house.changes[-1] == LibraryChange("reset")
        assert house.problems[-1].solved
        await house.talk("goes on")
        await house.library.aclose()

    at_home(paths, first)
    unmount(paths)
    asyncio.run(later())


def test_a_store_whose_mark_alone_was_taken_away_goes_on(paths: Paths) -> None:
    async def story(house: House) -> None:
        await house.talk("there")
        mark = paths.data / "store.json"
        mark.unlink()
        await house.library.refresh()
        await house.talk("begun after it")
        assert house.problems == []
        assert mark.exists()

    at_home(paths, story)


def test_a_moved_store_that_is_not_there_is_not_made_also_where_nothing_is_known_of_it(tmp_path: Path) -> None:
    async def story() -> None:
        (tmp_path / "config").mkdir()
        (tmp_path / "config" / DATA_FOLDER).write_text(str(tmp_path / "drive" / "sam"))
        house = House(default_paths(tmp_path).create())
        with pytest.raises(StorageError, match="connect the drive"):
            await house.library.start()
        assert not (tmp_path / "drive").exists()
        (tmp_path / "drive" / "sam").mkdir(parents=True)
        await house.library.start()
        await house.talk("begun")
        await house.library.aclose()

    asyncio.run(story())


@pytest.mark.parametrize("content", [b"", b"\0" * 500, b"rubbish\n" * 9])
def test_a_conversation_whose_file_is_damaged_all_through_is_told_of(paths: Paths, content: bytes) -> None:
    async def story(house: House) -> None:
        bus = await house.talk("precious words")
        id = bus.conversation_id
        house.library._autosaves[id][0].close()
        await house.library.flush()
        (paths.conversations / id / f"{house.library.device}.jsonl").write_bytes(content)
        await house.library.refresh()
        (words,) = [str(problem) for problem in house.problems]
        assert "“precious words” (nothing in it can be read" in words
        assert str(paths.conversations) in words
        assert [summary.preview for summary in house.library.summaries()] == ["precious words"]
        assert "nothing in it can be read" in (await house.library.open(id)).report.notice
        assert content in b"".join(path.read_bytes() for path in (paths.conversations / id).iterdir())

    at_home(paths, story)


def test_conversations_that_something_took_away_are_told_of(paths: Paths) -> None:
    async def story(house: House) -> None:
        buses = [await house.talk(text) for text in ("one", "two", "three")]
        for bus in buses:
            house.library._autosaves[bus.conversation_id][0].close()
        await house.library.flush()
        await house.library.delete(buses[0].conversation_id)
        for bus in buses[1:]:
            shutil.rmtree(paths.conversations / bus.conversation_id)
        await house.library.refresh()
        assert house.library.summaries() == []
        assert [str(each).partition(":")[0] for each in house.problems] == [
            f"2 conversations are not in {paths.data} any more, and not in the trash either"
        ]

    at_home(paths, story)
