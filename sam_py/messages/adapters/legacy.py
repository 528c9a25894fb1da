"""Legacy dictionaries: ``{"content": …}`` and ``{"thought": …}``, with or without a role."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sam_py.messages.adapters.pydantic_ai import Keep, from_pydantic_ai, side_in
from sam_py.messages.adapters.side import SIDE, restored, side_of
from sam_py.messages.message import (
    AssistantMessage,
    DeveloperMessage,
    Message,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
)
from sam_py.messages.parts import ImagePart, Part, TextPart, ThinkingTextPart, ToolCallPart, UnknownPart

_ROLES = {"human": "user", "ai": "assistant", "model": "assistant", "bot": "assistant", "function": "tool"}


def from_any(forms: Iterable[Mapping[str, Any]], keep: Keep | None = None) -> list[Message]:
    """Messages from a list that may mix legacy dictionaries and pydantic-ai's ``request`` and ``response``."""
    messages: list[Message] = []
    for form in forms:
        is_foreign = form.get("kind") in ("request", "response")
        has_side = side_in(form) is not None if is_foreign else SIDE in form
        for message in from_pydantic_ai([form], keep) if is_foreign else [from_legacy(form)]:
            if not has_side and message.parent_id is None and messages:
                message = message.model_copy(update={"parent_id": messages[-1].id})
            messages.append(message)
    return messages


def from_legacy(form: Mapping[str, Any]) -> Message:
    """The message that a legacy dictionary means.

    A thought is the assistant's; content is the user's unless a role says otherwise. Raises
    ValueError where there is neither content, nor thought, nor a call.
    """
    read_back = _read(form)
    return restored(read_back, form.get(SIDE), lambda message: _content(message) == _content_of(form))


def to_legacy(message: Message) -> dict[str, Any]:
    """`message` as a legacy dictionary; what that cannot hold stands under ``sam``."""
    form = _content(message)
    return {**form, SIDE: side_of(message, _read(form))}


def _content(message: Message) -> dict[str, Any]:
    """What the form holds by itself. A reply that only thinks is a bare thought."""
    if isinstance(message, ToolResultMessage):
        call = {"tool_call_id": message.call_id, "name": message.tool_name}
        return {"role": "tool", "content": message.output_text, **call}
    if isinstance(message, AssistantMessage) and message.thinking:
        form = {"role": "assistant", "thought": message.thinking}
        return {**form, "content": message.text} if message.text else form
    return {"role": message.role, "content": message.text}


def _content_of(form: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in form.items() if key != SIDE}


def _read(form: Mapping[str, Any]) -> Message:
    content, thought, calls = form.get("content"), form.get("thought"), form.get("tool_calls")
    if content is None and not isinstance(thought, str) and not calls:
        raise ValueError(f"neither content nor thought in a message with the keys {sorted(map(str, form))}")
    role = str(form.get("role") or ("assistant" if isinstance(thought, str) else "user"))
    role = _ROLES.get(role, role)
    parts = tuple(_parts(content))
    if role == "assistant":
        thinking: tuple[Part, ...] = (ThinkingTextPart(text=thought),) if isinstance(thought, str) else ()
        return AssistantMessage(parts=(*thinking, *parts, *_calls(calls)))
    if role == "tool":
        text = "".join(part.text for part in parts if isinstance(part, TextPart))
        return ToolResultMessage(
            call_id=str(form.get("tool_call_id") or ""),
            tool_name=str(form.get("name") or ""),
            status="success",
            output_text=text,
            parts=tuple(part for part in parts if not isinstance(part, TextPart)),
        )
    texts = tuple(part for part in parts if isinstance(part, TextPart))
    if role == "system":
        return SystemMessage(parts=texts)
    if role == "developer":
        return DeveloperMessage(parts=texts)
    return UserMessage(parts=parts)


def _parts(content: object) -> Iterable[Part]:
    """Content as text, or as a list of text and pictures; what is unknown is kept whole."""
    if isinstance(content, str):
        return [TextPart(text=content)] if content else []
    if not isinstance(content, list):
        return [] if content is None else [UnknownPart.model_validate({"kind": "legacy", "value": content})]
    parts: list[Part] = []
    for piece in content:
        match piece:
            case str():
                parts.append(TextPart(text=piece))
            case {"type": "text", "text": str(text)}:
                parts.append(TextPart(text=text))
            case {"type": "image_url", "image_url": {"url": str(url)} | str(url)}:
                parts.append(ImagePart(url=url))
            case _:
                parts.append(UnknownPart.model_validate({"kind": "legacy", "value": piece}))
    return parts


def _calls(calls: object) -> Iterable[ToolCallPart]:
    for call in calls if isinstance(calls, list) else ():
        match call:
            case {"id": str(call_id), "function": {"name": str(name), "arguments": str(arguments)}}:
                yield ToolCallPart(call_id=call_id, tool_name=name, arguments_json=arguments)
            case _:
                raise ValueError(f"a tool call that cannot be read: {str(call)[:200]}")
