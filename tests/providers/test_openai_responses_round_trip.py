"""Bodies that real servers took: read into our messages, built again, they say the same and are refused nowhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sam_py.messages.turn import Limits
from sam_py.providers.accumulate import fold
from sam_py.providers.base import ChatRequest
from sam_py.providers.openai_responses.dialect import dialect_of
from sam_py.providers.openai_responses.request import build_body
from sam_py.providers.openai_responses.stream import StreamDecoder
from sam_py.transcript.build import BEGINS_WITHOUT_USER, build
from tests.providers.body_rules import problems_of
from tests.wire.judge import judge
from tests.wire.responses_reader import PROVIDER, normal, read_body

WIRE = "openai_responses"
SEES = Limits(images=True, pdfs=True, tools=True, thinking=True)
# Bodies that lean on what the server remembers of an earlier request: nobody can read the rest out of them.
CHAINED = ("previous_response_id", "conversation")


def bodies(folder: Path, *parts: str) -> dict[str, dict[str, Any]]:
    """Every recorded body of this wire in `parts` of the recordings."""
    found = {}
    for part in parts:
        for path in sorted((folder / part).glob("*.request.json")):
            if part == "openai_responses" or path.name.startswith(("openai-responses", "openai_responses")):
                body = json.loads(path.read_text())
                if not any(body.get(key) for key in CHAINED):
                    found[f"{part}/{path.name}"] = body
    return found


def without_our_beginning(body: dict[str, Any]) -> dict[str, Any]:
    """A conversation that the assistant began says so in our form, in the user's name."""
    first = body["input"][0]
    began = first["type"] == "message" and first["content"][0].get("text") == BEGINS_WITHOUT_USER
    return {**body, "input": body["input"][began:]}


def rebuilt(body: dict[str, Any], dialect: str = "openai") -> dict[str, Any]:
    read = read_body(body)
    transcript = build(read.messages, limits=SEES, system=read.system, provider=PROVIDER, model=read.model)
    request = ChatRequest(
        model=read.model,
        turns=transcript.turns,
        system=transcript.system,
        tools=read.tools,
        provider=PROVIDER,
        limits=SEES,
        attachments=read.attachments,
    )
    return build_body(request, dialect=dialect_of(dialect))


def test_recorded_conversations_say_the_same_when_they_are_built_again(recordings: Path) -> None:
    found = bodies(recordings, "openai_responses", "transcripts")
    for name, body in found.items():
        if "http-error" not in name:
            assert normal(without_our_beginning(rebuilt(body))) == normal(body), name
    assert len(found) > 20


def test_rebuilt_bodies_are_refused_by_nobody(recordings: Path) -> None:
    """Those that were refused when others sent them are not when we do."""
    for name, body in bodies(recordings, "openai_responses", "transcripts", "refused", "errors").items():
        for dialect in ("openai", "deepseek", "xai", "any"):
            ours = rebuilt(body, dialect)
            assert problems_of(recordings, WIRE, ours, dialect=dialect) == [], name
            assert [str(each) for each in judge(WIRE, ours, dialect)] == [], name


def test_a_recorded_answer_goes_back_as_what_it_was(recordings: Path) -> None:
    """Reasoning, in its place and byte for byte, calls and texts: what a next request holds of an answer."""
    for path in sorted((recordings / "openai_responses").glob("*.expected.json")):
        expected = json.loads(path.read_text())
        stem = path.name.removesuffix(".expected.json")
        if expected["outcome"] != "ok" or any(call.get("kind") == "custom" for call in expected["tool_calls"]):
            continue
        body = path.with_name(f"{stem}.sse" if expected["stream"] else f"{stem}.response.json")
        decoder = StreamDecoder()
        message = fold([*decoder.feed(body.read_bytes()), *decoder.close()], provider=PROVIDER, model="m")
        transcript = build([message], limits=SEES, provider=PROVIDER, model="m")
        request = ChatRequest(model="m", turns=transcript.turns, provider=PROVIDER, limits=SEES)
        items = build_body(request)["input"][1:]  # the builder lets the user begin
        sent = [item["type"] for item in items if item["type"] != "function_call_output"]
        said_something = bool(message.text or message.tool_calls)
        assert [kind for kind in expected["output_items"] if said_something and _goes_back(kind, expected)] == sent
        sealed = sum(bool(item.get("encrypted_content")) for item in items)
        assert sealed == (expected["thinking"]["encrypted"] if said_something else 0), stem


def _goes_back(kind: str, expected: dict[str, Any]) -> bool:
    """Reasoning that is neither encrypted nor readable stands for an item that nobody kept."""
    return kind != "reasoning" or bool(expected["thinking"]["encrypted"] or expected["thinking"]["text"])
