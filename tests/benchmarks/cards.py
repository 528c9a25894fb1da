"""A tool's card: how long after the model names a tool it is painted, while its arguments still stream.

As a program, ``python -m tests.benchmarks.cards``: measure at 10,000 messages and print a JSON object.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.benchmarks.run import Row, apart, make_library

CARD_MS = 100.0
_CALLS = 30


def cards(repeats: int) -> list[Row]:
    """11. The card of a tool call at 10,000 messages, from the stream's word of it to its first paint."""
    rounds = [_measured() for _ in range(repeats)]
    return [
        Row("until the card is painted", statistics.median(each["shown_ms"] for each in rounds), "ms wall"),
        Row(
            f"the slowest of {_CALLS}",
            statistics.median(each["slowest_ms"] for each in rounds),
            "ms wall",
            None,
            CARD_MS,
        ),
    ]


def _measured() -> dict[str, float]:
    return apart("cards")


async def _cards(program: Any) -> dict[str, float]:
    from sam_py.ui.chat import tool_line

    painted: list[str] = []
    paint = tool_line.ToolLine.paintEvent

    def noted(line: Any, event: Any) -> None:
        paint(line, event)
        painted.append(line.parentWidget().call_id)

    tool_line.ToolLine.paintEvent = noted  # type: ignore[method-assign]
    window = program.window
    window.resize(1000, 700)
    window.show()
    await program.start()
    await window._show(await program._conversations.open(program._library.summaries()[0].id))
    await asyncio.sleep(3.0)  # what is done once after the start is over by then
    bus, took = window.chat.conversation.bus, []
    for number in range(_CALLS):
        bus.add_user_message("And now?")
        window.chat.timeline.go_to_end()
        reply = bus.begin_assistant()
        bus.append_delta(reply, "Let me look. ")
        await asyncio.sleep(0.1)
        call_id = f"call_{number}"
        began_s = time.perf_counter()
        bus.begin_call(reply, "0", call_id, "calculate")
        while call_id not in painted:
            await asyncio.sleep(0.001)
        took.append(1000 * (time.perf_counter() - began_s))
        bus.append_arguments(reply, "0", '{"expression": "1 + 1"}')
        bus.complete(reply, "stop")
        await asyncio.sleep(0.05)
    await program.aclose()
    return {"shown_ms": statistics.median(took), "slowest_ms": max(took)}


def main() -> None:
    from tests.benchmarks.child import _program

    with tempfile.TemporaryDirectory() as home:
        make_library(Path(home), conversations=1, messages=10_000)
        _app, loop, program = _program(home)
        with loop:
            print(json.dumps(loop.run_until_complete(_cards(program))))


if __name__ == "__main__":
    main()
