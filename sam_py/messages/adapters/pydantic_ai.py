"""pydantic-ai's message JSON: ``{"kind": "request" | "response", "parts": [{"part_kind": …}]}``.

Each of our messages becomes one request or response. What that form cannot hold stands under
``metadata.sam``, a field that pydantic-ai keeps and never sends.
Source: https://ai.pydantic.dev/api/messages/
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from sam_py.messages.adapters.side import SIDE, restored, side_of
from sam_py.messages.message import (
    AssistantMessage,
    DeveloperMessage,
    Message,
    StopReason,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
)
from sam_py.messages.parts import (
    CodePart,
    FilePart,
    ImagePart,
    Part,
    TextPart,
    ThinkingSignaturePart,
    ThinkingTextPart,
    ToolCallPart,
    UnknownPart,
)
from sam_py.messages.usage import Usage

Form = Mapping[str, Any]
Keep = Callable[[bytes, str], str]
"""Keeps the bytes of a picture or file with their MIME type and returns their attachment's hash."""
Read = Callable[[str], bytes]
"""Returns the bytes of an attachment."""

FOREIGN = "pydantic_ai"
"""The kind of an unknown part that holds a part of pydantic-ai which we have none for."""
_ATTACHED = "attachment:"
"""The address of an attachment whose bytes are not written out."""
_STOP: dict[str, StopReason] = {
    "stop": "stop",
    "length": "length",
    "content_filter": "content_filter",
    "tool_call": "tool_use",
    "error": "error",
}
_READ = frozenset(
    [
        "kind",
        "parts",
        "usage",
        "model_name",
        "provider_name",
        "provider_response_id",
        "vendor_id",
        "finish_reason",
        "timestamp",
        "metadata",
    ]
)
_READ_OF_PART = frozenset(
    ["part_kind", "content", "tool_name", "tool_call_id", "args", "timestamp", "signature", "provider_name"]
)
_PARTS = frozenset(
    ["system-prompt", "user-prompt", "tool-return", "retry-prompt", "text", "thinking", "tool-call", "file"]
)
_PIECES = frozenset(["image-url", "binary", "text", "text-content"])
_READ_OF_PIECE = frozenset(["kind", "url", "media_type", "data", "identifier", "content"])
_OF_PARTS = "of_parts"
"""In `FOREIGN`: what parts said beside what we read, by their place; kept, and not written again."""
_FINISH = {ours: theirs for theirs, ours in _STOP.items()}


def to_pydantic_ai(messages: Iterable[Message], read: Read | None = None) -> list[dict[str, Any]]:
    """`messages` as pydantic-ai writes them. With `read`, pictures and files carry their bytes (base64)."""
    return [_written(message, read) for message in messages]


def from_pydantic_ai(forms: Iterable[Form], keep: Keep | None = None) -> list[Message]:
    """The messages in pydantic-ai's JSON, each below the one before unless the form says otherwise.

    A request becomes a message for each role that it has parts of. Without `keep`, pictures and files
    with bytes stay unknown parts. Raises ValueError where a form has no known kind or no parts.
    """
    messages: list[Message] = []
    for form in forms:
        side = side_in(form)
        for message in _read(form, keep):
            if side is None and messages:
                message = message.model_copy(update={"parent_id": messages[-1].id})
            messages.append(message)
    return messages


def _written(message: Message, read: Read | None) -> dict[str, Any]:
    rest = (message.model_extra or {}).get(FOREIGN)
    kept = {key: value for key, value in rest.items() if key != _OF_PARTS} if isinstance(rest, dict) else {}
    form = {**_bare(message, read), **kept}
    (read_back,) = _read(form, lambda data, mime: "")
    return {**form, "metadata": {**form.get("metadata", {}), SIDE: side_of(message, read_back)}}


