"""FaultServer: an HTTP server on 127.0.0.1 that answers as a test says: well, wrongly, half, or never.

It runs on the test's own event loop. Each request takes the next behaviour; the last one repeats.

    async with FaultServer(Status(429, headers={"Retry-After": "1"}), Reply("Hello")) as server:
        provider = OpenAIChatProvider(..., base_url=server.base_url)
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal, Self


@dataclass(frozen=True)
class Status:
    """An answer in one piece."""

    status: int
    body: str | bytes = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"


@dataclass(frozen=True)
class Stream:
    """A streamed answer: `chunks` as they are, then the end, a cut connection, or silence until the client goes.

    A `gated` one sends a chunk only when the test calls `FaultServer.release`.
    """

    chunks: tuple[bytes, ...]
    then: Literal["end", "cut", "hang"] = "end"
    gated: bool = False
    content_type: str = "text/event-stream"


@dataclass(frozen=True)
class Silence:
    """Takes the request and never answers."""


@dataclass(frozen=True)
class Hangup:
    """Closes the connection without a byte."""


Behaviour = Status | Stream | Silence | Hangup


def chunk(text: str = "", *, finish: str | None = None, **delta: Any) -> bytes:
    """One event of a Chat Completions stream."""
    if text:
        delta["content"] = text
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return sse({"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "fake", "choices": [choice]})


def sse(value: object) -> bytes:
    data = value if isinstance(value, str) else json.dumps(value)
    return f"data: {data}\n\n".encode()


DONE = sse("[DONE]")


def Reply(*pieces: str) -> Stream:
    """A well-behaved answer that says `pieces`."""
    return Stream((*(chunk(piece) for piece in pieces), chunk(finish="stop"), DONE))


def Json(value: object, status: int = 200) -> Status:
    return Status(status, json.dumps(value))


@dataclass(frozen=True)
class Received:
    """A request as the server got it."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any
    raw: bytes = b""
    """The body as it came."""


class FaultServer:
    def __init__(self, *behaviours: Behaviour, paths: Mapping[str, Behaviour] | None = None) -> None:
        """`paths` answers some addresses always the same; all else takes `behaviours` in order."""
        self._behaviours = list(behaviours)
        self._paths = dict(paths or {})
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._gate = asyncio.Semaphore(0)
        self.requests: list[Received] = []
        self.client_left = asyncio.Event()
        """Set when a client closed a connection on which it still got an answer."""
        self.streaming = asyncio.Event()
        """Set when all chunks of a stream were sent."""

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    def release(self, chunks: int = 1) -> None:
        """Let a gated stream send so many more chunks."""
        for _ in range(chunks):
            self._gate.release()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            request = await _read_request(reader)
            self.requests.append(request)
            await self._answer(self._next(request.path), reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.client_left.set()
        finally:
            self._connections.discard(task)
            writer.close()

    def _next(self, path: str) -> Behaviour:
        if path in self._paths:
            return self._paths[path]
        if not self._behaviours:
            return Status(404, "no behaviour for this address", content_type="text/plain")
        return self._behaviours.pop(0) if len(self._behaviours) > 1 else self._behaviours[0]

    async def _answer(self, behaviour: Behaviour, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        match behaviour:
            case Status():
                body = behaviour.body.encode() if isinstance(behaviour.body, str) else behaviour.body
                headers = {
                    "Content-Type": behaviour.content_type,
                    "Content-Length": str(len(body)),
                    **behaviour.headers,
                }
                writer.write(_head(behaviour.status, headers) + body)
                await writer.drain()
            case Stream():
                headers = {"Content-Type": behaviour.content_type, "Transfer-Encoding": "chunked"}
                writer.write(_head(200, headers))
                for piece in behaviour.chunks:
                    if behaviour.gated:
                        await self._gate.acquire()
                    writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                    await writer.drain()
                self.streaming.set()
                if behaviour.then == "end":
                    writer.write(b"0\r\n\r\n")
                    await writer.drain()
                elif behaviour.then == "hang":
                    await self._wait_for_the_client_to_go(reader)
            case Silence():
                await self._wait_for_the_client_to_go(reader)
            case Hangup():
                pass

    async def _wait_for_the_client_to_go(self, reader: asyncio.StreamReader) -> None:
        while await reader.read(1024):
            pass
        self.client_left.set()


def closed_port() -> int:
    """A port of this machine at which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def split_bytes(data: bytes, cuts: Iterable[int]) -> list[bytes]:
    """`data` cut at the given places."""
    places = [0, *sorted(cuts), len(data)]
    return [data[start:end] for start, end in pairwise(places)]


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} Status", *(f"{name}: {value}" for name, value in headers.items()), "Connection: close"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


async def _read_request(reader: asyncio.StreamReader) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _version = head[0].split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:]) if name}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    is_json = not headers.get("content-type", "").startswith("multipart/")
    return Received(method, path, headers, json.loads(body) if body and is_json else None, body)
