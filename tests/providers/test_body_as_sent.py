"""What `body_of` shows is what travels, on every wire."""

from __future__ import annotations

from functools import partial

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
from sam_py.providers.sent_bodies import SentBodies
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
        conversation_id="talk",
    )
    async with FaultServer(Status(400, "{}")) as server:
        http = Http()
        provider = kind(Account("a", "A", server.base_url, extra_body={"seed": 7}), http=http, key_of=no_key)
        shown = await provider.body_of(request)
        with pytest.raises(ProviderError):
            async for _event in provider.stream(request):
                pass
        await http.aclose()
        (kept,) = http.sent.of("talk")
        assert kept.address.startswith(server.base_url.removesuffix("/v1"))
        assert http.sent.of("") == ()
    asked = [received for received in server.requests if received.method == "POST" and b"Gr" in received.raw]
    assert asked
    assert asked[0].raw == shown == kept.content


def test_the_last_bodies_of_a_conversation_are_kept_within_bounds() -> None:
    sent = SentBodies()
    note = partial(sent.note, address="https://me:secret@host/v1?key=k", label="A", model="m")
    for number in range(9):
        note("talk", b"%d" % number)
    note("talk", b"8")  # a retry
    assert [body.content for body in sent.of("talk")] == [b"5", b"6", b"7", b"8"]
    assert sent.of("talk")[-1].address == "https://host/v1"
    assert "secret" not in repr(sent.of("talk"))
    note("talk", b"x" * (5 << 20))
    assert [len(body.content) for body in sent.of("talk")] == [5 << 20]
    for number in range(4):
        note(f"other {number}", b"{}")
    assert sent.of("talk") == ()
    sent.forget("other 3")
    assert sent.of("other 3") == ()
