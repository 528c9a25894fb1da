"""The library as the window uses it, on real folders."""

from __future__ import annotations

import asyncio
import errno
import json
import shutil
from datetime import timedelta
from typing import Any

import pytest

from sam_py.bus.message_bus import MessageBus
from sam_py.messages.message import UserMessage
from sam_py.messages.parts import TextPart
from sam_py.paths import Paths
from sam_py.store.errors import StorageError
from sam_py.store.library import Library, LibraryChange
from sam_py.store.writer import BACKGROUND, Writer
from tests.store.house import House, at_home
from tests.store.kit import START, HandClock, RefusingDisk


def test_a_conversation_comes_back_as_it_was(paths: Paths) -> None:
    shown: list[object] = []

    async def write(house: House) -> None:
        bus = await house.talk("question", "answer", "more", title="A title")
        bus.add_user_message("edited", parent_id=bus.id_at(1))
        shown.extend([bus.conversation_id, list(bus.messages()), bus.settings])

    async def read(house: House) -> None:
        bus = await house.reopen(str(shown[0]))
        assert [list(bus.messages()), bus.settings] == shown[1:]

    at_home(paths, write)
    at_home(paths, read)


def test_a_new_conversation_leaves_nothing_on_the_disk(paths: Paths) -> None:
    async def story(house: House) -> None:
        bus = MessageBus(house.library.create())
        autosave = house.library.attach(bus)
        bus.change_setting("model", "m")
        await autosave.save_now()
        assert list(paths.conversations.iterdir()) == []
        assert house.library.summaries() == []
        assert house.changes == []

    at_home(paths, story)


