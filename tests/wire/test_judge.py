"""The judge of request bodies is just: it finds what servers refused, and nothing in what they took."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.wire.judge import judge, refusals

RECORDINGS = Path(os.environ.get("SAM_RECORDINGS", Path(__file__).parents[3] / "shared" / "recordings"))


def recorded(folder: str) -> list[Path]:
    return sorted((RECORDINGS / folder).glob("*.request.json"))


def body_and_meta(path: Path) -> tuple[Any, dict[str, Any]]:
    meta = json.loads(path.with_name(path.name.replace(".request.", ".meta.")).read_text("utf-8"))
    return json.loads(path.read_text("utf-8")), meta


needs_recordings = pytest.mark.skipif(not RECORDINGS.is_dir(), reason="no recordings here")


@needs_recordings
@pytest.mark.parametrize("path", recorded("refused"), ids=lambda path: path.name.removesuffix(".request.json"))
def test_a_body_that_a_server_refused_is_reported(path: Path) -> None:
    body, meta = body_and_meta(path)
    assert refusals(meta["wire"], body, meta.get("provider") or "", model=meta.get("model") or "")


@needs_recordings
@pytest.mark.parametrize("path", recorded("transcripts"), ids=lambda path: path.name.removesuffix(".request.json"))
def test_a_body_that_a_server_accepted_passes(path: Path) -> None:
    body, meta = body_and_meta(path)
    found = refusals(meta["wire"], body, meta.get("provider") or "", model=meta.get("model") or "")
    assert [str(fault) for fault in found] == []


CHAT: dict[str, Any] = {
    "model": "gpt-4o",
    "messages": [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": [{"type": "text", "text": "Go"}]},
        {
            "role": "assistant",
            "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}},
                {"id": "b", "type": "function", "function": {"name": "g", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "tool", "tool_call_id": "b", "content": "2"},
    ],
}
RESPONSES: dict[str, Any] = {
    "model": "gpt-5",
    "store": False,
    "input": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go"}]},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"},
        {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"},
        {"type": "function_call", "call_id": "b", "name": "g", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "a", "output": "1"},
        {"type": "function_call_output", "call_id": "b", "output": "2"},
    ],
}
ANTHROPIC: dict[str, Any] = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 100,
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "Go"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Hm", "signature": "s"},
                {"type": "tool_use", "id": "a", "name": "f", "input": {}},
                {"type": "tool_use", "id": "b", "name": "g", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "1"},
                {"type": "tool_result", "tool_use_id": "b", "content": "2"},
                {"type": "text", "text": "And?"},
            ],
        },
    ],
}
GEMINI: dict[str, Any] = {
    "contents": [
        {"role": "user", "parts": [{"text": "Go"}]},
        {
            "role": "model",
            "parts": [
                {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "QUJD"},
                {"functionCall": {"name": "g", "args": {}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "f", "response": {"output": "1"}}},
                {"functionResponse": {"name": "g", "response": {"output": "2"}}},
            ],
        },
    ],
}
OLLAMA: dict[str, Any] = {
    "model": "m",
    "messages": [
        {"role": "user", "content": "Go", "images": ["QUJD"]},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"function": {"name": "f", "arguments": {}}},
                {"function": {"name": "g", "arguments": {}}},
            ],
        },
        {"role": "tool", "tool_name": "f", "content": "1"},
        {"role": "tool", "tool_name": "g", "content": "2"},
    ],
}
NONSENSE = {"messages": [None], "contents": [1], "input": [2]}
SOUND = {
    "openai_chat": CHAT,
    "openai_responses": RESPONSES,
    "anthropic": ANTHROPIC,
    "gemini": GEMINI,
    "ollama": OLLAMA,
}
MODEL = {"gemini": "gemini-3-pro"}


@pytest.mark.parametrize("wire", SOUND)
def test_a_sound_body_has_no_fault_at_all(wire: str) -> None:
    assert [str(fault) for fault in judge(wire, SOUND[wire], model=MODEL.get(wire, ""))] == []


def _set(*steps: str | int) -> Callable[[Any], Callable[[dict[str, Any]], None]]:
    def with_value(value: Any) -> Callable[[dict[str, Any]], None]:
        def change(body: dict[str, Any]) -> None:
            at: Any = body
            for step in steps[:-1]:
                at = at[step]
            at[steps[-1]] = value

        return change

    return with_value


def _drop(*steps: str | int) -> Callable[[dict[str, Any]], None]:
    def change(body: dict[str, Any]) -> None:
        at: Any = body
        for step in steps[:-1]:
            at = at[step]
        del at[steps[-1]]

    return change


def _move(*steps: str | int, to: int) -> Callable[[dict[str, Any]], None]:
    def change(body: dict[str, Any]) -> None:
        at: Any = body
        for step in steps[:-1]:
            at = at[step]
        at.insert(to, at.pop(steps[-1]))

    return change


def _again(*steps: str | int) -> Callable[[dict[str, Any]], None]:
    def change(body: dict[str, Any]) -> None:
        at: Any = body
        for step in steps[:-1]:
            at = at[step]
        at.insert(steps[-1], copy.deepcopy(at[steps[-1]]))

    return change


BROKEN: list[tuple[str, str, Callable[[dict[str, Any]], None]]] = [
    ("openai_chat", "call.unanswered", _drop("messages", 4)),
    ("openai_chat", "result.orphan", _drop("messages", 2)),
    ("openai_chat", "result.twice", _again("messages", 3)),
    ("openai_chat", "result.orphan", _move("messages", 3, to=1)),
    ("openai_chat", "call.same_id", _set("messages", 2, "tool_calls", 1, "id")("a")),
    ("openai_chat", "call.name", _set("messages", 2, "tool_calls", 0, "function", "name")("odd name")),
    ("openai_chat", "call.arguments", _set("messages", 2, "tool_calls", 0, "function", "arguments")('{"a":')),
    ("openai_chat", "sdk.type", _set("messages", 2, "tool_calls", 0, "function", "arguments")({})),
    ("openai_chat", "calls.empty", _set("messages", 2, "tool_calls")([])),
    ("openai_chat", "content.empty_text", _set("messages", 1, "content", 0, "text")("")),
    ("openai_chat", "content.empty_text", _set("messages", 1, "content", 0, "text")(" ")),
    ("openai_chat", "sdk.literal", _set("messages", 1, "role")("human")),
    ("openai_chat", "role.twice", _again("messages", 1)),
    ("openai_chat", "sdk.unknown_key", _set("messages", 1, "cache_control")({"type": "ephemeral"})),
    ("openai_chat", "null", _set("messages", 2, "content")(None)),
    ("openai_chat", "surrogate", _set("messages", 1, "content", 0, "text")("a\ud83c")),
    ("openai_chat", "messages.last", _set("messages")([{"role": "assistant", "content": "a"}])),
    ("openai_chat", "stream_options", _set("stream_options")({"include_usage": True})),
    ("openai_responses", "call.unanswered", _drop("input", 5)),
    ("openai_responses", "result.orphan", _drop("input", 2)),
    ("openai_responses", "result.twice", _again("input", 4)),
    ("openai_responses", "reasoning.alone", _move("input", 1, to=3)),
    ("openai_responses", "call.same_id", _set("input", 3, "call_id")("a")),
    ("openai_responses", "content.type", _set("input", 0, "role")("assistant")),
    ("openai_responses", "content.empty_text", _set("input", 0, "content", 0, "text")(" ")),
    ("openai_responses", "sdk.unknown_key", _set("messages")([])),
    ("openai_responses", "reasoning.unencrypted", _drop("input", 1, "encrypted_content")),
    ("anthropic", "call.unanswered", _drop("messages", 2, "content", 1)),
    ("anthropic", "call.unanswered", _drop("messages", 2)),
    ("anthropic", "result.orphan", _drop("messages", 1)),
    ("anthropic", "result.first", _move("messages", 2, "content", 2, to=0)),
    ("anthropic", "result.twice", _again("messages", 2, "content", 0)),
    ("anthropic", "thinking.signature", _set("messages", 1, "content", 0, "signature")("")),
    ("anthropic", "sdk.missing_key", _drop("messages", 1, "content", 1, "input")),
    ("anthropic", "sdk.missing_key", _drop("messages", 1, "content", 0, "signature")),
    ("anthropic", "sdk.unknown_key", _set("messages", 1, "content", 1, "arguments")({})),
    ("anthropic", "thinking.order", _move("messages", 1, "content", 0, to=2)),
    ("anthropic", "call.id", _set("messages", 1, "content", 1, "id")("a b")),
    ("anthropic", "content.empty_text", _set("messages", 0, "content", 0, "text")("\n")),
    ("anthropic", "content.empty", _set("messages", 0, "content")([])),
    ("anthropic", "max_tokens", _drop("max_tokens")),
    ("anthropic", "role.twice", _again("messages", 0)),
    ("anthropic", "sdk.literal", _set("messages", 0, "role")("tool")),
    ("anthropic", "thinking.budget", _set("thinking")({"type": "enabled", "budget_tokens": 2000})),
    ("gemini", "call.unanswered", _drop("contents", 2)),
    ("gemini", "result.count", _drop("contents", 2, "parts", 1)),
    ("gemini", "result.orphan", _drop("contents", 1)),
    ("gemini", "result.name", _set("contents", 2, "parts", 1, "functionResponse", "name")("h")),
    ("gemini", "signature.missing", _drop("contents", 1, "parts", 0, "thoughtSignature")),
    ("gemini", "content.empty_text", _set("contents", 0, "parts", 0, "text")("")),
    ("gemini", "part.data", _set("contents", 1, "parts", 0, "text")("a")),
    ("gemini", "role", _set("contents", 0, "role")("system")),
    ("gemini", "sdk.extra_forbidden", _set("contents", 0, "content")("a")),
    ("gemini", "sdk.unknown_key", _set("messages")([])),
    ("ollama", "call.unanswered", _drop("messages", 3)),
    ("ollama", "result.orphan", _drop("messages", 1)),
    ("ollama", "result.name", _move("messages", 3, to=2)),
    ("ollama", "call.arguments", _set("messages", 1, "tool_calls", 0, "function", "arguments")("{}")),
    ("ollama", "image.base64", _set("messages", 0, "images")(["data:image/png;base64,QUJD"])),
    ("ollama", "content.empty", _set("messages", 0)({"role": "user", "content": ""})),
    ("ollama", "role", _set("messages", 0, "role")("developer")),
    ("ollama", "sdk.unknown_key", _set("temperature")(0.5)),
]


@pytest.mark.parametrize(("wire", "code", "change"), BROKEN, ids=[f"{w}-{n}-{c}" for n, (w, c, _) in enumerate(BROKEN)])
def test_a_sound_body_that_is_broken_in_one_place_is_reported(
    wire: str, code: str, change: Callable[[dict[str, Any]], None]
) -> None:
    body = copy.deepcopy(SOUND[wire])
    change(body)
    assert code in {fault.code for fault in judge(wire, body, model=MODEL.get(wire, ""))}


@pytest.mark.parametrize("wire", SOUND)
@pytest.mark.parametrize(
    "body", [None, [], "", {}, {"model": None}, {"messages": [None], "contents": [1], "input": [2]}]
)
def test_what_is_no_body_at_all_is_reported_and_never_crashes_the_judge(wire: str, body: Any) -> None:
    assert judge(wire, body)
