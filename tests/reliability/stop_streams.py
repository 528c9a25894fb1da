"""Answers as services streamed them, and a server that plays them at a random pace and notes who hung up when."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tests.wire.streams import STREAMS, Answer

_PRESETS = {
    "openai_chat": "openai-chat",
    "openai_responses": "responses-compatible",
    "other_compatible": "compatible",
    "gemini": "gemini",
}
"""Folder of the recordings → preset, where they have not the same name."""


@dataclass(frozen=True, slots=True)
class Played:
    """One answer. `calls` are the names of the tools that it calls."""

    name: str
    wire: str
    preset: str
    model: str
    data: bytes
    calls: tuple[str, ...] = ()


def recorded_answers(folder: Path) -> list[Played]:
    """Every recorded stream below `folder` that says something, also those that end in an error."""
    found = []
    for path in sorted(folder.glob("*/*.expected.json")):
        expected = json.loads(path.read_bytes())
        stem = path.name.removesuffix(".expected.json")
        bodies = [path.with_name(stem + ending) for ending in (".sse", ".ndjson")]
        body = next((each for each in bodies if each.exists()), None)
        if body is None or expected["outcome"] not in ("ok", "stream_error"):
            continue
        preset = _PRESETS.get(path.parent.name, path.parent.name)
        if path.parent.name == "xai" and expected["wire"] != "openai_chat":
            preset = "responses-compatible"
        calls = tuple(call["name"] for call in expected["tool_calls"] or ())
        model = expected["model"] or stem.partition("_")[0]
        found.append(Played(stem, expected["wire"], preset, model, body.read_bytes(), calls))
    return found


def written_answers() -> list[Played]:
    """A few of each wire, written after the protocols: for where no recordings are."""
    found = []
    for (wire, service), stream in STREAMS.items():
        preset = "responses-compatible" if wire == "openai_responses" else service
        for number, names in enumerate(((), ("first_tool",), ("first_tool", "search", "second_tool"), ())):
            said = "Let me think about that, and then say what I found: it rains. " * (1 + number)
            calls = [(name, {"city": f"Oslo {place}"}) for place, name in enumerate(names)]
            answer = Answer(number, "They ask for the weather. " * 4, said, calls)
            found.append(Played(f"{service}-{number}", wire, preset, "m", stream(answer), names))
    return found


@dataclass(slots=True)
class Asked:
    """One request, as the server saw it. Times of the steady clock."""

    body: bytes
    answer: Played
    done: bool = False
    gone_s: float | None = None


class PacedServer:
    """Plays `script` in order, its last answer again and again. `on_event` hears of each piece.

    It runs on the loop of its test. Connections stay open for the next request, as those of services do.
    """

    def __init__(self, seed: int, pace: float = 1.0, *, on_event: Callable[[], None] = lambda: None) -> None:
        self.script: list[Played] = []
        self.pace = pace
        self.asked: list[Asked] = []
        self._seed = seed
        self._on_event = on_event
        self._connections: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    @property
    def open(self) -> list[Asked]:
        """Those that still get their answer."""
        return [each for each in self.asked if not each.done and each.gone_s is None]

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)

    async def aclose(self) -> None:
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
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                length = next((row.split(":")[1] for row in head if row.lower().startswith("content-length")), "0")
                body = await reader.readexactly(int(length))
                path = head[0].split(" ")[1]
                if not body or path.endswith(
                    "/api/show"
                ):  # a question about a model, which this server knows nothing of
                    writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                    continue
                answer = self.script.pop(0) if len(self.script) > 1 else self.script[0]
                asked = Asked(body, answer)
                self.asked.append(asked)
                await self._play(asked, reader, writer)
                if asked.gone_s is not None:
                    return
        except (ConnectionError, asyncio.IncompleteReadError):
            for asked in self.asked[-1:]:
                if not asked.done and asked.gone_s is None:
                    asked.gone_s = time.monotonic()
        finally:
            self._connections.discard(task)
            writer.close()

    async def _play(self, asked: Asked, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        chance = random.Random(self._seed + len(self.asked))
        hung_up = asyncio.ensure_future(self._hung_up(asked, reader))
        try:
            await self._pause(hung_up, chance.uniform(0, 0.03))
            kind = "application/x-ndjson" if asked.answer.wire == "ollama" else "text/event-stream"
            writer.write(
                f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n".encode("ascii")
            )
            slow_s = chance.choice((0.0, 0.002, 0.01))
            for piece in _pieces(asked.answer.data, chance):
                if hung_up.done():
                    return
                writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                await writer.drain()
                self._on_event()
                await self._pause(hung_up, chance.uniform(0, slow_s))
            if not hung_up.done():
                asked.done = True
                writer.write(b"0\r\n\r\n")
                await writer.drain()
        finally:
            hung_up.cancel()
            await asyncio.gather(hung_up, return_exceptions=True)

    async def _hung_up(self, asked: Asked, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(ConnectionError):
            if await reader.read(1):
                raise AssertionError("a request came in the middle of an answer")
        if not asked.done:
            asked.gone_s = time.monotonic()
            self._on_event()

    async def _pause(self, hung_up: asyncio.Future[None], seconds: float) -> None:
        if seconds and self.pace:
            await asyncio.wait((hung_up,), timeout=seconds * self.pace)


def _pieces(data: bytes, chance: random.Random) -> Iterator[bytes]:
    count = chance.choice((1, 4, 16, 40))
    for start, end in pairwise(sorted({0, len(data), *(chance.randrange(len(data)) for _ in range(count - 1))})):
        yield data[start:end]
