"""What a Chat Completions stream may hold besides text: pictures, opaque thinking in its place, costs, odd calls."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from sam_py.messages.message import AssistantMessage
from sam_py.messages.parts import ThinkingSignaturePart
from sam_py.providers.accumulate import fold
from sam_py.providers.base import StreamEvent
from sam_py.providers.openai_chat.stream import StreamDecoder
from tests.wire.streams import STREAMS, Answer

PIXEL = b"\x89PNG pixel"


def stream_of(*deltas: dict[str, Any], finish: str = "stop", **last: Any) -> bytes:
    chunks: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    chunks.append({"id": "1", "model": "m", "choices": [{"index": 0, "delta": {}, "finish_reason": finish}], **last})
    return b"".join(f"data: {json.dumps(each)}\n\n".encode() for each in chunks) + b"data: [DONE]\n\n"


def decoded(stream: bytes) -> tuple[AssistantMessage, StreamDecoder]:
    decoder = StreamDecoder(new_call_id=lambda: "made")
    events = decoder.feed(stream) + decoder.close()
    assert decoder.error is None
    return fold(events, provider="p", model="m"), decoder


def test_pictures_come_as_data_urls_and_addresses_are_not_loaded() -> None:
    data = base64.b64encode(PIXEL).decode()
    urls = [f"data:image/png;base64,{data}", "https://spy.example/pixel.png", "data:image/png;base64,%%%"]
    images = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    message, _ = decoded(stream_of({"content": "Here.", "images": images}))
    assert [part.kind for part in message.parts] == ["text", "image"]
    assert message.images[0].mime_type == "image/png"


def test_opaque_thinking_stands_where_it_came() -> None:
    details: list[dict[str, Any]] = [
        {"type": "reasoning.text", "text": "h", "index": 0, "format": "anthropic-claude-v1"},
        {"type": "reasoning.text", "text": "m", "index": 0},
        {"type": "reasoning.text", "signature": "s", "index": 0},
    ]
    late = {"type": "reasoning.encrypted", "data": "x", "index": 1}
    message, _ = decoded(
        stream_of(
            *({"reasoning_details": [detail]} for detail in details),
            {"content": "Hello"},
            {"reasoning_details": [late]},
        )
    )
    assert [part.kind for part in message.parts] == [
        "thinking_text",
        "thinking_signature",
        "text",
        "thinking_signature",
    ]
    assert message.thinking == "hm"
    signed = [json.loads(part.signature) for part in message.parts if isinstance(part, ThinkingSignaturePart)]
    merged = {"type": "reasoning.text", "text": "hm", "index": 0, "format": "anthropic-claude-v1", "signature": "s"}
    assert signed == [[merged], [late]]


def test_a_service_that_sends_the_whole_thought_each_time_is_heard_once() -> None:
    so_far = [
        "I think about the weather",
        "I think about the weather in Berlin",
        "I think about the weather in Berlin.",
    ]
    details = [[{"type": "reasoning.text", "index": 0, "text": text}] for text in so_far]
    message, _ = decoded(stream_of(*({"reasoning_details": each} for each in details), {"content": "Sunny."}))
    assert message.thinking == so_far[-1]


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content"])
def test_a_decoder_says_in_which_field_reasoning_came(field: str) -> None:
    message, decoder = decoded(stream_of({field: "hm"}, {"content": "Hello"}))
    assert (message.thinking, decoder.reasoning_field) == ("hm", field)


def test_what_hangs_on_a_call_is_kept_with_its_place() -> None:
    extra = {"google": {"thought_signature": "abc"}}
    calls = [
        {"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}},
        {"index": 1, "id": "b", "function": {"name": "g", "arguments": "{}"}, "extra_content": extra},
    ]
    message, _ = decoded(stream_of({"tool_calls": calls}, finish="tool_calls"))
    (signed,) = [part for part in message.parts if isinstance(part, ThinkingSignaturePart)]
    assert json.loads(signed.signature) == {"call": 1, "extra_content": extra}


def test_the_cost_that_a_service_reports_is_kept() -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "cost": 0.00042}
    message, _ = decoded(stream_of({"content": "Hello"}, usage=usage))
    assert message.usage is not None
    assert message.usage.cost_usd == 0.00042
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "cost": {"total_cost": 0.006}}
    message, _ = decoded(stream_of({"content": "Hello"}, usage=usage))
    assert message.usage is not None
    assert message.usage.cost_usd == 0.006


def _joined(events: list[StreamEvent]) -> str:
    return fold(events, provider="p", model="m").model_dump_json(exclude={"id", "created_at"})


@pytest.mark.parametrize("service", ["deepseek", "openrouter"])
def test_a_stream_says_the_same_cut_at_any_byte(service: str) -> None:
    answer = Answer(1, "Hmm 🤔.", text="Grüße 🎉", calls=[("read_file", {"path": "ünï"}), ("search", {})])
    stream = STREAMS["openai_chat", service](answer)
    whole = StreamDecoder()
    expected = _joined(whole.feed(stream) + whole.close())
    for cut in range(len(stream) + 1):
        decoder = StreamDecoder()
        events = decoder.feed(stream[:cut]) + decoder.feed(stream[cut:]) + decoder.close()
        assert _joined(events) == expected, cut


@pytest.mark.parametrize("finish", ["tool_calls", "stop"])
def test_a_broken_call_ends_a_reply_as_a_call_does(finish: str) -> None:
    broken = {"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x": "unfin'}}
    message, _ = decoded(stream_of({"tool_calls": [broken]}, finish=finish))
    assert message.stop_reason == "tool_use"
    assert decoded(stream_of({"tool_calls": [broken]}, finish="length"))[0].stop_reason == "length"


def test_whole_calls_without_ids_that_are_all_number_0_are_told_apart() -> None:
    calls = [{"index": 0, "function": {"name": name, "arguments": '{"n": 1}'}} for name in ("f", "f", "g")]
    message, _ = decoded(stream_of(*({"tool_calls": [call]} for call in calls), finish="tool_calls"))
    said = [(call.tool_name, call.arguments_json) for call in message.tool_calls]
    assert said == [("f", '{"n": 1}'), ("f", '{"n": 1}'), ("g", '{"n": 1}')]


def test_a_name_that_is_sent_again_with_each_piece_begins_no_call() -> None:
    pieces = ['{"a": {', '"b": 1}', "}", ""]
    deltas = [{"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": piece}}]} for piece in pieces]
    message, _ = decoded(stream_of(*deltas, finish="tool_calls"))
    assert [call.arguments_json for call in message.tool_calls] == ['{"a": {"b": 1}}']


def test_an_error_as_a_bare_line_behind_the_text_says_why_it_ended() -> None:
    decoder = StreamDecoder()
    chunk = {"id": "1", "choices": [{"index": 0, "delta": {"content": "Half"}}]}
    stream = f'data: {json.dumps(chunk)}\n\n{{"error": {{"message": "The back end is gone."}}}}\n'
    message = fold(decoder.feed(stream.encode()) + decoder.close())
    assert message.text == "Half"
    assert decoder.error is not None
    assert "The back end is gone." in decoder.error.detail