def test_the_list_follows_open_conversations_without_reading(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(house: House) -> None:
        monkeypatch.setattr("sam_py.store.conversation_list.scan", lambda *_: pytest.fail("read"))
        bus = await house.talk("Hello\nthere")
        summary = house.library.summary(bus.conversation_id)
        assert summary is not None
        assert (summary.preview, summary.message_count, summary.title) == ("Hello there", 1, "")
        bus.change_setting("title", "Greetings")
        summary = house.library.summary(bus.conversation_id)
        assert summary is not None
        assert summary.title == "Greetings"
        assert [change.kind for change in house.changes[:2]] == ["added", "changed"]
        monkeypatch.undo()

    at_home(paths, story)


def test_the_list_is_there_at_once_from_its_index(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    async def write(house: House) -> None:
        await house.talk("one", title="first")
        await house.talk("two", title="second")

    async def read(house: House) -> None:
        assert {summary.title for summary in house.library.summaries()} == {"first", "second"}

    at_home(paths, write)
    monkeypatch.setattr("sam_py.store.conversation_list.scan", lambda *_: pytest.fail("read"))
    at_home(paths, read)


@pytest.mark.parametrize("damage", ["missing", "rubbish", "other version", "empty"])
def test_a_damaged_index_is_built_anew(paths: Paths, damage: str) -> None:
    async def write(house: House) -> None:
        await house.talk("one", "two", title="first")

    at_home(paths, write)
    index = paths.state / "index.json"
    before = json.loads(index.read_text())["rows"]
    match damage:
        case "missing":
            index.unlink()
        case "rubbish":
            index.write_bytes(b'{"version":1,"rows":[[1,2')
        case "other version":
            index.write_text('{"version":99}')
        case _:
            index.write_bytes(b"")

    async def read(house: House) -> None:
        assert [summary.title for summary in house.library.summaries()] == ["first"]

    at_home(paths, read)
    assert json.loads(index.read_text())["rows"] == before


def test_what_another_device_changed_is_found_behind_the_start(paths: Paths) -> None:
    async def write(house: House) -> None:
        await house.talk("kept", title="kept")
        await house.talk("gone", title="gone")

    at_home(paths, write)

    async def elsewhere(house: House) -> None:
        by_title = {summary.title: summary.id for summary in house.library.summaries()}
        shutil.rmtree(paths.conversations / by_title["gone"])
        other = Library(paths, device="bb", clock=HandClock())
        await other.start()
        await other.change_setting(by_title["kept"], "title", "renamed elsewhere")
        await other.aclose()
        await house.library.refresh()
        assert [summary.title for summary in house.library.summaries()] == ["renamed elsewhere"]
        assert {change.kind for change in house.changes} == {"changed", "removed"}

    at_home(paths, elsewhere)


def test_what_comes_while_the_folders_are_looked_through_is_not_missed(
    paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story(house: House) -> None:
        library = house.library
        bus = await house.talk("question")
        copies: list[str] = []

        class Busy(Writer):
            """What is urgent goes first: a conversation is copied after the folders were listed."""

            async def run(self, work: Any, rank: int = 0) -> Any:  # type: ignore[override]
                found = await library._writer.run(work, rank)
                if rank == BACKGROUND and not copies:
                    copies.append("")
                    copies.append(await library.duplicate(bus.conversation_id))
                return found

        monkeypatch.setattr(library._list, "_writer", Busy())
        await library.refresh()
        monkeypatch.undo()
        assert library.summary(copies[-1]) is not None
        assert house.problems == []

    at_home(paths, story)


def test_settings_of_a_closed_conversation_can_be_changed(paths: Paths) -> None:
    async def story(house: House) -> None:
        bus = await house.talk("one", title="old")
        id = bus.conversation_id
        house.library._autosaves[id][0].close()
        await house.library.change_setting(id, "title", "new")
        await house.library.change_setting(id, "pinned", True)
        summary = house.library.summary(id)
        assert summary is not None
        assert (summary.title, summary.pinned) == ("new", True)
        assert (await house.reopen(id)).settings.title == "new"

    at_home(paths, story)


def test_settings_of_an_open_conversation_go_through_its_bus(paths: Paths) -> None:
    async def story(house: House) -> None:
        bus = await house.talk("one", title="old")
        await house.library.change_setting(bus.conversation_id, "title", "new")
        assert bus.settings.title == "new"

    at_home(paths, story)


def test_a_copy_of_a_copy_has_a_title_of_its_own(paths: Paths) -> None:
    async def story(house: House) -> None:
        bus = await house.talk("one", title="Original")
        first = await house.library.duplicate(bus.conversation_id)
        await house.library.duplicate(first)
        await house.library.duplicate(bus.conversation_id)
        titles = sorted(summary.title for summary in house.library.summaries())
        assert titles == ["Original", "Original (copy 2)", "Original (copy 3)", "Original (copy)"]

    at_home(paths, story)


def test_a_copy_has_all_branches_and_a_title_that_says_so(paths: Paths) -> None:
    async def story(house: House) -> None:
        bus = await house.talk("one", "two", title="Original")
        bus.add_user_message("other", parent_id=bus.id_at(0))
        copy = await house.library.duplicate(bus.conversation_id)
        again = await house.reopen(copy)
        assert copy != bus.conversation_id
        assert {message.id: message for message in again.tree()} == {message.id: message for message in bus.tree()}
        assert list(again.messages()) == list(bus.messages())
        assert again.settings.title == "Original (copy)"
        assert again.settings.duplicate_of == bus.conversation_id
        assert house.changes[-1] == LibraryChange("added", copy)

    at_home(paths, story)


def test_only_what_somebody_pinned_counts_as_a_pin_that_would_go(paths: Paths) -> None:
    async def story(house: House) -> None:
        bus = await house.talk("first", "answer", "second", "more", "third")
        unasked = [message.id for message in bus.messages() if message.pinned]
        assert len(unasked) == 3
        bus.annotate(unasked[0], importance=0.9)
        assert await house.library.chosen_pins(bus.conversation_id, 3) == 0
        bus.annotate(bus.id_at(1), pinned=True)
        bus.add_user_message("fourth", pinned=True)
        bus.add_user_message("another fourth", parent_id=bus.id_at(4), pinned=True)
        bus.annotate(unasked[1], pinned=False)
        assert await house.library.chosen_pins(bus.conversation_id, 3) == 3
        assert await house.library.chosen_pins(bus.conversation_id, 0) == 5
        bus.annotate(bus.id_at(1), pinned=False)
        assert await house.library.chosen_pins(bus.conversation_id, 3) == 2

    at_home(paths, story)


def test_deleting_can_be_undone(paths: Paths) -> None:
    async def story(house: House) -> None:
        bus = await house.talk("one", title="precious")
        id = bus.conversation_id
        await house.library.delete(id)
        assert house.library.summaries() == []
        assert not (paths.conversations / id).exists()
        bus.add_user_message("written meanwhile")
        await house.library.flush()
        assert not (paths.conversations / id).exists()
        await house.library.restore(id)
        await house.library.flush()
        assert [message.text for message in (await house.reopen(id)).messages()] == ["one", "written meanwhile"]
        summary = house.library.summary(id)
        assert summary is not None
        assert summary.message_count == 2

    at_home(paths, story)


def test_deleting_can_be_undone_also_where_the_conversation_is_back_already(paths: Paths) -> None:
    async def story(house: House) -> None:
        bus = await house.talk("one", title="precious")
        id = bus.conversation_id
        folder = paths.conversations / id
        shutil.copytree(folder, paths.data / "kept")
        house.library._autosaves[id][0].close()
        await house.library.flush()
        await house.library.delete(id)
        (paths.data / "kept").rename(folder)  # from a backup
        await house.library.restore(id)
        assert not list((paths.data / "trash").iterdir())
        again = await house.reopen(id)
        house.library.attach(again)
        again.change_setting("title", "renamed")
        summary = house.library.summary(id)
        assert summary is not None
        assert (summary.title, [message.text for message in again.messages()]) == ("renamed", ["one"])

    at_home(paths, story)


def test_a_clock_that_is_years_ahead_does_not_empty_the_trash(paths: Paths) -> None:
    async def story(house: House) -> None:
        id = (await house.talk("kept")).conversation_id
        assert await house.library.purge_trash() == 0
        await house.library.delete(id)
        house.now += timedelta(days=3 * 365)
        assert await house.library.purge_trash() == 0
        house.now -= timedelta(days=3 * 365)
        assert await house.library.purge_trash() == 0
        await house.library.restore(id)

    at_home(paths, story)


def test_the_trash_is_emptied_after_thirty_days(paths: Paths) -> None:
    async def story(house: House) -> None:
        old = (await house.talk("old")).conversation_id
        await house.library.delete(old)
        house.now += timedelta(days=20)
        young = (await house.talk("young")).conversation_id
        await house.library.delete(young)
        house.now += timedelta(days=11)
        assert await house.library.purge_trash() == 1
        await house.library.restore(young)
        with pytest.raises(StorageError, match="not in the trash"):
            await house.library.restore(old)

    at_home(paths, story)


def test_a_folder_that_vanishes_while_open_comes_back_with_the_next_save(paths: Paths) -> None:
    async def story(house: House) -> None:
        bus = await house.talk("one", "two")
        shutil.rmtree(paths.conversations / bus.conversation_id)
        await house.library.refresh()
        bus.add_user_message("three")
        await house.library.flush()
        assert [message.text for message in (await house.reopen(bus.conversation_id)).messages()] == [
            "one",
            "two",
            "three",
        ]
        assert [(problem.kind, problem.solved) for problem in house.problems] == [("gone", True)]

    at_home(paths, story)


@pytest.mark.parametrize(("refuse", "words"), [("full", "The disk is full"), ("read_only", "cannot be written")])
def test_a_disk_that_refuses_is_told_and_nothing_is_lost(paths: Paths, refuse: str, words: str) -> None:
    async def story(house: House) -> None:
        bus = await house.talk("one")
        house.disk.refuse = refuse  # type: ignore[assignment]
        bus.add_user_message("two")
        with pytest.raises(StorageError, match=words):
            await house.library.flush()
        assert words in str(house.problems[0])
        assert "your text is kept in memory until then" in str(house.problems[0])
        house.disk.refuse = ""
        house.clock.pass_s(2.1)
        await house.library.flush()
        assert [problem.solved for problem in house.problems] == [False, True]
        assert [message.text for message in (await house.reopen(bus.conversation_id)).messages()] == ["one", "two"]

    at_home(paths, story)


def test_a_closed_conversation_that_could_not_be_saved_is_saved_at_the_end(paths: Paths) -> None:
    async def story(house: House) -> None:
        bus = await house.talk("one")
        house.disk.refuse = "full"
        bus.add_user_message("two")
        house.library._autosaves[bus.conversation_id][0].close()
        with pytest.raises(StorageError):
            await house.library.flush()
        house.disk.refuse = ""
        await house.library.flush()
        assert [message.text for message in (await house.reopen(bus.conversation_id)).messages()] == ["one", "two"]

    at_home(paths, story)


def test_a_closed_conversation_is_tried_again_by_itself(paths: Paths) -> None:
    async def story(house: House) -> None:
        bus = await house.talk("one")
        id = bus.conversation_id
        house.disk.refuse = "full"
        bus.add_user_message("two")
        house.library._autosaves[id][0].close()
        with pytest.raises(StorageError):
            await house.library.flush()
        assert house.library.trouble is not None  # quitting asks
        house.disk.refuse = ""
        house.clock.pass_s(6)
        await house.library._chores.settle()
        assert house.library.trouble is None
        assert (paths.conversations / id).joinpath(f"{house.library._device}.jsonl").read_text().count("two") == 1

    at_home(paths, story)


def test_a_conversation_of_a_newer_version_is_shown_and_not_written(paths: Paths) -> None:
    async def story(house: House) -> None:
        id = (await house.talk("one")).conversation_id
        house.library._autosaves[id][0].close()
        await house.library.flush()
        path = next((paths.conversations / id).glob("*.jsonl"))
        was, device = path.read_bytes(), house.library.device
        before = was + b'{"v":2,"event":"from_the_future","rev":99,"dev":"%b"}\n' % device.encode()
        path.write_bytes(before)
        opened = await house.library.open(id)
        assert "open for reading only" in opened.report.notice
        bus = MessageBus(id)
        bus.load(opened.history)
        autosave = house.library.attach(bus)
        for text in ("two", "three"):
            bus.add_user_message(text)
            with pytest.raises(StorageError, match="newer version"):
                await autosave.save_now()
        assert path.read_bytes() == before
        assert [problem.kind for problem in house.problems] == ["newer"]
        assert house.library.trouble is not None  # quitting asks: what was refused is not forgotten
        path.write_bytes(was)
        await autosave.save_now()
        assert house.library.trouble is None
        assert [message.text for message in (await house.reopen(id)).messages()] == ["one", "two", "three"]

    at_home(paths, story)


def test_a_conversation_that_is_not_there_is_a_clear_error(paths: Paths) -> None:
    async def story(house: House) -> None:
        for id in ("missing", "../..", "", "a/b"):
            with pytest.raises(StorageError) as caught:
                await house.library.open(id)
            assert caught.value.kind == "missing"

    at_home(paths, story)


def test_no_empty_store_is_made_where_the_old_one_is_gone(paths: Paths) -> None:
    async def write(house: House) -> None:
        await house.talk("one")

    at_home(paths, write)
    shutil.rmtree(paths.data)
    paths.create()

    async def run() -> None:
        library = Library(paths, clock=HandClock())
        with pytest.raises(StorageError, match="connect the drive"):
            await library.start()
        bus = MessageBus(library.create())
        autosave = library.attach(bus)
        bus.add_user_message("written all the same")
        with pytest.raises(StorageError, match="connect the drive"):
            await autosave.save_now()
        await library.aclose()

    asyncio.run(run())
    assert list(paths.conversations.iterdir()) == []
    assert not (paths.data / "store.json").exists()
    assert len(json.loads((paths.state / "index.json").read_text())["rows"]) == 1


def test_a_store_that_cannot_be_read_is_refused(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        disk = RefusingDisk()

        def refuse(_folder: str) -> list[str]:
            raise PermissionError(errno.EACCES, "Permission denied")

        monkeypatch.setattr(disk, "names", refuse)
        library = Library(paths, clock=HandClock(), disk=disk)
        with pytest.raises(StorageError, match="could not be read"):
            await library.start()
        await library.aclose()

    asyncio.run(run())


def test_the_list_is_the_newest_first(paths: Paths) -> None:
    async def story(house: House) -> None:
        ids = []
        for number in range(3):
            bus = MessageBus(house.library.create())
            house.library.attach(bus)
            bus.add(UserMessage(created_at=START + timedelta(days=number), parts=(TextPart(text="x"),)))
            ids.append(bus.conversation_id)
        assert [summary.id for summary in house.library.summaries()] == ids[::-1]

    at_home(paths, story)


def test_left_over_temporary_files_are_cleared(paths: Paths) -> None:
    async def story(house: House) -> None:
        id = (await house.talk("one")).conversation_id
        house.library._autosaves[id][0].close()
        folder = paths.conversations / id
        left = folder / f"{house.library.device}.jsonl.tmp99"
        others = [
            ".syncthing.bb.jsonl.tmp",
            "~syncthing~bb.jsonl.tmp",
            "bb.jsonl.tmp7",
            ".bb.jsonl.icloud",
            ".DS_Store",
        ]
        for path in (left, *(folder / name for name in others)):
            path.write_bytes(b"half")
        await house.library.refresh()
        assert not left.exists()
        assert all((folder / name).exists() for name in others)  # what others write is theirs
        left.mkdir()  # one that cannot be cleared
        house.library._list._index.stamps.clear()
        await house.library.refresh()
        assert house.problems == []

    at_home(paths, story)


def test_the_device_is_the_same_after_a_restart(paths: Paths) -> None:
    names = []

    async def story(house: House) -> None:
        bus = await house.talk("one")
        names.append(sorted(path.name for path in (paths.conversations / bus.conversation_id).iterdir()))

    at_home(paths, story)
    at_home(paths, story)
    assert names[0] == names[1]
    assert len(names[0]) == 1
