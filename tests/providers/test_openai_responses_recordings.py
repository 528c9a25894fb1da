"""Recorded Responses answers decode to what an independent reader found in the same bytes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sam_py.messages.message import AssistantMessage
from sam_py.messages.parts import ThinkingSignaturePart
from sam_py.providers.accumulate import fold
from sam_py.providers.base import Finished, StreamEvent
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked, status_error
from sam_py.providers.openai_responses.stream import StreamDecoder

WIRE = "openai_responses"
USAGE = {
    "input_tokens": "input",
    "output_tokens": "output",
    "cached_input_tokens": "cached",
    "cache_write_tokens": "cache_write",
    "reasoning_tokens": "reasoning",
}


@dataclass(frozen=True)
class Recording:
    name: str
    body: bytes
    expected: dict[str, Any]


def recorded(folder: Path) -> list[Recording]:
    found = []
    for part in (WIRE, "errors"):
        for path in sorted((folder / part).glob("*.expected.json")):
            expected = json.loads(path.read_text())
            if expected["wire"] == WIRE:
                name = path.name.removesuffix(".expected.json")
                bodies = (path.with_name(f"{name}.sse"), path.with_name(f"{name}.response.json"))
                body = next(body for body in bodies if body.exists())
                found.append(Recording(f"{part}/{name}", body.read_bytes(), expected))
    return found


def streamed(folder: Path) -> list[Recording]:
    return [each for each in recorded(folder) if each.expected["outcome"] != "http_error"]


def decode(chunks: list[bytes]) -> tuple[list[StreamEvent], ProviderError | None]:
    numbers = iter(range(1000))
    decoder = StreamDecoder(Asked("The server"), new_call_id=lambda: f"made-{next(numbers)}")
    events = [event for chunk in chunks for event in decoder.feed(chunk)]
    events += decoder.close()
    return events, decoder.error


def finish_class(expected: dict[str, Any]) -> str | None:
    if expected["outcome"] != "ok":
        return None
    if expected["finish_reason"] == "incomplete":
        return "content_filter" if expected["finish_detail"] == "content_filter" else "length"
    if expected["refusal"] is not None:
        return "refusal"
    return "tool_use" if expected["tool_calls"] else "stop"


def arguments(text: str) -> Any:
    try:
        return json.loads(text or "{}")
    except ValueError:
        return text


def encrypted(message: AssistantMessage) -> int:
    signatures = [part.signature for part in message.parts if isinstance(part, ThinkingSignaturePart)]
    items = [json.loads(signature).get("item", {}) for signature in signatures]
    return sum(bool(item.get("encrypted_content")) for item in items)


def differences(message: AssistantMessage, error: ProviderError | None, expected: dict[str, Any]) -> list[str]:
    """What a reader of the recording would see otherwise than we do."""
    ok = expected["outcome"] == "ok"
    usage = message.usage if ok else None
    pairs: dict[str, tuple[object, object]] = {
        "text": (message.text, expected["text"] + (expected["refusal"] or "")),
        "thinking": (message.thinking, expected["thinking"]["text"]),
        "encrypted": (encrypted(message), expected["thinking"]["encrypted"]),
        "calls": (
            [(call.call_id, call.tool_name, arguments(call.arguments_json)) for call in message.tool_calls],
            [(call["id"], call["name"], arguments(call["arguments_raw"])) for call in expected["tool_calls"]],
        ),
        "response id": (message.response_id, expected["response_id"]),
        "model": (message.model, expected["model"] or ""),
        "stop reason": (message.stop_reason, finish_class(expected)),
        "failed": (error is not None, not ok),
        **{ours: (getattr(usage, ours, None), (expected["usage"] or {}).get(theirs)) for ours, theirs in USAGE.items()},
    }
    found = [f"{what}: {ours!r} instead of {theirs!r}" for what, (ours, theirs) in pairs.items() if ours != theirs]
    if error is not None and expected["error"]["message"] not in error.detail:
        found.append(f"error {error.detail!r} without {expected['error']['message']!r}")
    return found


def test_recorded_responses_decode_to_what_the_official_reader_found(recordings: Path) -> None:
    wrong = []
    for recording in streamed(recordings):
        events, error = decode([recording.body])
        wrong += [f"{recording.name}: {each}" for each in differences(fold(events), error, recording.expected)]
        if sum(isinstance(event, Finished) for event in events) != (error is None):
            wrong.append(f"{recording.name}: neither ended nor failed")
    assert not wrong, "\n".join(wrong)


def test_recorded_responses_say_the_same_cut_anywhere(recordings: Path) -> None:
    for recording in streamed(recordings):
        whole, error = decode([recording.body])
        step = max(1, len(recording.body) // 40)
        for size in (1, 7, step):
            pieces = [recording.body[at : at + size] for at in range(0, len(recording.body), size)]
            assert decode(pieces)[0] == whole, f"{recording.name} in pieces of {size}"
            assert str(decode(pieces)[1]) == str(error)


def test_a_recorded_stream_without_its_end_keeps_what_came_and_fails(recordings: Path) -> None:
    for recording in streamed(recordings):
        if recording.expected["outcome"] == "ok" and recording.expected["stream"]:
            whole = fold(decode([recording.body])[0])
            half, error = decode([recording.body[: len(recording.body) // 2]])
            assert error is not None, recording.name
            assert error.code == "cut_off"
            assert whole.text.startswith(fold(half).text)
            assert not any(isinstance(event, Finished) for event in half)


def test_recorded_responses_errors_say_what_to_do(recordings: Path) -> None:
    codes = {400: {"bad_request", "no_model"}, 401: {"bad_key"}, 404: {"no_model", "bad_request"}}
    refused = [each for each in recorded(recordings) if each.expected["outcome"] == "http_error"]
    for recording in refused:
        status = recording.expected["http_status"]
        error = status_error(status, recording.body, Asked("Acme", model="m"))
        assert error.code in codes[status], recording.name
        assert recording.expected["error"]["message"][:150] in error.detail


@pytest.mark.parametrize("terminal", ["as it came", "without its items", "with the items alone"])
def test_nothing_is_lost_or_doubled_whatever_the_last_event_repeats(recordings: Path, terminal: str) -> None:
    """Of a stream, the pieces, the ends of items and the last event each say all: any of them is enough."""
    for recording in streamed(recordings):
        if recording.expected["outcome"] != "ok" or not recording.expected["stream"]:
            continue
        lines = recording.body.decode().splitlines()
        values = [json.loads(line[5:]) for line in lines if line.startswith("data:") and line[5:].strip() != "[DONE]"]
        if terminal == "without its items":
            values[-1]["response"]["output"] = []
        elif terminal == "with the items alone":
            values = [values[0], values[-1]]
        body = b"".join(b"data: " + json.dumps(value).encode() + b"\r\n\r\n" for value in values)
        events, error = decode([body])
        assert differences(fold(events), error, recording.expected) == [], recording.name
