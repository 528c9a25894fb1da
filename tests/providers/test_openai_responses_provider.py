"""An account that speaks Responses, over a real connection: address, key, failures, and what it does without."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

import pytest

from sam_py.messages.parts import TextPart, ThinkingSignaturePart
from sam_py.messages.turn import Turn
from sam_py.providers.accumulate import fold
from sam_py.providers.base import ChatRequest, Finished, ModelInfo, StreamEvent, TextDelta
from sam_py.providers.errors import ProviderError
from sam_py.providers.http import Http
from sam_py.providers.openai_responses.provider import OpenAIResponsesProvider
from sam_py.providers.registry import Registry
from sam_py.providers.wire import Account
from sam_py.settings.model import ProviderSettings
from tests.fakes.fault_server import Behaviour, FaultServer, Json, Status, Stream
from tests.fakes.llama_server import LlamaServer
from tests.fakes.responses_events import body, created, ended, reasoning, said

KEPT = json.dumps({"item": reasoning(sealed="x"), "leads_to": {"type": "message"}})
HI = Turn("user", (TextPart(text="Hi"),))
HELLO = Turn(
    "assistant",
    (ThinkingSignaturePart(signature=KEPT, provider="p", model="gpt-5"), TextPart(text="Hello")),
    provider="p",
    model="gpt-5",
)
GOOD = Stream((body([created(), *said("Hello", " you"), ended()]),))


@dataclass
class Outcome:
    events: list[StreamEvent] = field(default_factory=list)
    error: ProviderError | None = None
    requests: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return fold(self.events).text


async def a_key(_provider_id: str) -> str | None:
    return "sk-only-for-tests"


def with_server(
    *behaviours: Behaviour,
    use: Callable[[OpenAIResponsesProvider, Outcome], Awaitable[None]],
    preset: str = "openai",
    ending: str = "",
) -> Outcome:
    async def main() -> Outcome:
        outcome = Outcome()
        http = Http(sleep=lambda _seconds: asyncio.sleep(0), chance=lambda: 0.0)
        async with FaultServer(*behaviours) as server:
            account = Account(id="p", label="Acme", base_url=server.base_url + ending, preset=preset)
            try:
                async with asyncio.timeout(20):
                    await use(OpenAIResponsesProvider(account, http=http, key_of=a_key), outcome)
            except ProviderError as error:
                outcome.error = error
            outcome.requests = [each.body for each in server.requests]
            outcome.paths = [each.path for each in server.requests]
            outcome.keys = [
                each.headers.get("authorization", each.headers.get("api-key", "")) for each in server.requests
            ]
        await http.aclose()
        return outcome

    return asyncio.run(main())


def ask(*behaviours: Behaviour, times: int = 1, preset: str = "openai", ending: str = "", **fields: Any) -> Outcome:
    """Ask so many times the same, one after the other."""
    request = ChatRequest(**{"model": "gpt-5", "turns": (HI, HELLO, HI), **fields})

    async def use(provider: OpenAIResponsesProvider, outcome: Outcome) -> None:
        for _ in range(times):
            async with aclosing(provider.stream(request)) as stream:
                async for event in stream:
                    outcome.events.append(event)

    return with_server(*behaviours, use=use, preset=preset, ending=ending)


def refused(message: str, status: int = 400) -> Status:
    return Json({"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}, status)


@pytest.mark.parametrize("ending", ["", "/", "/responses", "/chat/completions"])
def test_it_asks_where_the_address_points_whatever_was_pasted(ending: str) -> None:
    outcome = ask(GOOD, ending=ending)
    assert outcome.text == "Hello you"
    assert outcome.paths == ["/v1/responses"]
    assert outcome.keys == ["Bearer sk-only-for-tests"]
    assert isinstance(outcome.events[-1], Finished)


def test_a_reply_that_used_up_its_tokens_was_cut_whatever_it_is_called() -> None:
    """llama.cpp calls it complete."""
    full = Stream((body([created(), *said("Hello"), ended(usage={"input_tokens": 1, "output_tokens": 20})]),))
    assert fold(ask(full, max_tokens=20).events).stop_reason == "length"
    assert fold(ask(full, max_tokens=21).events).stop_reason == "stop"


def test_azure_gets_its_key_in_a_header_of_its_own() -> None:
    assert ask(GOOD, preset="azure").keys == ["sk-only-for-tests"]


@pytest.mark.parametrize(
    ("message", "gone"),
    [
        ("Your organization must be verified to generate reasoning summaries. Please go to: …", "reasoning"),
        ("Unsupported parameter: 'reasoning.summary' is not supported with this model.", "reasoning"),
        ("Encrypted content is not supported with this model.", "include"),
        ("Extra inputs are not permitted: prompt_cache_key", "prompt_cache_key"),
    ],
)
def test_what_a_server_refuses_is_left_out_and_stays_out(message: str, gone: str) -> None:
    outcome = ask(refused(message), GOOD, times=2, conversation_id="c")
    assert outcome.text == "Hello youHello you"
    assert [gone in each for each in outcome.requests] == [True, False, False]


@pytest.mark.parametrize(
    "message",
    [
        "The encrypted content gAAA… could not be verified. Reason: Encrypted content could not be decrypted.",
        "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
        "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
    ],
)
def test_reasoning_that_the_server_cannot_read_is_no_dead_end(message: str) -> None:
    """The key is another organisation's now, or the model behind the name has changed."""
    outcome = ask(refused(message), GOOD)
    assert outcome.text == "Hello you"
    assert [[item["type"] for item in each["input"]] for each in outcome.requests] == [
        ["message", "reasoning", "message", "message"],
        ["message", "message", "message"],
    ]


