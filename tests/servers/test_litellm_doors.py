"""The LiteLLM proxy in front of aimock and llama.cpp: four of our wires in, several protocols behind it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from sam_py.providers.base import TextDelta, ThinkingDelta
from tests.servers import scenes
from tests.servers.processes import AimockServer, LiteLLMServer
from tests.servers.relay import Relay
from tests.servers.wires import PATIENCE_S, TOOLS, Place, Spoken, given, only, replied, results, says

four_doors = only("openai_chat", "openai_responses", "anthropic", "gemini")
behind_all = pytest.mark.parametrize("behind", ["via-chat", "via-claude", "via-ollama"])


@pytest.fixture
def door(litellm: LiteLLMServer, spoken: Spoken) -> Place:
    return Place(spoken, litellm.url, key=litellm.key)


@four_doors
@behind_all
def test_text_comes_through_the_proxy(door: Place, behind: str) -> None:
    heard = door.with_model(behind).hear(says(scenes.HELLO))
    assert heard.error is None, heard.error.detail
    assert heard.reply.text == scenes.HELLO_TEXT
    assert heard.reply.stop_reason == "stop"
    assert len(heard.all_of(TextDelta)) > 5


@four_doors
def test_a_real_model_speaks_through_the_proxy(door: Place) -> None:
    heard = door.with_model("via-llama").hear(says("Hello"), max_tokens=16)
    assert heard.error is None, heard.error.detail
    assert heard.reply.text.strip() or heard.reply.stop_reason == "stop"


@four_doors
@behind_all
def test_a_round_of_tools_goes_through_the_proxy(door: Place, behind: str, aimock: AimockServer) -> None:
    """Its blocks overlap and its arguments may be glued together: what came is kept apart, whole or not at all."""
    at = door.with_model(behind)
    question = says(scenes.WEATHER)
    asked = at.hear(question, tools=TOOLS)
    assert asked.error is None, asked.error.detail
    assert asked.reply.text == scenes.WEATHER_TEXT
    assert asked.reply.stop_reason == "tool_use"
    assert given(asked.reply) == list(scenes.WEATHER_CALLS)
    ids = [call.call_id for call in asked.reply.tool_calls]
    assert len(set(ids)) == 2
    told = at.hear(question, replied(asked.reply), results(asked.reply, "sunny", "foggy"), tools=TOOLS)
    assert told.error is None, told.error.detail
    assert told.reply.text == scenes.WEATHER_END


@only("openai_chat", "anthropic")
def test_thinking_comes_through_the_proxy(door: Place) -> None:
    heard = door.with_model("via-claude").hear(says(scenes.THINK), reasoning_effort="medium")
    assert heard.error is None, heard.error.detail
    assert "".join(delta.text for delta in heard.all_of(ThinkingDelta)) == scenes.THINKING_TEXT
    assert heard.reply.text == scenes.THOUGHT_TEXT


@four_doors
def test_a_wrong_key_is_refused_by_the_proxy(door: Place) -> None:
    """Without a database it says 400 and speaks of that: what we say then need not lead to the settings."""
    heard = replace(door, key="sk-wrong-key-0123456789").with_model("via-chat").hear(says(scenes.HELLO))
    assert heard.error is not None
    assert heard.error.code in ("bad_key", "bad_request")
    assert not heard.error.retryable
    assert "sk-wrong-key" not in str(heard.error) + heard.error.detail


@four_doors
def test_a_model_that_the_proxy_has_not_is_named(door: Place) -> None:
    heard = door.with_model("via-nothing").hear(says(scenes.HELLO))
    assert heard.error is not None
    assert heard.error.code in ("no_model", "bad_request")
    assert "via-nothing" in str(heard.error)


@only("openai_chat", "openai_responses")
def test_the_proxys_models_are_listed(door: Place) -> None:
    models = door.use(lambda provider: provider.list_models())
    assert {"via-chat", "via-claude", "via-ollama", "via-llama"} <= {model.id for model in models}


@four_doors
def test_stopping_closes_the_connection_to_the_proxy(door: Place) -> None:
    async def scenario() -> None:
        async with asyncio.timeout(PATIENCE_S), Relay(door.url) as relay:
            near = replace(door, url=relay.url).with_model("via-chat")
            async with near.provider() as provider:
                stream = provider.stream(near.request(says(scenes.ENDLESS)))
                async for event in stream:
                    if isinstance(event, TextDelta):
                        break
                await stream.aclose()  # type: ignore[attr-defined]
                await relay.client_left.wait()

    asyncio.run(scenario())
