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


def test_callbacks_run_in_order_and_what_they_add_waits_for_the_next_turn(loop: Loop) -> None:
    order: list[str] = []

    def first() -> None:
        order.append("first")
        loop.call_soon(order.append, "third")

    async def run() -> None:
        loop.call_soon(first)
        loop.call_soon(order.append, "second")
        await asyncio.sleep(0.01)

    loop.run_until_complete(run())
    assert order == ["first", "second", "third"]


def test_a_cancelled_callback_does_not_run(loop: Loop) -> None:
    ran: list[int] = []

    async def run() -> None:
        loop.call_soon(ran.append, 1).cancel()
        await asyncio.sleep(0.01)

    loop.run_until_complete(run())
    assert ran == []


def test_a_callback_that_fails_does_not_hold_up_the_others(loop: Loop) -> None:
    troubles: list[str] = []
    ran: list[int] = []
    loop.set_exception_handler(lambda _loop, context: troubles.append(repr(context.get("exception"))))

    async def run() -> None:
        loop.call_soon(lambda: 1 / 0)
        loop.call_soon(ran.append, 1)
        await asyncio.sleep(0.01)

    loop.run_until_complete(run())
    assert ran == [1]
    assert "ZeroDivisionError" in troubles[0]


def test_sockets_carry_data_both_ways_again_and_again(loop: Loop) -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
        writer.close()

    async def run() -> list[int]:
        server = await asyncio.start_server(echo, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        sizes = []
        for size in (1, 1_000, 300_000):  # file numbers are used again: each connection closes before the next
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"x" * size)
            sizes.append(len(await reader.readexactly(size)))
            writer.close()
            await writer.wait_closed()
        server.close()
        await server.wait_closed()
        return sizes

    assert loop.run_until_complete(run()) == [1, 1_000, 300_000]
