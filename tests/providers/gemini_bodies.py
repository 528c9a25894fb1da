"""Bodies of generateContent read back into messages, and their normal form, in which two equivalent ones are equal.

Normal form: neighbours of one role are one content; empty texts without a signature are gone, and with them a first
content that says nothing; results say their text under ``output`` or ``error``, whatever key they had; schemas are
JSON Schema under one key, without empty lists; what only repeats a default is gone, so is `thinkingConfig`, which
the client chooses by itself.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from sam_py.messages.message import AssistantMessage, Message, ToolResultMessage, UserMessage
from sam_py.messages.parts import FilePart, ImagePart, Part, TextPart, ToolCallPart
from sam_py.messages.turn import Limits
from sam_py.providers.accumulate import fold
from sam_py.providers.base import ChatRequest, StreamEvent, ToolSpec
from sam_py.providers.gemini.reply_parts import ReplyParts
from sam_py.providers.ids import new_own_id
from sam_py.transcript.build import BEGINS_WITHOUT_USER, build

PROVIDER = "google"
TAKES_ALL = Limits(images=True, pdfs=True, tools=True, thinking=True, draws=True, own_pictures=True)
_RESULT_KEYS = ("output", "result", "return_value", "response", "error")


@dataclass
class ReadBody:
    """What a body says: messages and all that stands beside them."""

    model: str
    messages: list[Message] = field(default_factory=list)
    attachments: dict[str, bytes] = field(default_factory=dict)
    system: str = ""
    tools: tuple[ToolSpec, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict)
    waiting: list[ToolCallPart] = field(default_factory=list)

    def request(self, **changes: Any) -> ChatRequest:
        """The request that a conversation of these messages makes."""
        transcript = build(self.messages, limits=TAKES_ALL, system=self.system, provider=PROVIDER, model=self.model)
        fields: dict[str, Any] = {
            "model": self.model,
            "turns": transcript.turns,
            "provider": PROVIDER,
            "system": transcript.system,
            "tools": self.tools,
            "limits": TAKES_ALL,
            "attachments": self.attachments,
            "extra": self.extra,
        }
        return ChatRequest(**{**fields, **changes})


def read_body(body: dict[str, Any], model: str) -> ReadBody:
    read = ReadBody(model)
    read.system = "\n\n".join(part["text"] for part in body.get("systemInstruction", {}).get("parts", []))
    declared = [each for tool in body.get("tools", []) for each in tool.get("functionDeclarations", [])]
    read.tools = tuple(ToolSpec(each["name"], each.get("description", ""), _schema(each)) for each in declared)
    skipped = {"contents", "systemInstruction", *(("tools",) if declared else ())}
    read.extra = {key: value for key, value in body.items() if key not in skipped}
    for content in body["contents"]:
        if content.get("role") == "model":
            message = read_reply(content["parts"], model)
            read.messages.append(message)
            read.waiting = list(message.tool_calls)
        else:
            _read_user(content["parts"], read)
    return read


def read_reply(parts: list[dict[str, Any]], model: str) -> AssistantMessage:
    """A content of the model as the message that it becomes when it arrives as a reply."""
    reply, events = ReplyParts(new_own_id), list[StreamEvent]()
    for part in parts:
        reply.read(part, events)
    reply.end_run(events)
    return fold(events, provider=PROVIDER, model=model)


def _read_user(parts: list[dict[str, Any]], read: ReadBody) -> None:
    said: list[Part] = []
    for part in parts:
        if "functionResponse" in part:
            read.messages.append(_result(part["functionResponse"], read))
        elif "inlineData" in part:
            said.append(_attached(part["inlineData"], read))
        elif "fileData" in part:
            said.append(ImagePart(url=part["fileData"]["fileUri"], mime_type=part["fileData"]["mimeType"]))
        else:
            said.append(TextPart(text=part["text"]))
    if said:
        read.messages.append(UserMessage(parts=tuple(said)))


def _result(response: dict[str, Any], read: ReadBody) -> ToolResultMessage:
    call = next((each for each in read.waiting if each.call_id == response.get("id")), None)
    call = call or next(each for each in read.waiting if each.tool_name == response["name"])
    read.waiting.remove(call)
    key, text = _said(response["response"])
    status = "error" if key == "error" else "success"
    return ToolResultMessage(call_id=call.call_id, tool_name=response["name"], status=status, output_text=text)


def _attached(data: dict[str, Any], read: ReadBody) -> Part:
    content = base64.b64decode(data["data"])
    name = hashlib.sha256(content).hexdigest()
    read.attachments[name] = content
    mime = data["mimeType"]
    if mime.startswith("image/"):
        return ImagePart(attachment=name, mime_type=mime)
    return FilePart(attachment=name, filename="file", mime_type=mime, size=len(content))


def _said(response: dict[str, Any]) -> tuple[str, str]:
    if len(response) == 1 and (key := next(iter(response))) in _RESULT_KEYS:
        value = response[key]
    else:
        key, value = "output", response
    return ("error" if key == "error" else "output"), value if isinstance(value, str) else json.dumps(value)


def _schema(declaration: dict[str, Any]) -> dict[str, Any]:
    for key in ("parametersJsonSchema", "parameters_json_schema", "parameters"):
        if key in declaration:
            return _lower(declaration[key])
    return {}


def _lower(value: Any) -> Any:
    """JSON Schema of Google's own form, whose types are in capitals."""
    if isinstance(value, list):
        return [_lower(each) for each in value]
    if not isinstance(value, dict):
        return value
    lowered = {key: _lower(each) for key, each in value.items() if each != []}
    if isinstance(lowered.get("type"), str):
        lowered["type"] = lowered["type"].lower()
    return lowered


def normal(body: dict[str, Any]) -> dict[str, Any]:
    """The normal form of a body."""
    settings = {key: value for key, value in body.get("generationConfig", {}).items() if key != "thinkingConfig"}
    choice = body.get("toolConfig")
    if choice == {"functionCallingConfig": {"mode": "AUTO"}}:
        choice = None
    system = [part["text"] for part in body.get("systemInstruction", {}).get("parts", [])]
    tools = [
        (each["name"], each.get("description", ""), _schema(each))
        for tool in body.get("tools", [])
        for each in tool.get("functionDeclarations", [])
    ]
    rest = {
        key: value
        for key, value in body.items()
        if key not in ("contents", "generationConfig", "toolConfig", "systemInstruction", "tools")
    }
    server_tools = [tool for tool in body.get("tools", []) if "functionDeclarations" not in tool]
    contents = _contents(body["contents"])
    return {"contents": contents, "settings": settings, "choice": choice, "system": system} | {
        "tools": tools,
        "server_tools": server_tools,
        **rest,
    }


def _contents(contents: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    merged: list[tuple[str, list[dict[str, Any]]]] = []
    for content in contents:
        role = "model" if content.get("role") == "model" else "user"
        parts = [_part(part) for part in content["parts"] if part != {"text": ""}]
        if merged and merged[-1][0] == role:
            merged[-1][1].extend(parts)
        else:
            merged.append((role, parts))
    if merged and merged[0][1] in ([], [{"text": BEGINS_WITHOUT_USER}]):
        del merged[0]
    return merged


def _part(part: dict[str, Any]) -> dict[str, Any]:
    if "functionCall" in part:
        return {**part, "functionCall": {"args": {}, **part["functionCall"]}}
    if "functionResponse" in part:
        key, text = _said(part["functionResponse"]["response"])
        return {"functionResponse": {**part["functionResponse"], "response": {key: text}}}
    return part
