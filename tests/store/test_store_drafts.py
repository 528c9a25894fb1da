"""Drafts: the edit under way and the queue are words of a person too."""

from __future__ import annotations

import asyncio
from pathlib import Path

from sam_py.messages.parts import CodePart
from sam_py.store.disk import Disk
from sam_py.store.drafts import Draft, Drafts, Edit, Unsent
from sam_py.store.writer import Writer
from tests.store.kit import HandClock


def read(folder: Path, writer: Writer) -> Drafts:
    drafts = Drafts(folder, writer, HandClock())
    drafts.read_all()
    return drafts


def test_an_edit_and_what_is_queued_are_there_after_a_restart(tmp_path: Path) -> None:
    async def scenario() -> None:
        writer = Writer()
        drafts = read(tmp_path, writer)
        edit = Edit(message_id="m", text="said otherwise \ud800", parts=(CodePart(code="x"),))
        drafts.save_queued("c", (Unsent(text="and then?"),))
        drafts.save("c", Draft(text="half a", edit=edit))
        await drafts.flush()
        again = read(tmp_path, writer).load("c")
        assert again.text == "half a"
        assert again.queued == (Unsent(text="and then?"),)
        assert again.edit == edit.model_copy(update={"text": "said otherwise \ufffd"})
        drafts.save("c", Draft())
        drafts.save_queued("c", ())
        await drafts.flush()
        assert list(tmp_path.iterdir()) == []
        await writer.aclose()

    asyncio.run(scenario())


def test_a_draft_that_the_disk_refused_is_written_when_there_is_room_again(tmp_path: Path) -> None:
    class Full(Disk):
        full = True

        def write(self, fd: int, data: memoryview) -> int:
            if self.full:
                raise OSError(28, "No space left on device")
            return super().write(fd, data)

    async def scenario() -> None:
        writer, clock, disk = Writer(), HandClock(), Full()
        drafts = Drafts(tmp_path, writer, clock, disk)
        drafts.save("c", Draft(text="kept"))
        clock.pass_s(1.0)
        await writer.run(lambda: None)
        await asyncio.sleep(0)
        assert list(tmp_path.iterdir()) == []
        disk.full = False
        clock.pass_s(10.0)
        await writer.run(lambda: None)
        assert read(tmp_path, writer).load("c").text == "kept"
        await writer.aclose()

    asyncio.run(scenario())


def test_a_draft_waits_less_than_a_second_while_somebody_types_on(tmp_path: Path) -> None:
    async def scenario() -> None:
        writer, clock = Writer(), HandClock()
        drafts = Drafts(tmp_path, writer, clock)
        for number in range(9):
            drafts.save("c", Draft(text="x" * (number + 1)))
            clock.pass_s(0.1)
        await writer.run(lambda: None)
        assert len(read(tmp_path, writer).load("c").text) >= 8
        await writer.aclose()

    asyncio.run(scenario())
