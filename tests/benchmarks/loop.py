"""The loop: what a round of tool calls costs besides the model and the tools, by messages in the conversation.

As a program, ``python -m tests.benchmarks.loop MESSAGES``: measure one size and print a JSON object.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest import mock

from sam_py.agent.context import Prepared
from sam_py.agent.prompt import prepare
from sam_py.agent.session import ChatSession
from sam_py.bus.message_bus import MessageBus
from sam_py.messages.turn import Limits
from sam_py.messages.usage import Usage
from sam_py.providers.base import (
    ChatRequest,
    Finished,
    ModelInfo,
    StreamEvent,
    TextDelta,
    ToolCallDelta,
    ToolCallStarted,
    UsageReported,
)
from sam_py.providers.http import Http
from sam_py.settings.model import ChatSettings, ModelChoice
from sam_py.tools.approval import Approvals
from sam_py.tools.base import Arguments, BuiltinTool, Running, ToolOutput
from sam_py.tools.builtin.catalogue import Doors, builtin_tools
from sam_py.tools.registry import ToolRegistry
from sam_py.tools.runner import ToolRunner
from sam_py.tools.toolbox import Toolbox
from tests.benchmarks.run import Row, apart
from tests.benchmarks.transcript import history

ROUND_MS = 5.0
_SIZES = (10, 1_000, 10_000)
_ROUNDS = 20


def loop(repeats: int) -> list[Row]:
    """9. A round of the loop, from one request to the next, with a model and a tool that answer at once.

    A plan and a transcript have limits of their own: see ``context`` and ``transcript``.
    """
    rows = []
    for size in _SIZES:
        rounds = [_measured(size) for _ in range(repeats)]
        middle = {key: statistics.median(each[key] for each in rounds) for key in rounds[0]}
        rows += [
            Row(f"a round's own work, {size:,} messages", middle["own_ms"], "ms CPU", None, ROUND_MS),
            Row(f"with plan and transcript, {size:,} messages", middle["round_ms"], "ms CPU"),
        ]
    return rows


def _measured(messages: int) -> dict[str, float]:
    return apart("loop", str(messages))


class _Nothing(Arguments):
    pass


class _Instant(BuiltinTool[_Nothing]):
    name = "instant"
    label = "Instant"
    description = "Answers at once."
    takes = _Nothing

    def doing(self, arguments: _Nothing) -> str:
        return "Answering"

    async def run(self, arguments: _Nothing, running: Running) -> ToolOutput:
        return ToolOutput("done")


class _Calling:
    """A model that calls one tool in each of `_ROUNDS` replies, and notes when it was asked."""

    id, label = "instant", "Instant"

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.asked_s: list[float] = []
        self.rounds = 0

    async def stream(self, request: ChatRequest) -> AsyncIterator[StreamEvent]:
        self.asked_s.append(time.process_time())
        self.rounds += 1
        for piece in ("Let ", "me ", "see."):
            yield TextDelta(piece)
        yield UsageReported(Usage(input_tokens=20_000, output_tokens=5))
        if self.rounds % _ROUNDS:
            yield ToolCallStarted("0", f"call_new_{self.rounds}", "instant")
            yield ToolCallDelta("0", "{}")
        yield Finished("tool_use" if self.rounds % _ROUNDS else "stop")

    async def list_models(self) -> list[ModelInfo]:
        return [ModelInfo("m")]

    def limits_of(self, model: str) -> Limits:
        return self.limits

    async def aclose(self) -> None:
        pass


async def _main(messages: int) -> dict[str, float]:
    bus = MessageBus("bench")
    talk, ledger = history(messages)
    bus.ledger.load(ledger)
    before = None
    for message in talk:
        bus.add(message.model_copy(update={"parent_id": before}))
        before = message.id
    model = _Calling(Limits(tools=True, context_tokens=200_000))
    registry = ToolRegistry([_Instant(), *builtin_tools(_doors())])
    runner = ToolRunner(bus, bus.ledger.writer(), registry, Approvals(), save_now=_save, put_attachment=_put)
    session = ChatSession(
        bus,
        provider_of=lambda _id: model,
        save_now=_save,
        read_attachment=_read,
        defaults=ChatSettings(default=ModelChoice(provider="instant", model="m"), model_titles=False),
        tools=Toolbox(registry, runner, lambda _name: True),
    )
    preparing_s: list[float] = []

    async def timed(*args: Any, **named: Any) -> Prepared:
        began_s = time.process_time()
        prepared = await prepare(*args, **named)
        preparing_s.append(time.process_time() - began_s)
        return prepared

    with mock.patch("sam_py.agent.loop.prepare", timed):
        await session.send("The first turn sees all messages for the first time.")
        model.asked_s.clear()
        preparing_s.clear()
        await session.send("Go on.")
    await session.aclose()
    gaps = [after - before for before, after in pairwise(model.asked_s)]
    own = [gap - prepared for gap, prepared in zip(gaps, preparing_s[1:], strict=True)]
    return {"round_ms": statistics.median(gaps) * 1000, "own_ms": statistics.median(own) * 1000}


def _doors() -> Doors:
    return Doors(
        bus_of=lambda _id: None,
        root_of=lambda _id: Path.cwd(),
        own_folders=(),
        put_attachment=_put,
        read_attachment=_read,
        http=Http(),
        ask=_ask,
    )


async def _ask(_question: object) -> str:
    return ""


async def _save() -> None:
    """The store's own cost is measured in ``save``."""


async def _put(_data: bytes, _mime_type: str) -> str:
    return ""


async def _read(_attachment: str) -> bytes:
    return b""


def main() -> None:
    print(json.dumps(asyncio.run(_main(int(sys.argv[1])))))


if __name__ == "__main__":
    main()
