"""Whenever a stream is left, its connection is given back: else no request goes out any more after a hundred."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from sam_py.providers.failures import Asked
from sam_py.providers.http import Call, Http
from tests.fakes.fault_server import DONE, FaultServer, Stream, chunk

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.parametrize("then", ["end", "hang"])
async def test_a_stream_that_is_left_at_any_moment_leaves_no_busy_connection(then: str) -> None:
    http = Http(gather_s=0.0)
    pieces = (*(chunk(f"word {number} ") for number in range(5)), DONE)
    async with FaultServer(Stream(pieces, then=then)) as server:  # type: ignore[arg-type]
        call = Call(f"{server.base_url}/chat/completions", Asked(label="Here", base_url=server.base_url), {"a": 1})
        await http.warm_up()
        for turns in range(50):

            async def read() -> None:
                async with contextlib.aclosing(http.stream(call)) as pieces:
                    async for _piece in pieces:
                        pass

            before = len(server.requests)
            reading = asyncio.ensure_future(read())
            while len(server.requests) == before:
                await asyncio.sleep(0)
            for _ in range(turns):
                await asyncio.sleep(0)
            reading.cancel()
            await asyncio.wait((reading,))
        pool = http._client._transport._pool  # type: ignore[union-attr]
        for _ in range(200):
            await asyncio.sleep(0)
        assert not pool._requests
        assert [each for each in pool.connections if "ACTIVE" in each.info()] == []
    await http.aclose()
