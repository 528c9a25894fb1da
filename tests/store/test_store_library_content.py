"""The library's attachments and drafts, on real folders."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sam_py.bus.message_bus import MessageBus
from sam_py.messages.parts import FilePart, ImagePart
from sam_py.paths import Paths
from sam_py.store.drafts import NEW, Draft
from sam_py.store.errors import StorageError
from sam_py.store.summary import ConversationSummary
from tests.store.house import House, at_home
from tests.store.kit import START

NAMED = ConversationSummary(id="conversation", title="", created_at=START, updated_at=START)


# Attachments


def test_the_same_content_is_kept_once_and_checked_when_read(paths: Paths) -> None:
    async def story(house: House) -> None:
        attachments = house.library.attachments
        one, two = await attachments.put(b"picture"), await attachments.put(b"picture")
        assert one == two
        assert len([path for path in paths.attachments.rglob("*") if path.is_file()]) == 1
        path = attachments.path(one)
        assert path is not None
        assert path.parent.name == one[:2]
        assert await attachments.read(one) == b"picture"
        path.write_bytes(b"damaged")
        with pytest.raises(StorageError, match="damaged"):
            await attachments.read(one)
        await attachments.put(b"picture")
        assert await attachments.read(one) == b"picture"

    at_home(paths, story)


@pytest.mark.parametrize("hash", ["0" * 64, "../../settings.json", ""])
def test_a_missing_attachment_is_a_clear_error(paths: Paths, hash: str) -> None:
    async def story(house: House) -> None:
        assert house.library.attachments.path(hash) is None
        with pytest.raises(StorageError, match="attach it again"):
            await house.library.attachments.read(hash)

    at_home(paths, story)


def test_an_attachment_on_a_full_disk_is_refused_whole(paths: Paths) -> None:
    async def story(house: House) -> None:
        house.disk.refuse, house.disk.free = "full", 3
        with pytest.raises(StorageError, match="The disk is full"):
            await house.library.attachments.put(b"picture")
        assert [path for path in paths.attachments.rglob("*") if path.is_file()] == []

    at_home(paths, story)


def test_a_file_is_kept_by_its_content(paths: Paths, tmp_path: Path) -> None:
    async def story(house: House) -> None:
        source = tmp_path / "notes.txt"
        source.write_bytes(b"notes")
        assert await house.library.attachments.put_file(source) == await house.library.attachments.put(b"notes")
        with pytest.raises(StorageError, match="could not be read"):
            await house.library.attachments.put_file(tmp_path / "missing")

    at_home(paths, story)


# Drafts


def test_drafts_come_back_after_a_restart(paths: Paths) -> None:
    draft = Draft(
        text="half a thought \ud83c",
        parts=(ImagePart(attachment="ab", alt="x"), FilePart(attachment="cd", filename="n.txt")),
    )

    async def write(house: House) -> None:
        house.library._list.put(NAMED)
        house.library.drafts.save("conversation", draft)
        house.library.drafts.save(NEW, Draft(text="new"))

    async def read(house: House) -> None:
        house.library._list.put(replace(NAMED, id="other"))
        kept = house.library.drafts.load("conversation")
        assert kept.text == "half a thought \N{REPLACEMENT CHARACTER}"
        assert kept.parts == draft.parts
        assert house.library.drafts.load(NEW).text == "new"
        assert house.library.drafts.load("other").is_empty
        house.library.drafts.save("conversation", Draft())

    async def gone(house: House) -> None:
        assert house.library.drafts.load("conversation").is_empty

    at_home(paths, write)
    at_home(paths, read)
    at_home(paths, gone)


def test_the_draft_of_a_conversation_to_come_is_there_under_its_next_id_and_gone_once_sent(paths: Paths) -> None:
    async def write(house: House) -> None:
        bus = MessageBus(house.library.create())
        house.library.attach(bus)
        house.library.drafts.save(bus.conversation_id, Draft(text="not sent yet"))

    async def read(house: House) -> None:
        bus = MessageBus(house.library.create())
        house.library.attach(bus)
        assert house.library.drafts.load(bus.conversation_id).text == "not sent yet"
        bus.add_user_message("sent")
        assert house.library.drafts.load(bus.conversation_id).is_empty
        assert house.library.drafts.load(house.library.create()).is_empty

    at_home(paths, write)
    at_home(paths, read)


def test_typing_writes_a_draft_once_it_pauses(paths: Paths) -> None:
    async def story(house: House) -> None:
        await house.library.drafts.flush()
        before = house.disk.writes
        for number in range(8):
            house.library.drafts.save("c", Draft(text="x" * (number + 1)))
            house.clock.pass_s(0.05)
        house.clock.pass_s(1)
        await house.library.drafts.flush()
        await house.library.attachments.put(b"a barrier: the thread works in order")
        assert house.disk.writes == before + 2

    at_home(paths, story)


def test_a_damaged_draft_is_put_aside(paths: Paths) -> None:
    (paths.drafts / "c.json").write_bytes(b"{")

    async def story(house: House) -> None:
        assert house.library.drafts.load("c").is_empty
        assert (paths.drafts / "c.bad").exists()

    at_home(paths, story)
