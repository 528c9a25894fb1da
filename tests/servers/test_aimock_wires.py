"""Every wire of ours against aimock: streams, thinking, calls and their results, pictures, errors, listings."""

from __future__ import annotations

import asyncio
import base64
import struct
import zlib
from dataclasses import replace

from sam_py.messages.parts import ImagePart, ThinkingSignaturePart
from sam_py.providers.accumulate import content_hash
from sam_py.providers.base import TextDelta, ThinkingDelta, ToolCallDelta
from tests.servers import scenes
from tests.servers.processes import AimockServer
from tests.servers.relay import Relay
from tests.servers.wires import PATIENCE_S, TOOLS, Heard, Place, given, listen, only, replied, results, says


def test_text_streams_in_pieces_and_is_whole(place: Place) -> None:
    heard = place.hear(says(scenes.HELLO))
    assert heard.error is None
    assert heard.reply.text == scenes.HELLO_TEXT
    assert heard.reply.stop_reason == "stop"
    assert len(heard.all_of(TextDelta)) > 5


def test_halves_of_a_character_become_one(place: Place) -> None:
    """aimock cuts by UTF-16 units: an emoji comes as two escapes in two pieces."""
    heard = place.hear(says(scenes.EMOJI))
    assert heard.error is None
    assert heard.reply.text == scenes.EMOJI_TEXT
    for delta in heard.all_of(TextDelta):
        delta.text.encode("utf-8")


def test_an_answer_that_does_not_stream_is_read_as_well(place: Place) -> None:
    heard = place.hear(says(scenes.WEATHER), stream=False, tools=TOOLS)
    assert heard.error is None
    assert heard.reply.text == scenes.WEATHER_TEXT
    assert given(heard.reply) == list(scenes.WEATHER_CALLS)


@only("openai_chat", "openai_responses", "anthropic", "gemini")
def test_thinking_comes_before_what_is_said(place: Place) -> None:
    """Not to Ollama's wire: aimock gives its thinking a name that Ollama does not have."""
    heard = place.hear(says(scenes.THINK), reasoning_effort="medium")
    assert heard.error is None
    assert "".join(delta.text for delta in heard.all_of(ThinkingDelta)) == scenes.THINKING_TEXT
    assert heard.reply.text == scenes.THOUGHT_TEXT


@only("anthropic")
def test_signed_thinking_goes_back_with_the_next_question(place: Place) -> None:
    first = place.hear(says(scenes.THINK), reasoning_effort="medium").reply
    signatures = [part for part in first.parts if isinstance(part, ThinkingSignaturePart)]
    assert [part.signature for part in signatures if "c2lnbmVk" in part.signature]
    again = place.hear(says(scenes.THINK), replied(first), says(scenes.HELLO), reasoning_effort="medium")
    assert again.error is None
    assert again.reply.text == scenes.HELLO_TEXT


def test_parallel_calls_and_their_results_make_a_round(place: Place, aimock: AimockServer) -> None:
    question = says(scenes.WEATHER)
    asked = place.hear(question, tools=TOOLS)
    assert asked.error is None
    assert asked.reply.text == scenes.WEATHER_TEXT
    assert given(asked.reply) == list(scenes.WEATHER_CALLS)
    assert asked.reply.stop_reason == "tool_use"
    assert asked.all_of(ToolCallDelta)
    ids = [call.call_id for call in asked.reply.tool_calls]
    assert all(ids)
    assert len(set(ids)) == 2
    turns = (question, replied(asked.reply), results(asked.reply, "sunny", "foggy"))
    told = place.hear(*turns, tools=TOOLS)
    assert told.error is None
    assert told.reply.text == scenes.WEATHER_END
    assert not told.reply.tool_calls
    _judge_the_round(aimock.journal(place.test_id)[-1]["body"])


def test_a_round_stays_whole_when_the_talk_goes_on(place: Place, aimock: AimockServer) -> None:
    question = says(scenes.WEATHER)
    asked = place.hear(question, tools=TOOLS).reply
    told_what = results(asked, "sunny", "no such city", status="error")
    told = place.hear(question, replied(asked), told_what, tools=TOOLS).reply
    after = place.hear(question, replied(asked), told_what, replied(told), says(scenes.HELLO), tools=TOOLS)
    assert after.reply.text == scenes.HELLO_TEXT
    body = aimock.journal(place.test_id)[-1]["body"]
    _judge_the_round(body)
    assert body["messages"][-1]["role"] == "user"


def _judge_the_round(body: dict[str, object]) -> None:
    """aimock's own reading of our request: calls and results are pairs, adjacent and in order."""
    messages = body["messages"]
    assert isinstance(messages, list)
    calls = [call for message in messages for call in message.get("tool_calls") or ()]
    last = max(n for n, message in enumerate(messages) if message.get("tool_calls"))
    answers = messages[last + 1 : last + 1 + len(calls)]
    assert [call["function"]["name"] for call in calls] == ["weather", "weather"]
    assert [answer["role"] for answer in answers] == ["tool"] * len(calls)
    assert len([message for message in messages if message["role"] == "tool"]) == len(calls)
    if all("id" in call and "tool_call_id" in answer for call, answer in zip(calls, answers, strict=True)):
        assert [answer["tool_call_id"] for answer in answers] == [call["id"] for call in calls]
    assert not [m for m in messages if m["content"] in ("", []) and not m.get("tool_calls")]


def test_a_picture_arrives_as_it_is(place: Place) -> None:
    picture = _png()
    part = ImagePart(attachment=content_hash(picture), mime_type="image/png", width=1, height=1)

    async def scenario() -> tuple[Heard, bytes]:
        async with asyncio.timeout(PATIENCE_S), Relay(place.url) as relay:
            near = replace(place, url=relay.url)
            request = near.request(says(scenes.LOOK, part), attachments={content_hash(picture): picture})
            async with near.provider() as provider:
                return await listen(provider, request), bytes(relay.sent)

    heard, sent = asyncio.run(scenario())
    assert heard.error is None
    assert heard.reply.text == scenes.LOOK_TEXT
    assert base64.b64encode(picture) in sent.replace(b"\\/", b"/")


def test_tokens_are_counted_where_the_server_counts(place: Place) -> None:
    heard = place.hear(says(scenes.HELLO))
    if place.spoken.wire == "openai_chat":
        assert heard.reply.usage is not None
        assert heard.reply.usage.output_tokens
        assert heard.reply.usage.input_tokens
    if heard.reply.usage is not None:
        assert (heard.reply.usage.output_tokens or 0) >= 0


@only("openai_chat", "openai_responses", "anthropic", "gemini")
def test_a_reply_that_was_too_long_says_so(place: Place) -> None:
    """To Ollama's wire aimock says that it stopped, whatever the scene says."""
    heard = place.hear(says(scenes.LENGTH))
    assert heard.error is None
    assert heard.reply.stop_reason == "length"
    assert heard.reply.text == "Half of"


@only("openai_chat", "openai_responses", "anthropic", "ollama")
def test_its_models_are_listed(place: Place) -> None:
    """aimock has no list at Gemini's address."""
    models = place.use(lambda provider: provider.list_models())
    assert "gpt-4o" in [model.id for model in models]


def _png() -> bytes:
    """One red pixel."""

    def block(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"\x00\xff\x00\x00")
    return b"\x89PNG\r\n\x1a\n" + block(b"IHDR", head) + block(b"IDAT", pixels) + block(b"IEND", b"")
