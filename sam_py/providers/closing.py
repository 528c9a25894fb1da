"""Closing: an answer whose connection is given back whole, also when its reader is cancelled meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx


def closing_whole(stream: httpx.AsyncByteStream) -> httpx.AsyncByteStream:
    """`stream`, closed to the end once it is closed at all.

    httpcore (1.0.9) shields its closing with anyio's scopes, which a task's own `cancel` does not heed: interrupted
    there, a connection stays open, counts as busy for ever, and after a hundred of them no request goes out.
    """
    import httpx  # loaded by now: it made the stream

    class Closing(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for part in stream:
                yield part

        async def aclose(self) -> None:
            await _undisturbed(stream.aclose())

    return Closing()


async def _undisturbed(work: Coroutine[Any, Any, None]) -> None:
    """Do `work` to its end, and only then heed a cancellation."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait((task,))
        raise