def test_any_other_refusal_is_said_after_one_request() -> None:
    for answer in (refused("No such luck."), refused("Wrong API key", 401), refused("include it", 403)):
        outcome = ask(answer)
        assert outcome.error is not None
        assert len(outcome.requests) == 1


def test_one_refusal_that_is_repeated_ends_in_words() -> None:
    outcome = ask(refused("Encrypted content is not supported with this model."))
    assert outcome.error is not None
    assert len(outcome.requests) == 2


def test_a_reply_that_began_is_never_asked_for_again() -> None:
    half = Stream((body([created(), *said("Half")[:3]]),), then="cut")
    outcome = ask(half, GOOD)
    assert outcome.text == "Half"
    assert outcome.error is not None
    assert outcome.error.code == "cut_off"
    assert len(outcome.requests) == 1


def test_its_models_are_those_to_talk_to_with_what_is_known_of_them() -> None:
    listed: list[ModelInfo] = []
    names = ("gpt-5", "gpt-4o", "text-embedding-3-small", "somebody-elses")

    async def use(provider: OpenAIResponsesProvider, _outcome: Outcome) -> None:
        listed.extend(await provider.list_models())
        assert provider.limits_of("gpt-5").thinking

    outcome = with_server(Json({"object": "list", "data": [{"id": name} for name in names]}), use=use)
    assert outcome.paths == ["/v1/models"]
    known = {model.id: model.limits for model in listed}
    assert list(known) == ["gpt-5", "gpt-4o", "somebody-elses"]
    assert (known["gpt-5"].context_tokens, known["gpt-5"].thinking, known["gpt-5"].pdfs) == (400_000, True, True)
    assert (known["gpt-4o"].images, known["gpt-4o"].thinking) == (True, False)
    assert known["somebody-elses"].context_tokens is None


@pytest.mark.llamacpp
def test_llama_cpp_takes_reasoning_calls_and_results_in_our_strict_form(llama_server: LlamaServer) -> None:
    """It types items by their shape: reasoning needs content, a reply a list of texts with annotations."""
    from sam_py.messages.parts import ToolCallPart
    from sam_py.messages.turn import ToolResultPart
    from sam_py.providers.base import ToolSpec

    kept = json.dumps({"item": reasoning("r-1", content=["Hm."]), "leads_to": {"type": "function_call"}})
    turns = (
        HI,
        Turn(
            "assistant",
            (
                TextPart(text="On it."),
                ThinkingSignaturePart(signature=kept, provider="here", model="tiny-random"),
                ToolCallPart(call_id="a", tool_name="look", arguments_json="{}"),
                ToolCallPart(call_id="b", tool_name="look", arguments_json='{"n": '),
            ),
            provider="here",
            model="tiny-random",
        ),
        Turn(
            "user",
            (
                ToolResultPart(call_id="a", tool_name="look", status="success", text="one"),
                ToolResultPart(call_id="b", tool_name="look", status="error", text=""),
                TextPart(text="And now?"),
            ),
        ),
    )
    request = ChatRequest(
        model="tiny-random",
        turns=turns,
        system="Be brief.",
        max_tokens=16,
        reasoning_effort="low",
        conversation_id="c",
        tools=(ToolSpec("look", "Looks.", {"type": "object", "properties": {}}),),
        tool_choice="none",
    )

    async def main() -> list[StreamEvent]:
        registry = Registry(a_key)
        preset, url = "responses-compatible", llama_server.base_url
        registry.configure((ProviderSettings(id="here", preset=preset, label="llama.cpp", base_url=url),))
        try:
            async with asyncio.timeout(60):
                return [event async for event in registry.get("here").stream(request)]
        finally:
            await registry.aclose()

    events = asyncio.run(main())
    reply = fold(events)
    assert reply.text
    assert reply.stop_reason == "length"
    assert sum(isinstance(event, TextDelta) for event in events) > 5
    assert reply.usage is not None
    assert reply.usage.output_tokens == 16
