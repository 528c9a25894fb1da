"""Whatever goes wrong with a Responses answer, what came is kept and the error says what to do."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sam_py.messages.parts import Part
from sam_py.providers.openai_responses.stream import StreamDecoder
from tests.fakes.responses_events import Event, added, body, call, called, created, delta, done, ended, reasoning, said
from tests.fakes.responses_read import read, read_events

EVERYTHING: list[Event] = [
    created(),
    added(0, reasoning()),
    delta("reasoning_summary_text", 0, "rs_1", "Why", summary_index=0),
    done(0, reasoning(sealed="c2VhbGVk", summary=["Why"])),
    *said("Let ", "me", " see 🎈.", index=1, phase="commentary"),
    *called("a", '{"n"', ": 1}", index=2),
    ended(usage={"input_tokens": 9, "output_tokens": 4}),
]


@pytest.mark.parametrize(
    ("reason", "stop_reason"),
    [("max_output_tokens", "length"), ("content_filter", "content_filter"), ("something new", "length")],
)
def test_an_incomplete_reply_says_why(reason: str, stop_reason: str) -> None:
    end = ended(status="incomplete", incomplete_details={"reason": reason})
    seen = read_events(created(), *said("So far"), end)
    assert (seen.end.stop_reason, seen.end.word, seen.end.detail) == (stop_reason, "incomplete", reason)
    assert seen.reply.text == "So far"


def test_a_broken_call_is_one_all_the_same_unless_the_length_ended_it() -> None:
    events = [created(), added(0, call("a")), delta("function_call_arguments", 0, "fc_a", '{"n": ')]
    assert read_events(*events, ended()).end.stop_reason == "tool_use"
    cut = ended(status="incomplete", incomplete_details={"reason": "max_output_tokens"})
    assert read_events(*events, cut).end.stop_reason == "length"


@pytest.mark.parametrize(
    "error",
    [
        {"type": "error", "code": "rate_limit_exceeded", "message": "Slow down.", "param": None},
        {"type": "error", "error": {"type": "x", "code": "rate_limit_exceeded", "message": "Slow down."}},
        {"error": {"type": "x", "code": "rate_limit_exceeded", "message": "Slow down."}},
        ended(status="failed", error={"code": "rate_limit_exceeded", "message": "Slow down."}),
    ],
)
def test_a_failure_inside_the_stream_keeps_the_text_and_says_why(error: Event) -> None:
    seen = read_events(created(), *said("Half")[:3], error)
    assert seen.reply.text == "Half"
    assert seen.reply.stop_reason is None
    assert seen.error is not None
    assert seen.error.code == "rate_limited"
    assert "Slow down." in str(seen.error)


def test_a_failure_without_words_is_one_all_the_same() -> None:
    for end in (ended(status="failed", error=None), ended(status="cancelled"), {"type": "error"}):
        seen = read_events(created(), end)
        assert seen.error is not None
        assert seen.error.code == "server"


def test_tokens_of_a_failed_reply_are_counted() -> None:
    end = ended(status="failed", error={"code": "server_error", "message": "x"}, usage={"input_tokens": 3})
    usage = read_events(created(), end).reply.usage
    assert usage is not None
    assert usage.input_tokens == 3


def test_a_stream_without_its_last_event_was_cut_off() -> None:
    seen = read_events(*EVERYTHING[:-1])
    assert seen.error is not None
    assert seen.error.code == "cut_off"
    assert seen.reply.text == "Let me see 🎈."


def test_a_stream_cut_in_the_middle_of_an_event_was_cut_off() -> None:
    seen = read(body(EVERYTHING)[:-40])
    assert seen.error is not None
    assert seen.error.code == "cut_off"


def test_done_of_proxies_ends_a_reply_whose_items_are_whole() -> None:
    assert read_events(created(), *said("Hello"), "[DONE]").end.stop_reason == "stop"
    broken = read_events(created(), *said("Hello")[:3], "[DONE]")
    assert broken.error is not None
    assert broken.error.code == "cut_off"


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (b'{"error": {"message": "no", "code": "server_error"}}', "server"),
        (b'{"object": "response", "status": "failed", "output": [], "error": {"message": "no"}}', "server"),
        (b'{"object": "response", "status": "in_progress", "output": []}', "cut_off"),
        (b"<html><body>Sign in</body></html>", "bad_response"),
        (b'data: {"object": "chat.completion.chunk", "choices": []}\n\n', "bad_response"),
        (b"data: {broken\n\ndata: {}\n\n", "bad_response"),
        (b"upstream failed", "bad_response"),
        (b"", "cut_off"),
    ],
)
def test_what_is_no_reply_is_an_error_with_words(answer: bytes, code: str) -> None:
    seen = read(answer)
    assert seen.error is not None
    assert seen.error.code == code
    assert "Acme" in str(seen.error)


_junk: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "type", "text", "output"]), inner)
    ),
    max_leaves=5,
)


@given(data=st.data())
def test_no_wrong_type_makes_it_raise(data: st.DataObject) -> None:
    """Any value of any event may be anything: a message or a typed error comes of it."""
    events: list[Any] = json.loads(json.dumps(EVERYTHING))
    for _ in range(data.draw(st.integers(1, 4))):
        holder: Any = data.draw(st.sampled_from(events))
        if not isinstance(holder, dict):
            continue
        inner = [value for value in holder.values() if isinstance(value, dict)]
        holder = data.draw(st.sampled_from([holder, *inner]))
        if holder:
            holder[data.draw(st.sampled_from(sorted(holder)))] = data.draw(_junk)
    seen = read_events(*(event if isinstance(event, dict) else json.dumps(event) for event in events))
    parts: tuple[Part, ...] = seen.reply.parts
    json.dumps([each.model_dump() for each in parts]).encode()


ITEM = {"type": "response.output_item.added", "item": {"type": "hologram"}}


@pytest.mark.parametrize(
    ("endless", "times"),
    [(body([ITEM]), 2500), (b"x" * 4096 + b"\n", 300)],
    ids=["items", "lines that say nothing"],
)
def test_what_has_no_end_is_ended(endless: bytes, times: int) -> None:
    decoder = StreamDecoder()
    for _ in range(times):
        decoder.feed(endless)
    assert decoder.error is not None
    assert decoder.error.code == "bad_response"
