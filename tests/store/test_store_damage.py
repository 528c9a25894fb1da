"""Damaged conversations stay in the list, and are told of: once for all at the start, and when one is opened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from sam_py.paths import Paths, default_paths
from tests.store.house import House, at_home


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return default_paths(tmp_path).create()


def written(paths: Paths, count: int = 1) -> list[Path]:
    """The files of so many conversations, of a library that was closed."""
    files: list[Path] = []

    async def story(house: House) -> None:
        for number in range(count):
            id = (await house.talk(f"question {number}", "an answer", title=f"Talk {number}")).conversation_id
            files.append(paths.conversations / id / f"{house.library.device}.jsonl")

    at_home(paths, story)
    return files


def at_the_next_start(paths: Paths, story: Callable[[House], Coroutine[Any, Any, None]] | None = None) -> list[str]:
    """What is told there."""
    told: list[str] = []

    async def start(house: House) -> None:
        house.clock.pass_s(2)
        await house.library._chores.settle()
        if story is not None:
            await story(house)
        told.extend(str(problem) for problem in house.problems)

    at_home(paths, start)
    return told


def test_all_damage_is_one_notice_at_one_start(paths: Paths) -> None:
    files = written(paths, 5)
    files[0].write_bytes(b"")
    files[1].write_bytes(bytes(900))
    files[2].write_bytes(files[2].read_bytes()[:-30])
    lines = files[3].read_bytes().splitlines(keepends=True)
    files[3].write_bytes(b"".join(lines[:1]))

    async def story(house: House) -> None:
        assert {summary.title for summary in house.library.summaries()} == {f"Talk {number}" for number in range(5)}

    (words,) = at_the_next_start(paths, story)
    assert words.startswith("4 conversations are damaged: “Talk ")
    assert ", and 1 more." in words
    assert str(paths.conversations) in words
    assert at_the_next_start(paths) == []
    (paths.state / "index.json").unlink()  # nothing is known from before
    (words,) = at_the_next_start(paths)
    assert words.startswith("3 conversations are damaged: ")
    assert words.count("“Damaged conversation” (nothing in it can be read)") == 2


def test_messages_that_a_cut_file_lost_are_counted(paths: Paths) -> None:
    (file,) = written(paths)
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:1]))
    notices: list[str] = []

    async def story(house: House) -> None:
        opened = await house.library.open(file.parent.name)
        notices.append(opened.report.notice)

    (words,) = at_the_next_start(paths, story)
    assert "“Talk 0” (2 messages fewer than before)" in words
    assert "2 messages fewer" in notices[0]


def test_zeros_at_the_end_of_another_devices_file_are_told_of(paths: Paths) -> None:
    (file,) = written(paths)
    (paths.state / "device-id").unlink()
    raw = file.read_bytes()
    file.write_bytes(raw[:-900] + bytes(900))
    (words,) = at_the_next_start(paths)
    assert "fewer than before" in words


def test_empty_files_of_another_computer_that_are_on_their_way_are_no_damage(paths: Paths) -> None:
    written(paths)
    (paths.conversations / "c0").mkdir()
    (paths.conversations / "c0/bb.jsonl").write_bytes(b"")

    async def story(house: House) -> None:
        await house.library._list.read("c0")
        assert len(house.library.summaries()) == 1

    assert at_the_next_start(paths, story) == []


def test_an_index_with_one_bit_amiss_is_built_anew(paths: Paths) -> None:
    (file,) = written(paths)
    index = paths.state / "index.json"
    index.write_bytes(index.read_bytes().replace(file.parent.name.encode(), b"x" + file.parent.name[1:].encode()))
    ids: list[str] = []

    async def start() -> None:
        house = House(paths)
        await house.library.start()
        ids.extend(summary.id for summary in house.library.summaries())
        await house.library.aclose()

    asyncio.run(start())
    assert ids == [file.parent.name]


def test_a_row_that_is_read_while_its_file_comes_is_kept(paths: Paths) -> None:
    (file,) = written(paths)
    whole = file.read_bytes()

    async def later() -> None:
        house = House(paths)
        await house.library.start()
        for content in (b"", whole[:40], whole):
            file.write_bytes(content)
            await house.library._list.read(file.parent.name)
            assert [summary.title for summary in house.library.summaries()] == ["Talk 0"]
        await house.library.refresh()
        assert house.problems == []
        await house.library.aclose()

    asyncio.run(later())
