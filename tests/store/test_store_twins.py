"""Two homes that go by one device id: a home copied to another computer, a restored image, a container."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
from pathlib import Path

import pytest

from sam_py.paths import Paths
from sam_py.store.device import device_id
from sam_py.store.journal import Journal
from tests.store.house import House
from tests.store.kit import said


def messages_in(folder: Path) -> set[str]:
    return {message.id for message in Journal(folder, "reader").load(mend=False).messages}


@pytest.mark.parametrize("seed", range(4))
def test_two_writers_of_one_file_lose_nothing_of_what_either_said(tmp_path: Path, seed: int) -> None:
    rnd = random.Random(seed)
    folder, written = tmp_path / "c", set[str]()

    def start() -> Journal:
        return Journal(folder, "aa", ratio=1.2, min_bytes=400)

    writers = [start(), start()]
    compacted = 0
    for step in range(80):
        place = rnd.randrange(2)
        if rnd.random() < 0.1:
            compacted += writers[place].compactions
            writers[place] = start()
        id = f"{place}-{step}" if rnd.random() < 0.5 or not written else rnd.choice(sorted(written))
        writers[place].save([said(id, f"{place} said this {step}")])
        written.add(id)
    assert messages_in(folder) == written
    assert compacted + sum(writer.compactions for writer in writers)


@pytest.mark.parametrize("seed", range(4))
def test_two_copies_of_one_file_that_a_sync_program_overwrites_are_made_whole(tmp_path: Path, seed: int) -> None:
    rnd = random.Random(seed)
    folders, written = (tmp_path / "A", tmp_path / "B"), set[str]()
    writers = [Journal(folder, "aa") for folder in folders]

    def sync() -> None:
        """The later one wins, without a copy of the other, as programs do that know no conflicts."""
        paths = [folder / "aa.jsonl" for folder in folders]
        if not all(path.exists() for path in paths):
            return
        winner = rnd.randrange(2)
        beside = folders[1 - winner] / ".tmp"
        shutil.copy(paths[winner], beside)
        os.replace(beside, paths[1 - winner])

    for step in range(40):
        place = rnd.randrange(2)
        writers[place].save([said(f"{place}-{step}", "words " * rnd.randrange(1, 20))])
        written.add(f"{place}-{step}")
        if rnd.random() < 0.3:
            sync()
    for place in (0, 1):
        writers[place].save([said(f"last-{place}", "good night")])
        shutil.copy(folders[place] / "aa.jsonl", folders[1 - place] / "aa.jsonl")
    writers[0].save([said("end", "end")])
    assert messages_in(folders[0]) == {*written, "last-0", "last-1", "end"}


def paths_of(home: Path, data: Path) -> Paths:
    return Paths(config=home / "config", data=data, state=home / "state").create()


async def opened(paths: Paths) -> House:
    house = House(paths)
    await house.library.start()
    return house


def test_a_copied_home_gets_an_id_of_its_own_and_nothing_is_lost(tmp_path: Path) -> None:
    async def story() -> None:
        data = tmp_path / "data"
        first = await opened(paths_of(tmp_path / "first", data))
        bus = await first.talk("begun")
        await first.library.aclose()
        shutil.copytree(tmp_path / "first", tmp_path / "copy")
        for _again in range(2):  # a home that nobody copied keeps its id
            first = await opened(paths_of(tmp_path / "first", data))
            assert first.library.device == device_id(tmp_path / "first" / "state")
            await first.library.aclose()
        first, other = [await opened(paths_of(tmp_path / name, data)) for name in ("first", "copy")]
        assert first.library.device != other.library.device
        for house, text in ((first, "here"), (other, "there"), (first, "here again")):
            told = await house.reopen(bus.conversation_id)
            autosave = house.library.attach(told)
            told.add_user_message(text)
            await autosave.save_now()
            autosave.close()
        for house in (first, other):
            await house.library.aclose()
        folder = data / "conversations" / bus.conversation_id
        assert len(messages_in(folder)) == 4
        assert len(list(folder.glob("*.jsonl"))) == 2

    asyncio.run(story())


def test_homes_that_ran_apart_under_one_id_part_when_they_see_each_other(tmp_path: Path) -> None:
    async def story() -> None:
        for name in ("one", "other"):
            (tmp_path / name / "state").mkdir(parents=True)
            (tmp_path / name / "state" / "device-id").write_text("cccccccc")
        data = tmp_path / "data"
        one, other = [await opened(paths_of(tmp_path / name, tmp_path / name / "data")) for name in ("one", "other")]
        assert one.library.device == other.library.device == "cccccccc"
        bus = await one.talk("begun")
        shutil.copytree(tmp_path / "one" / "data", data)  # from now on both are on one share
        assert data.exists()
        shutil.rmtree(tmp_path / "other" / "data")
        (tmp_path / "other" / "data").symlink_to(tmp_path / "one" / "data")
        there = await other.reopen(bus.conversation_id)
        other.library.attach(there)
        there.add_user_message("there")
        await other.library.flush()
        bus.add_user_message("here")
        await one.library.flush()  # meets a line that somebody else wrote in its name
        for house in (one, other):
            house.library.follow_others()
            await house.library.look_at_others()
            await house.library._chores.settle()
        assert len({"cccccccc", one.library.device, other.library.device}) == 3
        bus.add_user_message("here again")
        there.add_user_message("there again")
        for house in (one, other):
            await house.library.flush()
        for house in (one, other):
            await house.library._others.take_in(bus.conversation_id)
        assert {m.text for m in bus.tree()} == {"begun", "there", "here", "here again", "there again"}
        assert {m.text for m in bus.tree()} == {m.text for m in there.tree()}
        for house in (one, other):
            await house.library.aclose()
        assert device_id(tmp_path / "one" / "state") == one.library.device

    asyncio.run(story())
