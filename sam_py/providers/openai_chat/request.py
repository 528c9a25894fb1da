"""From a `ChatRequest` to the JSON body of Chat Completions. Pure: reads nothing but its arguments.

Never written: an explicit null, an empty or blank text part, an empty list, a key of another vendor.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

from sam_py.errors import SamError
from sam_py.messages.builder import mend_surrogates
from sam_py.messages.parts import (
    CodePart,
    FilePart,
    ImagePart,
    TextPart,
    ThinkingSignaturePart,
    ThinkingTextPart,
    ToolCallPart,
    UnknownPart,
)
from sam_py.messages.turn import ToolResultPart, Turn, TurnPart
from sam_py.providers.base import ChatRequest
from sam_py.providers.ids import wire_id
from sam_py.providers.model_names import is_openai_reasoning_model
from sam_py.providers.openai_chat.dialect import Dialect

_EMPTY_RESULT = "(no output)"
_UNREADABLE = "invalid_arguments"
"""The key under which arguments go back that were no JSON object: servers refuse them, the model may read them."""


def build_body(request: ChatRequest, dialect: Dialect | None = None) -> dict[str, Any]:
    """Return the body of ``POST {base}/chat/completions``.

    Raises `SamError` where an attachment's bytes are missing, ValueError for a part that has no place here.
    """
    dialect = dialect or Dialect()
    body: dict[str, Any] = {"model": request.model, "messages": list(_messages(request, dialect))}
    if request.stream:
        body["stream"] = True
        if dialect.stream_usage:
            body["stream_options"] = {"include_usage": True}
    samples = not (dialect.max_tokens_key == "max_completion_tokens" and is_openai_reasoning_model(request.model))
    if request.temperature is not None and samples:
        body["temperature"] = request.temperature
    if request.max_tokens is not None:
        body[dialect.max_tokens_key] = request.max_tokens
    if request.reasoning_effort:
        match dialect.reasoning_request:
            case "effort":
                body["reasoning_effort"] = request.reasoning_effort
            case "openrouter":
                body["reasoning"] = {"effort": request.reasoning_effort}
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    **({"description": tool.description} if tool.description.strip() else {}),
                    "parameters": dict(tool.parameters) or {"type": "object", "properties": {}},
                },
            }
            for tool in request.tools
        ]
        if request.tool_choice != "auto":
            choice = dialect.required_choice if request.tool_choice == "required" else request.tool_choice
            body["tool_choice"] = choice
    body.update({key: value for key, value in request.extra.items() if value is not None})
    return body


def _messages(request: ChatRequest, dialect: Dialect) -> Iterator[dict[str, Any]]:
    if request.system.strip():
        yield {"role": dialect.system_role, "content": mend_surrogates(request.system)}
    for turn in request.turns:
        if turn.role == "assistant":
            message = _assistant(turn, dialect)
            if message is not None:
                yield message
        else:
            yield from _user(turn, request, dialect)


def _user(turn: Turn, request: ChatRequest, dialect: Dialect) -> Iterator[dict[str, Any]]:
    """One message per tool result first, directly behind their calls; then what the person said.

    A tool message takes text alone, so pictures and files of results follow in the user's message.
    """
    content: list[dict[str, Any]] = []
    for part in turn.parts:
        if not isinstance(part, ToolResultPart):
            continue
        text = mend_surrogates(part.text) if part.text.strip() else _EMPTY_RESULT
        texts, shown = _result_parts(part, request, dialect)
        yield {
            "role": "tool",
            "tool_call_id": wire_id(part.call_id, dialect.ids),
            "content": "\n\n".join([text, *texts]),
        }
        if shown:
            content += [_text_part(f"From the result of {part.tool_name}:"), *shown]
    content += [
        rendered
        for part in turn.parts
        if not isinstance(part, ToolResultPart)
        for rendered in _content(part, request, dialect)
    ]
    if not content:
        return
    if all(part["type"] == "text" for part in content):
        # Many servers take text alone as a string only; several texts are told apart by a blank line.
        yield {"role": "user", "content": "\n\n".join(part["text"] for part in content)}
    else:
        yield {"role": "user", "content": content}


def _result_parts(
    result: ToolResultPart, request: ChatRequest, dialect: Dialect
) -> tuple[list[str], list[dict[str, Any]]]:
    """The parts of a result: what is text, and what has to go into a user message."""
    rendered = [piece for part in result.parts for piece in _content(part, request, dialect)]
    texts = [piece["text"] for piece in rendered if piece["type"] == "text"]
    return texts, [piece for piece in rendered if piece["type"] != "text"]


def _assistant(turn: Turn, dialect: Dialect) -> dict[str, Any] | None:
    """An assistant turn as one message; None where nothing of it can be said here (thinking alone)."""
    texts: list[str] = []
    calls: list[dict[str, Any]] = []
    for part in turn.parts:
        match part:
            case TextPart():
                if part.text.strip():
                    texts.append(mend_surrogates(part.text))
            case CodePart():
                texts.append(_fenced(part))
            case ImagePart():
                texts.append(_described(part))  # no assistant message of this API holds a picture
            case ToolCallPart():
                calls.append(_call(part, dialect))
            case ThinkingTextPart() | ThinkingSignaturePart():
                pass
            case _:
                raise ValueError(f"an assistant turn cannot hold a {part.kind} part here")
    if not texts and not calls:
        return None
    message: dict[str, Any] = {"role": "assistant"}
    if texts:
        message["content"] = "".join(texts)
    if calls:
        message["tool_calls"] = calls
    if turn.provider == dialect.provider_id:
        _add_reasoning(message, turn, dialect)
    return message


def _add_reasoning(message: dict[str, Any], turn: Turn, dialect: Dialect) -> None:
    """Give the service its own reasoning back, in the field that it came in."""
    text = mend_surrogates("".join(part.text for part in turn.parts if isinstance(part, ThinkingTextPart)))
    match dialect.reasoning_back:
        case "reasoning" | "reasoning_content" if text.strip():
            message[dialect.reasoning_back] = text
        case "thinking_list" if text.strip():
            said = message.get("content")
            message["content"] = [
                {"type": "thinking", "thinking": [{"type": "text", "text": text}]},
                *([{"type": "text", "text": said}] if said else []),
            ]
        case "reasoning_details":
            details = [
                detail
                for part in turn.parts
                if isinstance(part, ThinkingSignaturePart) and part.provider == dialect.provider_id
                for detail in _details(part.signature)
            ]
            if details:
                message["reasoning_details"] = details


def _details(signature: str) -> list[dict[str, Any]]:
    try:
        value = json.loads(signature)
    except ValueError:
        return []
    return [detail for detail in value if isinstance(detail, dict)] if isinstance(value, list) else []


def _call(part: ToolCallPart, dialect: Dialect) -> dict[str, Any]:
    return {
        "id": wire_id(part.call_id, dialect.ids),
        "type": "function",
        "function": {"name": part.tool_name, "arguments": _arguments(part.arguments_json)},
    }


def _arguments(text: str) -> str:
    """The arguments as the text of a JSON object, which is all that strict servers take."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return json.dumps({_UNREADABLE: mend_surrogates(text)}, ensure_ascii=False) if text.strip() else "{}"
    if value is None:
        return "{}"
    return text if isinstance(value, dict) else json.dumps({_UNREADABLE: value}, ensure_ascii=False)


