"""From a `ChatRequest` to the JSON body of ``/api/chat``. Pure: reads nothing but its arguments.

Never written: an explicit null, an empty list, a message without content, an id that the server did not give.
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
    ThinkingSignaturePart,
    ThinkingTextPart,
    ToolCallPart,
)
from sam_py.messages.turn import ToolResultPart, Turn, TurnPart
from sam_py.providers.arguments import arguments_object
from sam_py.providers.attached import bytes_of, fenced
from sam_py.providers.base import ChatRequest
from sam_py.providers.efforts import nearest_word, words_of
from sam_py.providers.ids import is_own_id
from sam_py.providers.ollama.models import Told
from sam_py.providers.ollama.window import context_to_ask_for
from sam_py.providers.tool_names import wire_name

_EMPTY_RESULT = "(no output)"
_PICTURES = frozenset({"image/png", "image/jpeg", "image/webp"})
"""Others make it answer 500."""


def build_body(request: ChatRequest, told: Told | None = None) -> dict[str, Any]:
    """Return the body of ``POST {host}/api/chat``; `told` is what the server said of the model.

    Raises `SamError` where an attachment's bytes are missing, ValueError for a part that has no place here.
    """
    body: dict[str, Any] = {"model": request.model, "messages": list(_messages(request)), "stream": request.stream}
    if request.tools and request.tool_choice != "none":  # it has no word for the choice
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": wire_name(tool.name),
                    **({"description": tool.description} if tool.description.strip() else {}),
                    "parameters": {"type": "object", "properties": {}, **tool.parameters},
                },
            }
            for tool in request.tools
        ]
    think = _think(request, told)
    if think is not None:
        body["think"] = think
    options: dict[str, Any] = {
        "num_ctx": _context(body, request, told),
        "temperature": request.temperature,
        "top_p": request.top_p,
        "num_predict": request.max_tokens,
    }
    body["options"] = {name: value for name, value in options.items() if value is not None}
    if not body["options"]:
        del body["options"]
    for key, value in request.extra.items():
        if isinstance(value, dict) and isinstance(body.get(key), dict):
            body[key] = {**body[key], **value}
        elif value is not None:
            body[key] = value
    return body


def _context(body: dict[str, Any], request: ChatRequest, told: Told | None) -> int | None:
    if request.model.endswith(("-cloud", ":cloud")):  # runs elsewhere, with all the context that it has
        return None
    return context_to_ask_for(body, request.limits, request.max_tokens, told.num_ctx if told else None)


def _think(request: ChatRequest, told: Told | None) -> bool | str | None:
    """The word for how hard to think; None: nothing is said. A model that cannot think answers 400 to any."""
    effort = request.reasoning_effort
    if not request.limits.thinking:
        return None
    values = told.think if told is not None else ()
    if not values:
        values = ("low", "medium", "high") if "gpt-oss" in request.model else (False, True)
    if effort is None:
        return True if True in values else None  # said, so that older servers tell thoughts from the answer
    if effort == "none" and False in values:
        return False
    words = {word: word for word in words_of("minimal", "low", "medium", "high", "xhigh", "max") if word in values}
    return nearest_word(effort, words) or (True if True in values else None)


def _messages(request: ChatRequest) -> Iterator[dict[str, Any]]:
    if request.system.strip():
        yield {"role": "system", "content": mend_surrogates(request.system)}
    for turn in request.turns:
        if turn.role == "user":
            yield from _user(turn, request)
        elif (message := _assistant(turn, request)) is not None:
            yield message


def _user(turn: Turn, request: ChatRequest) -> Iterator[dict[str, Any]]:
    """One message per result, in the order of the calls; then what the person said, with all pictures."""
    texts: list[str] = []
    images: list[str] = []
    for part in turn.parts:
        if not isinstance(part, ToolResultPart):
            continue
        said, shown = _split(part.parts, request)
        yield {
            "role": "tool",
            "content": "\n\n".join([mend_surrogates(part.text.strip()) or _EMPTY_RESULT, *said]),
            "tool_name": wire_name(part.tool_name),
            **({} if is_own_id(part.call_id) else {"tool_call_id": part.call_id}),
        }
        if shown:
            texts.append(f"The pictures are from the result of {mend_surrogates(part.tool_name)}.")
            images += shown
    said, shown = _split([part for part in turn.parts if not isinstance(part, ToolResultPart)], request)
    texts, images = [*texts, *said], [*images, *shown]
    if texts or images:
        message: dict[str, Any] = {"role": "user"}
        if texts:
            message["content"] = "\n\n".join(texts)
        if images:
            message["images"] = images
        yield message


def _assistant(turn: Turn, request: ChatRequest) -> dict[str, Any] | None:
    """An assistant turn as one message; None where nothing of it can be said here (thinking alone)."""
    own = bool(turn.provider) and turn.provider == request.provider and same_family(turn.model, request.model)
    texts: list[str] = []
    thoughts: list[str] = []
    calls: list[dict[str, Any]] = []
    for part in turn.parts:
        match part:
            case ToolCallPart():
                calls.append(_call(part))
            case ThinkingTextPart():
                thoughts.append(mend_surrogates(part.text))
            case ThinkingSignaturePart():
                pass  # of another wire: this one has none
            case TextPart() | CodePart() | ImagePart():
                texts += [text for text in (_text_of(part),) if text.strip()]
            case _:
                raise ValueError(f"an assistant turn cannot hold a {part.kind} part here")
    if not texts and not calls:
        return None
    message: dict[str, Any] = {"role": "assistant"}
    if texts:
        message["content"] = "\n\n".join(texts)
    if own and request.limits.thinking and "".join(thoughts).strip():
        message["thinking"] = "".join(thoughts)
    if calls:
        message["tool_calls"] = calls
    return message


def _call(part: ToolCallPart) -> dict[str, Any]:
    function = {"name": wire_name(part.tool_name), "arguments": arguments_object(part.arguments_json)}
    return {"function": function} if is_own_id(part.call_id) else {"id": part.call_id, "function": function}


def _split(parts: list[TurnPart] | tuple[Any, ...], request: ChatRequest) -> tuple[list[str], list[str]]:
    """What of `parts` is text, and the pictures in base64."""
    texts: list[str] = []
    images: list[str] = []
    for part in parts:
        match part:
            case ImagePart(attachment=str(attachment)) if request.limits.images and part.mime_type in _PICTURES:
                images.append(base64.b64encode(bytes_of(attachment, part.alt or "an image", request)).decode("ascii"))
            case TextPart() | CodePart() | ImagePart():
                texts.append(_text_of(part))
            case FilePart():
                texts.append(_file(part, request))
            case _:
                raise ValueError(f"a user turn cannot hold a {part.kind!r} part here")
    return [text for text in texts if text.strip()], images


def _text_of(part: TextPart | CodePart | ImagePart) -> str:
    match part:
        case TextPart():
            return mend_surrogates(part.text)
        case CodePart():
            return mend_surrogates(fenced(part)).removesuffix("\n")
        case ImagePart():
            where = f" at {part.url}" if part.url else ""
            return f"[Image{where}: {part.alt}]" if part.alt.strip() else f"[Image{where}]"


def _file(part: FilePart, request: ChatRequest) -> str:
    """Text as text; anything else by its name, for the server takes no files."""
    if part.mime_type.startswith("text/") or part.mime_type in ("application/json", "application/xml"):
        text = bytes_of(part.attachment, part.filename, request).decode("utf-8", "replace")
        return fenced(CodePart(code=text, filename=part.filename)).removesuffix("\n")
    return f"[File: {part.filename}, {part.mime_type}, {part.size} bytes; this model cannot read it]"
