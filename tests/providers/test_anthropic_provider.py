"""An account that speaks Messages, against a server that does as a test says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from sam_py.messages.parts import TextPart
from sam_py.messages.turn import Limits, Turn
from sam_py.providers.accumulate import fold
from sam_py.providers.anthropic.provider import BINDING, AnthropicProvider
from sam_py.providers.base import ChatRequest, Finished, Started, StreamEvent
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked
from sam_py.providers.http import Http
from sam_py.providers.registry import Registry
from sam_py.providers.wire import Account
from sam_py.settings.model import ProviderSettings
from tests.fakes.fault_server import Behaviour, FaultServer, Json, Status, Stream

Result = TypeVar("Result")
REQUEST = ChatRequest(model="claude-opus-4-8", turns=(Turn("user", (TextPart(text="Hi"),)),))


def event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


START = event("message_start", message={"id": "msg_1", "model": "claude-opus-4-8", "usage": {"input_tokens": 3}})
HELLO = event("content_block_delta", index=0, delta={"type": "text_delta", "text": "Hello"})
END = event("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 1})
REPLY = Stream((START, HELLO, END, event("message_stop")))


async def a_key(_provider_id: str) -> str | None:
    return "sk-ant-secret-1234"


def provider_at(base_url: str, http: Http, **headers: str) -> AnthropicProvider:
    account = Account(id="claude", label="Anthropic", base_url=base_url, needs_key=True, headers=headers)
    return AnthropicProvider(account, http=http, key_of=a_key)


def with_provider(
    use: Callable[[AnthropicProvider, FaultServer], Awaitable[Result]],
    *behaviours: Behaviour,
    paths: dict[str, Behaviour] | None = None,
) -> Result:
    async def main() -> Result:
        http = Http(sleep=lambda _seconds: asyncio.sleep(0), chance=lambda: 0.0)
        try:
            async with FaultServer(*behaviours, paths=paths) as server, asyncio.timeout(20):
                return await use(provider_at(server.base_url, http), server)
        finally:
            await http.aclose()

    return asyncio.run(main())


async def ask(provider: AnthropicProvider) -> tuple[list[StreamEvent], ProviderError | None]:
    events: list[StreamEvent] = []
    try:
        async with aclosing(provider.stream(REQUEST)) as stream:
            async for each in stream:
                events.append(each)
    except ProviderError as error:
        return events, error
    return events, None


def test_a_message_is_asked_for_with_key_and_version_in_headers() -> None:
    async def use(provider: AnthropicProvider, server: FaultServer) -> None:
        events, error = await ask(provider)
        assert error is None
        assert isinstance(events[-1], Finished)
        assert fold(events).text == "Hello"
        (request,) = server.requests
        assert (request.method, request.path) == ("POST", "/v1/messages")
        assert request.headers["x-api-key"] == "sk-ant-secret-1234"
        assert request.headers["anthropic-version"] == "2023-06-01"
        assert "authorization" not in request.headers
        assert "anthropic-beta" not in request.headers
        assert request.body["model"] == "claude-opus-4-8"

    with_provider(use, REPLY)


@pytest.mark.parametrize(
    ("address", "path"),
    [("", "/v1/messages"), ("/", "/v1/messages"), ("/v1", "/v1/messages"), ("/v1/messages", "/v1/messages")],
)
@pytest.mark.parametrize("folder", ["", "/api/anthropic"])
def test_an_address_is_understood_with_and_without_its_version(folder: str, address: str, path: str) -> None:
    async def main() -> str:
        http = Http()
        async with FaultServer(REPLY) as server:
            await ask(provider_at(server.url + folder + address, http))
            await http.aclose()
            return server.requests[0].path

    assert asyncio.run(main()) == folder + path


@pytest.mark.parametrize(
    ("address", "model", "own", "betas"),
    [
        ("https://api.anthropic.com", "claude-opus-5-5", {}, BINDING),
        ("https://api.anthropic.com/v1", "claude-opus-5-5", {"Anthropic-Beta": "a-1"}, f"a-1,{BINDING}"),
        ("https://api.anthropic.com/v1", "claude-opus-4-8", {"Anthropic-Beta": "a-1"}, "a-1"),
        ("https://api.anthropic.com/v1", "claude-opus-4-8", {}, None),
        ("https://api.example.com/anthropic", "claude-opus-5-5", {}, None),
    ],
)
def test_a_beta_is_asked_for_where_the_body_needs_it(
    address: str, model: str, own: dict[str, str], betas: str | None
) -> None:
    async def main() -> None:
        provider = provider_at(address, Http(), **own)
        body = provider._body(replace(REQUEST, model=model))
        headers = {
            name.lower(): value for name, value in (await provider._call("/m", Asked("A"), body)).headers.items()
        }
        assert headers.get("anthropic-beta") == betas
        assert ("block_binding" in body.get("thinking", {})) == (betas is not None and BINDING in betas)

    asyncio.run(main())


def test_the_list_of_models_is_read_page_by_page() -> None:
    first = {
        "data": [
            {
                "id": "claude-new",
                "display_name": "Claude New",
                "max_input_tokens": 500_000,
                "max_tokens": 96_000,
                "capabilities": {
                    "image_input": {"supported": False},
                    "pdf_input": {"supported": True},
                    "thinking": {"supported": False},
                },
            },
            {"id": "claude-gone", "lifecycle": "retired"},
        ],
        "has_more": True,
        "last_id": "claude new/1",
    }
    second = {
        "data": [
            {"id": "claude-3-haiku-20240307", "display_name": "Claude Haiku 3"},
            {"id": 3},
            "x",
            {"id": "bge-embed"},
        ]
    }
    paths: dict[str, Behaviour] = {
        "/v1/models?limit=1000": Json(first),
        "/v1/models?limit=1000&after_id=claude%20new%2F1": Json(second),
    }

    async def use(provider: AnthropicProvider, server: FaultServer) -> None:
        models = await provider.list_models()
        assert [(model.id, model.label) for model in models] == [
            ("claude-new", "Claude New"),
            ("claude-3-haiku-20240307", "Claude Haiku 3"),
        ]
        assert models[0].limits == Limits(500_000, 96_000, images=False, pdfs=True, tools=True, thinking=False)
        assert models[1].limits == Limits(200_000, 4_096, images=True, pdfs=False, tools=True, thinking=False)
        assert provider.limits_of("claude-new") == models[0].limits
        assert provider.limits_of("claude-opus-5").context_tokens == 1_000_000

    with_provider(use, paths=paths)


def test_a_list_that_says_there_is_more_for_ever_ends() -> None:
    page = Json({"data": [{"id": "m"}], "has_more": True, "last_id": "m"})

    async def use(provider: AnthropicProvider, server: FaultServer) -> None:
        assert [model.id for model in await provider.list_models()] == ["m"]
        assert len(server.requests) == 2

    with_provider(use, page)


@pytest.mark.parametrize(
    ("status", "kind", "message", "code"),
    [
        (401, "authentication_error", "invalid x-api-key", "bad_key"),
        (403, "permission_error", "Your API key does not have permission", "bad_key"),
        (400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", "too_long"),
        (400, "invalid_request_error", "input length and `max_tokens` exceed context limit: 1 + 2 > 3", "too_long"),
        (400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API.", "no_credit"),
        (400, "invalid_request_error", "Output blocked by content filtering policy", "refused"),
        (400, "invalid_request_error", "messages.1: all messages must have non-empty content", "bad_request"),
        (402, "billing_error", "Pay", "no_credit"),
        (404, "not_found_error", "model: claude-x", "no_model"),
        (413, "request_too_large", "Request exceeds the maximum size", "too_long"),
        (429, "rate_limit_error", "This request would exceed your organization's rate limit", "rate_limited"),
        (500, "api_error", "Internal server error", "server"),
        (504, "timeout_error", "Timed out", "server"),
        (529, "overloaded_error", "Overloaded", "server"),
    ],
)
def test_every_error_of_the_api_says_what_to_do(status: int, kind: str, message: str, code: str) -> None:
    body = json.dumps({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"})

    async def use(provider: AnthropicProvider, server: FaultServer) -> ProviderError | None:
        return (await ask(provider))[1]

    error = with_provider(use, Status(status, body))
    assert error is not None
    assert error.code == code
    assert message in error.detail


def test_a_broken_connection_keeps_what_claude_had_said() -> None:
    async def use(provider: AnthropicProvider, server: FaultServer) -> None:
        events, error = await ask(provider)
        assert error is not None
        assert error.code == "cut_off"
        assert fold(events).text == "Hello"
        assert len(server.requests) == 1

    with_provider(use, Stream((START, HELLO), then="cut"))


def test_overloaded_in_the_middle_keeps_what_claude_had_said() -> None:
    overloaded = event("error", error={"type": "overloaded_error", "message": "Overloaded"})

    async def use(provider: AnthropicProvider, server: FaultServer) -> None:
        events, error = await ask(provider)
        assert error is not None
        assert "overloaded" in str(error)
        assert fold(events).text == "Hello"

    with_provider(use, Stream((START, HELLO, overloaded)))


def test_a_reply_that_pauses_for_a_server_tool_goes_on_as_the_same_reply() -> None:
    use = {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "x"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": []}
    call = {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}}
    pause = event("message_delta", delta={"stop_reason": "pause_turn"}, usage={"output_tokens": 5})
    end = event("message_delta", delta={"stop_reason": "tool_use"}, usage={"output_tokens": 2})
    stop = event("message_stop")
    first = Stream((START, HELLO, event("content_block_start", index=1, content_block=use), pause, stop))
    answer = event("content_block_start", index=0, content_block=found)
    ended = event("content_block_stop", index=0)
    second = Stream((START, answer, ended, event("content_block_start", index=1, content_block=call), end, stop))

    async def use_it(provider: AnthropicProvider, server: FaultServer) -> None:
        events, error = await ask(provider)
        assert error is None
        message = fold(events, provider="claude")
        assert [part.kind for part in message.parts] == ["text", *["thinking_signature"] * 2, "tool_call"]
        assert message.stop_reason == "tool_use"
        assert message.usage is not None
        assert (message.usage.input_tokens, message.usage.output_tokens) == (3, 7)
        assert [type(each) for each in events].count(Started) == 1
        asked = server.requests[1].body["messages"]
        assert [block["type"] for block in asked[-1]["content"]] == ["text", "server_tool_use"]
        assert asked[-1]["role"] == "assistant"

    with_provider(use_it, first, second)


def test_a_reply_that_pauses_for_ever_ends() -> None:
    pause = event("message_delta", delta={"stop_reason": "pause_turn"}, usage={"output_tokens": 1})

    async def use(provider: AnthropicProvider, server: FaultServer) -> None:
        events, error = await ask(provider)
        assert error is None
        assert events[-1] == Finished("stop", "pause_turn")
        assert len(server.requests) == 11

    with_provider(use, Stream((START, HELLO, pause, event("message_stop"))))


def test_settings_of_the_preset_build_this_provider() -> None:
    async def main() -> None:
        registry = Registry(a_key)
        registry.configure((ProviderSettings(id="claude", preset="anthropic", label="", needs_key=True),))
        provider = registry.get("claude")
        assert isinstance(provider, AnthropicProvider)
        assert provider._base_url == "https://api.anthropic.com/v1"
        await registry.aclose()

    asyncio.run(main())
