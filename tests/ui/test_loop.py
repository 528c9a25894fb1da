"""Loop: timers are never early, cancelled ones are swept, and asyncio's own tools work on it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from sam_py.ui.loop import Loop


@pytest.fixture
def loop(qapp: Any) -> Iterator[Loop]:
    loop = Loop(qapp)
    asyncio.set_event_loop(loop)
    with loop:
        yield loop
    asyncio.set_event_loop(None)


def test_a_timer_is_never_early(loop: Loop) -> None:
    async def measure() -> float:
        earliest = 0.0
        for _ in range(20):
            start = loop.time()
            await asyncio.sleep(0.0103)
            earliest = min(earliest, loop.time() - start - 0.0103)
        return earliest

    assert loop.run_until_complete(measure()) >= -1e-6


def test_cancelled_timers_are_swept(loop: Loop) -> None:
    async def many() -> int:
        for _ in range(2000):
            loop.call_later(60, int).cancel()
        await asyncio.sleep(0)
        return len(loop._heap)

    assert loop.run_until_complete(many()) <= 201


def test_timeouts_and_ordering_work(loop: Loop) -> None:
    order: list[str] = []

    async def run() -> None:
        loop.call_later(0.02, order.append, "second")
        loop.call_later(0.01, order.append, "first")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.sleep(5), 0.05)

    loop.run_until_complete(run())
    assert order == ["first", "second"]


def test_a_subprocess_runs_on_it(loop: Loop) -> None:
    async def run() -> bytes:
        process = await asyncio.create_subprocess_exec("echo", "hello", stdout=asyncio.subprocess.PIPE)
        out, _err = await process.communicate()
        return out

    assert loop.run_until_complete(run()).strip() == b"hello"