def _bare(message: Message, read: Read | None) -> dict[str, Any]:
    """What the form holds by itself."""
    at = message.created_at.isoformat()
    part: dict[str, Any]
    match message:
        case AssistantMessage():
            return {
                "kind": "response",
                "parts": list(_response_parts(message.parts, read)),
                "usage": _usage_written(message.usage),
                "model_name": message.model or None,
                "provider_name": message.provider or None,
                "provider_response_id": message.response_id,
                "finish_reason": _FINISH.get(message.stop_reason) if message.stop_reason else None,
                "timestamp": at,
            }
        case ToolResultMessage():
            part = {
                "part_kind": "tool-return" if message.status == "success" else "retry-prompt",
                "tool_name": message.tool_name,
                "tool_call_id": message.call_id,
                "content": message.output_text,
                "timestamp": at,
            }
        case SystemMessage() | DeveloperMessage():
            part = {"part_kind": "system-prompt", "content": message.text, "timestamp": at}
        case UserMessage():
            items = [_item(each, read) for each in message.parts]
            one_text = len(items) == 1 and isinstance(message.parts[0], TextPart)
            part = {"part_kind": "user-prompt", "content": items[0] if one_text else items, "timestamp": at}
    return {"kind": "request", "parts": [part]}


def _item(part: Part, read: Read | None) -> Any:
    """One piece of a user prompt."""
    match part:
        case TextPart():
            return part.text
        case CodePart():
            return f"```{part.language}\n{part.code}\n```"
        case ImagePart() | FilePart():
            if part.attachment and read is not None:
                data = base64.b64encode(read(part.attachment)).decode()
                return {"kind": "binary", "data": data, "media_type": part.mime_type, "identifier": part.attachment}
            url = (part.url or "") if isinstance(part, ImagePart) else ""
            if part.attachment:
                url = f"{_ATTACHED}{part.attachment}"
            kind = "image-url" if isinstance(part, ImagePart) else "document-url"
            return {"kind": kind, "url": url, "media_type": part.mime_type}
        case UnknownPart():
            return _foreign_of(part)
        case _:
            raise ValueError(f"a {part.kind} part in a message of the user")


def _response_parts(parts: Iterable[Part], read: Read | None) -> Iterator[dict[str, Any]]:
    """A signature joins the thinking right before it, as there it is one part."""
    thinking: dict[str, Any] | None = None
    for part in parts:
        if isinstance(part, ThinkingSignaturePart):
            signed = {"signature": part.signature, "provider_name": part.provider}
            if thinking is not None:
                thinking.update(signed)
                yield thinking
                thinking = None
            else:
                yield {"part_kind": "thinking", "content": "", **signed}
            continue
        if thinking is not None:
            yield thinking
            thinking = None
        match part:
            case ThinkingTextPart():
                thinking = {"part_kind": "thinking", "content": part.text}
            case TextPart():
                yield {"part_kind": "text", "content": part.text}
            case ToolCallPart():
                yield {
                    "part_kind": "tool-call",
                    "tool_name": part.tool_name,
                    "args": part.arguments_json,
                    "tool_call_id": part.call_id,
                }
            case ImagePart():
                yield {"part_kind": "file", "content": _item(part, read)}
            case CodePart():
                yield {"part_kind": "text", "content": _item(part, read)}
            case UnknownPart():
                yield _foreign_of(part)
            case _:
                raise ValueError(f"a {part.kind} part in a reply")
    if thinking is not None:
        yield thinking


def _foreign_of(part: UnknownPart) -> dict[str, Any]:
    """A foreign part goes out as it came; another unknown one whole under a kind of ours."""
    whole = part.model_dump(mode="json")
    foreign = whole.get("value")
    if part.kind == FOREIGN and isinstance(foreign, dict):
        return foreign
    return {"part_kind": SIDE, "kind": SIDE, "value": whole}


def _read(form: Form, keep: Keep | None) -> list[Message]:
    kind, parts = form.get("kind"), form.get("parts")
    if kind not in ("request", "response") or not isinstance(parts, list):
        raise ValueError(f"not a message of pydantic-ai: kind {kind!r}, keys {sorted(map(str, form))}")
    side = side_in(form)
    messages: list[Message] = [_response(form, keep)] if kind == "response" else list(_request(parts, keep))
    groups = [parts] if kind == "response" else [[part] for part in parts]
    for place, (message, of_message) in enumerate(zip(messages, groups, strict=True)):
        left = _left(of_message)
        rest = {**(_rest(form) if place == 0 else {}), **({_OF_PARTS: left} if left else {})}
        if rest:
            messages[place] = message.model_copy(update={FOREIGN: rest})
    if side is None or len(messages) != 1:
        return messages
    return [restored(messages[0], side, lambda message: _says_the_same(message, form))]


