"""Each form that Chat Completions take in the wild, as bytes that we wrote, decodes to what stands beside it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sam_py.messages.message import AssistantMessage
from sam_py.messages.parts import ThinkingSignaturePart
from sam_py.providers.accumulate import fold
from sam_py.providers.base import Finished, StreamEvent, ToolCallStarted
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked
from sam_py.providers.openai_chat.stream import StreamDecoder
from tests.fakes.fault_server import split_bytes

FOLDER = Path(__file__).parent / "openai_chat"
NAMES = sorted(path.stem for path in FOLDER.glob("*.sse"))


@dataclass(frozen=True)
class Decoded:
    events: list[StreamEvent]
    error: ProviderError | None

    @property
    def message(self) -> AssistantMessage:
        return fold(self.events, provider="p", model="m")

    @property
    def outcome(self) -> tuple[object, ...]:
        """What must not depend on how the bytes were cut."""
        message = self.message
        return (message.parts, message.stop_reason, message.usage, message.response_id, str(self.error))


def decode(chunks: list[bytes]) -> Decoded:
    numbers = iter(range(1000))
    decoder = StreamDecoder(Asked("Acme"), new_call_id=lambda: f"made-{next(numbers)}")
    events = [event for chunk in chunks for event in decoder.feed(chunk)]
    events += decoder.close()
    assert decoder.finished == (decoder.error is None)
    return Decoded(events, decoder.error)


def described(decoded: Decoded, expected: dict[str, Any]) -> dict[str, Any]:
    message, usage = decoded.message, decoded.message.usage
    seen: dict[str, Any] = {
        "text": message.text,
        "thinking": message.thinking,
        "calls": [[call.call_id, call.tool_name, call.arguments_json] for call in message.tool_calls],
        "stop_reason": message.stop_reason,
        "usage": usage and [usage.input_tokens, usage.output_tokens, usage.cached_input_tokens, usage.reasoning_tokens],
        "error": None,
    }
    if decoded.error is not None:
        wanted = (expected["error"] or ["", ""])[1]
        seen["error"] = [decoded.error.code, wanted if wanted in decoded.error.detail else decoded.error.detail]
    signed = [part.signature for part in message.parts if isinstance(part, ThinkingSignaturePart)]
    if signed:
        seen["details"] = json.loads(signed[0])
    return seen


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_s_bytes_decode_to_what_was_meant(name: str) -> None:
    expected = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    assert described(decode([(FOLDER / f"{name}.sse").read_bytes()]), expected) == expected


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_cut_at_any_one_byte_means_the_same(name: str) -> None:
    body = (FOLDER / f"{name}.sse").read_bytes()
    whole = decode([body]).outcome
    assert decode([bytes([byte]) for byte in body]).outcome == whole
    for place in range(1, len(body), max(1, len(body) // 150)):
        assert decode([body[:place], body[place:]]).outcome == whole, place


@given(name=st.sampled_from(NAMES), data=st.data())
def test_an_answer_cut_at_many_places_gives_the_same_events(name: str, data: st.DataObject) -> None:
    body = (FOLDER / f"{name}.sse").read_bytes()
    cuts = data.draw(st.lists(st.integers(0, len(body)), max_size=12))
    assert decode(split_bytes(body, cuts)).events == decode([body]).events


@given(name=st.sampled_from(NAMES), data=st.data())
def test_a_damaged_answer_ends_or_fails_but_never_raises(name: str, data: st.DataObject) -> None:
    body = bytearray((FOLDER / f"{name}.sse").read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(body)))
        match data.draw(st.sampled_from(["cut", "flip", "insert", "remove"])):
            case "cut":
                del body[place:]
            case "flip" if body:
                body[place % len(body)] ^= 1 << data.draw(st.integers(0, 7))
            case "insert":
                body[place:place] = data.draw(st.binary(max_size=30))
            case "remove":
                del body[place : place + data.draw(st.integers(1, 40))]
    decoded = decode([bytes(body)])
    assert (decoded.error is None) == (sum(isinstance(event, Finished) for event in decoded.events) == 1)
    decoded.message.text.encode("utf-8")  # no half character gets through


@pytest.mark.parametrize(
    "value", ["[" * 100_000, '{"a":' * 50_000, "NaN", "1e999", '{"choices":[[]]}', '{"choices":{}}']
)
def test_odd_json_is_survived(value: str) -> None:
    assert decode([f"data: {value}\n\ndata: [DONE]\n\n".encode()]).error is not None


def test_a_call_is_announced_once_however_often_its_name_is_sent() -> None:
    events = decode([(FOLDER / "id_and_name_resent_in_every_delta.sse").read_bytes()]).events
    assert [event for event in events if isinstance(event, ToolCallStarted)] == [ToolCallStarted("0", "a", "weather")]


def test_nothing_is_said_after_the_end() -> None:
    decoder = StreamDecoder(Asked("Acme"))
    decoder.feed((FOLDER / "done_without_a_word.sse").read_bytes())
    assert decoder.finished
    assert decoder.feed(b'data: {"choices":[{"delta":{"content":"more"}}]}\n\n') == []
    assert decoder.close() == []