def _content(part: TurnPart, request: ChatRequest, dialect: Dialect) -> Iterator[dict[str, Any]]:
    """One part of a user's say as content parts: none where it is blank."""
    match part:
        case TextPart():
            if part.text.strip():
                yield _text_part(part.text)
        case CodePart():
            yield _text_part(_fenced(part))
        case ImagePart():
            yield _image(part, request)
        case FilePart():
            yield _file(part, request, dialect)
        case UnknownPart():
            raise ValueError(f"a {part.kind!r} part has no form in Chat Completions")
        case _:
            raise ValueError(f"a user turn cannot hold a {part.kind} part")


def _text_part(text: str) -> dict[str, Any]:
    return {"type": "text", "text": mend_surrogates(text)}


def _fenced(part: CodePart) -> str:
    """Code as a fenced block whose fence is longer than any inside it."""
    fence = "```"
    while fence in part.code:
        fence += "`"
    title = f"{part.filename}:\n" if part.filename else ""
    return f"{title}{fence}{part.language}\n{part.code.rstrip()}\n{fence}\n"


def _image(part: ImagePart, request: ChatRequest) -> dict[str, Any]:
    if not request.limits.images:
        return _text_part(_described(part))
    if part.attachment is not None:
        url = _data_url(_bytes_of(part.attachment, part.alt or "an image", request), part.mime_type)
    elif part.url:
        url = part.url
    else:
        return _text_part(_described(part))
    return {"type": "image_url", "image_url": {"url": url}}


def _described(part: ImagePart) -> str:
    return f"[Image: {part.alt}]" if part.alt.strip() else "[Image]"


def _file(part: FilePart, request: ChatRequest, dialect: Dialect) -> dict[str, Any]:
    """A PDF as the service wants it; text as text; anything else by its name."""
    if part.mime_type == "application/pdf" and dialect.pdf and request.limits.pdfs:
        url = _data_url(_bytes_of(part.attachment, part.filename, request), part.mime_type)
        if dialect.pdf == "document_url":
            return {"type": "document_url", "document_url": url}
        return {"type": "file", "file": {"filename": part.filename, "file_data": url}}
    if part.mime_type.startswith("text/") or part.mime_type in ("application/json", "application/xml"):
        text = _bytes_of(part.attachment, part.filename, request).decode("utf-8", "replace")
        return _text_part(_fenced(CodePart(code=text, filename=part.filename)))
    return _text_part(f"[File: {part.filename}, {part.mime_type}, {part.size} bytes; this model cannot read it]")


def _data_url(data: bytes, mime_type: str) -> str:
    return f"data:{mime_type};base64,{base64.b64encode(data).decode('ascii')}"


def _bytes_of(attachment: str, name: str, request: ChatRequest) -> bytes:
    data = request.attachments.get(attachment)
    if not data:
        raise SamError(f"The attachment “{name}” is missing on this machine. Attach it again or remove it.")
    return data
