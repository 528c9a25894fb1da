"""The judge of request bodies: everything that a provider would refuse, by its published rules and its SDK's types.

Written from the providers' side; shares no code with what builds bodies.

>>> [fault.code for fault in judge("ollama", {"model": "m", "messages": [{"role": "user", "content": "Hi"}]})]
[]
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.wire.anthropic_rules import anthropic_faults
from tests.wire.chat_rules import chat_faults
from tests.wire.extensions import forgiven, is_extension
from tests.wire.fault import Fault, Faults, utf8_faults
from tests.wire.gemini_rules import gemini_faults
from tests.wire.ollama_rules import ollama_faults
from tests.wire.responses_rules import responses_faults
from tests.wire.sdk_types import Mismatch, mismatches, model_faults

_Rules = Callable[[dict[str, Any], Faults, str], None]
_RULES: dict[str, _Rules] = {
    "openai_chat": chat_faults,
    "openai_responses": responses_faults,
    "anthropic": anthropic_faults,
    "gemini": gemini_faults,
    "ollama": ollama_faults,
}


def judge(wire: str, body: Any, dialect: str = "", *, model: str = "") -> list[Fault]:
    """All that is wrong with `body`. `dialect` is the service (a preset's name); empty: the wire's owner.

    `model` is needed for Gemini, which has it in the address.
    """
    faults = Faults()
    if not isinstance(body, dict):
        faults.add("sdk.type", "", "a body is an object")
        return faults.found
    utf8_faults(body, faults)
    match wire:
        case "gemini":
            _gemini_types(body, faults)
            gemini_faults(body, faults, model)
        case "ollama":
            _ollama_types(body, faults)
            ollama_faults(body, faults)
        case _:
            _typed_dicts(wire, body, faults, dialect)
            _RULES[wire](body, faults, dialect)
    return faults.found


def refusals(wire: str, body: Any, dialect: str = "", *, model: str = "") -> list[Fault]:
    """What of it a server refuses; the rest it forgives."""
    return [fault for fault in judge(wire, body, dialect, model=model) if not fault.strict]


def _typed_dicts(wire: str, body: dict[str, Any], faults: Faults, dialect: str) -> None:
    if wire == "openai_responses" and isinstance(body.get("input"), list):
        body = {**body, "input": [_with_id(item) for item in body["input"]]}
    for found in mismatches(body, _request_type(wire, bool(body.get("stream")))):
        if not is_extension(wire, found.kind, found.path, dialect):
            strict = _is_null(body, found) or forgiven(wire, found.kind, found.path)
            faults.add(f"sdk.{found.kind}", found.path, found.text, strict=strict)


def _with_id(item: Any) -> Any:
    """An assistant's message with the id and status that its type wants and a stateless request has none of."""
    if not isinstance(item, dict) or item.get("role") != "assistant" or not isinstance(item.get("content"), list):
        return item
    return {"type": "message", "id": "msg_1", "status": "completed", **item}


def _is_null(body: Any, found: Mismatch) -> bool:
    """Servers read an explicit null as an absent key; ours are never sent."""
    value = body
    for step in found.path.split("."):
        if isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        elif isinstance(value, dict) and step in value:
            value = value[step]
        else:
            return False
    return value is None


def _request_type(wire: str, stream: bool) -> Any:
    match wire:
        case "openai_chat":
            from openai.types.chat import completion_create_params as chat

            return chat.CompletionCreateParamsStreaming if stream else chat.CompletionCreateParamsNonStreaming
        case "openai_responses":
            from openai.types.responses import response_create_params as responses

            return responses.ResponseCreateParamsStreaming if stream else responses.ResponseCreateParamsNonStreaming
        case "anthropic":
            from anthropic.types.beta import message_create_params as anthropic

            return anthropic.MessageCreateParamsStreaming if stream else anthropic.MessageCreateParamsNonStreaming
    raise ValueError(f"there is no wire {wire}")


_GEMINI_KEYS = {
    "contents",
    "systemInstruction",
    "tools",
    "toolConfig",
    "safetySettings",
    "generationConfig",
    "cachedContent",
    "labels",
    "model",
    "store",
    "serviceTier",
    "modelArmorConfig",
}


def _camel(key: str) -> str:
    return re.sub(r"_([a-z])", lambda match: match[1].upper(), key)


def _gemini_types(body: dict[str, Any], faults: Faults) -> None:
    from google.genai import types

    models = {
        "contents": types.Content,
        "systemInstruction": types.Content,
        "tools": types.Tool,
        "toolConfig": types.ToolConfig,
        "safetySettings": types.SafetySetting,
        "generationConfig": types.GenerationConfig,
    }
    for key, value in body.items():
        name = _camel(key)
        if name not in _GEMINI_KEYS:
            faults.add("sdk.unknown_key", key, "no key of GenerateContentRequest")
        if name in models and value is not None:
            for place, each in enumerate(value if isinstance(value, list) else [value]):
                model_faults(models[name], each, f"{key}.{place}" if isinstance(value, list) else key, faults)


_OLLAMA_MESSAGE_KEYS = {"role", "content", "thinking", "images", "tool_calls", "tool_name", "tool_call_id", "name"}
_OLLAMA_KEYS = {
    *("model", "messages", "tools", "stream", "format", "options", "keep_alive", "think"),
    *("logprobs", "top_logprobs", "truncate", "shift"),
}


def _ollama_types(body: dict[str, Any], faults: Faults) -> None:
    from ollama._types import ChatRequest, Message

    for key in body.keys() - _OLLAMA_KEYS:
        faults.add("sdk.unknown_key", key, "no key of ChatRequest")
    messages = body.get("messages")
    for place, message in enumerate(messages if isinstance(messages, list) else ()):
        if not isinstance(message, dict):
            faults.add("sdk.type", f"messages.{place}", "an object")
            continue
        for key in message.keys() - _OLLAMA_MESSAGE_KEYS:
            faults.add("sdk.unknown_key", f"messages.{place}.{key}", "no key of Message")
        plain = {key: value for key, value in message.items() if key != "images"}  # the SDK opens files there
        model_faults(Message, plain, f"messages.{place}", faults)
    model_faults(ChatRequest, {**body, "messages": []}, "body", faults)
