"""Ollama's streams by their grammar: calls, ends, errors in the middle, any cut."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sam_py.messages.message import AssistantMessage
from sam_py.messages.usage import Usage
from sam_py.providers.accumulate import fold
from sam_py.providers.base import Finished, ImageProduced, StreamEvent
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked
from sam_py.providers.ids import is_own_id
from sam_py.providers.ollama.stream import StreamDecoder


def line(done: bool = False, **message: Any) -> dict[str, Any]:
    value: dict[str, Any] = {"model": "m", "message": {"role": "assistant", "content": "", **message}, "done": done}
    return {**value, "done_reason": "stop", "prompt_eval_count": 3, "eval_count": 4} if done else value


def call(name: str = "look", **more: Any) -> dict[str, Any]:
    return {"function": {"name": name, "arguments": {"q": "ä"}}, **more}


def lines(*values: Any) -> bytes:
    return b"".join(json.dumps(value, ensure_ascii=False).encode() + b"\n" for value in values)


def decode(*pieces: bytes) -> tuple[list[StreamEvent], ProviderError | None]:
    decoder = StreamDecoder(Asked("Ollama", model="m"), new_call_id=iter(f"made-{n}" for n in range(99)).__next__)
    events = [event for piece in pieces for event in decoder.feed(piece)]
    events += decoder.close()
    assert (decoder.error is None) == decoder.finished
    return events, decoder.error


def reply(*values: Any) -> AssistantMessage:
    events, error = decode(lines(*values))
    assert error is None
    return fold(events)


def failure(*pieces: bytes) -> ProviderError:
    error = decode(*pieces)[1]
    assert error is not None
    return error


WHOLE = lines(
    line(thinking="Hm, "),
    line(thinking="ja."),
    line(content="Grüße 🎉"),
    line(tool_calls=[call(), call("find", id="call_1")]),
    line(done=True, tool_calls=[call(id="call_1")]),
)


def test_an_ollama_stream_reads_the_same_cut_at_every_byte() -> None:
    whole = decode(WHOLE)
    assert whole[1] is None
    for place in range(len(WHOLE) + 1):
        assert decode(WHOLE[:place], WHOLE[place:]) == whole
    assert decode(*(WHOLE[place : place + 1] for place in range(len(WHOLE)))) == whole
    assert decode(WHOLE.removesuffix(b"\n")) == whole
    assert decode(WHOLE.replace(b"\n", b"\r\n")) == whole


def test_calls_may_come_before_and_with_the_end_and_get_ids() -> None:
    message = fold(decode(WHOLE)[0])
    assert [(each.call_id, each.tool_name) for each in message.tool_calls] == [
        ("made-0", "look"),
        ("call_1", "find"),
        ("made-1", "look"),
    ]
    assert message.stop_reason == "tool_use"
    assert message.thinking == "Hm, ja."
    assert message.usage == Usage(input_tokens=3, output_tokens=4)
    decoder = StreamDecoder()
    assert is_own_id(fold(decoder.feed(WHOLE)).tool_calls[0].call_id)


@pytest.mark.parametrize(
    ("word", "reason"),
    [("stop", "stop"), ("length", "length"), ("load", "stop"), ("unload", "stop"), ("new", "stop"), (None, "stop")],
)
def test_ollama_s_ends_have_their_meaning(word: str | None, reason: str) -> None:
    last = decode(lines(line(content="Hi"), {**line(done=True), "done_reason": word}))[0][-1]
    assert isinstance(last, Finished)
    assert (last.stop_reason, last.word) == (reason, word or "")


def test_arguments_as_text_are_taken_as_they_are() -> None:
    given = {"function": {"name": "look", "arguments": '{"q": 1}'}}
    nothing = {"function": {"name": "rest"}}
    message = reply(line(tool_calls=[given, nothing, "x", {"function": 3}]), line(done=True))
    assert [each.arguments_json for each in message.tool_calls] == ['{"q": 1}', "{}"]


def test_a_picture_in_the_reply_is_one() -> None:
    png = b"\x89PNG and so on"
    images = [base64.b64encode(png).decode(), "not base64!", 3]
    events, _error = decode(lines(line(images=images), line(done=True)))
    assert [event for event in events if isinstance(event, ImageProduced)] == [ImageProduced(png, "image/png")]


def test_an_error_line_keeps_the_text_and_quotes_the_server() -> None:
    events, error = decode(lines(line(content="Half"), {"error": "an error was encountered while running the model"}))
    assert fold(events).text == "Half"
    assert error is not None
    assert "an error was encountered while running the model" in str(error)


def test_what_follows_the_end_is_not_read() -> None:
    assert reply(line(content="a"), line(done=True), line(content="b")).text == "a"


def test_an_ollama_stream_that_just_ends_was_cut_off() -> None:
    events, error = decode(lines(line(content="Half")) + b'{"model": "m", "mess')
    assert error is not None
    assert error.code == "cut_off"
    assert fold(events).text == "Half"
    assert failure(b"").code == "cut_off"


@pytest.mark.parametrize("body", [b"<html>Sign in</html>", b"hello\n", b'{"a": }\n', b"\xff\xfe", b"[]\n", b"3"])
def test_what_is_no_answer_of_ollama_is_an_error_in_words(body: bytes) -> None:
    assert str(failure(body)).endswith(".")


def test_ollama_without_end_is_ended() -> None:
    for piece in (
        b"x" * 1000 + b"\n",
        b'{"a": "' + b"x" * 1000,
        b"{" * 1000 + b"\n",
        lines(line(tool_calls=[call()] * 9)),
    ):
        decoder = StreamDecoder()
        for _ in range(200_000):
            decoder.feed(piece)
            if decoder.error is not None:
                break
        assert decoder.error is not None


@given(st.binary(max_size=80), st.integers(0, 500))
def test_a_spoilt_ollama_stream_ends_in_a_reply_or_an_error(spoilt: bytes, place: int) -> None:
    events, error = decode(WHOLE[:place] + spoilt + WHOLE[place:])
    fold(events).model_dump_json()
    assert error is not None or isinstance(events[-1], Finished)


_KEYS = [
    "message",
    "content",
    "thinking",
    "tool_calls",
    "function",
    "name",
    "arguments",
    "id",
    "images",
    "done",
    "error",
]
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("a\ud83c", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=4),
    max_leaves=15,
)


@given(_VALUES)
def test_ollama_s_values_of_any_type_do_no_harm(value: Any) -> None:
    body = b"".join(json.dumps(each).encode() + b"\n" for each in (value, {"message": value}, line(done=True)))
    fold(decode(body)[0]).model_dump_json()
