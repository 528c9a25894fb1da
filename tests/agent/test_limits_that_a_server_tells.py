"""A server that tells what a model takes is asked before the first request is made, and only then."""

from __future__ import annotations

import asyncio
import json

import pytest

from sam_py.messages.parts import ImagePart
from sam_py.providers.http import Http
from sam_py.providers.ollama.provider import OllamaProvider
from sam_py.providers.wire import Account
from tests.agent.conftest import Talk
from tests.fakes.fault_server import FaultServer, Json, Status, Stream

pytestmark = pytest.mark.anyio

PICTURE = ImagePart(attachment="p", mime_type="image/png", width=1, height=1, alt="red")
LINE = {"model": "m", "message": {"role": "assistant", "content": "Red"}, "done": True, "done_reason": "stop"}
RED = Stream((json.dumps(LINE).encode() + b"\n",), content_type="application/x-ndjson")
SEES = Json({"capabilities": ["completion", "vision"], "model_info": {"a.context_length": 4096}})


async def no_key(_provider_id: str) -> str | None:
    return None


async def no_sleep(seconds: float) -> None:
    await (asyncio.Event().wait() if seconds > 15 else asyncio.sleep(0))


class Asked(OllamaProvider):
    """With what `Talk` looks at: its requests are the server's, none of them stays open."""

    requests = ()
    open = 0


def ollama(server: FaultServer, http: Http, now_s: list[float]) -> Asked:
    account = Account("stepped", "Ollama", server.url, preset="ollama", local_program="Ollama")
    return Asked(account, http=http, key_of=no_key, monotonic=lambda: now_s[0])


async def test_the_first_request_holds_the_picture_that_the_server_says_a_model_sees(talk: Talk) -> None:
    talk.attachments["p"] = b"\x89PNG\r\n\x1a\n"
    http = Http(sleep=no_sleep, chance=lambda: 0.0)
    async with FaultServer(paths={"/api/show": SEES, "/api/chat": RED}) as server:
        talk.provider = ollama(server, http, [0.0])  # type: ignore[assignment]
        look = await talk.session.outlook("What is it?", (PICTURE,))
        assert look.shares.window == 4096
        shown = await talk.session.preview("What is it?", (PICTURE,))
        assert shown.body
        assert b"[picture" not in shown.body
        await talk.session.send("What is it?", (PICTURE,))
        assert [request.path for request in server.requests] == ["/api/show", "/api/chat"]
        assert server.requests[1].body == json.loads(shown.body)
        assert server.requests[1].body["messages"][-1]["images"]
    assert talk.lines()[-1] == "assistant: Red [stop]"
    await http.aclose()


async def test_a_server_that_does_not_tell_stops_no_request_and_is_not_asked_all_the_time(talk: Talk) -> None:
    http, now_s = Http(sleep=no_sleep, chance=lambda: 0.0), [0.0]
    gone = Status(404, "404 page not found", content_type="text/plain")
    async with FaultServer(paths={"/api/show": gone, "/api/chat": RED}) as server:
        talk.provider = ollama(server, http, now_s)  # type: ignore[assignment]
        for _look in range(3):
            await talk.session.outlook("Hello")
        assert [request.path for request in server.requests] == ["/api/show"]
        now_s[0] = 6.0
        await talk.session.send("Hello")
        assert [request.path for request in server.requests[1:]] == ["/api/show", "/api/show", "/api/chat"]
    assert talk.lines()[-1] == "assistant: Red [stop]"
    now_s[0] = 12.0
    assert (await talk.session.outlook("And when it is down?")).shares.window is None
    await http.aclose()
