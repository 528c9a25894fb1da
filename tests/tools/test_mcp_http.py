"""Servers at an address that misbehave: too much, compressed, elsewhere, locked, silent, or no server of MCP at all."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from sam_py.settings.model import McpServerSettings
from sam_py.tools.base import ToolError
from sam_py.tools.mcp.http import LARGEST_ANSWER
from tests.fakes.mcp_host import Host, agreed, run_on_asyncio

KEY = "Bearer only-for-the-test"


@dataclass
class Web:
    """A server of one address; `answers` maps a method of MCP to what is sent, else what a good one would send."""

    port: int = 0
    answers: dict[str, bytes | Callable[[asyncio.StreamWriter], None]] = field(default_factory=dict)
    keys: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (head := await reader.readuntil(b"\r\n\r\n")) != b"":
                await self._answer(head.decode(), reader, writer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(self, head: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        headers = dict(line.lower().split(": ", 1) for line in head.splitlines()[1:] if ": " in line)
        self.keys.append(headers.get("authorization", ""))
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        if not head.startswith("POST"):
            writer.write(answer(b"", "405 Method Not Allowed"))
            return
        request = json.loads(body)
        method = request["method"]
        wrong = self.answers.get(method) or self.answers.get("*")
        if callable(wrong):
            wrong(writer)
        elif wrong is not None:
            writer.write(wrong)
        elif "id" not in request:
            writer.write(answer(b"", "202 Accepted"))
        else:
            writer.write(answer(json.dumps(good(request)).encode()))


def good(request: dict[str, object]) -> dict[str, object]:
    base = {"jsonrpc": "2.0", "id": request["id"]}
    match request["method"]:
        case "initialize":
            about = {"name": "web", "version": "1"}
            started = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": about}
            return {**base, "result": started}
        case "tools/list":
            return {**base, "result": {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}}
        case "tools/call":
            return {**base, "result": {"content": [{"type": "text", "text": "hello"}]}}
    return {**base, "error": {"code": -32601, "message": "no such method"}}


def answer(body: bytes, status: str = "200 OK", **headers: str) -> bytes:
    lines = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    lines |= {name.replace("_", "-"): value for name, value in headers.items()}
    return "\r\n".join([f"HTTP/1.1 {status}", *map(": ".join, lines.items()), "", ""]).encode() + body


@asynccontextmanager
async def web() -> AsyncIterator[Web]:
    served = Web()
    server = await asyncio.start_server(served.serve, "127.0.0.1", 0)
    served.port = server.sockets[0].getsockname()[1]
    try:
        yield served
    finally:
        server.close()
        await asyncio.sleep(0)


def at(url: str, start_s: float = 20.0) -> McpServerSettings:
    headers = {"Authorization": KEY}
    return agreed(McpServerSettings(id="web", label="Web", url=url, headers=headers, start_s=start_s))


def test_a_server_in_plain_http_works() -> None:
    async def work() -> None:
        async with web() as served:
            host = Host()
            await host.begin(at(served.url))
            assert (await host.call("echo", "web")).text == "hello"
            assert set(served.keys) == {KEY.lower()}
            await host.servers.aclose()

    run_on_asyncio(work())


def _endless(writer: asyncio.StreamWriter) -> None:
    size = LARGEST_ANSWER * 2
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % size)
    writer.write(b" " * size)


@pytest.mark.parametrize(
    "wrong",
    [
        _endless,
        answer(b"\x1f\x8b", Content_Encoding="gzip"),
        answer(b"<html>Welcome</html>", Content_Type="text/html"),
        answer(b"{"),
        answer(b"oops", "500 Internal Server Error"),
        answer(b'{"jsonrpc": "2.0", "id": 99, "result": {}}'),
    ],
    ids=["endless", "compressed", "a page", "cut", "broken", "another's answer"],
)
def test_an_answer_that_is_none_fails_the_call_and_the_program_goes_on(
    wrong: bytes | Callable[[asyncio.StreamWriter], None],
) -> None:
    async def work() -> None:
        async with web() as served:
            host = Host(restart_delays_s=(0.01,))
            await host.begin(at(served.url))
            served.answers["tools/call"] = wrong
            with pytest.raises((ToolError, TimeoutError)):
                async with asyncio.timeout(0.5):
                    await host.call("echo", "web")
            await host.servers.aclose()

    run_on_asyncio(work())


@pytest.mark.parametrize("status", ["401 Unauthorized", "403 Forbidden"])
def test_a_server_that_wants_a_sign_in_is_said_to(status: str) -> None:
    async def work() -> None:
        async with web() as served:
            served.answers["*"] = answer(b"", status, WWW_Authenticate='Bearer resource_metadata="file:///bin/sh|calc"')
            host = Host()
            await host.begin(at(served.url))
            assert host.status("web").state == "failed"
            assert "sign-in" in host.status("web").reason
            await host.servers.aclose()

    run_on_asyncio(work())


def test_headers_do_not_follow_a_redirect_to_another_host() -> None:
    async def work() -> None:
        async with web() as served, web() as thief:
            served.answers["*"] = answer(b"", "307 Temporary Redirect", Location=thief.url)
            host = Host()
            await host.begin(at(served.url))
            assert host.status("web").state == "failed"
            assert thief.keys == []
            await host.servers.aclose()

    run_on_asyncio(work())


def test_a_server_that_says_nothing_is_given_up() -> None:
    async def work() -> None:
        async with web() as served:
            served.answers["*"] = lambda _writer: None
            host = Host()
            await host.begin(at(served.url, start_s=0.3))
            assert "did not answer within" in host.status("web").reason
            await host.servers.aclose()

    run_on_asyncio(work())