def _rest(form: Form) -> dict[str, Any]:
    """What a form says beside what we read: kept as an extra field of the message and written again."""
    rest = {key: value for key, value in form.items() if key not in _READ}
    metadata = form.get("metadata")
    others = {key: value for key, value in metadata.items() if key != SIDE} if isinstance(metadata, dict) else {}
    return {**rest, "metadata": others} if others else rest


def _left(parts: list[Any]) -> dict[str, Any]:
    """What known parts, and known pieces of a prompt, say beside what we read, by their place."""
    found: dict[str, Any] = {}
    for place, part in enumerate(parts):
        if not isinstance(part, dict) or part.get("part_kind") not in _PARTS:
            continue
        content = part.get("content")
        pieces = content if isinstance(content, list) else [content]
        said = {str(place): (part, _READ_OF_PART)}
        for number, piece in enumerate(pieces):
            if isinstance(piece, dict) and piece.get("kind") in _PIECES:
                said[f"{place}.{number}"] = (piece, _READ_OF_PIECE)
        for where, (form, read) in said.items():
            left = {key: value for key, value in form.items() if key not in read and value not in (None, "", [], {})}
            if left:
                found[where] = left
    return found


def _says_the_same(message: Message, form: Form) -> bool:
    """True where nobody changed the form's content since `message` was written to it; bytes aside."""
    return [_without_bytes(part) for part in _bare(message, None)["parts"]] == [
        _without_bytes(part) for part in form["parts"]
    ]


def _without_bytes(value: Any) -> Any:
    """`value` with attachments, in whatever form, reduced to their MIME type; times left out."""
    if isinstance(value, list):
        return [_without_bytes(each) for each in value]
    if not isinstance(value, dict):
        return value
    if value.get("kind") == "binary" or str(value.get("url", "")).startswith(_ATTACHED):
        return {"media_type": value.get("media_type")}
    return {key: _without_bytes(each) for key, each in value.items() if key != "timestamp"}


def side_in(form: Form) -> object:
    """The side field of a form, None where it has none."""
    metadata = form.get("metadata")
    return metadata.get(SIDE) if isinstance(metadata, dict) else None


def _request(parts: list[Any], keep: Keep | None) -> Iterator[Message]:
    for part in parts:
        kind = part.get("part_kind") if isinstance(part, dict) else None
        content = part.get("content") if isinstance(part, dict) else None
        match kind:
            case "system-prompt":
                yield SystemMessage(parts=_texts(content), **_created(part))
            case "user-prompt":
                yield UserMessage(parts=tuple(_items(content, keep)), **_created(part))
            case "tool-return":
                yield _tool_result(part, "success")
            case "retry-prompt":
                if part.get("tool_name"):
                    yield _tool_result(part, "error")
                else:
                    yield UserMessage(parts=_texts(content), **_created(part))
            case _:
                yield UserMessage(parts=(_foreign(part),))


def _response(form: Form, keep: Keep | None) -> AssistantMessage:
    provider, model = str(form.get("provider_name") or ""), str(form.get("model_name") or "")
    parts: list[Part] = []
    for part in form["parts"]:
        kind = part.get("part_kind") if isinstance(part, dict) else None
        match kind:
            case "text":
                parts.append(TextPart(text=str(part.get("content") or "")))
            case "thinking":
                signature = part.get("signature")
                if part.get("content") or not signature:
                    parts.append(ThinkingTextPart(text=str(part.get("content") or "")))
                if signature:
                    signer = str(part.get("provider_name") or provider)
                    parts.append(ThinkingSignaturePart(signature=str(signature), provider=signer, model=model))
            case "tool-call":
                parts.append(
                    ToolCallPart(
                        call_id=str(part.get("tool_call_id") or ""),
                        tool_name=str(part.get("tool_name") or ""),
                        arguments_json=_arguments(part.get("args")),
                    )
                )
            case "file":
                read = next(iter(_items([part.get("content")], keep)))
                parts.append(read if isinstance(read, ImagePart) else _foreign(part))
            case _:
                parts.append(_foreign(part))
    finish = form.get("finish_reason")
    return AssistantMessage(
        parts=tuple(parts),
        provider=provider,
        model=model,
        response_id=form.get("provider_response_id") or form.get("vendor_id"),
        stop_reason=_STOP.get(finish) if isinstance(finish, str) else None,
        usage=_usage_read(form.get("usage")),
        **_created(form),
    )


