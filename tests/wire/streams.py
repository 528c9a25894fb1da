"""Answers as each wire streams them, written here after the protocols: thinking that is signed, calls, text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

SIGNATURE = "c2lnbmVkIGJ5IHRoZSBzZXJ2aWNl"
"""What every service signs its thinking with; each answer's own by its number."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the service says: `number` tells answers of one conversation apart; `calls` are (name, arguments)."""

    number: int
    thinking: str
    text: str = ""
    calls: Sequence[tuple[str, dict[str, Any]]] = ()

    @property
    def signature(self) -> str:
        return f"{SIGNATURE}{self.number:04d}"

    def call_id(self, place: int) -> str:
        return f"call_{self.number}_{place}"


def _sse(events: Iterable[Any], *, named: bool = False, end: str = "", line: str = "\n") -> bytes:
    lines = []
    for event in events:
        name = f"event: {event['type']}{line}" if named else ""
        lines.append(f"{name}data: {json.dumps(event, ensure_ascii=False)}{line}{line}")
    return ("".join(lines) + end).encode()


def _halves(text: str) -> tuple[str, str]:
    return text[: len(text) // 2], text[len(text) // 2 :]


def _chat(answer: Answer, thought: Callable[[str], dict[str, Any]], last: dict[str, Any] | None = None) -> bytes:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [thought(half) for half in _halves(answer.thinking)]
    deltas += [last] if last else []
    deltas += [{"content": half} for half in _halves(answer.text) if half]
    for place, (name, arguments) in enumerate(answer.calls):
        call = {"index": place, "id": answer.call_id(place), "type": "function"}
        deltas.append({"tool_calls": [{**call, "function": {"name": name, "arguments": ""}}]})
        deltas += [
            {"tool_calls": [{"index": place, "function": {"arguments": half}}]}
            for half in _halves(json.dumps(arguments))
        ]
    chunks = [_chunk(answer, delta, None) for delta in deltas]
    chunks.append(_chunk(answer, {}, "tool_calls" if answer.calls else "stop"))
    chunks.append({**_chunk(answer, {}, None), "choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 7}})
    return _sse(chunks, end="data: [DONE]\n\n")


def _chunk(answer: Answer, delta: dict[str, Any], reason: str | None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return {"id": f"gen-{answer.number}", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}


def deepseek(answer: Answer) -> bytes:
    return _chat(answer, lambda text: {"reasoning_content": text})


def openrouter(answer: Answer) -> bytes:
    def thought(text: str) -> dict[str, Any]:
        detail = {"type": "reasoning.text", "text": text, "index": 0, "format": "anthropic-claude-v1"}
        return {"reasoning": text, "reasoning_details": [detail]}

    signed = {"type": "reasoning.text", "signature": answer.signature, "index": 0, "format": "anthropic-claude-v1"}
    return _chat(answer, thought, {"reasoning_details": [signed]})


def anthropic(answer: Answer) -> bytes:
    usage = {"input_tokens": 9, "output_tokens": 1}
    message = {"id": f"msg_{answer.number}", "type": "message", "role": "assistant", "model": "m", "content": []}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {**message, "usage": usage}}]

    def block(start: dict[str, Any], deltas: list[dict[str, Any]]) -> None:
        index = sum(event["type"] == "content_block_start" for event in events)
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        events.extend({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas)
        events.append({"type": "content_block_stop", "index": index})

    thoughts = [{"type": "thinking_delta", "thinking": half} for half in _halves(answer.thinking)]
    signed = {"type": "signature_delta", "signature": answer.signature}
    block({"type": "thinking", "thinking": "", "signature": ""}, [*thoughts, signed])
    if answer.text:
        block({"type": "text", "text": ""}, [{"type": "text_delta", "text": half} for half in _halves(answer.text)])
    for place, (name, arguments) in enumerate(answer.calls):
        pieces = [{"type": "input_json_delta", "partial_json": half} for half in _halves(json.dumps(arguments))]
        block({"type": "tool_use", "id": answer.call_id(place), "name": name, "input": {}}, pieces)
    reason = "tool_use" if answer.calls else "end_turn"
    events.append({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 7}})
    events.append({"type": "message_stop"})
    return _sse(events, named=True)


def openai_responses(answer: Answer) -> bytes:
    summary = [{"type": "summary_text", "text": answer.thinking}]
    reasoning: dict[str, Any] = {"type": "reasoning", "id": f"rs_{answer.number}", "summary": []}
    items = [{**reasoning, "summary": summary, "encrypted_content": answer.signature}]
    response = {"id": f"resp_{answer.number}", "object": "response", "model": "m", "output": []}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {**response, "status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**reasoning, "encrypted_content": ""}},
        *(
            {
                "type": "response.reasoning_summary_text.delta",
                "item_id": reasoning["id"],
                "output_index": 0,
                "summary_index": 0,
                "delta": half,
            }
            for half in _halves(answer.thinking)
        ),
        {"type": "response.output_item.done", "output_index": 0, "item": items[0]},
    ]
    if answer.text:
        message = {"type": "message", "id": f"msg_{answer.number}", "role": "assistant", "status": "completed"}
        at = {"item_id": message["id"], "output_index": 1, "content_index": 0}
        said = {"type": "output_text", "text": answer.text, "annotations": []}
        items.append({**message, "content": [said]})
        events.append({"type": "response.output_item.added", "output_index": 1, "item": {**message, "content": []}})
        events.append({"type": "response.content_part.added", **at, "part": {**said, "text": ""}})
        events += [{"type": "response.output_text.delta", **at, "delta": half} for half in _halves(answer.text)]
        events.append({"type": "response.output_text.done", **at, "text": answer.text})
        events.append({"type": "response.output_item.done", "output_index": 1, "item": items[-1]})
    for place, (name, arguments) in enumerate(answer.calls):
        index, text = len(items), json.dumps(arguments)
        call = {
            "type": "function_call",
            "id": f"fc_{answer.number}_{place}",
            "call_id": answer.call_id(place),
            "name": name,
        }
        at = {"item_id": call["id"], "output_index": index}
        items.append({**call, "arguments": text, "status": "completed"})
        events.append({"type": "response.output_item.added", "output_index": index, "item": {**call, "arguments": ""}})
        events += [{"type": "response.function_call_arguments.delta", **at, "delta": half} for half in _halves(text)]
        events.append({"type": "response.function_call_arguments.done", **at, "arguments": text})
        events.append({"type": "response.output_item.done", "output_index": index, "item": items[-1]})
    usage = {"input_tokens": 9, "output_tokens": 7, "total_tokens": 16}
    done = {**response, "status": "completed", "output": items, "usage": usage}
    events.append({"type": "response.completed", "response": done})
    return _sse(events, named=True)


def gemini(answer: Answer) -> bytes:
    parts: list[dict[str, Any]] = [{"text": half, "thought": True} for half in _halves(answer.thinking)]
    parts += [{"text": half} for half in _halves(answer.text) if half]
    for place, (name, arguments) in enumerate(answer.calls):
        signed = {"thoughtSignature": answer.signature} if place == 0 else {}
        parts.append({"functionCall": {"name": name, "args": arguments}, **signed})
    if not answer.calls:
        parts.append({"text": "", "thoughtSignature": answer.signature})
    chunks: list[dict[str, Any]] = [
        {"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}], "modelVersion": "m"}
        for part in parts
    ]
    chunks[-1]["candidates"][0]["finishReason"] = "STOP"
    chunks[-1]["usageMetadata"] = {"promptTokenCount": 9, "candidatesTokenCount": 7, "totalTokenCount": 16}
    return _sse(chunks, line="\r\n")


def ollama(answer: Answer) -> bytes:
    messages: list[dict[str, Any]] = [{"content": "", "thinking": half} for half in _halves(answer.thinking)]
    messages += [{"content": half} for half in _halves(answer.text) if half]
    if answer.calls:
        calls = [
            {"function": {"index": place, "name": name, "arguments": arguments}}
            for place, (name, arguments) in enumerate(answer.calls)
        ]
        messages.append({"content": "", "tool_calls": calls})
    lines = [{"model": "m", "message": {"role": "assistant", **message}, "done": False} for message in messages]
    end = {"done": True, "done_reason": "stop", "prompt_eval_count": 9, "eval_count": 7}
    lines.append({"model": "m", "message": {"role": "assistant", "content": ""}, **end})
    return "".join(f"{json.dumps(line)}\n" for line in lines).encode()


STREAMS: dict[tuple[str, str], Callable[[Answer], bytes]] = {
    ("openai_chat", "deepseek"): deepseek,
    ("openai_chat", "openrouter"): openrouter,
    ("openai_responses", "openai"): openai_responses,
    ("anthropic", "anthropic"): anthropic,
    ("gemini", "gemini"): gemini,
    ("ollama", "ollama"): ollama,
}
"""(wire, service) → how it streams an answer."""
SIGNS = frozenset(
    {("openai_chat", "openrouter"), ("openai_responses", "openai"), ("anthropic", "anthropic"), ("gemini", "gemini")}
)
"""Those whose answers carry a signature that has to come back as it was."""
