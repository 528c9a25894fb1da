"""What real clients sent is read into our messages, built again, and says the same; no server would refuse it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sam_py.messages.message import AssistantMessage, Message, UserMessage
from sam_py.messages.parts import Part, TextPart, ThinkingSignaturePart
from sam_py.messages.turn import Limits
from sam_py.providers.accumulate import fold
from sam_py.providers.anthropic.families import family_of, guessed_limits
from sam_py.providers.anthropic.opaque import pack
from sam_py.providers.anthropic.request import build_body
from sam_py.providers.anthropic.server_tools import is_at_work
from sam_py.providers.anthropic.stream import StreamDecoder
from sam_py.providers.base import ChatRequest, Effort, ToolSpec
from sam_py.transcript.build import build
from tests.transcript.histories import histories
from tests.wire.anthropic_reader import PROVIDER, Conversation, normal, read_body

ALL = Limits(images=True, pdfs=True, tools=True, thinking=True)
MODELS = (
    "claude-3-5-haiku-20241022",
    "claude-sonnet-4-20250514",
    "claude-haiku-4-5",
    "claude-opus-4-6",
    "claude-opus-4-7",
    "claude-opus-5",
    "claude-sonnet-5-5",
    "claude-haiku-5-5",
    "claude-fable-5-2",
    "claude-of-tomorrow-9",
    "glm-5",
)
Check = Callable[[dict[str, Any]], list[str]]


_CHECKER = """
import json, sys
sys.path.insert(0, sys.argv[1])
from validate_requests import check
for line in sys.stdin:
    print(json.dumps([str(problem) for problem in check("anthropic", json.loads(line))]), flush=True)
