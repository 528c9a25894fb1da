"""A reader of Chat Completions bodies: from what somebody else sent to our messages, and a normal form to compare by.

The normal form says which differences mean nothing to a server, or cannot be said by our messages:

- a string stands for a list of one text; neighbouring texts are one, a blank line between them;
- system and developer messages are one system prompt; neighbours of one role are one message;
- a reply's empty text is none; arguments are JSON, and empty ones are ``{}``;
- readable reasoning is the same under either name, and nothing beside the details that hold it too;
- `name` of a result, `index` of a call, `detail` of a picture and `strict` of a tool say nothing new;
- what a reply must be preceded by is left out where our transcript says it.
"""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass, field
from typing import Any

from sam_py.messages.message import AssistantMessage, Message, ToolResultMessage, UserMessage
from sam_py.messages.parts import (
    FilePart,
    ImagePart,
    Part,
    TextPart,
    ThinkingSignaturePart,
    ThinkingTextPart,
    ToolCallPart,
)
from sam_py.providers.accumulate import content_hash
from sam_py.providers.base import ToolSpec
from sam_py.transcript.build import BEGINS_WITHOUT_USER

Body = dict[str, Any]
PROVIDER = "p"


@dataclass
class Conversation:
    """What a body says, as ours."""

    model: str
    system: str = ""
    messages: list[Message] = field(default_factory=list)
    tools: tuple[ToolSpec, ...] = ()
    attachments: dict[str, bytes] = field(default_factory=dict)


def read_body(body: Body) -> Conversation:
    """`body` as our messages. Raises ValueError for a part that ours have none for."""
    found = Conversation(body.get("model") or "m", tools=_tools(body))
    found.system = "\n\n".join(
        _text(message["content"]) for message in body["messages"] if message["role"] in ("system", "developer")
    )
    names: dict[str, str] = {}
    for message in body["messages"]:
        match message["role"]:
            case "user":
                found.messages.append(UserMessage(parts=tuple(_part(each, found) for each in _parts(message))))
            case "assistant":
                names |= {call["id"]: call["function"]["name"] for call in message.get("tool_calls") or ()}
                found.messages.append(_reply(message, found.model))
            case "tool":
                call_id = message["tool_call_id"]
                found.messages.append(
                    ToolResultMessage(
                        call_id=call_id,
                        tool_name=names.get(call_id, "unknown"),
                        status="success",
                        output_text=_text(message["content"]),
                    )
                )
    return found


def normal(body: Body) -> Body:
    """What `body` says, in the one form that equal ones share."""
    said: list[Body] = []
    system = []
    for message in body["messages"]:
        if message["role"] in ("system", "developer"):
            system.append(_text(message["content"]).strip())
            continue
        shown = _shown(message)
        if said and shown["role"] == said[-1]["role"] != "tool":
            said[-1] = _merged(said[-1], shown)
        else:
            said.append(shown)
    return {
        "model": body.get("model") or "m",
        "system": "\n\n".join(system),
        "messages": [message for message in said if len(message) > 1],
        "tools": [_plain_tool(tool) for tool in body.get("tools") or ()],
        "choice": _choice(body.get("tool_choice")),
    }


def _reply(message: Body, model: str) -> AssistantMessage:
    parts: list[Part] = []
    thinking = message.get("reasoning_content") or message.get("reasoning")
    for part in _parts(message):
        if part["type"] == "thinking":
            parts.append(ThinkingTextPart(text=_text(part["thinking"])))
        elif part["text"]:
            parts.append(TextPart(text=part["text"]))
    if thinking:
        parts.insert(0, ThinkingTextPart(text=thinking))
    if details := message.get("reasoning_details"):
        signed = ThinkingSignaturePart(signature=json.dumps(details), provider=PROVIDER, model=model)
        parts.insert(bool(thinking), signed)
    for call in message.get("tool_calls") or ():
        function = call["function"]
        parts.append(ToolCallPart(call_id=call["id"], tool_name=function["name"], arguments_json=function["arguments"]))
    return AssistantMessage(parts=tuple(parts), provider=PROVIDER, model=model, stop_reason="stop")


def _part(part: Body, found: Conversation) -> Part:
    match part["type"]:
        case "text":
            return TextPart(text=part["text"])
        case "image_url":
            holder = part["image_url"]
            url = holder["url"] if isinstance(holder, dict) else holder
            if not url.startswith("data:"):
                return ImagePart(url=url)
            mime_type, data = _opened(url, found)
            return ImagePart(attachment=data, mime_type=mime_type)
        case "file":
            mime_type, data = _opened(part["file"]["file_data"], found)
            return FilePart(attachment=data, filename=part["file"]["filename"], mime_type=mime_type)
        case kind:
            raise ValueError(f"our messages have no part for {kind!r}")


def _opened(url: str, found: Conversation) -> tuple[str, str]:
    """A data URL's type and the name under which its bytes are kept."""
    mime_type, _, data = url[5:].partition(";base64,")
    content = base64.b64decode(data)
    found.attachments[content_hash(content)] = content
    return mime_type, content_hash(content)


def _tools(body: Body) -> tuple[ToolSpec, ...]:
    functions = [tool["function"] for tool in body.get("tools") or () if tool.get("type") == "function"]
    return tuple(
        ToolSpec(each["name"], each.get("description") or "", each.get("parameters") or {}) for each in functions
    )


def _parts(message: Body) -> list[Body]:
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(content or ())


def _text(content: Any) -> str:
    return "".join(part.get("text") or "" for part in _parts({"content": content}))


def _shown(message: Body) -> Body:
    shown: Body = {"role": message["role"]}
    texts = [part.get("text") or "" for part in _parts(message) if part["type"] == "text"]
    text = "\n\n".join(each.strip() for each in texts if each.strip() and each != BEGINS_WITHOUT_USER)
    if text:
        shown["text"] = re.sub(r"\n{2,}", "\n\n", text)
    if others := [_without_detail(part) for part in _parts(message) if part["type"] != "text"]:
        shown["parts"] = others
    if message["role"] == "tool":
        shown["call"] = message["tool_call_id"]
    if details := message.get("reasoning_details"):
        shown["details"] = details
    elif thinking := (message.get("reasoning_content") or message.get("reasoning") or "").strip():
        shown["thinking"] = thinking
    if calls := message.get("tool_calls"):
        shown["calls"] = [
            (call["id"], call["function"]["name"], json.loads(call["function"]["arguments"] or "{}")) for call in calls
        ]
    return shown


def _merged(one: Body, other: Body) -> Body:
    both = {**one, **other}
    if "text" in one and "text" in other:
        both["text"] = f"{one['text']}\n\n{other['text']}"
    if "parts" in one and "parts" in other:
        both["parts"] = one["parts"] + other["parts"]
    return both


def _without_detail(part: Body) -> Body:
    holder = part.get("image_url")
    return {**part, "image_url": holder["url"]} if isinstance(holder, dict) else part


def _plain_tool(tool: Body) -> Body:
    function = tool["function"]
    parameters = function.get("parameters") or {"type": "object", "properties": {}}
    return {"name": function["name"], "description": function.get("description") or "", "parameters": parameters}


def _choice(choice: Any) -> Any:
    return {"any": "required", None: "auto"}.get(choice, choice) if not isinstance(choice, dict) else "required"
