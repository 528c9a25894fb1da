"""Recorded answers of real services decode to what an independent reader found in the same bytes."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sam_py.messages.message import AssistantMessage
from sam_py.messages.parts import ThinkingSignaturePart
from sam_py.providers.accumulate import fold
from sam_py.providers.base import Finished, StreamEvent
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked, status_error
from sam_py.providers.model_lists import read_models
from sam_py.providers.openai_chat.stream import StreamDecoder

FOLDERS = ("openai_chat", "openrouter", "deepseek", "groq", "mistral", "xai", "llamacpp", "other_compatible")
FINISH = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_use",
    "content_filter": "content_filter",
}


@dataclass(frozen=True)
class Recording:
    name: str
    body: bytes
    expected: dict[str, Any]


def answers(folder: Path, *parts: str) -> list[Recording]:
    found = []
    for part in parts:
        for path in sorted((folder / part).glob("*.expected.json")):
            expected = json.loads(path.read_text())
            name = path.name.removesuffix(".expected.json")
            if expected.get("wire", "openai_chat") != "openai_chat":
                continue
            body = next(p for p in path.parent.glob(f"{name}.*") if p.name in (f"{name}.sse", f"{name}.response.json"))
            found.append(Recording(f"{part}/{name}", body.read_bytes(), expected))
    return found


def decode(chunks: list[bytes]) -> tuple[list[StreamEvent], ProviderError | None]:
    numbers = iter(range(1000))
    decoder = StreamDecoder(Asked("The server"), new_call_id=lambda: f"made-{next(numbers)}")
    events = [event for chunk in chunks for event in decoder.feed(chunk)]
    events += decoder.close()
    return events, decoder.error


def differences(message: AssistantMessage, error: ProviderError | None, expected: dict[str, Any]) -> list[str]:
    """What a reader of the recording would see otherwise than we do."""
    found: list[str] = []

    def compare(what: str, ours: object, theirs: object) -> None:
        if ours != theirs:
            found.append(f"{what}: {ours!r} instead of {theirs!r}")

    compare("text", message.text, expected["text"] or (expected["refusal"] or ""))
    compare("thinking", message.thinking, expected["thinking"]["text"])
    calls = [(call.tool_name, _arguments(call.arguments_json)) for call in message.tool_calls]
    compare("calls", calls, [(call["name"], _arguments(call["arguments_raw"])) for call in expected["tool_calls"]])
    ids = [call.call_id for call in message.tool_calls]
    # Where the official reader joined a resent id, or could not read the stream, it is no judge of ids.
    if not expected["notes"] and expected["outcome"] == "ok":
        theirs = [call["id"] for call in expected["tool_calls"] if call["id"] not in (None, "00")]
        compare("ids", [id for id in ids if id in theirs], theirs)
    opaque = expected["thinking"]["signatures"] + expected["thinking"]["encrypted"]
    compare("signatures", _opaque(message), opaque)
    compare("model", message.model, expected["model"] or "")
    usage = expected["usage"] or {}
    # The official reader keeps no usage of a stream that failed; we do.
    ours = message.usage if expected["outcome"] == "ok" else None
    for name, key in (
        ("input_tokens", "input"),
        ("output_tokens", "output"),
        ("cached_input_tokens", "cached"),
        ("reasoning_tokens", "reasoning"),
        ("cache_write_tokens", "cache_write"),
    ):
        compare(name, getattr(ours, name) if ours else None, usage.get(key))
    compare("response id", message.response_id, expected["response_id"])
    if expected["outcome"] == "ok" and expected["finish_reason"]:
        reason = "refusal" if expected["refusal"] else FINISH[expected["finish_reason"]]
        compare("stop reason", message.stop_reason, reason)
    if expected["outcome"] == "empty_stream":
        compare("error", error.code if error else None, "bad_response")
    if expected["outcome"] in ("stream_error", "error_in_200"):
        compare("stop reason", message.stop_reason, None)
        assert error is not None
        if expected["error"]["message"] not in error.detail:
            found.append(f"error {error.detail!r} without {expected['error']['message']!r}")
    return found


def _opaque(message: AssistantMessage) -> int:
    """How many signatures and encrypted thoughts are kept."""
    details = [
        detail
        for part in message.parts
        if isinstance(part, ThinkingSignaturePart)
        for detail in json.loads(part.signature)
    ]
    return sum(bool(detail.get("signature")) + bool(detail.get("data")) for detail in details)


def _arguments(text: str) -> Any:
    if not text.strip():
        return {}
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return {} if value is None else value


def test_recorded_answers_decode_to_what_the_official_reader_found(recordings: Path) -> None:
    wrong = []
    for recording in answers(recordings, *FOLDERS):
        if recording.expected["outcome"] == "http_error":
            failed = status_error(recording.expected["http_status"], recording.body, Asked("The server"))
            said = recording.expected["error"]["message"]
            if isinstance(said, str) and said[:150] not in failed.detail:
                wrong.append(f"{recording.name}: {failed.detail!r}")
            continue
        events, error = decode([recording.body])
        message = fold(events, provider="p")
        wrong += [f"{recording.name}: {each}" for each in differences(message, error, recording.expected)]
        if (error is None) != (sum(isinstance(event, Finished) for event in events) == 1):
            wrong.append(f"{recording.name}: neither ended nor failed")
    assert not wrong, "\n".join(wrong)


def test_recorded_answers_do_not_depend_on_how_they_were_cut(recordings: Path) -> None:
    chance = random.Random(5)
    for recording in answers(recordings, *FOLDERS):
        whole, error = decode([recording.body])
        cuts = sorted(chance.randrange(len(recording.body) + 1) for _ in range(60))
        pieces = [recording.body[a:b] for a, b in zip([0, *cuts], [*cuts, None], strict=True)]
        events, other = decode(pieces)
        assert events == whole, recording.name
        assert str(error) == str(other), recording.name


def test_every_recorded_model_list_is_read_whole(recordings: Path) -> None:
    for path in sorted((recordings / "models").glob("*.expected.json")):
        expected = json.loads(path.read_text())
        if expected["oracle"] != "openai":
            continue
        value = json.loads(path.with_name(path.name.replace("expected", "response")).read_bytes())
        assert [model.id for model in read_models(value)] == expected["ids"], path.name
