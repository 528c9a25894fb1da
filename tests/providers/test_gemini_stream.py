"""Gemini's streams by their grammar: every end, every kind of part, errors in the middle, any cut."""

from __future__ import annotations

import base64
import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sam_py.messages.message import AssistantMessage, StopReason
from sam_py.messages.usage import Usage
from sam_py.providers.accumulate import fold
from sam_py.providers.base import (
    Finished,
    ImageProduced,
    Started,
    StreamEvent,
    TextDelta,
    ThinkingSigned,
    UsageReported,
)
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked
from sam_py.providers.gemini.finish import stop_reason_of
from sam_py.providers.gemini.stream import StreamDecoder
from sam_py.providers.ids import is_own_id


def chunk(*parts: dict[str, Any], finish: str = "", **more: Any) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"parts": list(parts), "role": "model"}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "responseId": "r1", "modelVersion": "gemini-x", **more}


def sse(*values: Any) -> bytes:
    return b"".join(b"data: " + json.dumps(value).encode() + b"\r\n\r\n" for value in values)


def decode(*pieces: bytes) -> tuple[list[StreamEvent], ProviderError | None]:
    decoder = StreamDecoder(Asked("Google"), new_call_id=iter(f"made-{n}" for n in range(99)).__next__)
    events = [event for piece in pieces for event in decoder.feed(piece)]
    events += decoder.close()
    assert (decoder.error is None) == decoder.finished
    return events, decoder.error


def reply(*values: Any) -> AssistantMessage:
    events, error = decode(sse(*values))
    assert error is None
    return fold(events)


def failure(*pieces: bytes) -> ProviderError:
    error = decode(*pieces)[1]
    assert error is not None
    return error


WHOLE = sse(
    chunk({"text": "Hm. ", "thought": True}),
    chunk({"text": "Grüße 🎉", "thoughtSignature": "S1"}, usageMetadata={"promptTokenCount": 3}),
    chunk({"text": " und mehr"}),
    chunk({"functionCall": {"name": "look", "args": {"q": "ä\n"}}, "thoughtSignature": "S2"}),
    chunk({"executableCode": {"language": "PYTHON", "code": "1+1"}}),
    chunk(
        {"text": "", "thoughtSignature": "S3"},
        finish="STOP",
        usageMetadata={"promptTokenCount": 3, "candidatesTokenCount": 5, "thoughtsTokenCount": 2},
    ),
)


def test_a_gemini_stream_reads_the_same_cut_at_every_byte() -> None:
    whole = decode(WHOLE)
    assert whole[1] is None
    for place in range(len(WHOLE) + 1):
        assert decode(WHOLE[:place], WHOLE[place:]) == whole
    assert decode(*(WHOLE[place : place + 1] for place in range(len(WHOLE)))) == whole


def test_a_stream_without_events_reads_the_same_cut_at_every_byte() -> None:
    chunks = [chunk({"text": 'Grüße 🎉 "{['}), chunk({"text": "}\\"}, finish="STOP")]
    array = json.dumps(chunks, indent=1, ensure_ascii=False).replace("\n", "\r\n").encode()
    whole = decode(array)
    assert fold(whole[0]).text == 'Grüße 🎉 "{[}\\'
    for place in range(len(array) + 1):
        assert decode(array[:place], array[place:]) == whole
    assert decode(b"\xef\xbb\xbf" + array) == whole


def test_an_array_is_read_as_it_comes() -> None:
    decoder = StreamDecoder()
    assert decoder.feed(b"[" + json.dumps(chunk({"text": "Hi"})).encode() + b"\n") == [
        Started("r1", "gemini-x"),
        TextDelta("Hi"),
    ]


def test_calls_of_one_reply_have_ids_of_their_own() -> None:
    parts = [{"functionCall": {"name": "look", "args": {}}}, {"functionCall": {"name": "look", "id": "x1"}}]
    again = {"functionCall": {"name": "look", "id": "x1", "args": {"a": 1}}}
    message = reply(chunk(*parts, again, finish="STOP"))
    assert [call.call_id for call in message.tool_calls] == ["made-0", "x1", "made-1"]
    assert [call.arguments_json for call in message.tool_calls] == ["{}", "{}", '{"a": 1}']
    assert message.stop_reason == "tool_use"
    decoder = StreamDecoder()
    events = decoder.feed(sse(chunk(parts[0], finish="STOP"))) + decoder.close()
    assert is_own_id(fold(events).tool_calls[0].call_id)


