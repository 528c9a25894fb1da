"""Relay: a TCP relay in front of a server that keeps what was sent and sees who hangs up first."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit


class Relay:
    """Listens on 127.0.0.1 and passes everything on to `url`, on the loop of the test."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._to = (parts.hostname or "", parts.port or 80)
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.sent = bytearray()
        """What clients sent, all connections together."""
        self.client_left = asyncio.Event()
        """Set when a client closed its side while the server's was open."""

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        back_reader, back_writer = await asyncio.open_connection(*self._to)
        back = asyncio.create_task(self._pass_on(back_reader, writer, None))
        self._tasks.add(back)
        try:
            await self._pass_on(reader, back_writer, self.sent)
            if not back.done():
                self.client_left.set()
        finally:
            back.cancel()
            back_writer.close()
            self._tasks -= {task, back}

    @staticmethod
    async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, kept: bytearray | None) -> None:
        try:
            while data := await reader.read(65536):
                if kept is not None:
                    kept += data
                writer.write(data)
                await writer.drain()
        except ConnectionError:
            return
        finally:
            writer.close()
