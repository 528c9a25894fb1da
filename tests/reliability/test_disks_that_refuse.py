"""A disk that is full, a folder that may not be written, one that is not there: told once, and nothing is lost."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sam_py import app
from sam_py.store.library import Library
from sam_py.ui.widgets.confirm import Confirm
from tests.fakes.fault_server import FaultServer, Reply, Stream, chunk
from tests.fakes.sitting import Sitting
from tests.store.kit import RefusingDisk

Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> RefusingDisk:
    disk = RefusingDisk()
    monkeypatch.setattr(app, "Library", partial(Library, disk=disk))
    return disk


def told(sam: Sitting) -> list[str]:
    return [notice.text for notice in sam.window.notices.notices]


@pytest.mark.parametrize(("refuse", "words"), [("full", "disk is full"), ("read_only", "cannot be written")])
def test_a_disk_that_refuses_during_a_stream_is_told_once_and_costs_nothing(
    run: Run, sit_down: SitDown, disk: RefusingDisk, refuse: Any, words: str
) -> None:
    async def scenario() -> None:
        gated = Stream((*(chunk(f"w{n} ") for n in range(9)), chunk(finish="stop")), gated=True)
        async with FaultServer(gated) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Question")
            await sam.until(lambda: server.requests, "the request")
            server.release(3)
            await sam.until(lambda: sam.messages[-1].text == "w0 w1 w2 ", "three words")
            disk.refuse = refuse
            server.release(3)
            await sam.until(lambda: sam.program._library.trouble, "the trouble")
            server.release(9)
            await sam.answered()
            await sam.type("what I thought")
            assert len([text for text in told(sam) if words in text]) == 1
            sam.window.close()
            assert sam.window.isVisible()
            (question,) = sam.window.findChildren(Confirm)
            question.reject()
            disk.refuse = ""
            await sam.until(lambda: any("Saving works again" in text for text in told(sam)), "the good news")
            assert not [text for text in told(sam) if words in text]
            await sam.close()
            assert not sam.window.isVisible()

            again = await sit_down().start()
            assert [message.text for message in again.messages] == ["Question", " ".join(f"w{n}" for n in range(9))]
            assert again.chat.composer.draft().text == "what I thought"
            await again.close()

    run(scenario())


def test_a_program_that_may_not_write_shows_what_is_there(run: Run, sit_down: SitDown, disk: RefusingDisk) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("fine")) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Question")
            await sam.answered()
            await sam.close()

            disk.refuse = "read_only"
            again = await sit_down().start()
            assert [message.text for message in again.messages] == ["Question", "fine"]
            again.use_server(server.base_url)
            await again.send("And now?")
            await again.answered()
            assert "cannot be written" in str(again.program._library.trouble)
            assert [message.text for message in again.messages] == ["Question", "fine", "And now?"]
            assert len(server.requests) == 1
            again.window.close_now()
            await again.close()

    run(scenario())


def test_a_data_folder_that_is_not_there_any_more_is_waited_for(run: Run, sit_down: SitDown, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with FaultServer(Reply("fine"), Reply("well")) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Question")
            await sam.answered()
            await sam.close()
            data, elsewhere = tmp_path / "home/data", tmp_path / "unplugged"
            data.rename(elsewhere)

            again = await sit_down().start()
            assert any("connect the drive" in text for text in told(again))
            await again.send("Lost?")
            await again.answered()
            assert not any((data / "conversations").glob("*/*.jsonl"))
            shutil.rmtree(data)
            elsewhere.rename(data)
            (notice,) = (each for each in again.window.notices.notices if "connect the drive" in each.text)
            notice.action.click()
            await again.until(lambda: len(again.program._library.summaries()) >= 1, "the list")
            await again.close()

            third = await sit_down().start()
            summaries = third.program._library.summaries()
            assert sorted(summary.preview for summary in summaries) == ["Lost?", "fine"]
            await third.close()

    run(scenario())
