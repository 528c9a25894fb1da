"""What `body_of` shows is what travels, on every wire."""

from __future__ import annotations

import pytest

from sam_py.messages.parts import TextPart
from sam_py.messages.turn import Limits, Turn
from sam_py.providers.anthropic.provider import AnthropicProvider
from sam_py.providers.base import ChatRequest, ToolSpec
from sam_py.providers.errors import ProviderError
from sam_py.providers.gemini.provider import GeminiProvider
from sam_py.providers.http import Http
from sam_py.providers.ollama.provider import OllamaProvider
from sam_py.providers.openai_chat.provider import OpenAIChatProvider
from sam_py.providers.openai_responses.provider import OpenAIResponsesProvider
from sam_py.providers.wire import Account, WireProvider
from tests.fakes.fault_server import FaultServer, Status


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.anyio
@pytest.mark.parametrize(
    "kind", [AnthropicProvider, GeminiProvider, OllamaProvider, OpenAIChatProvider, OpenAIResponsesProvider]
)
async def test_the_body_that_is_shown_is_the_one_that_is_sent(kind: type[WireProvider]) -> None:
    async def no_key(_id: str) -> None:
        return None

    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    request = ChatRequest(
        model="m",
        turns=(Turn("user", (TextPart(text="Grüße \ud83d"),)),),
        system="Be brief.",
        tools=(ToolSpec("weather", "The weather.", schema),),
        temperature=0.5,
        limits=Limits(tools=True, context_tokens=32_000),
    )
    async with FaultServer(Status(400, "{}")) as server:
        http = Http()
        provider = kind(Account("a", "A", server.base_url, extra_body={"seed": 7}), http=http, key_of=no_key)
        shown = await provider.body_of(request)
        with pytest.raises(ProviderError):
            async for _event in provider.stream(request):
                pass
        await http.aclose()
    asked = [received for received in server.requests if received.method == "POST" and b"Gr" in received.raw]
    assert asked
    assert asked[0].raw == shown
