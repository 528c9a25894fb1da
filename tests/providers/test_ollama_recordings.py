"""Recorded Ollama answers decode to what an independent reader found, and recorded requests are built again."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from sam_py.providers.accumulate import fold
from sam_py.providers.base import Finished, StreamEvent
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked, status_error
from sam_py.providers.ollama.models import read_tags
from sam_py.providers.ollama.request import build_body
from sam_py.providers.ollama.stream import StreamDecoder
from tests.providers.body_rules import problems_of
from tests.providers.ollama_bodies import normal, read_body

FINISH = {"stop": "stop", "length": "length", "custom": "stop"}


def answers(folder: Path) -> list[tuple[str, bytes, dict[str, Any]]]:
    found = []
    for path in sorted((folder / "ollama").glob("*.expected.json")):
        name = path.name.removesuffix(".expected.json")
        body = next(p for p in path.parent.glob(f"{name}.*") if p.name in (f"{name}.ndjson", f"{name}.response.json"))
        expected = json.loads(path.read_text())
        if expected["outcome"] != "http_error":
            found.append((name, body.read_bytes(), expected))
    return found


def requests(folder: Path) -> list[tuple[str, dict[str, Any]]]:
    """Every recorded body that a server took."""
    paths = sorted((folder / "ollama").glob("*.request.json"))
    paths += sorted((folder / "transcripts").glob("ollama_*.request.json"))
    found = []
    for path in paths:
        meta = json.loads(path.with_name(path.name.replace(".request.", ".meta.")).read_text())
        if meta.get("http_status", 200) == 200:
            found.append((path.name, json.loads(path.read_text())))
    return found


def decode(chunks: list[bytes]) -> tuple[list[StreamEvent], ProviderError | None]:
    numbers = iter(range(1000))
    decoder = StreamDecoder(Asked("Ollama"), new_call_id=lambda: f"made-{next(numbers)}")
    events = [event for chunk in chunks for event in decoder.feed(chunk)]
    events += decoder.close()
    return events, decoder.error


def test_recorded_ollama_answers_decode_to_what_the_official_reader_found(recordings: Path) -> None:
    for name, body, expected in answers(recordings):
        events, error = decode([body])
        message = fold(events, provider="p")
        assert error is None, name
        assert isinstance(events[-1], Finished), name
        assert message.text == expected["text"], name
        assert message.thinking == expected["thinking"]["text"], name
        calls = [(call.tool_name, json.loads(call.arguments_json)) for call in message.tool_calls]
        assert calls == [(call["name"], call["arguments"]) for call in expected["tool_calls"]], name
        ids = [call.call_id for call in message.tool_calls if not call.call_id.startswith("made-")]
        assert ids == [call["id"] for call in expected["tool_calls"] if call["id"]], name
        assert message.usage is not None, name
        assert message.usage.input_tokens == expected["usage"]["input"], name
        assert message.usage.output_tokens == expected["usage"]["output"], name
        assert message.model == expected["model"], name
        wanted = "tool_use" if calls else FINISH[expected["finish_reason"]]
        assert message.stop_reason == wanted, name


def test_recorded_ollama_answers_do_not_depend_on_how_they_were_cut(recordings: Path) -> None:
    chance = random.Random(3)
    for name, body, _expected in answers(recordings):
        whole = decode([body])
        cuts = sorted(chance.randrange(len(body) + 1) for _ in range(60))
        assert decode([body[a:b] for a, b in zip([0, *cuts], [*cuts, None], strict=True)]) == whole, name
        if len(body) < 20_000:
            assert decode([body[place : place + 1] for place in range(len(body))]) == whole, name


def test_recorded_ollama_requests_are_built_again_as_they_were(recordings: Path) -> None:
    for name, body in requests(recordings):
        made = build_body(read_body(body).request())
        think = body.get("think")
        if think is None:  # said by us, since the model's limits allow it
            assert made.pop("think") is True, name
        assert normal(made) == normal(body), name


def test_bodies_built_from_ollama_s_recordings_are_found_without_fault(recordings: Path) -> None:
    for name, body in requests(recordings):
        made = build_body(read_body(body).request())
        assert problems_of(recordings, "ollama", made) == [], name


def test_recorded_ollama_errors_quote_the_server(recordings: Path) -> None:
    paths = [*(recordings / "ollama").glob("*http-error*.response.json")]
    paths += (recordings / "errors").glob("ollama_*.response.json")
    for path in paths:
        expected = json.loads(path.with_name(path.name.replace("response", "expected")).read_text())
        error = status_error(expected["http_status"], path.read_bytes(), Asked("Ollama", model="bad_model"))
        assert expected["error"]["message"][:150] in error.detail, path.name
        if expected["http_status"] == 404:
            assert error.code == "no_model", path.name


def test_the_recorded_list_of_ollama_s_models_is_read_whole(recordings: Path) -> None:
    expected = json.loads((recordings / "models" / "ollama.expected.json").read_text())
    listed = read_tags(json.loads((recordings / "models" / "ollama.response.json").read_bytes()))
    assert [name for name, _digest in listed] == expected["ids"]
    assert all(len(digest) == 64 for _name, digest in listed)
