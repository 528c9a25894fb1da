"""Embeddings: what a server gets, beside the official SDK's request, and what comes of all that it may answer."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from pathlib import Path

import httpx
import openai
import pytest

from sam_py.providers.embeddings import AT_ONCE, EmbeddingService, embed, embed_each, embedding_service
from sam_py.providers.errors import ProviderError
from sam_py.providers.http import Http
from sam_py.settings.model import ModelChoice, ProviderSettings, Settings
from tests.fakes.fault_server import Behaviour, FaultServer, Json, Received, Status, closed_port


def answer(*vectors: Sequence[float]) -> Status:
    data = [{"object": "embedding", "index": index, "embedding": list(each)} for index, each in enumerate(vectors)]
    return Json({"object": "list", "data": data, "model": "m", "usage": {"prompt_tokens": 1, "total_tokens": 1}})


async def no_sleep(_seconds: float) -> None:
    await asyncio.sleep(0)


def asked(
    texts: Sequence[str], *behaviours: Behaviour, model: str = "m", is_question: bool = False
) -> tuple[list[list[float]], list[Received]]:
    async def run() -> tuple[list[list[float]], list[Received]]:
        async with FaultServer(*behaviours) as server:
            http = Http(sleep=no_sleep)
            try:
                service = EmbeddingService("My server", server.base_url, model)
                vectors = await embed(http, service, texts, "sk-secret-123456", is_question=is_question)
            finally:
                await http.aclose()
            return vectors, server.requests

    return asyncio.run(run())


def test_a_server_gets_what_the_sdk_would_send() -> None:
    vectors, (request,) = asked(["one", "two"], answer([3, 4], [0, 2]))
    assert vectors == [[0.6, 0.8], [0.0, 1.0]]
    seen: list[httpx.Request] = []

    def take(sent: httpx.Request) -> httpx.Response:
        seen.append(sent)
        return httpx.Response(200, json={"object": "list", "data": [], "model": "m", "usage": {}})

    client = openai.OpenAI(api_key="sk-x", http_client=httpx.Client(transport=httpx.MockTransport(take)))
    client.embeddings.create(model="m", input=["one", "two"], encoding_format="float")
    assert request.raw == b'{"model":"m","input":["one","two"],"encoding_format":"float"}'
    assert httpx.Response(200, content=seen[0].content).json() == request.body
    assert request.path == "/v1/embeddings"
    assert request.headers["authorization"] == "Bearer sk-secret-123456"


def test_many_texts_go_in_several_requests_and_keep_their_order() -> None:
    texts = [str(number) for number in range(AT_ONCE + 5)]
    first = answer(*[[1.0, number] for number in range(AT_ONCE)])
    vectors, requests = asked(texts, first, answer(*[[1.0, AT_ONCE + number] for number in range(5)]))
    assert [round(vector[1] / vector[0]) for vector in vectors] == list(range(AT_ONCE + 5))
    assert [len(request.body["input"]) for request in requests] == [AT_ONCE, 5]


def test_a_question_is_asked_as_the_model_was_taught() -> None:
    _, (request,) = asked(["Lyon"], answer([1, 0]), model="intfloat/multilingual-e5-small", is_question=True)
    assert request.body["input"] == ["query: Lyon"]


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        (Status(404, '{"error": {"message": "no such endpoint"}}'), "makes no embeddings with the model m"),
        (Json({"data": []}), "My server"),
        (answer([1, 0], [0, 1]), "My server"),
        (answer([0, 0]), "My server"),
        (Json({"data": [{"index": 0, "embedding": [1, "x"]}]}), "My server"),
        (Status(401, '{"error": {"message": "bad key"}}'), "key"),
    ],
)
def test_what_is_no_vector_is_told_in_words(behaviour: Behaviour, words: str) -> None:
    with pytest.raises(ProviderError, match=words):
        asked(["one"], behaviour)


def test_a_server_that_is_busy_is_asked_again() -> None:
    vectors, requests = asked(["one"], Status(429, "{}", {"Retry-After": "1"}), Status(503), answer([1, 0]))
    assert (vectors, len(requests)) == ([[1.0, 0.0]], 3)


def test_a_text_that_a_model_cannot_take_does_not_stop_the_others() -> None:
    refusal = Status(400, '{"error": {"message": "input is too large to process"}}')

    async def run() -> list[list[float] | None]:
        async with FaultServer(refusal, answer([1, 0]), refusal, refusal, answer([0, 1])) as server:
            http = Http(sleep=no_sleep)
            try:
                service = EmbeddingService("My server", server.base_url, "m")
                return await embed_each(http, service, ["one", "too long", "three"], None)
            finally:
                await http.aclose()

    assert asyncio.run(run()) == [[1.0, 0.0], None, [0.0, 1.0]]


def test_a_server_that_takes_nothing_at_all_is_trouble() -> None:
    async def run() -> None:
        async with FaultServer(Status(400, '{"error": {"message": "this model has no pooling"}}')) as server:
            http = Http(sleep=no_sleep)
            try:
                await embed_each(http, EmbeddingService("My server", server.base_url, "m"), ["one", "two"], None)
            finally:
                await http.aclose()

    with pytest.raises(ProviderError, match="pooling"):
        asyncio.run(run())


def test_nobody_there_is_told_with_the_program_to_start() -> None:
    async def run() -> None:
        http = Http(sleep=no_sleep)
        try:
            service = EmbeddingService("Ollama", f"http://127.0.0.1:{closed_port()}/v1", "m", local_program="Ollama")
            await embed_each(http, service, ["one"], None)
        finally:
            await http.aclose()

    with pytest.raises(ProviderError, match="Ollama"):
        asyncio.run(run())


@pytest.mark.parametrize(
    ("preset", "base_url", "wanted", "is_local"),
    [
        ("openai", "", "https://api.openai.com/v1", False),
        ("ollama", "", "http://127.0.0.1:11434/v1", True),
        ("ollama", "http://127.0.0.1:11434/api", "http://127.0.0.1:11434/v1", True),
        ("gemini", "", "https://generativelanguage.googleapis.com/v1beta/openai", False),
        ("azure", "https://x.openai.azure.com", "https://x.openai.azure.com/openai/v1", False),
        ("lmstudio", "http://127.0.0.1:1234/v1/chat/completions", "http://127.0.0.1:1234/v1", True),
        ("anthropic", "", None, False),
        ("guide", "", None, False),
    ],
)
def test_an_account_is_asked_at_its_own_address(preset: str, base_url: str, wanted: str | None, is_local: bool) -> None:
    account = ProviderSettings(id="a", preset=preset, label="A", base_url=base_url)
    service = embedding_service(Settings(providers=(account,)), ModelChoice(provider="a", model="m"))
    assert (service.base_url if service is not None else None) == wanted
    assert service is None or service.is_local is is_local


@pytest.mark.llamacpp
def test_a_real_llama_cpp_embeds(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    from tests.fakes.llama_server import running_llama_server

    async def run(base_url: str) -> list[list[float]]:
        http = Http(sleep=no_sleep)
        try:
            service = EmbeddingService("llama.cpp", base_url, "tiny-random")
            return await embed(http, service, ["one", "two, too", "one"], None)
        finally:
            await http.aclose()

    with running_llama_server(tmp_path, embeds=True) as server:
        one, two, again = asyncio.run(run(server.base_url))
    assert len(one) == len(two) > 1
    assert math.isclose(math.hypot(*one), 1.0, rel_tol=1e-6)
    assert sum(a * b for a, b in zip(one, again, strict=True)) > 0.999
    assert one != two
