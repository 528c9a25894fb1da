"""A reply that repeats the key that it was asked with."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sam_py.providers.accumulate import fold
from sam_py.providers.base import (
    CodeProduced,
    Finished,
    Started,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallStarted,
)
from sam_py.providers.key_mask import KeyMask

KEY = "sk-sk-0123456789abcdef"


def masked(*events: StreamEvent, key: str | None = KEY) -> list[StreamEvent]:
    """As the events would come, each in a chunk of its own."""
    mask = KeyMask(key)
    return [*(clean for event in events for clean in mask.read([event])), *mask.end()]


def said(events: list[StreamEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


@pytest.mark.parametrize("cut", range(1, len(KEY)))
def test_a_key_in_two_pieces_is_taken_out(cut: int) -> None:
    events = masked(TextDelta(f"is {KEY[:cut]}"), TextDelta(f"{KEY[cut:]} it?"))
    assert said(events) == "is [key] it?"


def test_what_only_began_like_the_key_is_kept() -> None:
    assert said(masked(TextDelta("words"), TextDelta(" and tasks"))) == "words and tasks"
    assert said(masked(TextDelta("sk-sk-"), TextDelta("s"))) == "sk-sk-s"


def test_every_channel_is_without_the_key_and_in_order() -> None:
    events = masked(
        Started(f"id-{KEY}", "m"),
        ThinkingDelta(f"they gave {KEY[:9]}"),
        ThinkingDelta(KEY[9:]),
        TextDelta("s"),
        CodeProduced(f"print({KEY!r})", "python"),
        ToolCallStarted("1", f"c-{KEY}", "f"),
        ToolCallDelta("1", f'{{"a": "{KEY[:5]}'),
        ToolCallDelta("1", f'{KEY[5:]}"}}'),
        Finished("tool_use", detail=KEY),
    )
    assert KEY not in repr(events)
    reply = fold(events)
    assert [part.kind for part in reply.parts] == ["thinking_text", "text", "code", "tool_call"]
    assert reply.tool_calls[0].arguments_json == '{"a": "[key]"}'
    assert reply.text == "s"


@pytest.mark.parametrize("key", [None, "", "lm-studio"])
def test_a_word_that_is_no_key_is_left_alone(key: str | None) -> None:
    events: list[StreamEvent] = [TextDelta("start lm-studio"), Finished("stop")]
    assert masked(*events, key=key) == events


@given(st.lists(st.text(st.sampled_from("sk-0a"), max_size=12), max_size=12), st.integers(0, 12))
def test_any_cut_of_any_text_loses_nothing_but_the_key(pieces: list[str], place: int) -> None:
    pieces.insert(min(place, len(pieces)), KEY)
    whole = "".join(pieces)
    assert said(masked(*(TextDelta(piece) for piece in pieces if piece))) == whole.replace(KEY, "[key]")