def _items(content: object, keep: Keep | None) -> Iterator[Part]:
    """The pieces of a user prompt."""
    pieces: list[Any] = content if isinstance(content, list) else [content]
    for piece in pieces:
        match piece:
            case None:
                continue
            case str():
                yield TextPart(text=piece)
            case {"kind": "image-url", "url": str(url)}:
                mime = str(piece.get("media_type") or "image/png")
                if url.startswith(_ATTACHED):
                    yield ImagePart(attachment=url.removeprefix(_ATTACHED), mime_type=mime)
                else:
                    yield ImagePart(url=url, mime_type=mime)
            case {"kind": "document-url", "url": str(url)} if url.startswith(_ATTACHED):
                mime = str(piece.get("media_type") or "application/octet-stream")
                yield FilePart(attachment=url.removeprefix(_ATTACHED), filename="", mime_type=mime)
            case {"kind": "binary", "data": str(data), "media_type": str(mime)} if keep is not None:
                yield _kept(piece, data, mime, keep)
            case {"kind": "text", "content": str(text)} | {"kind": "text-content", "content": str(text)}:
                yield TextPart(text=text)
            case _:
                yield _foreign(piece)


def _kept(piece: dict[str, Any], data: str, mime: str, keep: Keep) -> Part:
    try:
        raw = base64.b64decode(data.replace("-", "+").replace("_", "/") + "=" * (-len(data) % 4), validate=True)
    except (binascii.Error, ValueError):
        return _foreign(piece)
    attachment = keep(raw, mime)
    if mime.startswith("image/"):
        return ImagePart(attachment=attachment, mime_type=mime)
    name = str(piece.get("identifier") or "attachment")
    return FilePart(attachment=attachment, filename=name, mime_type=mime, size=len(raw))


def _tool_result(part: dict[str, Any], status: str) -> ToolResultMessage:
    content = part.get("content")
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return ToolResultMessage.model_validate(
        {
            "call_id": str(part.get("tool_call_id") or ""),
            "tool_name": str(part.get("tool_name") or ""),
            "status": status,
            "output_text": text,
            **_created(part),
        }
    )


def _foreign(part: object) -> UnknownPart:
    """A part that we have none for: kept whole. One of ours that is unknown even to us comes back."""
    if isinstance(part, dict) and part.get("part_kind") == SIDE and isinstance(part.get("value"), dict):
        return UnknownPart.model_validate(part["value"])
    return UnknownPart.model_validate({"kind": FOREIGN, "value": part})


def _texts(content: object) -> tuple[TextPart, ...]:
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return (TextPart(text=text),) if text else ()


def _created(form: Form) -> dict[str, Any]:
    """`created_at`, where the form has a time with a zone."""
    try:
        at = datetime.fromisoformat(str(form.get("timestamp")).replace("Z", "+00:00"))
    except ValueError:
        return {}
    return {"created_at": at} if at.tzinfo is not None else {}


def _arguments(args: object) -> str:
    if isinstance(args, str):
        return args
    return "" if args is None else json.dumps(args, ensure_ascii=False)


def _usage_written(usage: Usage | None) -> dict[str, Any] | None:
    """What a provider counted; the form has no place to say that something was estimated."""
    if usage is None or usage.estimated:
        return None
    return {
        "input_tokens": usage.input_tokens or 0,
        "output_tokens": usage.output_tokens or 0,
        "cache_read_tokens": usage.cached_input_tokens or 0,
        "cache_write_tokens": usage.cache_write_tokens or 0,
        "details": {} if usage.reasoning_tokens is None else {"reasoning_tokens": usage.reasoning_tokens},
    }


def _usage_read(usage: object) -> Usage | None:
    """Older versions name requests and responses; a nought of theirs means that nothing was said."""
    if not isinstance(usage, dict):
        return None
    details = usage.get("details")
    read = {
        "input_tokens": usage.get("input_tokens") or usage.get("request_tokens"),
        "output_tokens": usage.get("output_tokens") or usage.get("response_tokens"),
        "cached_input_tokens": usage.get("cache_read_tokens"),
        "cache_write_tokens": usage.get("cache_write_tokens"),
        "reasoning_tokens": details.get("reasoning_tokens") if isinstance(details, dict) else None,
    }
    known = {name: value for name, value in read.items() if isinstance(value, int) and value}
    return Usage.model_validate(known) if known else None
