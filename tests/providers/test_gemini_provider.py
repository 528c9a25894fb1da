"""Gemini over HTTP: addresses, headers, lists of models, and what goes wrong."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from sam_py.messages.parts import TextPart
from sam_py.messages.turn import Turn
from sam_py.providers.accumulate import fold
from sam_py.providers.base import ChatRequest, ModelInfo, StreamEvent
from sam_py.providers.errors import ProviderError
from sam_py.providers.gemini.provider import GeminiProvider, plain_base_url
from sam_py.providers.http import Http
from sam_py.providers.presets import preset_of
from sam_py.providers.wire import Account
from tests.fakes.fault_server import Behaviour, FaultServer, Json, Received, Status, Stream, sse


def chunk(text: str, finish: str = "") -> bytes:
    candidate: dict[str, Any] = {"content": {"parts": [{"text": text}], "role": "model"}}
    if finish:
        candidate["finishReason"] = finish
    return sse({"candidates": [candidate], "modelVersion": "gemini-x"})


async def a_key(_provider_id: str) -> str | None:
    return "AIza-secret"


def provider_at(base_url: str, http: Http) -> GeminiProvider:
    return GeminiProvider(Account("g", "Google", base_url, preset="gemini", needs_key=True), http=http, key_of=a_key)


async def _no_sleep(seconds: float) -> None:
    await (asyncio.Event().wait() if seconds > 15 else asyncio.sleep(0))


def ask(
    *behaviours: Behaviour, model: str = "gemini-x", **fields: Any
) -> tuple[str, ProviderError | None, list[Received]]:
    async def main() -> tuple[str, ProviderError | None, list[Received]]:
        http = Http(sleep=_no_sleep, chance=lambda: 0.0)
        request = ChatRequest(model=model, turns=(Turn("user", (TextPart(text="Hi"),)),), **fields)
        events: list[StreamEvent] = []
        error = None
        async with FaultServer(*behaviours) as server:
            try:
                async for event in provider_at(f"{server.url}/v1beta", http).stream(request):
                    events.append(event)
            except ProviderError as caught:
                error = caught
            await http.aclose()
            return fold(events).text, error, server.requests

    return asyncio.run(main())


def listed(*behaviours: Behaviour) -> tuple[list[ModelInfo], list[Received], GeminiProvider]:
    async def main() -> tuple[list[ModelInfo], list[Received], GeminiProvider]:
        http = Http(sleep=_no_sleep)
        async with FaultServer(*behaviours) as server:
            provider = provider_at(f"{server.url}/v1beta", http)
            try:
                return await provider.list_models(), server.requests, provider
            finally:
                await http.aclose()

    return asyncio.run(main())


def test_a_gemini_is_asked_at_its_own_address_with_the_key_in_its_own_header() -> None:
    text, error, requests = ask(Stream((chunk("Hel"), chunk("lo", "STOP"))))
    assert (text, error) == ("Hello", None)
    [request] = requests
    assert request.path == "/v1beta/models/gemini-x:streamGenerateContent?alt=sse"
    assert request.headers["x-goog-api-key"] == "AIza-secret"
    assert "authorization" not in request.headers
    assert request.body == {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}


def test_a_whole_answer_and_a_tuned_model_have_their_addresses() -> None:
    body = {"candidates": [{"content": {"parts": [{"text": "Hello"}]}, "finishReason": "STOP"}]}
    text, error, requests = ask(Json(body), model="tunedModels/my model", stream=False)
    assert (text, error) == ("Hello", None)
    assert requests[0].path == "/v1beta/tunedModels/my%20model:generateContent"


def test_a_stream_of_gemini_that_is_cut_keeps_its_text() -> None:
    text, error, requests = ask(Stream((chunk("Half"),), then="cut"))
    assert text == "Half"
    assert error is not None
    assert error.code == "cut_off"
    assert len(requests) == 1


def test_a_key_that_google_does_not_know_points_to_settings() -> None:
    body = {
        "error": {
            "code": 400,
            "message": "API key not valid. Please pass a valid API key.",
            "status": "INVALID_ARGUMENT",
            "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}],
        }
    }
    _text, error, requests = ask(Json(body, 400))
    assert error is not None
    assert error.code == "bad_key"
    assert "settings" in str(error)
    assert len(requests) == 1


def test_google_s_delay_is_waited_for_though_it_is_in_the_body_alone() -> None:
    body = {
        "error": {
            "code": 429,
            "message": "You exceeded your current quota, please check your plan and billing details.",
            "status": "RESOURCE_EXHAUSTED",
            "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "3s"}],
        }
    }
    text, error, requests = ask(Json(body, 429), Stream((chunk("Hello", "STOP"),)))
    assert (text, error) == ("Hello", None)
    assert len(requests) == 2


def test_the_list_of_models_is_read_page_by_page() -> None:
    def page(name: str, **more: Any) -> Status:
        methods = ["generateContent", "countTokens"]
        model = {"name": f"models/{name}", "inputTokenLimit": 1000, "supportedGenerationMethods": methods}
        return Json(
            {
                "models": [{**model, "displayName": name.title(), **more}],
                "nextPageToken": "a/b" if name == "one" else "",
            }
        )

    models, requests, provider = listed(page("one"), page("gemini-2.5-pro", thinking=True))
    assert [(model.id, model.label) for model in models] == [("one", "One"), ("gemini-2.5-pro", "Gemini-2.5-Pro")]
    assert requests[1].path == "/v1beta/models?pageSize=1000&pageToken=a%2Fb"
    assert provider.limits_of("gemini-2.5-pro").context_tokens == 1000
    assert provider.limits_of("gemini-2.5-pro").thinking
    assert provider.limits_of("gemini-unlisted").images


def test_a_list_that_goes_on_for_ever_ends() -> None:
    page = Json({"models": [{"name": "models/gemini-1"}, {"name": 3}, "x"], "nextPageToken": "again"})
    models, requests, _provider = listed(page)
    assert len(models) == len(requests) == 20


@pytest.mark.parametrize("behind", ["", "/", "/models", "/models/gemini-x:streamGenerateContent?alt=sse", "/openai/"])
def test_a_pasted_address_works_whatever_was_copied_with_it(behind: str) -> None:
    base = preset_of("gemini").base_url
    assert plain_base_url(base + behind) == base
    assert plain_base_url("https://gateway.example/google/v1" + behind) == "https://gateway.example/google/v1"


def test_an_address_without_a_version_gets_one() -> None:
    assert plain_base_url("https://generativelanguage.googleapis.com/") == preset_of("gemini").base_url
    assert json.dumps(plain_base_url("http://127.0.0.1:4010")) == '"http://127.0.0.1:4010"'