def test_pictures_are_pictures_and_drafts_of_them_are_not() -> None:
    data = {"mimeType": "image/png", "data": base64.b64encode(b"png").decode()}
    events, _error = decode(sse(chunk({"inlineData": data, "thought": True}, {"inlineData": data}, finish="STOP")))
    assert [event for event in events if isinstance(event, ImageProduced)] == [ImageProduced(b"png", "image/png")]


def test_text_around_a_call_stays_around_it() -> None:
    parts = [{"text": "a"}, {"functionCall": {"name": "f", "args": {}}}, {"text": "b", "thoughtSignature": "S"}]
    kinds = [part.kind for part in reply(chunk(*parts, finish="STOP")).parts]
    assert kinds == ["text", "tool_call", "text", "thinking_signature"]


def test_an_unknown_part_is_kept_whole() -> None:
    part = {"hologram": {"beam": [1, 2]}, "thoughtSignature": "S"}
    [kept] = [event for event in decode(sse(chunk(part, finish="STOP")))[0] if isinstance(event, ThinkingSigned)]
    assert json.loads(kept.signature)["part"] == part


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("STOP", "stop"),
        ("MAX_TOKENS", "length"),
        ("CONTINUATION", "length"),
        ("SAFETY", "content_filter"),
        ("RECITATION", "content_filter"),
        ("PROHIBITED_CONTENT", "content_filter"),
        ("IMAGE_SAFETY", "content_filter"),
        ("MODEL_ARMOR", "content_filter"),
        ("MALFORMED_FUNCTION_CALL", "error"),
        ("UNEXPECTED_TOOL_CALL", "error"),
        ("MISSING_THOUGHT_SIGNATURE", "error"),
        ("NO_IMAGE", "error"),
        ("OTHER", "error"),
        ("SOMETHING_NEW", "stop"),
        ("VIDEO_SAFETY", "content_filter"),
        ("MALFORMED_SOMETHING", "error"),
    ],
)
def test_every_end_has_its_meaning(word: str, reason: StopReason) -> None:
    events, _error = decode(sse(chunk({"text": "Half"}, finish=word)))
    assert events[-1] == Finished(
        reason, word=word, detail=events[-1].detail if isinstance(events[-1], Finished) else ""
    )


def test_every_word_of_the_official_types_has_a_meaning() -> None:
    types = pytest.importorskip("google.genai.types")
    for word in types.FinishReason:
        assert stop_reason_of(word.value) in get_args(StopReason)


def test_an_end_that_is_none_says_what_happened() -> None:
    value = chunk({"text": "Half"}, finish="MALFORMED_FUNCTION_CALL")
    value["candidates"][0]["finishMessage"] = "Malformed function call: print(1)"
    last = decode(sse(value))[0][-1]
    assert isinstance(last, Finished)
    assert last.detail == "The model tried to call a tool and got the call wrong. Malformed function call: print(1)"


def test_a_blocked_prompt_is_a_refusal_in_words() -> None:
    error = failure(sse({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {}}))
    assert error.code == "refused"
    assert str(error) == (
        "Google refused this request by its content rules (prohibited content). Rephrase it and try again."
    )
    late = reply(chunk({"text": "Half"}), {"promptFeedback": {"blockReason": "JAILBREAK"}})
    assert (late.text, late.stop_reason) == ("Half", "content_filter")
    harmless = {"promptFeedback": {"safetyRatings": []}}
    assert reply({**chunk({"text": "Hi"}, finish="STOP"), **harmless}).text == "Hi"


def test_usage_is_the_last_that_counts() -> None:
    values = [
        chunk({"text": "a"}, usageMetadata={"promptTokenCount": 10, "candidatesTokenCount": 1}),
        chunk(
            {"text": "b"},
            usageMetadata={
                "promptTokenCount": 10,
                "toolUsePromptTokenCount": 4,
                "candidatesTokenCount": 6,
                "thoughtsTokenCount": 3,
                "cachedContentTokenCount": 8,
            },
        ),
        chunk(finish="STOP", usageMetadata={"trafficType": "ON_DEMAND"}),
    ]
    events, _error = decode(sse(*values))
    wanted = Usage(input_tokens=14, output_tokens=9, cached_input_tokens=8, reasoning_tokens=3)
    assert [event for event in events if isinstance(event, UsageReported)] == [UsageReported(wanted)]


