"""What came before a stop stays, and nothing begins after it, although something is still being written or hangs on."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator

import pytest

from sam_py.messages.message import ToolResultMessage
from sam_py.providers.base import ImageProduced
from sam_py.store.errors import StorageError
from sam_py.tools.base import Running, ToolOutput
from sam_py.tools.runner import LONGEST_TEXT
from tests.agent.test_tool_loop import Acting, City, Note, calls
from tests.agent.test_tool_loop import acting as acting

pytestmark = pytest.mark.anyio

LONG = "a line that a tool found\n" * 4_000


class Slow(Acting):
    """Keeping an attachment takes until `kept` is set, or fails with `refusal`."""

    def __init__(self) -> None:
        self.kept = asyncio.Event()
        self.refusal: StorageError | None = None
        self.writes = 0
        super().__init__()

    async def _put(self, data: bytes, mime_type: str) -> str:
        self.writes += 1
        if self.refusal is not None:
            raise self.refusal
        await self.kept.wait()
        return await super()._put(data, mime_type)

    def last(self) -> ToolResultMessage:
        message = self.bus.at(len(self.bus) - 1)
        assert isinstance(message, ToolResultMessage)
        return message


@pytest.fixture
async def slow(anyio_backend: str) -> AsyncIterator[Slow]:
    slow = Slow()
    yield slow
    await slow.session.aclose()


async def long(_arguments: City, _running: Running) -> ToolOutput:
    return ToolOutput(LONG)


async def test_a_long_result_counts_although_the_whole_of_it_is_still_being_written(slow: Slow) -> None:
    slow.weather.run = long  # type: ignore[method-assign]
    slow.provider.say(*calls(("c1", "weather", '{"city": "Paris"}')))
    sending = asyncio.ensure_future(slow.session.send("Weather?"))
    await slow.until(lambda: slow.writes)
    slow.session.stop()
    result = slow.last()
    assert (result.status, result.whole) == ("success", hashlib.sha256(LONG.encode()).hexdigest())
    assert "read_result" in result.output_text
    assert slow.bus.ledger["c1"].state == "success"
    await sending


async def test_a_long_result_that_cannot_be_kept_whole_is_told_cut(slow: Slow) -> None:
    slow.weather.run = long  # type: ignore[method-assign]
    slow.refusal = StorageError("The disk is full. Free some space.", kind="full")
    slow.provider.say(*calls(("c1", "weather", '{"city": "Paris"}')))
    slow.provider.answer("I see.")
    await slow.session.send("Weather?")
    assert slow.results() == [("c1", "success")]
    (result,) = (each for each in slow.bus.messages() if isinstance(each, ToolResultMessage))
    assert result.whole is None
    assert "could not be kept" in result.output_text
    assert len(result.output_text) < LONGEST_TEXT
    assert slow.lines()[-1] == "assistant: I see. [stop]"


async def test_a_picture_that_came_stays_although_it_is_still_being_written(slow: Slow) -> None:
    slow.provider.say("Look: ", ImageProduced(b"picture", "image/webp"))
    sending = asyncio.ensure_future(slow.session.send("Draw"))
    await slow.until(lambda: slow.writes)
    slow.session.stop()
    reply = slow.bus.at(1)
    assert [image.attachment for image in reply.images] == [hashlib.sha256(b"picture").hexdigest()]
    slow.kept.set()
    await sending
    assert slow.bus.at(1) == reply


class Stubborn(Note):
    """Goes on when it is cancelled."""

    def touches(self, arguments: City) -> tuple[()]:  # type: ignore[override]
        return ()

    async def run(self, arguments: City, running: Running) -> ToolOutput:
        self.asked.append(arguments.city)
        while not self.gate.is_set():
            try:
                await self.gate.wait()
            except asyncio.CancelledError:
                continue
        return ToolOutput("done")


async def test_what_stood_behind_a_tool_that_cannot_be_stopped_does_not_run(acting: Acting) -> None:
    stubborn = Stubborn()
    stubborn.name = "stubborn"  # type: ignore[misc]
    stubborn.gate.clear()
    acting.runner._registry.add(stubborn)
    two = [("c1", "stubborn", '{"city": "Paris"}'), ("c2", "stubborn", '{"city": "Oslo"}')]
    acting.provider.say(*calls(*two))
    sending = asyncio.ensure_future(acting.session.send("Weather?"))
    await acting.until(lambda: stubborn.asked)
    acting.session.stop()
    await sending
    stubborn.gate.set()
    await acting.session.aclose()
    assert stubborn.asked == ["Paris"]
    assert acting.results() == [("c1", "aborted"), ("c2", "aborted")]
