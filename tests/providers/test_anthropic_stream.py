"""What gateways, imitators and broken networks make of a Messages stream, and what a person still gets of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sam_py.messages.message import AssistantMessage
from sam_py.messages.parts import ThinkingSignaturePart
from sam_py.providers.accumulate import fold
from sam_py.providers.anthropic.opaque import unpack
from sam_py.providers.anthropic.stream import StreamDecoder
from sam_py.providers.base import Finished, StreamEvent, UsageReported
from sam_py.providers.errors import ProviderError

Value = dict[str, Any]
START: Value = {"type": "message_start", "message": {"id": "msg_1", "model": "claude-x", "usage": {"input_tokens": 7}}}
STOP: Value = {"type": "message_stop"}


def started(index: int | None, block: Value) -> Value:
    return {"type": "content_block_start", "index": index, "content_block": block}


def text(index: int | None, piece: str) -> Value:
    return {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": piece}}


def thought(index: int, piece: str) -> Value:
    return {"type": "content_block_delta", "index": index, "delta": {"type": "thinking_delta", "thinking": piece}}


def signed(index: int, signature: str) -> Value:
    return {"type": "content_block_delta", "index": index, "delta": {"type": "signature_delta", "signature": signature}}


def given(index: int, piece: str) -> Value:
    return {"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": piece}}


def stopped(index: int) -> Value:
    return {"type": "content_block_stop", "index": index}


def ended(word: str, **beyond: Any) -> Value:
    return {"type": "message_delta", "delta": {"stop_reason": word, **beyond}, "usage": {"output_tokens": 3}}


def stream(*events: Value) -> bytes:
    return b"".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events)


def read(body: bytes) -> tuple[list[StreamEvent], ProviderError | None]:
    numbers = iter(range(100))
    decoder = StreamDecoder(new_call_id=lambda: f"made_{next(numbers)}")
    events = [*decoder.feed(body), *decoder.close()]
    assert decoder.finished == (decoder.error is None)
    assert sum(isinstance(event, Finished) for event in events) == decoder.finished
    return events, decoder.error


def reply(*events: Value) -> AssistantMessage:
    found, error = read(stream(START, *events))
    assert error is None
    return fold(found, provider="p")


def opaque(message: AssistantMessage) -> list[Any]:
    return [unpack(part.signature) for part in message.parts if isinstance(part, ThinkingSignaturePart)]


def calls(message: AssistantMessage) -> list[tuple[str, str, str]]:
    return [(call.call_id, call.tool_name, call.arguments_json) for call in message.tool_calls]


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("pause_turn", "stop"),
        ("compaction", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "refusal"),
        ("a word of a newer version", "stop"),
    ],
)
def test_every_stop_reason_of_messages_has_a_meaning(word: str, reason: str) -> None:
    events, _ = read(stream(START, started(0, {"type": "text", "text": ""}), text(0, "Hi"), ended(word), STOP))
    assert events[-1] == Finished(reason, word)  # type: ignore[arg-type]


def test_a_refusal_says_why_in_the_provider_s_words() -> None:
    details = {"type": "refusal", "category": "cyber", "explanation": "Not that."}
    events, _ = read(stream(START, ended("refusal", stop_details=details), STOP))
    assert events[-1] == Finished("refusal", "refusal", "Not that.")
    events, _ = read(stream(START, ended("refusal", stop_details={**details, "explanation": None}), STOP))
    assert events[-1] == Finished("refusal", "refusal", "cyber")


def test_the_text_that_stopped_a_reply_is_told() -> None:
    events, _ = read(stream(START, ended("stop_sequence", stop_sequence="END"), STOP))
    assert events[-1] == Finished("stop", "stop_sequence", "END")


def test_the_prompt_s_count_takes_in_what_came_from_the_cache_or_went_there() -> None:
    counts = {"input_tokens": 4, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20}
    end = ended("end_turn")
    end["usage"] = {**counts, "output_tokens": 9, "output_tokens_details": {"thinking_tokens": 5}}
    usage = reply(end, STOP).usage
    assert usage is not None
    assert (usage.input_tokens, usage.cached_input_tokens, usage.cache_write_tokens) == (124, 100, 20)
    assert (usage.output_tokens, usage.reasoning_tokens) == (9, 5)


def test_counts_that_a_later_report_leaves_out_or_nulls_still_hold() -> None:
    end = ended("end_turn")
    end["usage"] = {"input_tokens": None, "output_tokens": 2}
    events, _ = read(stream(START, end, STOP))
    reports = [event.usage for event in events if isinstance(event, UsageReported)]
    assert [(usage.input_tokens, usage.output_tokens) for usage in reports] == [(7, None), (7, 2)]


def test_blocks_that_overlap_are_told_apart_by_their_index() -> None:
    message = reply(
        started(0, {"type": "text", "text": ""}),
        started(1, {"type": "tool_use", "id": "a", "name": "f"}),
        started(2, {"type": "tool_use", "id": "b", "name": "g", "input": {}}),
        given(2, '{"y"'),
        given(1, '{"x": 1}'),
        text(0, "Look: "),
        stopped(0),
        given(2, ": 2}"),
        stopped(2),
        stopped(1),
        ended("tool_use"),
        STOP,
    )
    assert message.text == "Look: "
    assert calls(message) == [("a", "f", '{"x": 1}'), ("b", "g", '{"y": 2}')]
    assert message.stop_reason == "tool_use"


def test_a_second_start_of_the_message_or_of_a_block_changes_nothing() -> None:
    block = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    again = {**START, "message": {"id": "msg_2", "usage": {"input_tokens": 99}}}
    message = reply(started(0, block), again, started(0, block), given(0, "{}"), stopped(0), ended("tool_use"), STOP)
    assert message.response_id == "msg_1"
    assert message.usage is not None
    assert message.usage.input_tokens == 7
    assert calls(message) == [("a", "f", "{}")]


def test_an_index_that_is_used_again_is_another_block() -> None:
    message = reply(
        started(0, {"type": "tool_use", "id": "a", "name": "f"}),
        given(0, '{"x": 1}'),
        started(0, {"type": "tool_use", "id": "b", "name": "f"}),
        given(0, '{"x": 2}'),
        ended("tool_use"),
        STOP,
    )
    assert calls(message) == [("a", "f", '{"x": 1}'), ("b", "f", '{"x": 2}')]


def test_without_an_index_things_belong_to_the_block_that_opened_last() -> None:
    message = reply(started(None, {"type": "text", "text": "a"}), text(None, "b"), ended("end_turn"), STOP)
    assert message.text == "ab"


def test_text_for_a_block_that_never_opened_is_text_all_the_same() -> None:
    assert reply(text(0, "Hello"), text(0, "!"), given(3, "{}"), ended("end_turn"), STOP).text == "Hello!"


def test_text_and_input_may_come_with_the_start_of_their_block() -> None:
    call = {"type": "tool_use", "id": "a", "name": "f", "input": {"city": "Köln"}}
    message = reply(
        started(0, {"type": "text", "text": "Whole"}), started(1, call), stopped(1), ended("tool_use"), STOP
    )
    assert message.text == "Whole"
    assert calls(message) == [("a", "f", '{"city": "Köln"}')]


def test_glued_arguments_of_two_calls_are_two_calls() -> None:
    message = reply(
        started(0, {"type": "tool_use", "id": "a", "name": "weather"}),
        given(0, '{"city": "Par'),
        given(0, 'is"}{"city"'),
        given(0, ': "London"} '),
        given(0, ' {"city": "}{"}'),
        stopped(0),
        ended("tool_use"),
        STOP,
    )
    assert [(id_, json.loads(arguments)) for id_, _, arguments in calls(message)] == [
        ("a", {"city": "Paris"}),
        ("a_2", {"city": "London"}),
        ("a_3", {"city": "}{"}),
    ]


def test_braces_in_a_text_are_no_end_of_an_object() -> None:
    arguments = json.dumps({"code": "}{" * 500, "nested": {"a": {}}})
    pieces = [given(0, arguments[start : start + 5]) for start in range(0, len(arguments), 5)]
    message = reply(started(0, {"type": "tool_use", "id": "a", "name": "f"}), *pieces, ended("tool_use"), STOP)
    assert calls(message) == [("a", "f", arguments)]


def test_calls_of_one_id_or_none_are_told_apart() -> None:
    blocks = [started(n, {"type": "tool_use", "id": "same", "name": "f"}) for n in range(2)]
    blocks += [started(n, {"type": "tool_use", "name": "f"}) for n in (2, 3)]
    message = reply(*blocks, ended("tool_use"), STOP)
    assert [id_ for id_, _, _ in calls(message)] == ["same", "same_2", "made_0", "made_1"]


@pytest.mark.parametrize(
    ("word", "reason"), [("tool_use", "tool_use"), ("max_tokens", "length"), ("end_turn", "tool_use")]
)
def test_a_reply_with_a_broken_call_ends_as_its_provider_says(word: str, reason: str) -> None:
    call = started(0, {"type": "tool_use", "id": "a", "name": "f"})
    assert reply(call, given(0, '{"x": "unfin'), ended(word), STOP).stop_reason == reason


def test_a_signature_stands_behind_the_thinking_that_it_signs() -> None:
    message = reply(
        started(0, {"type": "thinking", "thinking": "", "signature": ""}),
        thought(0, "First"),
        signed(0, "sig=="),
        stopped(0),
        started(1, {"type": "thinking", "thinking": "", "signature": ""}),
        thought(1, "Second"),
        signed(1, "sig2"),
        stopped(1),
        started(2, {"type": "text", "text": "Done"}),
        ended("end_turn"),
        STOP,
    )
    assert [part.kind for part in message.parts] == ["thinking_text", "thinking_signature"] * 2 + ["text"]
    assert opaque(message) == ["sig==", "sig2"]


def test_thinking_that_was_interrupted_or_is_blank_travels_whole() -> None:
    message = reply(
        started(0, {"type": "thinking", "thinking": ""}),
        thought(0, "Hm"),
        started(1, {"type": "text", "text": "Well, "}),
        thought(0, "m"),
        signed(0, "sig"),
        stopped(0),
        started(2, {"type": "thinking", "thinking": "\n", "signature": "sig3"}),
        stopped(2),
        text(1, "yes"),
        ended("end_turn"),
        STOP,
    )
    assert message.text == "Well, yes"
    assert opaque(message) == [
        {"type": "thinking", "thinking": "Hmm", "signature": "sig"},
        {"type": "thinking", "thinking": "\n", "signature": "sig3"},
    ]


def test_thinking_that_is_not_shown_is_its_signature_alone() -> None:
    message = reply(started(0, {"type": "thinking", "thinking": ""}), signed(0, "sig"), stopped(0), ended("x"), STOP)
    assert opaque(message) == ["sig"]


def test_what_a_server_tool_did_is_kept_whole_and_in_place() -> None:
    result = {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"type": "r", "url": "https://x"}]}
    message = reply(
        started(0, {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}),
        given(0, '{"query": '),
        given(0, '"x"}'),
        stopped(0),
        started(1, result),
        stopped(1),
        started(2, {"type": "text", "text": "Found."}),
        started(3, {"type": "fallback", "from": {"model": "a"}, "to": {"model": "b"}}),
        ended("end_turn"),
        STOP,
    )
    assert [part.kind for part in message.parts] == ["thinking_signature"] * 2 + ["text", "thinking_signature"]
    assert opaque(message) == [
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}},
        result,
        {"type": "fallback", "from": {"model": "a"}, "to": {"model": "b"}},
    ]


def test_a_block_of_a_newer_version_grows_by_deltas_that_nobody_knows() -> None:
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "compaction_delta", "content": "Sum"}}
    more = {**delta, "delta": {"type": "compaction_delta", "content": "mary", "list": [1], "n": None}}
    message = reply(started(0, {"type": "compaction", "content": None}), delta, more, ended("compaction"), STOP)
    assert opaque(message) == [{"type": "compaction", "content": "Summary", "list": [1]}]


def test_citations_are_kept_beside_the_text_that_stays_whole() -> None:
    citation = {"type": "char_location", "cited_text": "x", "document_index": 0}
    cite = {"type": "content_block_delta", "index": 1, "delta": {"type": "citations_delta", "citation": citation}}
    message = reply(
        started(0, {"type": "text", "text": ""}),
        text(0, "It is "),
        stopped(0),
        started(1, {"type": "text", "text": "", "citations": []}),
        cite,
        text(1, "Quack"),
        stopped(1),
        ended("end_turn"),
        STOP,
    )
    assert [part.kind for part in message.parts] == ["text", "thinking_signature"]
    assert message.text == "It is Quack"
    assert opaque(message) == [
        [{"type": "text", "length": 6}, {"type": "text", "text": "Quack", "citations": [citation]}]
    ]


def test_a_character_that_was_cut_in_two_is_one_where_text_is_cut_into_blocks() -> None:
    cited = {"type": "text", "text": "Quack", "citations": [{"cited_text": "x"}]}
    message = reply(text(0, "a\ud83c"), text(0, "\udf89"), stopped(0), started(1, cited), ended("end_turn"), STOP)
    assert message.text == "a\N{PARTY POPPER}Quack"
    assert opaque(message)[0][0] == {"type": "text", "length": 2}


def test_half_a_character_waits_for_its_other_half() -> None:
    message = reply(text(0, "a\ud83c"), text(0, "\udf89b\ud83c"), ended("end_turn"), STOP)
    assert message.text == "a\N{PARTY POPPER}b\ufffd"


def test_an_unknown_event_an_unknown_key_and_a_comment_are_passed_over() -> None:
    body = b": hello\r\n\r\n" + stream(START, {"type": "ping"}, {"type": "novelty", "x": {}}).replace(b"\n", b"\r\n")
    body += stream({**text(0, "Hi"), "obfuscation": "zzz"}, ended("end_turn"), STOP).replace(b"data: ", b"data:")
    events, error = read(body)
    assert error is None
    assert fold(events).text == "Hi"


def test_an_end_without_its_last_event_is_an_end() -> None:
    events, error = read(stream(START, text(0, "All"), ended("end_turn"))[:-2])
    assert error is None
    assert events[-1] == Finished("stop", "end_turn")


def test_done_of_a_gateway_ends_a_reply_that_has_no_stop_reason() -> None:
    events, error = read(stream(START, text(0, "All")) + b"data: [DONE]\n\n")
    assert error is None
    assert events[-1] == Finished("stop")


def test_a_stream_without_an_end_is_cut_off_and_keeps_its_text() -> None:
    events, error = read(stream(START, text(0, "Half")))
    assert error is not None
    assert error.code == "cut_off"
    assert fold(events).text == "Half"


@pytest.mark.parametrize(
    ("event", "code", "word"),
    [
        ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "server", "overloaded"),
        ({"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}}, "rate_limited", "slow"),
        ({"type": "error", "error": {"type": "api_error", "message": "Broken inside"}}, "server", "Broken inside"),
        ({"type": "x", "error": {"code": 400, "message": "n_ctx exceeded: context size"}}, "too_long", "longer"),
        ({"type": "error", "message": "bare words"}, "server", "bare words"),
        ({"type": "error", "error": "only text"}, "server", "only text"),
    ],
)
def test_an_error_in_a_stream_keeps_the_text_before_it(event: Value, code: str, word: str) -> None:
    events, error = read(stream(START, text(0, "So far"), event, text(0, "never"), STOP))
    assert error is not None
    assert error.code == code
    assert word in str(error)
    assert fold(events).text == "So far"


def test_an_error_event_without_json_is_quoted() -> None:
    _, error = read(stream(START) + b"event: error\ndata: upstream went away\n\n")
    assert error is not None
    assert "upstream went away" in str(error)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b'{"choices": []}',
        b"<!DOCTYPE html><html><body>Welcome</body></html>",
        b"\x00\xff\xfe rubbish",
        stream(STOP),
        stream({"type": "ping"}),
        b"data: [DONE]\n\n",
        stream(START) + b"data: {not json\n\n",
        b"data: " + b"x" * (9 << 20) + b"\n\n",
    ],
)
def test_rubbish_from_a_messages_server_is_an_error(body: bytes) -> None:
    events, error = read(body)
    assert error is not None
    assert error.code in ("bad_response", "cut_off")
    assert not any(isinstance(event, Finished) for event in events)


def test_an_answer_in_one_piece_is_read_like_a_stream() -> None:
    whole = {
        "type": "message",
        "id": "msg_1",
        "model": "m",
        "content": [
            {"type": "thinking", "thinking": "Hm", "signature": "sig"},
            {"type": "text", "text": "Look."},
            {"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}},
        ],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 3, "output_tokens": 2},
    }
    events, error = read(json.dumps(whole, indent=1).encode())
    message = fold(events)
    assert error is None
    assert (message.thinking, message.text, message.stop_reason) == ("Hm", "Look.", "tool_use")
    assert calls(message) == [("a", "f", '{"x": 1}')]
    assert opaque(message) == ["sig"]


def test_an_error_in_one_piece_with_status_200_is_an_error() -> None:
    _, error = read(b'{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}')
    assert error is not None
    assert error.code == "server"


def test_events_as_bare_json_lines_are_read() -> None:
    lines = b"\n".join(json.dumps(event).encode() for event in (START, text(0, "Hi"), ended("end_turn"), STOP))
    events, error = read(lines)
    assert error is None
    assert fold(events).text == "Hi"


@pytest.mark.parametrize("junk", [None, 3, "x", [], {"type": 4}, {"type": "text", "text": 5}, {"type": ""}])
def test_wrong_types_anywhere_do_not_stop_a_reply(junk: Any) -> None:
    events: list[Value] = [
        {"type": "message_start", "message": junk},
        {"type": "content_block_start", "index": junk, "content_block": junk},
        {"type": "content_block_delta", "index": junk, "delta": junk},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": junk}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": junk}},
        {"type": "content_block_stop", "index": junk},
        {"type": "message_delta", "delta": junk, "usage": junk},
        text(7, "Fine"),
        ended("end_turn"),
        STOP,
    ]
    found, error = read(stream(*events))
    assert error is None
    assert fold(found).text.endswith("Fine")
