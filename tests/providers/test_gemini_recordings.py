"""Recorded Gemini answers decode to what an independent reader found, and recorded requests are built again."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sam_py.messages.message import AssistantMessage
from sam_py.providers.accumulate import fold
from sam_py.providers.base import CodeProduced, Finished, StreamEvent
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked, status_error
from sam_py.providers.gemini.models import read_models
from sam_py.providers.gemini.request import build_body
from sam_py.providers.gemini.stream import StreamDecoder
from tests.providers.body_rules import problems_of
from tests.providers.gemini_bodies import normal, read_body

FINISH = {"STOP": "stop", "MAX_TOKENS": "length"}


@dataclass(frozen=True)
class Recording:
    name: str
    body: bytes
    expected: dict[str, Any]


def answers(folder: Path) -> list[Recording]:
    found = []
    for path in sorted((folder / "gemini").glob("*.expected.json")):
        name = path.name.removesuffix(".expected.json")
        body = next(p for p in path.parent.glob(f"{name}.*") if p.name in (f"{name}.sse", f"{name}.response.json"))
        found.append(Recording(name, body.read_bytes(), json.loads(path.read_text())))
    return [each for each in found if each.expected["outcome"] != "http_error"]


def requests(folder: Path) -> list[tuple[str, dict[str, Any], str]]:
    """Every recorded body that a server took: name, body, model."""
    paths = [*sorted((folder / "gemini").glob("*.request.json"))]
    paths += sorted((folder / "transcripts").glob("gemini_*.request.json"))
    found = []
    for path in paths:
        meta = json.loads(path.with_name(path.name.replace(".request.", ".meta.")).read_text())
        if meta.get("http_status", 200) == 200:
            found.append((path.name, json.loads(path.read_text()), meta["model"]))
    return found


def decode(chunks: list[bytes]) -> tuple[list[StreamEvent], ProviderError | None]:
    numbers = iter(range(1000))
    decoder = StreamDecoder(Asked("The server"), new_call_id=lambda: f"made-{next(numbers)}")
    events = [event for chunk in chunks for event in decoder.feed(chunk)]
    events += decoder.close()
    return events, decoder.error


def differences(message: AssistantMessage, error: ProviderError | None, expected: dict[str, Any]) -> list[str]:
    found: list[str] = []

    def compare(what: str, ours: object, theirs: object) -> None:
        if ours != theirs:
            found.append(f"{what}: {ours!r} instead of {theirs!r}")

    compare("text", message.text, expected["text"])
    compare("thinking", message.thinking, expected["thinking"]["text"])
    calls = [(call.call_id, call.tool_name, json.loads(call.arguments_json)) for call in message.tool_calls]
    theirs = [(call["id"], call["name"], call["arguments"]) for call in expected["tool_calls"]]
    compare("calls", [call[1:] for call in calls], [call[1:] for call in theirs])
    compare("ids", [call[0] for call in calls if not call[0].startswith("made-")], [c[0] for c in theirs if c[0]])
    usage = expected["usage"] or {}
    for name, key in (
        ("input_tokens", "input"),
        ("output_tokens", "output"),
        ("cached_input_tokens", "cached"),
        ("reasoning_tokens", "reasoning"),
    ):
        compare(name, getattr(message.usage, name) if message.usage else None, usage.get(key))
    kept = "".join(part.signature for part in message.parts if part.kind == "thinking_signature")
    signed = kept.count('"signature":') + kept.count('"thoughtSignature":') + kept.count('"signed":')
    compare("signatures", signed, expected["thinking"]["signatures"])
    if expected["outcome"] == "prompt_blocked":
        assert error is not None
        compare("code", error.code, "refused")
        return found
    compare("error", error, None)
    compare("response id", message.response_id, expected["response_id"])
    compare("model", message.model, expected["model"])
    wanted = "tool_use" if expected["tool_calls"] else FINISH[expected["finish_reason"]]
    compare("stop reason", message.stop_reason, wanted)
    return found


def test_recorded_gemini_answers_decode_to_what_the_official_reader_found(recordings: Path) -> None:
    wrong = []
    for recording in answers(recordings):
        events, error = decode([recording.body])
        message = fold(events, provider="p")
        wrong += [f"{recording.name}: {each}" for each in differences(message, error, recording.expected)]
        if (error is None) != (sum(isinstance(event, Finished) for event in events) == 1):
            wrong.append(f"{recording.name}: neither ended nor failed")
    assert not wrong, "\n".join(wrong)


def test_recorded_gemini_answers_do_not_depend_on_how_they_were_cut(recordings: Path) -> None:
    chance = random.Random(7)
    for recording in answers(recordings):
        whole = decode([recording.body])
        body = recording.body
        cuts = sorted(chance.randrange(len(body) + 1) for _ in range(60))
        for pieces in (
            [body[place : place + 1] for place in range(len(body))],
            [body[a:b] for a, b in zip([0, *cuts], [*cuts, None], strict=True)],
        ):
            events, error = decode(pieces)
            assert events == whole[0], recording.name
            assert str(error) == str(whole[1]), recording.name


def test_recorded_streams_read_the_same_as_a_json_array_of_their_chunks(recordings: Path) -> None:
    for recording in answers(recordings):
        if b"data: " not in recording.body:
            continue
        chunks = [line[6:] for line in recording.body.splitlines() if line.startswith(b"data: ")]
        pretty = [json.dumps(json.loads(chunk), indent=2).encode() for chunk in chunks]
        array = b"[" + b"\n,\r\n".join(pretty) + b"\n]\n"
        assert decode([array]) == decode([recording.body]), recording.name
        assert decode([array[n : n + 1] for n in range(len(array))]) == decode([recording.body]), recording.name


def test_code_that_the_service_ran_is_shown_and_kept(recordings: Path) -> None:
    name = "google_gemini-3-flash-preview_thinking-server-tools_stream"
    [recording] = [each for each in answers(recordings) if each.name == name]
    events, _error = decode([recording.body])
    shown = [event for event in events if isinstance(event, CodeProduced)]
    assert [event.language for event in shown] == ["python", ""]
    assert shown[1].code == "-428330955.97745\n"


def test_recorded_gemini_requests_are_built_again_as_they_were(recordings: Path) -> None:
    for name, body, model in requests(recordings):
        read = read_body(body, model)
        made = build_body(read.request())
        assert normal(made) == normal(body), name


def test_bodies_built_from_recordings_are_found_without_fault(recordings: Path) -> None:
    for name, body, model in requests(recordings):
        made = build_body(read_body(body, model).request())
        assert problems_of(recordings, "gemini", made, model) == [], name


def test_recorded_gemini_errors_are_told_apart(recordings: Path) -> None:
    paths = [*(recordings / "gemini").glob("*http-error*.response.json")]
    paths += (recordings / "errors").glob("gemini_*.response.json")
    for path in paths:
        expected = json.loads(path.with_name(path.name.replace("response", "expected")).read_text())
        error = status_error(expected["http_status"], path.read_bytes(), Asked("Google", model="m"))
        assert expected["error"]["message"][:150] in error.detail, path.name
        assert str(error).endswith("."), path.name


def test_the_recorded_list_of_geminis_says_what_each_can_do(recordings: Path) -> None:
    models, token = read_models(json.loads((recordings / "models" / "google.response.json").read_bytes()))
    by_name = {model.id: model.limits for model in models}
    assert token == ""
    assert by_name["gemini-2.5-pro"].context_tokens == 1_048_576
    assert by_name["gemini-2.5-pro"].thinking
    assert by_name["gemini-3-pro-image"].draws
    assert not by_name["gemini-3-pro-image"].tools
    assert not [name for name in by_name if "embedding" in name or "tts" in name or "veo" in name]
