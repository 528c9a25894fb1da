"""llama.cpp's own server, by the three protocols that it speaks: Chat Completions, Responses and Messages."""

from __future__ import annotations

import asyncio
import json

import pytest

from sam_py.messages.parts import ImagePart
from sam_py.providers.accumulate import content_hash
from sam_py.providers.base import Provider, TextDelta, ToolSpec
from tests.fakes.llama_server import LlamaServer
from tests.servers.wires import SEES, Place, Spoken, listen, only, replied, results, says

pytestmark = pytest.mark.llamacpp
three_wires = only("openai_chat", "openai_responses", "anthropic")
CITY = ToolSpec(
    "weather",
    "The weather of a city.",
    {"type": "object", "properties": {"city": {"type": "string", "enum": ["Paris"]}}, "required": ["city"]},
)


@pytest.fixture
def llama(llama_server: LlamaServer, spoken: Spoken) -> Place:
    """The server whose replies have no end, as a wire sees it."""
    return Place(spoken, llama_server.url).with_model("tiny-random")


@pytest.fixture
def caller(calling_llama: LlamaServer, spoken: Spoken) -> Place:
    """The server whose model calls tools where it must."""
    return Place(spoken, calling_llama.url).with_model("tiny-random")


@three_wires
def test_llama_streams_text_and_counts_it(llama: Place) -> None:
    heard = llama.hear(says("Hello"), max_tokens=24, system="Be brief.")
    assert heard.error is None
    assert heard.reply.text.strip()
    assert heard.reply.stop_reason == "length"
    assert len(heard.all_of(TextDelta)) > 5
    assert heard.reply.usage is not None
    assert heard.reply.usage.output_tokens == 24


@three_wires
def test_llama_takes_a_conversation(llama: Place) -> None:
    first = llama.hear(says("Hello"), max_tokens=8)
    again = llama.hear(says("Hello"), replied(first.reply), says("And then?"), max_tokens=8)
    assert again.error is None
    assert again.reply.text


@three_wires
def test_llama_calls_tools_and_takes_their_results(caller: Place) -> None:
    question = says("What is the weather?")
    asked = caller.hear(question, tools=(CITY,), tool_choice="required", max_tokens=150)
    assert asked.error is None
    whole = [call for call in asked.reply.tool_calls if _is_whole(call.arguments_json)]
    assert whole
    assert all(call.call_id and call.tool_name == "weather" for call in whole)
    assert json.loads(whole[0].arguments_json) == {"city": "Paris"}
    kept = asked.reply.model_copy(update={"parts": tuple(whole)})
    told = caller.hear(question, replied(kept), results(kept, *["sunny"] * len(whole)), tools=(CITY,), max_tokens=8)
    assert told.error is None, told.error.detail


@three_wires
def test_llama_sees_that_its_reader_left(llama: Place, llama_server: LlamaServer) -> None:
    async def scenario(provider: Provider) -> None:
        stream = provider.stream(llama.request(says("Tell me everything"), max_tokens=3500))
        words = 0
        async for event in stream:
            words += isinstance(event, TextDelta)
            if words == 3:
                assert await asyncio.to_thread(lambda: llama_server.is_busy)
                break
        await stream.aclose()  # type: ignore[attr-defined]
        while await asyncio.to_thread(lambda: llama_server.is_busy):
            await asyncio.sleep(0)

    llama.use(scenario)


@three_wires
def test_llama_says_that_a_talk_is_too_long(llama: Place) -> None:
    heard = llama.hear(says("word " * 20_000), max_tokens=8)
    assert heard.error is not None
    assert heard.error.code == "too_long"


@three_wires
def test_llama_lists_its_model(llama: Place) -> None:
    models = llama.use(lambda provider: provider.list_models())
    assert [model.id for model in models] == ["tiny-random"]


@three_wires
def test_llama_says_that_it_sees_no_pictures(llama: Place) -> None:
    """It is a 500 of theirs, and the words lead to the picture all the same."""
    picture = b"\x89PNG\r\n\x1a\n"
    part = ImagePart(attachment=content_hash(picture), mime_type="image/png")
    request = llama.request(says("Look", part), attachments={content_hash(picture): picture}, max_tokens=8, limits=SEES)
    heard = llama.use(lambda provider: listen(provider, request))
    assert heard.error is not None
    assert heard.error.code == "bad_request"
    assert "cannot see images" in str(heard.error)


def _is_whole(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments), dict)
    except ValueError:
        return False
