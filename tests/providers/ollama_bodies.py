"""Bodies of /api/chat read back into messages, and their normal form, in which two equivalent ones are equal.

Normal form: neighbouring messages of the user are one; results have the name of their call and its id where it had
one; blank content, empty options and nulls are gone, so is `num_ctx`, which the client chooses by itself.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from sam_py.messages.message import AssistantMessage, Message, ToolResultMessage, UserMessage
from sam_py.messages.parts import ImagePart, Part, TextPart, ThinkingTextPart, ToolCallPart
from sam_py.messages.turn import Limits
from sam_py.providers.base import ChatRequest, ToolSpec
from sam_py.providers.ids import new_own_id
from sam_py.transcript.build import BEGINS_WITHOUT_USER, build

PROVIDER = "ollama"
TAKES_ALL = Limits(images=True, tools=True, thinking=True)


@dataclass
class ReadBody:
    model: str
    messages: list[Message] = field(default_factory=list)
    attachments: dict[str, bytes] = field(default_factory=dict)
    system: str = ""
    tools: tuple[ToolSpec, ...] = ()
    stream: bool = True
    extra: dict[str, Any] = field(default_factory=dict)

    def request(self) -> ChatRequest:
        """The request that a conversation of these messages makes."""
        transcript = build(self.messages, limits=TAKES_ALL, system=self.system, provider=PROVIDER, model=self.model)
        return ChatRequest(
            model=self.model,
            turns=transcript.turns,
            provider=PROVIDER,
            system=transcript.system,
            tools=self.tools,
            stream=self.stream,
            limits=TAKES_ALL,
            attachments=self.attachments,
            extra=self.extra,
        )


def read_body(body: dict[str, Any]) -> ReadBody:
    read = ReadBody(body["model"], stream=body.get("stream", True))
    functions = [tool["function"] for tool in body.get("tools", [])]
    read.tools = tuple(ToolSpec(each["name"], each.get("description", ""), each["parameters"]) for each in functions)
    known = ("model", "messages", "stream", "tools")
    read.extra = {key: value for key, value in body.items() if key not in known and value not in (None, "", {})}
    waiting: list[ToolCallPart] = []
    for message in body["messages"]:
        match message["role"]:
            case "system":
                read.system = message["content"]
            case "assistant":
                reply = _reply(message, read.model)
                read.messages.append(reply)
                waiting = list(reply.tool_calls)
            case "tool":
                call = waiting.pop(0)
                result = ToolResultMessage(
                    call_id=call.call_id, tool_name=call.tool_name, status="success", output_text=message["content"]
                )
                read.messages.append(result)
            case "user":
                read.messages.append(UserMessage(parts=tuple(_said(message, read))))
    return read


def _reply(message: dict[str, Any], model: str) -> AssistantMessage:
    parts: list[Part] = []
    if message.get("thinking"):
        parts.append(ThinkingTextPart(text=message["thinking"]))
    if message.get("content"):
        parts.append(TextPart(text=message["content"]))
    for call in message.get("tool_calls", []):
        function = call["function"]
        arguments = json.dumps(function["arguments"])
        call_id = call.get("id") or new_own_id()
        parts.append(ToolCallPart(call_id=call_id, tool_name=function["name"], arguments_json=arguments))
    return AssistantMessage(parts=tuple(parts), provider=PROVIDER, model=model, stop_reason="stop")


def _said(message: dict[str, Any], read: ReadBody) -> list[Part]:
    parts: list[Part] = [TextPart(text=message["content"])] if message.get("content") else []
    for image in message.get("images", []):
        data = base64.b64decode(image)
        name = hashlib.sha256(data).hexdigest()
        read.attachments[name] = data
        parts.append(ImagePart(attachment=name, mime_type="image/webp"))
    return parts


def normal(body: dict[str, Any]) -> dict[str, Any]:
    """The normal form of a body."""
    rest = {key: value for key, value in body.items() if key != "messages" and value not in (None, "", {}, [])}
    rest["options"] = {key: value for key, value in body.get("options", {}).items() if key != "num_ctx"}
    rest.pop("stream", None)
    messages: list[dict[str, Any]] = []
    waiting: list[dict[str, Any]] = []
    for message in body["messages"]:
        kept = {key: value for key, value in message.items() if value not in (None, "", [])}
        if kept["role"] == "tool":
            call = waiting.pop(0)
            kept["tool_name"] = call["function"]["name"]
            if "id" in call:
                kept["tool_call_id"] = call["id"]
        waiting = list(kept.get("tool_calls", waiting))
        if kept["role"] == "user" and messages and messages[-1]["role"] == "user":
            last = messages[-1]
            texts = [text for text in (last.get("content"), kept.get("content")) if text]
            images = [*last.get("images", []), *kept.get("images", [])]
            messages[-1] = {"role": "user", "content": "\n\n".join(texts), "images": images}
        else:
            messages.append(kept)
    if messages[0].get("content") == BEGINS_WITHOUT_USER:
        del messages[0]
    return {"messages": messages, **rest}
