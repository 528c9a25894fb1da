"""From a `ChatRequest` to the JSON body of ``generateContent``. Pure: reads nothing but its arguments.

Never written: an explicit null, an empty text part (but under a thought signature, which may sit on one), an id
that the service did not give, two contents of one role in a row.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

from sam_py.messages.builder import mend_surrogates
from sam_py.messages.family import same_family
from sam_py.messages.parts import (
    CodePart,
    FilePart,
    ImagePart,
    TextPart,
    ToolCallPart,
    UnknownPart,
)
from sam_py.messages.turn import ToolResultPart, Turn, TurnPart
from sam_py.providers.arguments import arguments_object
from sam_py.providers.attached import bytes_of, fenced
from sam_py.providers.base import ChatRequest
from sam_py.providers.gemini.schema import json_schema
from sam_py.providers.gemini.thinking import checks_signatures, thinking_config
from sam_py.providers.gemini.turn_parts import ModelParts
from sam_py.providers.ids import is_own_id
from sam_py.providers.tool_names import wire_name

NO_SIGNATURE = "skip_thought_signature_validator"
"""What stands for the signature of a call that this model did not make (Google's page on thought signatures)."""
_EMPTY_RESULT = "(no output)"
_PICTURES = frozenset({"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"})


def build_body(request: ChatRequest) -> dict[str, Any]:
    """Return the body of ``POST {base}/models/{model}:streamGenerateContent``; the model is in the address alone.

    Raises `SamError` where an attachment's bytes are missing, ValueError for a part that has no place here.
    """
    body: dict[str, Any] = {"contents": _contents(request)}
    if request.system.strip():
        body["systemInstruction"] = {"parts": [{"text": mend_surrogates(request.system)}]}
    if request.tools:
        body["tools"] = [
            {
                "functionDeclarations": [
                    {
                        "name": wire_name(tool.name),
                        **({"description": tool.description} if tool.description.strip() else {}),
                        "parametersJsonSchema": json_schema(tool.parameters),
                    }
                    for tool in request.tools
                ]
            }
        ]
        if request.tool_choice != "auto":
            mode = "ANY" if request.tool_choice == "required" else "NONE"
            body["toolConfig"] = {"functionCallingConfig": {"mode": mode}}
    settings: dict[str, Any] = {
        "temperature": request.temperature,
        "topP": request.top_p,
        "maxOutputTokens": request.max_tokens,
        "thinkingConfig": thinking_config(request.model, request.reasoning_effort, request.limits) or None,
    }
    settings = {name: value for name, value in settings.items() if value is not None}
    if settings:
        body["generationConfig"] = settings
    return _merged(body, request.extra)


def _merged(body: dict[str, Any], extra: Any) -> dict[str, Any]:
    """`body` with the person's keys laid over it, objects into objects."""
    for key, value in extra.items():
        if isinstance(value, dict) and isinstance(body.get(key), dict):
            body[key] = _merged(dict(body[key]), value)
        elif value is not None:
            body[key] = value
    return body


def _contents(request: ChatRequest) -> list[dict[str, Any]]:
    contents: list[dict[str, Any]] = []
    ids: dict[str, str] = {}
    """The calls of the turn before whose ids go back: ours → the service's."""
    for turn in request.turns:
        if turn.role == "assistant":
            own = _is_own(turn, request)
            ids = {each: each for each in _call_ids(turn) if own and not is_own_id(each)}
            role, parts = "model", _said(turn, own, ids, request)
        else:
            role, parts = "user", _asked(turn, ids, request)
        if contents and contents[-1]["role"] == role:
            contents[-1]["parts"] += parts
        elif parts:
            contents.append({"role": role, "parts": parts})
    if checks_signatures(request.model):
        _sign_running_turn(contents)
    return contents


def _is_own(turn: Turn, request: ChatRequest) -> bool:
    return bool(turn.provider) and turn.provider == request.provider and same_family(turn.model, request.model)


def _call_ids(turn: Turn) -> Iterator[str]:
    return (part.call_id for part in turn.parts if isinstance(part, ToolCallPart))


def _sign_running_turn(contents: list[dict[str, Any]]) -> None:
    """Since the person's last words each first call of a step needs a signature: give those of others a stand-in."""
    last = max(
        (
            place
            for place, content in enumerate(contents)
            if content["role"] == "user" and not any("functionResponse" in part for part in content["parts"])
        ),
        default=-1,
    )
    for content in contents[last + 1 :]:
        first = next((part for part in content["parts"] if "functionCall" in part), None)
        if first is not None:
            first.setdefault("thoughtSignature", NO_SIGNATURE)


# What the model said


def _said(turn: Turn, own: bool, ids: dict[str, str], request: ChatRequest) -> list[dict[str, Any]]:
    parts = ModelParts(own, request.provider, request.model)
    for part in turn.parts:
        match part:
            case ToolCallPart():
                parts.add("call", {"functionCall": _call(part, ids)})
            case ImagePart():
                picture = _image(part, request)
                parts.add("image" if "inlineData" in picture else "text", picture)
            case CodePart():
                parts.add("text", _text_part(fenced(part)))
            case FilePart() | ToolResultPart() | UnknownPart():
                raise ValueError(f"an assistant turn cannot hold a {part.kind} part here")
            case _:
                parts.add_said(part)
    return parts.finished()


def _call(part: ToolCallPart, ids: dict[str, str]) -> dict[str, Any]:
    given = {"id": ids[part.call_id]} if part.call_id in ids else {}
    return {**given, "name": wire_name(part.tool_name), "args": arguments_object(part.arguments_json)}


# What the person said, and results


def _asked(turn: Turn, ids: dict[str, str], request: ChatRequest) -> list[dict[str, Any]]:
    """Results first, as many as there were calls and in their order; their pictures and files behind all of them."""
    results: list[dict[str, Any]] = []
    shown: list[dict[str, Any]] = []
    rest: list[dict[str, Any]] = []
    for part in turn.parts:
        if not isinstance(part, ToolResultPart):
            rest += _content(part, request)
            continue
        inner = [piece for each in part.parts for piece in _content(each, request)]
        texts = [part.text.strip() or _EMPTY_RESULT, *(piece["text"] for piece in inner if "text" in piece)]
        results.append({"functionResponse": _result(part, "\n\n".join(texts), ids)})
        pictures = [piece for piece in inner if "text" not in piece]
        if pictures:
            shown += [_text_part(f"From the result of {part.tool_name}:"), *pictures]
    return [*results, *shown, *rest]


def _result(part: ToolResultPart, text: str, ids: dict[str, str]) -> dict[str, Any]:
    given = {"id": ids[part.call_id]} if part.call_id in ids else {}
    key = "output" if part.status == "success" else "error"
    return {**given, "name": wire_name(part.tool_name), "response": {key: mend_surrogates(text)}}


def _content(part: TurnPart, request: ChatRequest) -> Iterator[dict[str, Any]]:
    match part:
        case TextPart():
            if part.text.strip():
                yield _text_part(part.text)
        case CodePart():
            yield _text_part(fenced(part))
        case ImagePart():
            yield _image(part, request)
        case FilePart():
            yield _file(part, request)
        case _:
            raise ValueError(f"a user turn cannot hold a {part.kind!r} part here")


def _text_part(text: str) -> dict[str, Any]:
    return {"text": mend_surrogates(text)}


def _image(part: ImagePart, request: ChatRequest) -> dict[str, Any]:
    if request.limits.images and part.attachment is not None and part.mime_type in _PICTURES:
        return _inline(bytes_of(part.attachment, part.alt or "an image", request), part.mime_type)
    if request.limits.images and part.attachment is None and part.url:
        return {"fileData": {"mimeType": part.mime_type, "fileUri": part.url}}
    return _text_part(f"[Image: {part.alt}]" if part.alt.strip() else "[Image]")


def _file(part: FilePart, request: ChatRequest) -> dict[str, Any]:
    """A PDF as such; text as text; anything else by its name."""
    if part.mime_type == "application/pdf" and request.limits.pdfs:
        return _inline(bytes_of(part.attachment, part.filename, request), part.mime_type)
    if part.mime_type.startswith("text/") or part.mime_type in ("application/json", "application/xml"):
        text = bytes_of(part.attachment, part.filename, request).decode("utf-8", "replace")
        return _text_part(fenced(CodePart(code=text, filename=part.filename)))
    return _text_part(f"[File: {part.filename}, {part.mime_type}, {part.size} bytes; this model cannot read it]")


def _inline(data: bytes, mime_type: str) -> dict[str, Any]:
    return {"inlineData": {"mimeType": mime_type, "data": base64.b64encode(data).decode("ascii")}}
