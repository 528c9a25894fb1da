"""TellingServer: a Chat Completions server that knows when it said which word, for what kills and stops a program."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import re
import threading
import time
from dataclasses import dataclass, field
from typing import Any

_TYPED = re.compile(r"u\d+x\d+")


@dataclass
class Told:
    """A reply as the server gave it."""

    question: set[str]
    roles: list[str] = field(default_factory=list)
    words: list[tuple[float, str]] = field(default_factory=list)
    gone_s: float | None = None


class TellingServer:
    """Streams words that no other reply has, 50 a second, on a thread of its own."""

    def __init__(self, longest: int = 0) -> None:
        """`longest`: words of each reply; 0: sometimes few, sometimes many."""
        self.longest = longest
        self.told: list[Told] = []
        self._ready = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True).start()
        self._ready.wait()

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await server.serve_forever()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        told: Told | None = None
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                (int(row.split(b":")[1]) for row in head.split(b"\r\n") if row.lower().startswith(b"content-length")), 0
            )
            if not length:
                writer.close()
                return
            body = json.loads(await reader.readexactly(length))
            asked = body["messages"]
            question = [each["content"] for each in asked if each["role"] == "user"][-1]
            roles = [each["role"] for each in asked if each["role"] != "system"]
            told = Told(set(_TYPED.findall(str(question))), roles)
            self.told.append(told)
            number = len(self.told)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
            watch = asyncio.ensure_future(_left(reader))
            for count in range(self.longest or random.choice((5, 40, 400))):
                word = f"r{number}y{count}"
                writer.write(_event({"content": word + " "}, None))
                await writer.drain()
                told.words.append((time.monotonic(), word))
                await asyncio.sleep(0.02)
                if watch.done():
                    told.gone_s = time.monotonic()
                    return
            calls = self._calls(number, body)
            if calls:
                writer.write(_event({"tool_calls": calls}, None))
            writer.write(_event({}, "tool_calls" if calls else "stop") + b"data: [DONE]\n\n")
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            if told is not None:
                told.gone_s = time.monotonic()
        finally:
            writer.close()

    def _calls(self, number: int, body: dict[str, Any]) -> list[dict[str, Any]]:
        """Calls of the tools that are made for this, in every other reply."""
        offered = [tool["function"]["name"] for tool in body.get("tools", ())]
        slow = [name for name in offered if name.startswith("slow_")]
        if not slow or random.random() < 0.35:
            return []
        names = random.sample(slow, random.choice((1, 2, 4)))
        return [
            {
                "index": place,
                "id": f"call_{number}_{place}",
                "type": "function",
                "function": {"name": name, "arguments": "{}"},
            }
            for place, name in enumerate(names)
        ]


async def _left(reader: asyncio.StreamReader) -> None:
    with contextlib.suppress(ConnectionError):
        await reader.read(1)


def _event(delta: dict[str, Any], reason: str | None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return b"data: " + json.dumps({"object": "chat.completion.chunk", "choices": [choice]}).encode() + b"\n\n"
