"""The HTTP client that servers at an address are spoken to with: bounded, without redirects to other hosts."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp.client.streamable_http import streamable_http_client

LARGEST_ANSWER = 16_000_000
"""Bytes of one answer, or of one event of a stream."""


@asynccontextmanager
async def http_streams(
    url: str, headers: Mapping[str, str], *, connect_s: float, on_status: Callable[[int], None]
) -> AsyncGenerator[Any]:
    """The SDK's transport over a client of ours. The SDK follows redirects within the same origin only.

    `on_status` hears the status of each answer, which the SDK's errors leave out.
    """

    async def look_at(response: httpx2.Response) -> None:
        on_status(response.status_code)
        _bound(response)

    client = httpx2.AsyncClient(
        # Compressed, a small answer could become a large one.
        headers={**headers, "Accept-Encoding": "identity"},
        timeout=httpx2.Timeout(connect_s, read=None),  # each call has its own deadline
        event_hooks={"response": [look_at]},
    )
    async with (
        client,
        streamable_http_client(url, http_client=client, max_sse_event_size=LARGEST_ANSWER) as streams,
    ):
        yield streams


def _bound(response: httpx2.Response) -> None:
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise httpx2.DecodingError("the server compresses although it was asked not to", request=response.request)
    if not response.headers.get("content-type", "").lower().startswith("text/event-stream"):
        response.stream = _Bounded(response.stream)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > LARGEST_ANSWER:
                raise httpx2.ReadError(f"the answer is longer than {LARGEST_ANSWER:,} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
