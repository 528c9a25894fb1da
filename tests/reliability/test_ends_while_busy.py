"""Quitting while something is under way: quick, quiet, and every word is kept."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sam_py.messages.message import AssistantMessage
from sam_py.store.drafts import Draft
from tests.e2e.paced_server import PacedServer
from tests.fakes.fault_server import Behaviour, FaultServer, Silence, Status, Stream, chunk
from tests.fakes.sitting import Sitting
from tests.reliability.process import READY, SENDS, ended, start, until_ready, wait_for

Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]

QUICK_S = 6.0
"""A bound on hangs, not on speed: other tests run beside."""
SLOW_DOWN = json.dumps({"error": {"message": "slow down", "type": "rate_limit"}})


def journal_of(home: Path) -> str:
    return "".join(path.read_text() for path in (home / "data/conversations").glob("*/*.jsonl"))


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_while_a_reply_streams_keeps_all_words(tmp_path: Path, number: signal.Signals) -> None:
    with PacedServer() as server:
        (tmp_path / "config").mkdir()
        (tmp_path / "config/settings.json").write_text(json.dumps(server.settings))
        program = start(tmp_path, code=SENDS.format(texts=["Question", "and then?"]) + READY)
        until_ready(program)
        reply = server.next_reply()
        assert "Question" in journal_of(tmp_path)
        reply.say("The first half")
        wait_for(lambda: "The first half" in journal_of(tmp_path), "the streamed text on the disk")
        reply.say(" and the last word")
        wait_for(lambda: reply.outbox.empty(), "the last word")
        time.sleep(0.1)  # on its way through the socket
        program.send_signal(number)
        program.send_signal(number)
        code, output, took_s = ended(program)
    assert (code, output) == (0, "")
    assert took_s < QUICK_S
    assert "The first half and the last word" in journal_of(tmp_path)
    drafts = [Draft.model_validate_json(path.read_bytes()) for path in (tmp_path / "state/drafts").glob("*.json")]
    assert [each.text for draft in drafts for each in draft.queued] == ["and then?"]


ENDED_BY_QT = """
import asyncio, pathlib
from PySide6.QtWidgets import QApplication
_begin = app.Program.start
async def _beginning(self):
    await _begin(self)
    async def until_told():
        while not pathlib.Path({told!r}).exists():
            await asyncio.sleep(0.01)
        QApplication.exit(1)
    self._until_told = asyncio.get_running_loop().create_task(until_told())
app.Program.start = _beginning
"""


def test_all_words_are_kept_where_qt_ends_the_loop(tmp_path: Path) -> None:
    """As when a person logs out, chooses Quit in macOS's Dock, or the X server goes away."""
    told = tmp_path / "told"
    with PacedServer() as server:
        (tmp_path / "config").mkdir()
        (tmp_path / "config/settings.json").write_text(json.dumps(server.settings))
        code = SENDS.format(texts=["Question"]) + ENDED_BY_QT.format(told=str(told)) + READY
        program = start(tmp_path, code=code)
        until_ready(program)
        reply = server.next_reply()
        reply.say("The first half")
        wait_for(lambda: "The first half" in journal_of(tmp_path), "the streamed text on the disk")
        reply.say(" and the last word")
        wait_for(lambda: reply.outbox.empty(), "the last word")
        time.sleep(0.1)  # on its way through the socket
        told.touch()
        code_of_end, output, took_s = ended(program)
    assert (code_of_end, output) == (0, "")
    assert took_s < QUICK_S
    assert "The first half and the last word" in journal_of(tmp_path)


STREAM = Stream((chunk("Some words"),), then="hang")


@pytest.mark.parametrize(
    ("behaviour", "what"),
    [
        (Silence(), "a server that never answers"),
        (STREAM, "a stream"),
        (Status(429, SLOW_DOWN, {"Retry-After": "60"}), "the wait for a retry"),
    ],
)
def test_the_window_closes_quickly_during(run: Run, sit_down: SitDown, behaviour: Behaviour, what: str) -> None:
    async def scenario() -> None:
        async with FaultServer(behaviour) as server:
            sam = await sit_down().start()
            sam.use_server(server.base_url)
            await sam.send("Question")
            await sam.until(lambda: server.requests, "the request")
            if behaviour is STREAM:
                await sam.until(lambda: sam.messages[-1].text == "Some words", "the words")
            began = time.monotonic()
            await sam.close()
            assert time.monotonic() - began < QUICK_S
            again = await sit_down().start()
            said = [message.text for message in again.messages]
            assert said == (["Question", "Some words"] if behaviour is STREAM else ["Question"])
            if behaviour is STREAM:
                assert isinstance(again.messages[-1], AssistantMessage)
                assert again.messages[-1].stop_reason == "aborted"
            await again.close()

    run(scenario())


def test_the_window_closes_quickly_while_files_are_read(run: Run, sit_down: SitDown, tmp_path: Path) -> None:
    async def scenario() -> None:
        sam = await sit_down().start()
        paths = []
        for number in range(4):
            path = tmp_path / f"{number}.txt"
            path.write_text(f"{number} " * 400_000)
            paths.append(str(path))
        await sam.type("with files")
        sam.chat.composer.add_paths(paths)
        began = time.monotonic()
        await sam.close()
        assert time.monotonic() - began < QUICK_S
        again = await sit_down().start()
        assert again.chat.composer.draft().text == "with files"
        await again.close()

    run(scenario())


def test_three_streams_that_never_end_close_side_by_side(run: Run, sit_down: SitDown) -> None:
    async def scenario() -> None:
        async with FaultServer(STREAM) as server:
            sam = await sit_down().start()
            for number in range(3):
                sam.window.new_conversation()
                await asyncio.sleep(0.02)
                sam.use_server(server.base_url)
                await sam.send(f"Question {number}")
                await sam.until(lambda: sam.messages and sam.messages[-1].text == "Some words", "the words")
            assert sum(each.is_busy for each in sam.window.conversations.all()) == 3
            began = time.monotonic()
            await sam.close()
            assert time.monotonic() - began < QUICK_S

    run(scenario())
