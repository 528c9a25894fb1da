"""Recorded answers of real services decode to what an independent reader found in the same bytes."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sam_py.messages.message import AssistantMessage
from sam_py.providers.accumulate import fold
from sam_py.providers.base import Finished, StreamEvent
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked, read_error, status_error
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
    usage = expected["usage"] or {}
    # The official reader keeps no usage of a stream that failed; we do.
    ours = message.usage if expected["outcome"] == "ok" else None
    for name, key in (
        ("input_tokens", "input"),
        ("output_tokens", "output"),
        ("cached_input_tokens", "cached"),
        ("reasoning_tokens", "reasoning"),
    ):
        compare(name, getattr(ours, name) if ours else None, usage.get(key))
    compare("response id", message.response_id, expected["response_id"])
    if expected["outcome"] == "ok" and expected["finish_reason"]:
        reason = "refusal" if expected["refusal"] else FINISH[expected["finish_reason"]]
        compare("stop reason", message.stop_reason, reason)
    if expected["outcome"] in ("stream_error", "error_in_200"):
        compare("stop reason", message.stop_reason, None)
        assert error is not None
        if expected["error"]["message"] not in error.detail:
            found.append(f"error {error.detail!r} without {expected['error']['message']!r}")
    return found


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


def test_recorded_errors_are_told_apart_and_quote_the_server(recordings: Path) -> None:
    wrong = []
    for recording in [*answers(recordings, "errors"), *answers(recordings, *FOLDERS)]:
        if recording.expected["outcome"] != "http_error":
            continue
        status = recording.expected["http_status"]
        error = status_error(status, recording.body, Asked("Acme", model="m", base_url="https://acme.example/v1"))
        said = recording.expected["error"]["message"]
        if isinstance(said, str) and said and "<" not in said and said[:150] not in error.detail:
            wrong.append(f"{recording.name}: {error.detail!r} lacks {said!r}")
        if error.code not in _possible_codes(status):
            wrong.append(f"{recording.name}: {status} became {error.code}: {error}")
    assert not wrong, "\n".join(wrong)


def _possible_codes(status: int) -> set[str]:
    return {
        400: {"bad_request", "no_model", "too_long", "refused"},
        401: {"bad_key"},
        402: {"no_credit"},
        403: {"bad_key", "bad_request"},
        404: {"no_model", "bad_request"},
        422: {"bad_request"},
        429: {"rate_limited", "no_credit"},
        500: {"server", "too_long"},
        502: {"server"},
    }[status]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("openai-chat_deepseek_400", "no_model"),
        ("openai-chat_ollama_400", "too_long"),
        ("openai-chat_perplexity_400", "too_long"),
        ("openai-chat_llamacpp_500", "too_long"),
        ("openai-chat_mistral_400", "no_model"),
        ("openai-chat_openrouter_400", "no_model"),
        ("openai-chat_together_404", "no_model"),
        ("openai-chat_huggingface_402", "no_credit"),
        ("openai-chat_openai_400_2", "bad_request"),
        ("openai-chat_azure_404", "no_model"),
    ],
)
def test_an_error_s_code_says_what_to_do(recordings: Path, name: str, code: str) -> None:
    body = (recordings / "errors" / f"{name}.response.json").read_bytes()
    status = int(name.split("_")[2])
    assert status_error(status, body, Asked("Acme", model="bad model")).code == code


def test_every_recorded_model_list_is_read_whole(recordings: Path) -> None:
    for path in sorted((recordings / "models").glob("*.expected.json")):
        expected = json.loads(path.read_text())
        if expected["oracle"] != "openai":
            continue
        value = json.loads(path.with_name(path.name.replace("expected", "response")).read_bytes())
        assert [model.id for model in read_models(value)] == expected["ids"], path.name


def test_a_web_page_as_an_error_is_quoted_without_its_markup(recordings: Path) -> None:
    body = (recordings / "errors" / "openai-chat_huggingface_502.response.json").read_bytes()
    assert "<" not in read_error(body).message
