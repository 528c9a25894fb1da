"""The inspector: what opening it costs at 10,000 messages, how long the window stands still, and what streaming pays.

As a program, ``python -m tests.benchmarks.inspector CASE``: measure and print a JSON object.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.benchmarks.run import ROOT, Row, apart, make_library


def inspector(repeats: int) -> list[Row]:
    """10. The inspector: opened at 10,000 messages, and open while a reply streams."""
    opened = [_child("open") for _ in range(repeats)]
    closed = [_child("stream_closed") for _ in range(repeats)]
    beside = [_child("stream_open") for _ in range(repeats)]
    ratio = _middle(beside, "cpu_percent") / _middle(closed, "cpu_percent")
    return [
        Row("until it stands, window's thread", _middle(opened, "stands_ms"), "ms CPU", None, 100.0),
        Row("until all messages are listed", _middle(opened, "listed_ms"), "ms wall"),
        Row("longest stretch without a turn of the loop", _middle(opened, "listed_stall_ms"), "ms CPU", None, 100.0),
        Row("request tab, until it is written out", _middle(opened, "request_ms"), "ms wall"),
        Row("longest stretch without a turn of the loop", _middle(opened, "request_stall_ms"), "ms CPU"),
        Row("a key in the box, until it counts", _middle(opened, "typed_ms"), "ms CPU"),
        Row("100 chunks/s, inspector closed", _middle(closed, "cpu_percent"), "% of a core"),
        Row("100 chunks/s, inspector open", _middle(beside, "cpu_percent"), "% of a core", ratio, 1.2),
        Row("event-loop stall beside it, p95", _middle(beside, "stall_p95_ms"), "ms", None, 16.0),
    ]


def _middle(results: list[dict[str, float]], key: str) -> float:
    return sorted(result[key] for result in results)[len(results) // 2]


def _child(case: str) -> dict[str, float]:
    return apart("inspector", case)


class _Beat:
    """What the window's thread works at most between two turns of the loop: what a key press would wait, at least."""

    def __init__(self) -> None:
        self.longest_s = 0.0
        self._task = asyncio.ensure_future(self._run())

    async def _run(self) -> None:
        while True:
            began = time.thread_time()
            await asyncio.sleep(0.001)
            self.longest_s = max(self.longest_s, time.thread_time() - began)

    async def stop(self) -> float:
        """The longest, in ms."""
        await asyncio.sleep(0.01)
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        return 1000 * self.longest_s


async def _listed(what: Any) -> None:
    while not what():
        await asyncio.sleep(0.001)


async def _open(program: Any) -> dict[str, float]:
    window = program.window
    window.resize(1300, 800)
    window.show()
    await program.start()
    program._settings.change(
        lambda settings: settings.model_copy(
            update={"chat": settings.chat.model_copy(update={"context_tokens": 128_000})}
        )
    )
    await window._show(await program._conversations.open(program._library.summaries()[0].id))
    await asyncio.sleep(3.0)  # what is done once after the start is over by then
    result = {}
    beat, wall, cpu = _Beat(), time.perf_counter(), time.thread_time()
    window.inspector.toggle()
    window.repaint()
    result["stands_ms"] = 1000 * (time.thread_time() - cpu)
    widget = window.inspector.widget
    await _listed(lambda: widget.context.rows.rowCount() >= 10_000)
    widget.context.list.viewport().repaint()
    result["listed_ms"] = 1000 * (time.perf_counter() - wall)
    result["listed_stall_ms"] = await beat.stop()
    cpu = time.thread_time()
    window.chat.composer.text.insertPlainText("And now?")
    await _listed(lambda: widget.context.rows.rowCount() >= 10_001)
    result["typed_ms"] = 1000 * (time.thread_time() - cpu)
    beat, wall = _Beat(), time.perf_counter()
    window.inspector.show_tab("request")
    await _listed(lambda: widget.request.text.toPlainText())
    result["request_ms"] = 1000 * (time.perf_counter() - wall)
    result["request_stall_ms"] = await beat.stop()
    await program.aclose()
    return result


async def _stream(program: Any, port: int, *, shown: bool) -> dict[str, float]:
    from tests.benchmarks.child import _stream as measured

    async def open_later() -> None:
        await asyncio.sleep(2.0)
        program.window.resize(1300, 800)
        program.window.inspector.show(shown)

    opening = asyncio.ensure_future(open_later())
    result = await measured(program, port, 5.0)
    await opening
    return result


def main() -> None:
    from tests.benchmarks.child import _program

    case = sys.argv[1]
    with tempfile.TemporaryDirectory() as home:
        if case == "open":
            make_library(Path(home), conversations=1, messages=10_000)
        _app, loop, program = _program(home)
        with loop:
            if case == "open":
                print(json.dumps(loop.run_until_complete(_open(program))))
                return
            command = [sys.executable, "-m", "tests.benchmarks.server", "100"]
            server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
            try:
                assert server.stdout is not None
                port = int(server.stdout.readline())
                print(json.dumps(loop.run_until_complete(_stream(program, port, shown=case == "stream_open"))))
            finally:
                server.kill()
                server.wait()


if __name__ == "__main__":
    main()
