"""Ollama over HTTP: what it is asked of its models, what it is sent, and what goes wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest

from sam_py.messages.parts import TextPart
from sam_py.messages.turn import Limits, Turn
from sam_py.providers.accumulate import fold
from sam_py.providers.base import ChatRequest, ModelInfo, StreamEvent, ToolSpec
from sam_py.providers.errors import ProviderError
from sam_py.providers.http import Http
from sam_py.providers.ollama.provider import OllamaProvider, plain_base_url
from sam_py.providers.registry import Registry
from sam_py.providers.wire import Account
from sam_py.settings.model import ProviderSettings
from tests.fakes.fault_server import Behaviour, FaultServer, Json, Received, Status, Stream

REQUEST = ChatRequest(
    model="m", turns=(Turn("user", (TextPart(text="Hi"),)),), tools=(ToolSpec("look", "Looks.", {"type": "object"}),)
)


def line(text: str = "", done: bool = False) -> bytes:
    message = {"role": "assistant", "content": text}
    return json.dumps({"model": "m", "message": message, "done": done, "done_reason": "stop"}).encode() + b"\n"


HELLO = Stream((line("Hel"), line("lo"), line(done=True)), content_type="application/x-ndjson")


def show(*capabilities: str, **more: Any) -> Status:
    info = {"general.architecture": "a", "a.context_length": 4096}
    return Json({"capabilities": ["completion", *capabilities], "model_info": info, **more})


async def no_key(_provider_id: str) -> str | None:
    return None


async def _no_sleep(seconds: float) -> None:
    await (asyncio.Event().wait() if seconds > 15 else asyncio.sleep(0))


def ask(
    paths: Mapping[str, Behaviour], *requests: ChatRequest, behind: str = ""
) -> tuple[str, ProviderError | None, list[Received]]:
    """Send `requests` one after another; the text of the last, what went wrong, and what the server got."""

    async def main() -> tuple[str, ProviderError | None, list[Received]]:
        http = Http(sleep=_no_sleep, chance=lambda: 0.0)
        events: list[StreamEvent] = []
        error = None
        async with FaultServer(paths=paths) as server:
            account = Account("o", "Ollama", server.url + behind, preset="ollama", local_program="Ollama")
            provider = OllamaProvider(account, http=http, key_of=no_key)
            try:
                for request in requests:
                    events.clear()
                    async for event in provider.stream(request):
                        events.append(event)
            except ProviderError as caught:
                error = caught
            await http.aclose()
            return fold(events).text, error, server.requests

    return asyncio.run(main())


@pytest.mark.parametrize("behind", ["", "/v1", "/v1/chat/completions", "/api/chat", "/api/"])
def test_ollama_is_asked_about_a_model_once_and_then_for_replies(behind: str) -> None:
    paths = {"/api/show": show("tools", "thinking"), "/api/chat": HELLO}
    text, error, requests = ask(paths, REQUEST, REQUEST, behind=behind)
    assert (text, error) == ("Hello", None)
    assert [request.path for request in requests] == ["/api/show", "/api/chat", "/api/chat"]
    assert requests[0].body == {"model": "m"}
    assert requests[1].body["think"] is True
    assert requests[1].body["options"] == {"num_ctx": 4096}
    assert len(requests[1].body["tools"]) == 1


def test_a_model_is_not_asked_for_what_it_cannot_do() -> None:
    _text, error, requests = ask({"/api/show": show(), "/api/chat": HELLO}, REQUEST)
    assert error is None
    assert not requests[1].body.keys() & {"tools", "think"}


def test_limits_that_are_narrower_than_the_model_s_count() -> None:
    narrow = ChatRequest(model="m", turns=REQUEST.turns, limits=Limits(context_tokens=2048))
    _text, _error, requests = ask({"/api/show": show("vision"), "/api/chat": HELLO}, narrow)
    assert requests[1].body["options"] == {"num_ctx": 2048}


def test_a_server_that_says_nothing_of_a_model_is_asked_all_the_same() -> None:
    paths = {"/api/show": Status(404, "404 page not found", content_type="text/plain"), "/api/chat": HELLO}
    text, error, requests = ask(paths, REQUEST)
    assert (text, error) == ("Hello", None)
    assert "think" not in requests[-1].body


def test_a_model_that_is_not_there_is_named() -> None:
    gone = Json({"error": "model 'm' not found"}, 404)
    _text, error, _requests = ask({"/api/show": gone, "/api/chat": gone}, REQUEST)
    assert error is not None
    assert error.code == "no_model"
    assert "“m”" in str(error)


@pytest.mark.parametrize(
    ("what", "words"), [("tools", "“m” cannot use tools."), ("thinking", "“m” cannot think before it answers.")]
)
def test_what_a_model_cannot_do_is_said_plainly(what: str, words: str) -> None:
    refusal = Json({"error": f"registry.ollama.ai/library/m:latest does not support {what}"}, 400)
    _text, error, requests = ask({"/api/show": show("tools", "thinking"), "/api/chat": refusal}, REQUEST)
    assert error is not None
    assert str(error) == f"{words} Choose another model."
    assert len(requests) == 2


def test_an_error_in_ollama_s_stream_keeps_the_text() -> None:
    broken = Stream((line("Half"), b'{"error": "unexpected EOF from the runner"}\n'))
    text, error, _requests = ask({"/api/show": show(), "/api/chat": broken}, REQUEST)
    assert text == "Half"
    assert error is not None
    assert "unexpected EOF from the runner" in str(error)


def test_models_are_listed_with_what_each_can_do_and_asked_about_anew_only_when_they_changed() -> None:
    tags = Json(
        {"models": [{"name": name, "model": name, "digest": digest} for name, digest in zip("abc", "123", strict=True)]}
    )

    async def main() -> tuple[list[ModelInfo], list[ModelInfo], list[str]]:
        http = Http(sleep=_no_sleep)
        paths = {"/api/tags": tags, "/api/show": show("vision", "tools")}
        async with FaultServer(paths=paths) as server:
            provider = OllamaProvider(Account("o", "Ollama", server.url), http=http, key_of=no_key)
            first, second = await provider.list_models(), await provider.list_models()
            await http.aclose()
            return first, second, [request.path for request in server.requests]

    first, second, paths = asyncio.run(main())
    limits = Limits(context_tokens=4096, images=True, tools=True)
    assert first == second == [ModelInfo(name, limits=limits) for name in "abc"]
    assert paths == ["/api/tags", *["/api/show"] * 3, "/api/tags"]


def test_models_that_only_embed_are_not_listed() -> None:
    async def main() -> list[ModelInfo]:
        http = Http(sleep=_no_sleep)
        tags = Json({"models": [{"name": "nomic-embed-text", "digest": "1"}]})
        async with FaultServer(paths={"/api/tags": tags, "/api/show": Json({"capabilities": ["embedding"]})}) as server:
            provider = OllamaProvider(Account("o", "Ollama", server.url), http=http, key_of=no_key)
            models = await provider.list_models()
            await http.aclose()
            return models

    assert asyncio.run(main()) == []


def test_settings_of_an_earlier_version_speak_to_ollama_in_its_own_protocol() -> None:
    async def main() -> list[str]:
        registry = Registry(no_key)
        async with FaultServer(paths={"/api/show": show(), "/api/chat": HELLO}) as server:
            old = ProviderSettings(id="ollama", preset="ollama", label="Ollama", base_url=f"{server.url}/v1")
            registry.configure([old])
            async for _event in registry.get("ollama").stream(REQUEST):
                pass
            await registry.aclose()
            return [request.path for request in server.requests]

    assert asyncio.run(main()) == ["/api/show", "/api/chat"]


def test_an_ollama_that_does_not_run_says_so() -> None:
    async def main() -> ProviderError:
        http = Http(sleep=_no_sleep)
        account = Account("o", "Ollama", "http://127.0.0.1:9", preset="ollama", local_program="Ollama")
        with pytest.raises(ProviderError) as caught:
            async for _event in OllamaProvider(account, http=http, key_of=no_key).stream(REQUEST):
                pass
        await http.aclose()
        return caught.value

    assert str(asyncio.run(main())) == "Nothing answers at http://127.0.0.1:9. Is Ollama running?"
    assert plain_base_url("http://nas.local:11434/ollama/api/chat") == "http://nas.local:11434/ollama"
