"""Two copies of the program, two computers' worth of folders, and real Syncthing between them."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from sam_py.messages.message import Message
from sam_py.store.journal import Journal
from tests.fakes.sitting import Sitting
from tests.fakes.syncthing import PROGRAM, Pair

Run = Callable[[Any], Any]

pytestmark = [
    pytest.mark.skipif(PROGRAM is None, reason="syncthing is not installed"),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="drives the program of Debian's package"),
]


async def level(pair: Pair) -> None:
    async with asyncio.timeout(90):
        while not await asyncio.to_thread(pair.is_level):
            await asyncio.sleep(0.1)


def tree_of(sam: Sitting) -> dict[str, Message]:
    return {message.id: message for message in sam.bus.tree()}


async def said(sam: Sitting, text: str) -> None:
    """Ask the guide, and wait for its answer."""
    await sam.send(text)
    await sam.until(lambda: any(message.text == text for message in sam.messages), "the question")
    await sam.answered()


async def show(sam: Sitting, id: str) -> None:
    sam.window.open_conversation(id)
    await sam.until(lambda: sam.bus.conversation_id == id, "the conversation")


async def begun(sam: Sitting, text: str) -> str:
    """The id of a new conversation that begins with `text`."""
    before = sam.chat.conversation.id
    if len(sam.bus):
        sam.window.new_conversation()
        await sam.until(lambda: sam.chat.conversation.id != before, "the new conversation")
    await said(sam, text)
    return sam.bus.conversation_id


def words_of(sam: Sitting, id: str) -> list[str]:
    """What the person said in a conversation, as its files tell it."""
    history = Journal(sam.program._library._paths.conversations / id, "reader").load(mend=False)
    return sorted(message.load().text for message in history.messages if message.role == "user")


def test_two_programs_on_one_synced_library_end_with_the_same(qapp: QApplication, run: Run, tmp_path: Path) -> None:
    async def story() -> None:
        homes = [tmp_path / "one", tmp_path / "other"]
        with Pair(tmp_path / "sync", *(home / "data" for home in homes)) as pair:
            one, other = [await Sitting(qapp, home).start() for home in homes]
            async with contextlib.AsyncExitStack() as ends:
                for sam in (one, other):
                    ends.push_async_callback(sam.close)
                    sam.program._library.follow_others()
                # The one begins; the other sees the conversations come, opens them, and answers in one.
                kept, gone, id = [await begun(one, text) for text in ("kept", "gone", "begun here")]
                libraries = [sam.program._library for sam in (one, other)]
                news: dict[str, list[str]] = {"one": [], "other": []}
                for library, heard in zip(libraries, news.values(), strict=True):
                    library.on_problem(lambda each, heard=heard: heard.append(str(each)))  # type: ignore[misc]
                await other.until(lambda: len(libraries[1].summaries()) == 3, "the rows of the other")
                await other.until(lambda: Path(homes[1] / "data/conversations" / id).exists(), "its folder")
                await level(pair)
                for each in (kept, gone, id):
                    await show(other, each)
                await said(other, "goes on there")
                await one.until(lambda: "goes on there" in [m.text for m in one.messages], "what was said there")
                await one.until(lambda: "goes on there" in " ".join(one.screen()), "its row")
                # Both at once.
                await asyncio.gather(said(one, "at once here"), said(other, "at once there"))
                # Off the network, each for itself, and back.
                await asyncio.to_thread(pair.other.stop)
                await said(one, "alone here")
                await said(other, "alone there")
                await said(other, "still alone")
                one.window.sidebar.commands.delete([kept, gone])
                await one.until(lambda: len(libraries[0].summaries()) == 1, "their end")
                await show(other, kept)
                await said(other, "needed there")
                await show(other, id)
                one.bus.change_setting("title", "Named here")
                other.bus.change_setting("title", "Named there")
                await asyncio.to_thread(pair.other.start)
                for _round in range(2):
                    for library in libraries:
                        await library.flush()
                    await level(pair)
                    for library in libraries:
                        for each in (id, kept, gone):
                            await library._others.take_in(each)
                # What was deleted stays deleted; what was gone on with is back, with all that was said, and it is told.
                for home, library in zip(homes, libraries, strict=True):
                    assert {each.id for each in library.summaries()} == {id, kept}
                    assert not list((home / "data/conversations" / gone).glob("*.jsonl"))
                assert words_of(one, kept) == words_of(other, kept) == ["kept", "needed there"]
                assert "deleted on one computer while it was gone on with" in " ".join(news["one"])
                assert "deleted on another computer" in " ".join(news["other"])
                assert one.bus.settings.title == other.bus.settings.title
                assert tree_of(one) == tree_of(other)
                questions = [m.text for m in tree_of(one).values() if m.role == "user"]
                wanted = ["begun here", "goes on there", "at once here", "at once there", "alone here", "alone there"]
                assert sorted(questions) == sorted([*wanted, "still alone"])
                assert len(tree_of(one)) == 2 * len(questions)
                files = {path.name for path in (homes[0] / "data/conversations" / id).glob("*.jsonl")}
                assert len(files) == 2
                assert not list(tmp_path.rglob("*sync-conflict*"))

    run(story())
