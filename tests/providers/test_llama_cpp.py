"""Against a server that nobody here wrote: llama.cpp itself, with a tiny model of random numbers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from sam_py.messages.message import AssistantMessage
from sam_py.messages.parts import TextPart
from sam_py.messages.turn import Turn
from sam_py.providers.accumulate import fold
from sam_py.providers.base import ChatRequest, TextDelta
from sam_py.providers.errors import ProviderError
from sam_py.providers.registry import Registry
from sam_py.settings.model import ProviderSettings
from tests.fakes.llama_server import LlamaServer

pytestmark = pytest.mark.llamacpp
Result = TypeVar("Result")


async def no_key(_provider_id: str) -> str | None:
    return None


def with_registry(server: LlamaServer, use: Callable[[Registry], Awaitable[Result]]) -> Result:
    async def main() -> Result:
        registry = Registry(no_key)
        registry.configure(
            (ProviderSettings(id="here", preset="llamacpp", label="llama.cpp", base_url=server.base_url),)
        )
        try:
            async with asyncio.timeout(60):
                return await use(registry)
        finally:
            await registry.aclose()

    return asyncio.run(main())


def request(*said: str, max_tokens: int | None = 24) -> ChatRequest:
    roles = ("user", "assistant")
    turns = tuple(Turn(roles[n % 2], (TextPart(text=text),)) for n, text in enumerate(said))
    return ChatRequest(model="tiny-random", turns=turns, system="Be brief.", max_tokens=max_tokens)


def test_a_conversation_streams_with_usage(llama_server: LlamaServer) -> None:
    async def use(registry: Registry) -> tuple[AssistantMessage, int]:
        events = [event async for event in registry.get("here").stream(request("Hello", "Hi!", "How are you?"))]
        return fold(events), sum(isinstance(event, TextDelta) for event in events)

    reply, deltas = with_registry(llama_server, use)
    assert reply.text.strip()
    assert deltas > 10
    assert reply.stop_reason == "length"
    assert reply.usage is not None
    assert reply.usage.output_tokens == 24
    assert reply.model == "tiny-random"


def test_its_models_come_with_their_window(llama_server: LlamaServer) -> None:
    models = with_registry(llama_server, lambda registry: registry.get("here").list_models())
    assert [model.id for model in models] == ["tiny-random"]
    assert models[0].limits.context_tokens
    assert not models[0].limits.images


def test_a_stopped_reply_frees_the_server(llama_server: LlamaServer) -> None:
    async def use(registry: Registry) -> None:
        stream = registry.get("here").stream(request("Tell me everything", max_tokens=3500))
        words = 0
        async for event in stream:
            words += isinstance(event, TextDelta)
            if words == 5:
                assert await asyncio.to_thread(lambda: llama_server.is_busy)
                break
        await stream.aclose()
        while await asyncio.to_thread(lambda: llama_server.is_busy):
            await asyncio.sleep(0)

    with_registry(llama_server, use)


def test_a_request_longer_than_its_window_says_so(llama_server: LlamaServer) -> None:
    async def use(registry: Registry) -> None:
        async for _event in registry.get("here").stream(request("word " * 20_000)):
            pass

    with pytest.raises(ProviderError) as caught:
        with_registry(llama_server, use)
    assert caught.value.code == "too_long"