def test_only_the_first_candidate_is_read() -> None:
    value = chunk({"text": "one"}, finish="STOP")
    value["candidates"].append({"index": 1, "content": {"parts": [{"text": "two"}]}, "finishReason": "STOP"})
    assert reply(value).text == "one"


GONE = {"error": {"code": 499, "message": "The operation was cancelled.", "status": "CANCELLED"}}


@pytest.mark.parametrize(
    "tail",
    [
        sse(GONE),
        json.dumps(GONE, indent=2).encode(),
        b"\r\n" + json.dumps(GONE).encode() + b"\r\n",
        json.dumps([GONE], indent=2).encode(),
        b"event: error\r\n" + sse(GONE),
    ],
)
def test_an_error_in_the_middle_keeps_the_text_and_quotes_the_service(tail: bytes) -> None:
    events, error = decode(sse(chunk({"text": "Half"})) + tail)
    assert fold(events).text == "Half"
    assert error is not None
    assert "The operation was cancelled." in error.detail
    array = b"[" + json.dumps(chunk({"text": "Half"})).encode() + b"\n,\r\n" + json.dumps(GONE).encode() + b"]"
    assert "cancelled" in failure(array).detail


def test_a_stream_that_just_ends_was_cut_off() -> None:
    events, error = decode(sse(chunk({"text": "Half", "thoughtSignature": "S"})))
    assert error is not None
    assert error.code == "cut_off"
    assert [part.kind for part in fold(events).parts] == ["text", "thinking_signature"]
    assert failure(b"").code == "cut_off"
    assert failure(b"[" + json.dumps(chunk({"text": "Half"})).encode()[:-3]).code == "cut_off"


@pytest.mark.parametrize(
    "body",
    [
        b"<html><body>Sign in</body></html>",
        b"data: {broken\r\n\r\n",
        b'{"candidates": [}\n',
        b"hello\n",
        b"data: 3\r\n\r\ndata: []\r\n\r\n",
        b"\xff\xfe\x00",
    ],
)
def test_what_is_no_answer_of_a_gemini_is_an_error_in_words(body: bytes) -> None:
    assert str(failure(body)).endswith(".")


def test_an_endless_answer_is_ended() -> None:
    for piece in (
        b"x" * 1000 + b"\n",
        b"data: " + b"x" * 1000 + b"\n",
        b"{" * 1000 + b"\n",
        b'{"a": 1} junk' * 80 + b"\n",
    ):
        decoder = StreamDecoder()
        for _ in range(200_000):
            decoder.feed(piece)
            if decoder.error is not None:
                break
        assert decoder.error is not None


@given(st.binary(max_size=80), st.integers(0, 400))
def test_a_spoilt_gemini_stream_ends_in_a_reply_or_an_error(spoilt: bytes, place: int) -> None:
    events, error = decode(WHOLE[:place] + spoilt + WHOLE[place:])
    fold(events).model_dump_json()
    assert error is not None or isinstance(events[-1], Finished)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text("a\ud83c", max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "candidates",
                        "content",
                        "parts",
                        "text",
                        "thought",
                        "thoughtSignature",
                        "functionCall",
                        "name",
                        "args",
                        "id",
                        "inlineData",
                        "mimeType",
                        "data",
                        "finishReason",
                        "usageMetadata",
                        "promptTokenCount",
                        "error",
                        "message",
                        "executableCode",
                        "code",
                        "promptFeedback",
                        "blockReason",
                        "responseId",
                        "index",
                    ]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=20,
    )
)
def test_values_of_any_type_do_no_harm(value: Any) -> None:
    for wrapped in (value, {"candidates": [{"content": {"parts": [value]}}]}, {"candidates": [value]}):
        events, _error = decode(sse(wrapped, chunk({"text": "."}, finish="STOP")))
        fold(events).model_dump_json()