"""


@pytest.fixture(scope="session")
def faults_of(recordings: Path) -> Iterator[Check]:
    """The errors and matters of style that the independent checker of bodies finds.

    It runs in a process of its own: it changes the SDK's types for everybody.
    """
    tools = recordings.parent / "tools"
    if not (tools / "validate_requests.py").is_file():
        pytest.skip("the checker of request bodies is not on this machine")
    command = [sys.executable, "-c", _CHECKER, str(tools)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        asked, told = process.stdin, process.stdout

        def check(body: dict[str, Any]) -> list[str]:
            asked.write(json.dumps(body) + "\n")
            asked.flush()
            return list(json.loads(told.readline()))

        yield check
        asked.close()


def bodies(recordings: Path) -> list[tuple[str, dict[str, Any]]]:
    """Every recorded Messages body that a server took."""
    paths = [
        *(recordings / "anthropic").glob("*.request.json"),
        *(recordings / "transcripts").glob("anthropic_*.request.json"),
    ]
    found = []
    for path in sorted(paths):
        expected = path.with_name(path.name.replace(".request.", ".expected."))
        if not expected.exists() or json.loads(expected.read_text())["outcome"] == "ok":
            found.append((path.name, json.loads(path.read_text())))
    return found


def request_of(said: Conversation, effort: Effort | None = None, messages: list[Message] | None = None) -> ChatRequest:
    transcript = build(
        said.messages if messages is None else messages,
        limits=ALL,
        system=said.system,
        provider=PROVIDER,
        model=said.model,
    )
    return ChatRequest(
        model=said.model,
        provider=PROVIDER,
        turns=transcript.turns,
        system=transcript.system,
        tools=said.tools,
        reasoning_effort=effort,
        limits=ALL,
        attachments=said.attachments,
    )


def test_recorded_requests_say_the_same_after_a_round_trip(recordings: Path, faults_of: Check) -> None:
    wrong = []
    for name, body in bodies(recordings):
        thinks = body.get("thinking", {}).get("type") in ("enabled", "adaptive")
        ours = build_body(request_of(read_body(body), "high" if thinks else None))
        if normal(ours) != normal(body):
            wrong.append(f"{name}:\n{json.dumps(normal(ours))[:3000]}\ninstead of\n{json.dumps(normal(body))[:3000]}")
        wrong += [f"{name}: {fault}" for fault in faults_of(ours)]
        if thinks:
            assert ours["thinking"]["type"] in ("enabled", "adaptive"), name
    assert not wrong, "\n".join(wrong)


def test_every_recorded_answer_can_be_sent_back(recordings: Path, faults_of: Check) -> None:
    """An answer goes back block by block as it came, and the request with it is one that a server takes."""
    wrong = []
    for path in sorted((recordings / "anthropic").glob("*.expected.json")):
        expected = json.loads(path.read_text())
        if expected["outcome"] != "ok":
            continue
        stem = path.name.removesuffix(".expected.json")
        answer = next(p for p in path.parent.glob(f"{stem}.*") if p.name in (f"{stem}.sse", f"{stem}.response.json"))
        decoder = StreamDecoder()
        reply = fold([*decoder.feed(answer.read_bytes()), *decoder.close()], provider=PROVIDER)
        said = Conversation(reply.model, "Be brief.")
        messages: list[Message] = [UserMessage(parts=(TextPart(text="Hello"),)), reply]
        if not reply.tool_calls:
            messages.append(UserMessage(parts=(TextPart(text="Go on."),)))
        ours = build_body(request_of(said, messages=messages))
        wrong += [f"{path.name}: {fault}" for fault in faults_of(ours)]
        kinds = [
            block["type"]
            for message in ours["messages"]
            if message["role"] == "assistant"
            for block in message["content"]
        ]
        blocks = [kind for kind, text in zip(expected["blocks"], _texts(answer), strict=True) if text.strip()]
        if reply.stop_reason != "length" and kinds != blocks:
            wrong.append(f"{path.name}: {kinds} instead of {blocks}")
    assert not wrong, "\n".join(wrong)


def _texts(answer: Path) -> list[str]:
    """The text of each block of an answer; something where the block is none."""
    if answer.suffix == ".json":
        return [block.get("text", "-") for block in json.loads(answer.read_bytes())["content"]]
    texts: dict[int, str] = {}
    for line in answer.read_text().splitlines():
        event = json.loads(line[5:]) if line.startswith("data:") else {}
        if event.get("type") == "content_block_start":
            texts[event["index"]] = event["content_block"].get("text", "-")
        elif event.get("type") == "content_block_delta" and event["delta"]["type"] == "text_delta":
            texts[event["index"]] += event["delta"]["text"]
    return [texts[index] for index in sorted(texts)]


_SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}
_HIT = {"type": "web_search_result", "title": "T", "url": "https://x", "encrypted_content": "e", "page_age": None}
_PLACE = {"type": "page_location", "cited_text": "c", "document_index": 0, "document_title": None}
_CITATION = {**_PLACE, "file_id": None, "start_page_number": 1, "end_page_number": 2}
_QUOTED = {"type": "text", "text": "hello", "citations": [_CITATION]}
SIGNATURES = [
    "c2lnbmVk",
    pack({"type": "thinking", "thinking": "whole", "signature": "c2lnbmVk"}),
    pack({"type": "redacted_thinking", "data": "ZGF0YQ=="}),
    pack(_SEARCH),
    pack({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [_HIT]}),
    pack({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_unasked", "content": []}),
    pack({"type": "tool_use", "caller": {"type": "code_execution_20260120", "tool_id": "srvtoolu_1"}}),
    pack([_QUOTED]),
    pack([_QUOTED, {"type": "text", "text": " "}, {"type": "text", "text": "world"}]),
    "{damaged",
    "[1, 2]",
    "two words",
]


def with_signatures(messages: list[Message], signatures: Iterator[str], model: str) -> list[Message]:
    """`messages` as if the model that is asked had written the replies, and with these opaque parts."""

    def opaque(part: Part) -> Part:
        if not isinstance(part, ThinkingSignaturePart):
            return part
        return part.model_copy(update={"signature": next(signatures), "model": model})

    return [
        message.model_copy(update={"model": model, "parts": tuple(opaque(part) for part in message.parts)})
        if isinstance(message, AssistantMessage)
        else message
        for message in messages
    ]


@settings(max_examples=int(os.environ.get("SAM_EXAMPLES", "150")))
@given(
    messages=histories,
    signatures=st.lists(st.sampled_from(SIGNATURES), min_size=1, max_size=8),
    model=st.sampled_from(MODELS),
    effort=st.sampled_from([None, "none", "minimal", "high", "max"]),
    max_tokens=st.sampled_from([None, 1, 1500, 50_000]),
    asked=st.booleans(),
)
def test_no_history_makes_a_body_that_is_refused(
    faults_of: Check,
    messages: list[Message],
    signatures: list[str],
    model: str,
    effort: Effort | None,
    max_tokens: int | None,
    asked: bool,
) -> None:
    limits = replace(guessed_limits(model), tools=True)
    history = with_signatures(messages, cycle(signatures), model)
    if asked:
        history.append(UserMessage(parts=(TextPart(text="?"),)))
    transcript = build(history, limits=limits, provider="p", model=model, reminders=("todo",))
    if not transcript.turns:
        return
    request = ChatRequest(
        model=model,
        provider="p",
        turns=transcript.turns,
        system=transcript.system,
        tools=(ToolSpec("search", "", {}),),
        tool_choice="required" if max_tokens == 1500 else "auto",
        reasoning_effort=effort,
        max_tokens=max_tokens,
        temperature=1.5,
        top_p=0.5,
        limits=limits,
        attachments={"h1": b"\x89PNG\r\n", "h2": b"text"},
    )
    body = build_body(request, drops_unbound=True)
    faults = faults_of(body)
    if is_at_work(body["messages"][-1]["content"]):  # a pause is sent back as it is: for the checker, a prefill
        faults = [fault for fault in faults if "prefill.thinking" not in fault]
    assert faults == []


def test_the_newest_rules_are_those_of_an_unknown_claude() -> None:
    assert family_of("claude-of-tomorrow-9") == family_of("claude-fable-5-2")
