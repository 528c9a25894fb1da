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


def test_two_programs_on_one_synced_library_end_with_the_same(qapp: QApplication, run: Run, tmp_path: Path) -> None:
    async def story() -> None:
        homes = [tmp_path / "one", tmp_path / "other"]
        with Pair(tmp_path / "sync", *(home / "data" for home in homes)) as pair:
            one, other = [await Sitting(qapp, home).start() for home in homes]
            async with contextlib.AsyncExitStack() as ends:
                for sam in (one, other):
                    ends.push_async_callback(sam.close)
                    sam.program._library.follow_others()
                # The one begins; the other sees the conversation come, opens it, and answers.
                await said(one, "begun here")
                id = one.bus.conversation_id
                await other.until(lambda: other.program._library.summary(id) is not None, "the row of the other")
                await other.until(lambda: Path(homes[1] / "data/conversations" / id).exists(), "its folder")
                await level(pair)
                other.window.open_conversation(id)
                await other.until(lambda: other.bus.conversation_id == id, "the conversation")
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
                await asyncio.to_thread(pair.other.start)
                for _round in range(2):
                    for sam in (one, other):
                        await sam.program._library.flush()
                    await level(pair)
                    for sam in (one, other):
                        await sam.program._library._others.take_in(id)
                assert tree_of(one) == tree_of(other)
                questions = [m.text for m in tree_of(one).values() if m.role == "user"]
                wanted = ["begun here", "goes on there", "at once here", "at once there", "alone here", "alone there"]
                assert sorted(questions) == sorted([*wanted, "still alone"])
                assert len(tree_of(one)) == 2 * len(questions)
                files = {path.name for path in (homes[0] / "data/conversations" / id).glob("*.jsonl")}
                assert len(files) == 2
                assert not list(tmp_path.rglob("*sync-conflict*"))

    run(story())
