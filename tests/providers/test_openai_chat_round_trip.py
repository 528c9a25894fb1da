"""What real clients sent is read into our messages, built again, and says the same; no server would refuse it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from sam_py.messages.message import Message, ToolResultMessage, UserMessage
from sam_py.messages.parts import TextPart
from sam_py.messages.turn import Limits
from sam_py.providers.accumulate import fold
from sam_py.providers.base import ChatRequest
from sam_py.providers.openai_chat.dialect import Dialect
from sam_py.providers.openai_chat.dialects import dialect_of
from sam_py.providers.openai_chat.request import build_body
from sam_py.providers.openai_chat.stream import StreamDecoder
from sam_py.transcript.build import build
from tests.wire.chat_reader import PROVIDER, Conversation, normal, read_body
from tests.wire.judge import judge

FOLDERS = ("openai_chat", "openrouter", "deepseek", "groq", "mistral", "xai", "llamacpp", "other_compatible")
ALL = Limits(images=True, pdfs=True, tools=True, thinking=True)


def bodies(recordings: Path) -> list[tuple[str, str, dict[str, Any]]]:
    """Name, service and body of every recorded request that a server took."""
    paths = [path for folder in FOLDERS for path in sorted((recordings / folder).glob("*.request.json"))]
    paths += sorted((recordings / "transcripts").glob("openai_chat_*.request.json"))
    found = []
    for path in paths:
        expected = path.with_name(path.name.replace(".request.", ".expected."))
        body = json.loads(path.read_text())
        if "messages" in body and (not expected.exists() or json.loads(expected.read_text())["outcome"] == "ok"):
            found.append((f"{path.parent.name}/{path.name}", _service(path), body))
    return found


def _service(path: Path) -> str:
    name = path.name.removeprefix("openai_chat_").partition("_")[0]
    if path.parent.name not in ("transcripts", "other_compatible"):
        name = "openai" if path.parent.name == "openai_chat" else path.parent.name
    return {"moonshotai": "moonshot", "other-localhost-8080": "llamacpp"}.get(name, name)


def dialect_for(service: str, body: dict[str, Any]) -> Dialect:
    """As the provider speaks: reasoning goes back to an unknown server in the field that it came in."""
    dialect = dialect_of(service)
    if dialect.reasoning_back == "by_model":
        for name in ("reasoning_content", "reasoning"):
            if any(message.get(name) for message in body["messages"]):
                return replace(dialect, reasoning_back=name)
    return dialect


def request_of(said: Conversation, messages: list[Message] | None = None, **fields: Any) -> ChatRequest:
    given = said.messages if messages is None else messages
    transcript = build(given, limits=ALL, system=said.system, provider=PROVIDER, model=said.model)
    return ChatRequest(
        model=said.model,
        provider=PROVIDER,
        turns=transcript.turns,
        system=transcript.system,
        tools=said.tools,
        limits=ALL,
        attachments=said.attachments,
        **fields,
    )


def test_recorded_requests_say_the_same_after_a_round_trip(recordings: Path) -> None:
    wrong = []
    found = bodies(recordings)
    for name, service, body in found:
        dialect = dialect_for(service, body)
        choice = normal(body)["choice"]
        ours = build_body(request_of(read_body(body), tool_choice=choice), dialect)
        if normal(ours) != normal(body):
            wrong.append(f"{name}:\n{json.dumps(normal(ours))[:3000]}\ninstead of\n{json.dumps(normal(body))[:3000]}")
        wrong += [f"{name}: {fault}" for fault in judge("openai_chat", ours, service)]
    assert not wrong, "\n".join(wrong)
    assert len(found) > 60


def test_recorded_requests_pass_in_the_strict_form_of_no_service(recordings: Path) -> None:
    wrong = []
    for name, service, body in bodies(recordings):
        said = read_body(body)
        known = service if dialect_of(service) != Dialect() else "vllm"  # any server that takes reasoning back
        own, others = request_of(said), replace(request_of(said), provider="other")
        wrong += [f"{name}: {fault}" for fault in judge("openai_chat", build_body(own), known)]
        wrong += [f"{name}: {fault}" for fault in judge("openai_chat", build_body(others), known)]
    assert not wrong, "\n".join(wrong)


def test_what_was_refused_is_never_built(recordings: Path) -> None:
    refused = sorted((recordings / "refused").glob("openai-chat-*.request.json"))
    for path in refused:
        body = json.loads(path.read_text())
        if not isinstance(body.get("messages"), list):
            body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
        ours = build_body(request_of(read_body(body)), dialect_of(path.name.split("-")[2]))
        assert judge("openai_chat", ours, path.name.split("-")[2]) == [], path.name
    assert refused


def test_every_recorded_answer_can_be_sent_back(recordings: Path) -> None:
    """An answer, with results for its calls, and the request with it is one that its server takes."""
    wrong = []
    for folder in FOLDERS:
        for path in sorted((recordings / folder).glob("*.expected.json")):
            expected = json.loads(path.read_text())
            stem = path.name.removesuffix(".expected.json")
            if expected["outcome"] not in ("ok", "stream_error"):
                continue
            answer = next(
                p for p in path.parent.glob(f"{stem}.*") if p.name in (f"{stem}.sse", f"{stem}.response.json")
            )
            decoder = StreamDecoder()
            reply = fold([*decoder.feed(answer.read_bytes()), *decoder.close()], provider=PROVIDER)
            results: list[Message] = [
                ToolResultMessage(call_id=call.call_id, tool_name=call.tool_name, status="success", output_text="ok")
                for call in reply.tool_calls
            ]
            service = _service(path)
            dialect = dialect_of(service)
            if dialect.reasoning_back == "by_model" and decoder.reasoning_field:
                dialect = replace(dialect, reasoning_back=decoder.reasoning_field)
            said = Conversation(reply.model, "Be brief.")
            messages = [
                UserMessage(parts=(TextPart(text="Hello"),)),
                reply,
                *results,
                UserMessage(parts=(TextPart(text="Go on."),)),
            ]
            ours = build_body(request_of(said, messages), dialect)
            wrong += [f"{folder}/{stem}: {fault}" for fault in judge("openai_chat", ours, service)]
            if expected["thinking"]["text"] and results and dialect.reasoning_back != "":
                keys = ("reasoning", "reasoning_content", "reasoning_details")
                kept = any(message.get(key) for message in ours["messages"] for key in keys)
                kept = kept or any(isinstance(message.get("content"), list) for message in ours["messages"])
                if not kept:
                    wrong.append(f"{folder}/{stem}: its reasoning did not go back")
    assert not wrong, "\n".join(wrong)
