"""How each service is asked: where, with which headers, and where else it says more of its models."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Any

import pytest

from sam_py.messages.parts import TextPart, ThinkingTextPart
from sam_py.messages.turn import Turn
from sam_py.providers.base import ChatRequest, ModelInfo
from sam_py.providers.errors import ProviderError
from sam_py.providers.http import Http
from sam_py.providers.openai_chat.provider import OpenAIChatProvider
from sam_py.providers.wire import Account
from tests.fakes.fault_server import DONE, Behaviour, FaultServer, Json, Reply, Status, Stream, chunk

HELLO = (Turn("user", (TextPart(text="Hi"),)),)


async def a_key(_provider_id: str) -> str | None:
    return "secret-123456"


def asked(preset: str, *behaviours: Behaviour, path: str = "/v1", requests: tuple[ChatRequest, ...] = ()) -> list[Any]:
    """What a server received as an account of `preset` asked it `requests`."""

    async def main() -> list[Any]:
        http = Http(gather_s=0.0)
        async with FaultServer(*behaviours) as server:
            account = Account(id="p", label="Acme", base_url=server.url + path, preset=preset)
            provider = OpenAIChatProvider(account, http=http, key_of=a_key)
            for request in requests or (ChatRequest(model="m", turns=HELLO),):
                async with aclosing(provider.stream(request)) as stream:
                    async for _event in stream:
                        pass
            await http.aclose()
            return list(server.requests)

    return asyncio.run(main())


def listed(preset: str, paths: dict[str, Behaviour], path: str = "/v1") -> list[ModelInfo]:
    async def main() -> list[ModelInfo]:
        http = Http(gather_s=0.0)
        async with FaultServer(Status(404, "{}"), paths=paths) as server:
            account = Account(id="p", label="Acme", base_url=server.url + path, preset=preset)
            try:
                return await OpenAIChatProvider(account, http=http, key_of=a_key).list_models()
            finally:
                await http.aclose()

    return asyncio.run(main())


def test_azure_takes_its_own_header_at_the_address_of_a_deployment() -> None:
    (request,) = asked("azure", Reply("Hello"), path="/openai/deployments/mine?api-version=2025-01-01-preview")
    assert request.path == "/openai/deployments/mine/chat/completions?api-version=2025-01-01-preview"
    assert request.headers["api-key"] == "secret-123456"
    assert "authorization" not in request.headers
    (request,) = asked("azure", Reply("Hello"), path="/openai/v1/")
    assert request.path == "/openai/v1/chat/completions"


def test_azure_s_first_chunk_without_choices_is_no_answer_yet() -> None:
    first = b'data: {"id":"","model":"","choices":[],"prompt_filter_results":[{"prompt_index":0}]}\n\n'
    assert len(asked("azure", Stream((first, chunk("Hello"), chunk(finish="stop"), DONE)))) == 1


def test_openrouter_is_told_which_program_asks() -> None:
    (request,) = asked("openrouter", Reply("Hello"), path="/api/v1")
    assert request.headers["x-title"] == "SAM for Python"
    assert request.headers["http-referer"]


def test_an_unknown_server_gets_reasoning_back_in_the_field_that_it_used() -> None:
    thinking = Stream((chunk(reasoning="hm"), chunk("Hello"), chunk(finish="stop"), DONE))
    again = ChatRequest(
        model="m",
        turns=(
            *HELLO,
            Turn("assistant", (ThinkingTextPart(text="hm"), TextPart(text="Hello")), provider="p", model="m"),
            *HELLO,
        ),
    )
    first, second = asked("compatible", thinking, Reply("Bye"), requests=(again, again))
    assert "reasoning" not in first.body["messages"][1]
    assert second.body["messages"][1]["reasoning"] == "hm"


def _models(*items: dict[str, Any]) -> Behaviour:
    return Json({"data": list(items)})


def test_the_list_that_says_more_is_asked_first_and_the_usual_one_where_it_is_not_there() -> None:
    plain = _models({"id": "a"})
    rich = Json({"models": [{"key": "a", "type": "llm", "publisher": "x", "max_context_length": 9}]})
    assert listed("lmstudio", {"/api/v1/models": rich, "/v1/models": plain})[0].limits.context_tokens == 9
    nonsense = Json({"error": "Unexpected endpoint"})
    assert [model.id for model in listed("lmstudio", {"/api/v1/models": nonsense, "/v1/models": plain})] == ["a"]
    catalogue = Json([{"id": "openai/gpt-4.1", "limits": {"max_input_tokens": 9}, "capabilities": []}])
    found = listed("github", {"/catalog/models": catalogue}, path="/inference")
    assert found[0].limits.context_tokens == 9


def test_openrouter_s_list_has_the_last_word_on_which_model_thinks() -> None:
    paths: dict[str, Behaviour] = {
        "/v1/models": _models(
            {"id": "a/plain", "supported_parameters": ["tools"]},
            {"id": "a/deep", "supported_parameters": ["reasoning"]},
        )
    }
    assert [model.limits.thinking for model in listed("openrouter", paths)] == [False, True]


def test_an_older_llama_cpp_says_its_window_elsewhere() -> None:
    paths: dict[str, Behaviour] = {
        "/v1/models": _models({"id": "a", "meta": {"n_ctx_train": 99}}),
        "/props": Json({"default_generation_settings": {"n_ctx": 9}}),
    }
    assert listed("llamacpp", paths)[0].limits.context_tokens == 9
    del paths["/props"]
    assert listed("llamacpp", paths)[0].limits.context_tokens is None


def test_a_key_that_is_refused_is_told_and_not_tried_at_the_next_address() -> None:
    with pytest.raises(ProviderError, match="was refused"):
        listed("xai", {"/v1/language-models": Status(401, "{}"), "/v1/models": _models({"id": "a"})})
