"""Recorded answers of Anthropic decode to what the official reader found in the same bytes."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sam_py.messages.message import AssistantMessage
from sam_py.messages.parts import ThinkingSignaturePart
from sam_py.providers.accumulate import fold
from sam_py.providers.anthropic.models import next_page, read_models
from sam_py.providers.anthropic.opaque import unpack
from sam_py.providers.anthropic.stream import StreamDecoder
from sam_py.providers.base import Finished, StreamEvent
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked, status_error

FINISH = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "tool_use": "tool_use",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}


@dataclass(frozen=True)
class Recording:
    name: str
    body: bytes
    expected: dict[str, Any]


def answers(recordings: Path, pattern: str) -> list[Recording]:
    found = []
    for path in sorted(recordings.glob(f"{pattern}.expected.json")):
        name = path.name.removesuffix(".expected.json")
        body = next(p for p in path.parent.glob(f"{name}.*") if p.name in (f"{name}.sse", f"{name}.response.json"))
        found.append(Recording(name, body.read_bytes(), json.loads(path.read_text())))
    return found


def decode(chunks: list[bytes]) -> tuple[list[StreamEvent], ProviderError | None]:
    numbers = iter(range(1000))
    decoder = StreamDecoder(Asked("Anthropic"), new_call_id=lambda: f"made-{next(numbers)}")
    events = [event for chunk in chunks for event in decoder.feed(chunk)]
    events += decoder.close()
    return events, decoder.error


def differences(message: AssistantMessage, events: list[StreamEvent], expected: dict[str, Any]) -> list[str]:
    """What a reader of the recording would see otherwise than we do."""
    found: list[str] = []

    def compare(what: str, ours: object, theirs: object) -> None:
        if ours != theirs:
            found.append(f"{what}: {ours!r} instead of {theirs!r}")

    compare("text", message.text, expected["text"])
    compare("thinking", message.thinking, expected["thinking"]["text"])
    held = [unpack(part.signature) for part in message.parts if isinstance(part, ThinkingSignaturePart)]
    blocks = [each for each in held if isinstance(each, dict)]
    compare("signatures", sum(isinstance(each, str) for each in held), expected["thinking"]["signatures"])
    kinds = [block["type"] for block in blocks]
    compare("redacted", kinds.count("redacted_thinking"), expected["thinking"]["redacted"])
    used = [block["name"] for block in blocks if block["type"] == "server_tool_use"]
    compare("server tools", used, expected["server_tools"])
    calls = [(call.call_id, call.tool_name, call.arguments_json) for call in message.tool_calls]
    compare("calls", calls, [(call["id"], call["name"], call["arguments_raw"]) for call in expected["tool_calls"]])
    for name, key in (
        ("input_tokens", "input"),
        ("output_tokens", "output"),
        ("cached_input_tokens", "cached"),
        ("cache_write_tokens", "cache_write"),
        ("reasoning_tokens", "reasoning"),
    ):
        compare(name, getattr(message.usage, name), expected["usage"][key])
    compare("response id", message.response_id, expected["response_id"])
    compare("model", message.model, expected["model"])
    compare("stop reason", message.stop_reason, FINISH[expected["finish_reason"]])
    finished = events[-1]
    assert isinstance(finished, Finished)
    compare("word", finished.word, expected["finish_reason"])
    details = expected.get("finish_detail")
    if isinstance(details, dict):
        compare("detail", finished.detail, details.get("explanation") or details.get("category") or "")
    elif details:
        compare("detail", finished.detail, details)
    return found


def test_recorded_claude_answers_decode_to_what_the_official_reader_found(recordings: Path) -> None:
    wrong = []
    for recording in answers(recordings, "anthropic/*"):
        if recording.expected["outcome"] == "http_error":
            continue
        events, error = decode([recording.body])
        assert error is None, recording.name
        assert sum(isinstance(event, Finished) for event in events) == 1, recording.name
        message = fold(events, provider="p")
        wrong += [f"{recording.name}: {each}" for each in differences(message, events, recording.expected)]
    assert not wrong, "\n".join(wrong)


def test_recorded_claude_answers_do_not_depend_on_how_they_were_cut(recordings: Path) -> None:
    chance = random.Random(7)
    for recording in answers(recordings, "anthropic/*"):
        whole, error = decode([recording.body])
        cuts = sorted(chance.randrange(len(recording.body) + 1) for _ in range(60))
        pieces = [recording.body[a:b] for a, b in zip([0, *cuts], [*cuts, None], strict=True)]
        events, other = decode(pieces)
        assert events == whole, recording.name
        assert str(error) == str(other), recording.name


def test_a_claude_answer_cut_at_any_byte_is_the_same(recordings: Path) -> None:
    recording = next(iter(answers(recordings, "anthropic/claude-opus-5_thinking-pdf-cites_stream")))
    whole, _ = decode([recording.body])
    for place in range(len(recording.body) + 1):
        assert decode([recording.body[:place], recording.body[place:]])[0] == whole, place


def test_a_claude_answer_that_ends_at_any_byte_keeps_its_text_or_says_so(recordings: Path) -> None:
    recording = next(iter(answers(recordings, "anthropic/claude-sonnet-4-5-20250929_tool_stream")))
    whole = fold(decode([recording.body])[0]).text
    for place in range(0, len(recording.body), 7):
        events, error = decode([recording.body[:place]])
        assert whole.startswith(fold(events).text)
        assert (error is None) == any(isinstance(event, Finished) for event in events)
        if error is not None:
            assert error.code in ("cut_off", "bad_response")


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [
        ("errors/anthropic_anthropic_400", 400, "too_long"),
        ("errors/anthropic_anthropic_401", 401, "bad_key"),
        ("errors/anthropic_anthropic_404", 404, "no_model"),
        ("anthropic/claude-haiku-4-5-20251001_http-error_json", 401, "bad_key"),
        ("anthropic/claude-opus-4-8_http-error-schema_json", 400, "bad_request"),
    ],
)
def test_recorded_errors_of_anthropic_say_what_to_do(recordings: Path, name: str, status: int, code: str) -> None:
    recording = next(iter(answers(recordings, name)))
    error = status_error(status, recording.body, Asked("Anthropic", model="bad model", base_url="https://a/v1"))
    assert error.code == code
    assert recording.expected["error"]["message"] in error.detail


def test_a_body_that_anthropic_refuses_is_not_sent_again(recordings: Path) -> None:
    for path in sorted(recordings.glob("refused/anthropic-*.response.json")):
        error = status_error(400, path.read_bytes(), Asked("Anthropic", model="m"))
        assert error.code == "bad_request", path.name
        assert not error.retryable


def test_the_recorded_list_of_claude_models_is_read_whole(recordings: Path) -> None:
    page = json.loads((recordings / "models" / "anthropic.response.json").read_bytes())
    expected = json.loads((recordings / "models" / "anthropic.expected.json").read_text())
    models = read_models(page)
    assert [model.id for model in models] == expected["ids"]
    assert next_page(page) == ""
    assert all(model.label and model.limits.images and model.limits.context_tokens for model in models)
