"""Dimming: how long after a change of settings the rows that are no longer sent are painted so.

As a program, ``python -m tests.benchmarks.dimming``: measure at 2,000 stored messages and print a JSON object.
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

DIMMED_MS = 100.0
_MESSAGES, _CHANGES = 2_000, 9


def dimming(repeats: int) -> list[Row]:
    """13. Rows dimmed at 2,000 messages, from a smaller limit in the settings to their first paint."""
    rounds = [_measured() for _ in range(repeats)]
    return [
        Row("until they are painted", statistics.median(each["ms"] for each in rounds), "ms wall", None, DIMMED_MS),
        Row("in that time", statistics.median(each["cpu_ms"] for each in rounds), "ms CPU"),
    ]


def _measured() -> dict[str, float]:
    return apart("dimming")


async def _dimming(program: Any) -> dict[str, float]:
    from sam_py.settings.model import Settings
    from sam_py.ui.chat.row_painting import Veil

    painted: list[float] = []
    paint = Veil.paintEvent

    def noted(veil: Any, event: Any) -> None:
        paint(veil, event)
        painted.append(time.perf_counter())

    Veil.paintEvent = noted  # type: ignore[method-assign]

    def limited(tokens: int | None) -> Any:
        def change(settings: Settings) -> Settings:
            return settings.model_copy(update={"chat": settings.chat.model_copy(update={"context_tokens": tokens})})

        return change

    window = program.window
    window.resize(1000, 700)
    window.show()
    await program.start()
    await window._show(await program._conversations.open(program._library.summaries()[0].id))
    timeline, fates = window.chat.timeline, window.chat._context.fates
    timeline.show_message(timeline.model.bus.id_at(_MESSAGES // 2))
    await asyncio.sleep(3.0)  # what is done once after the start is over by then
    took, cpu = [], []
    for _ in range(_CHANGES):
        painted.clear()
        began_s, began_cpu_s = time.perf_counter(), time.process_time()
        program._settings.change(limited(8_000))
        while not painted:
            await asyncio.sleep(0.001)
        took.append(1000 * (painted[0] - began_s))
        cpu.append(1000 * (time.process_time() - began_cpu_s))
        program._settings.change(limited(None))
        while fates.count:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
    await program.aclose()
    return {"ms": statistics.median(took), "cpu_ms": statistics.median(cpu)}


def main() -> None:
    from tests.benchmarks.child import _program

    with tempfile.TemporaryDirectory() as home:
        make_library(Path(home), conversations=1, messages=_MESSAGES)
        _app, loop, program = _program(home)
        with loop:
            print(json.dumps(loop.run_until_complete(_dimming(program))))


if __name__ == "__main__":
    main()
