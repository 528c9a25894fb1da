"""Whatever comes as a Messages stream, cut anywhere: the same events, one end, never an exception."""

from __future__ import annotations

import json
import os
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sam_py.providers.accumulate import fold
from sam_py.providers.anthropic.stream import StreamDecoder
from sam_py.providers.base import Finished, StreamEvent
from tests.fakes.fault_server import split_bytes

EXAMPLES = int(os.environ.get("SAM_EXAMPLES", "150"))

words = st.sampled_from(["", " ", "Hello", "\n\n", "日本", "\ud83c", "\udf89", "{", "}{", '{"a": 1}', '"}', "sig=="])
junk = st.none() | st.integers(-2, 3) | words | st.lists(words, max_size=2)
indices = st.integers(0, 3) | junk
kinds = st.sampled_from(
    ["text", "thinking", "redacted_thinking", "tool_use", "server_tool_use", "x_tool_result", "new"]
)
contents: st.SearchStrategy[Any] = junk | st.fixed_dictionaries(
    {"type": kinds},
    optional={
        "text": words,
        "thinking": words,
        "signature": words,
        "data": words,
        "id": words,
        "name": words,
        "input": junk,
    },
)
deltas: st.SearchStrategy[Any] = junk | st.one_of(
    st.fixed_dictionaries({"type": st.just("text_delta"), "text": words | junk}),
    st.fixed_dictionaries({"type": st.just("thinking_delta"), "thinking": words | junk}),
    st.fixed_dictionaries({"type": st.just("signature_delta"), "signature": words | junk}),
    st.fixed_dictionaries({"type": st.just("input_json_delta"), "partial_json": words | junk}),
    st.fixed_dictionaries({"type": st.just("citations_delta"), "citation": st.just({"cited_text": "x"}) | junk}),
    st.fixed_dictionaries({"type": st.just("new_delta"), "content": words | junk}),
)
usages = junk | st.dictionaries(st.sampled_from(["input_tokens", "output_tokens", "cache_read_input_tokens"]), junk)
reasons = st.sampled_from(["end_turn", "tool_use", "refusal", "max_tokens", "new", None])
events = st.one_of(
    st.fixed_dictionaries(
        {"type": st.just("message_start"), "message": junk | st.fixed_dictionaries({"usage": usages})}
    ),
    st.fixed_dictionaries({"type": st.just("content_block_start"), "index": indices, "content_block": contents}),
    st.fixed_dictionaries({"type": st.just("content_block_delta"), "index": indices, "delta": deltas}),
    st.fixed_dictionaries({"type": st.just("content_block_delta"), "index": indices, "delta": deltas}),
    st.fixed_dictionaries({"type": st.just("content_block_stop"), "index": indices}),
    st.fixed_dictionaries({"type": st.just("ping")}),
)
ends = st.one_of(
    st.fixed_dictionaries(
        {"type": st.just("message_delta"), "delta": st.fixed_dictionaries({"stop_reason": reasons}), "usage": usages}
    ),
    st.fixed_dictionaries({"type": st.just("message_stop")}),
    st.fixed_dictionaries({"type": st.just("error"), "error": junk}),
)
streams = st.tuples(st.lists(events, max_size=15), st.lists(ends, max_size=3)).map(lambda parts: [*parts[0], *parts[1]])


def decode(chunks: list[bytes]) -> tuple[list[StreamEvent], StreamDecoder]:
    numbers = iter(range(1000))
    decoder = StreamDecoder(new_call_id=lambda: f"made_{next(numbers)}")
    return [*(event for chunk in chunks for event in decoder.feed(chunk)), *decoder.close()], decoder


@settings(max_examples=EXAMPLES)
@given(said=streams, line_end=st.sampled_from([b"\n", b"\r\n"]), cuts=st.lists(st.integers(0, 3000), max_size=8))
def test_any_messages_stream_decodes_alike_however_it_is_cut(
    said: list[dict[str, Any]], line_end: bytes, cuts: list[int]
) -> None:
    body = b"".join(
        b"event: " + event["type"].encode() + line_end + b"data: " + json.dumps(event).encode() + line_end * 2
        for event in said
    )
    whole, decoder = decode([body])
    again, other = decode(split_bytes(body, [min(cut, len(body)) for cut in cuts]))
    assert again == whole
    assert str(other.error) == str(decoder.error)
    ended = [event for event in whole if isinstance(event, Finished)]
    assert len(ended) == (decoder.error is None) == decoder.finished
    assert not ended or whole[-1] is ended[0]
    message = fold(whole, provider="p", model="m")
    message.model_dump_json().encode()  # no half characters anywhere


@settings(max_examples=EXAMPLES)
@given(said=streams, changes=st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 255)), max_size=12))
def test_no_damage_to_a_messages_stream_is_more_than_an_error(
    said: list[dict[str, Any]], changes: list[tuple[int, int]]
) -> None:
    body = bytearray(b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in said))
    for place, value in changes:
        if body:
            body[place % len(body)] = value
    found, decoder = decode([bytes(body)])
    assert decoder.finished != (decoder.error is not None)
    fold(found).model_dump_json().encode()
