"""A reader of Messages bodies: from what somebody else sent to our messages, and a normal form to compare by.

The normal form says which differences mean nothing to the API, or cannot be said by our messages:

- a string stands for a list of one text block; keys have no order; ``cache_control`` is a marker, not content;
- neighbouring texts of a reply without citations are one text (our replies keep text joined);
- a result's texts are one text, without white space at its ends; ``is_error: false`` is the same as none;
- an empty description of a tool is none, and so is a key that is null;
- ``caller: {type: direct}`` of a call is the same as none; a document's ``citations`` and ``context`` are
  switches of the sender, and one without a title is called "file";
- blocks of a user that our messages have no part for (`is_strange`) count as their JSON text.
"""

from __future__ import annotations

import base64
import json
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
from sam_py.providers.anthropic.opaque import as_input, pack
from sam_py.providers.base import ToolSpec

Block = dict[str, Any]
PROVIDER = "claude"


@dataclass
class Conversation:
    """What a body says, as ours."""

    model: str
    system: str
    messages: list[Message] = field(default_factory=list)
    tools: tuple[ToolSpec, ...] = ()
    attachments: dict[str, bytes] = field(default_factory=dict)


def read_body(body: Block) -> Conversation:
    system = body.get("system") or ""
    if not isinstance(system, str):
        system = "\n\n".join(block["text"] for block in system)
    found = Conversation(body["model"], system.strip(), tools=_tools(body))
    for message in body["messages"]:
        blocks = blocks_of(message["content"])
        if message["role"] == "assistant":
            found.messages.append(_reply(blocks, found.model))
        else:
            found.messages += _said(blocks, found)
    return found


def blocks_of(content: Any) -> list[Block]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content or ())


def is_strange(block: Block) -> bool:
    """Whether a block of a user's message has no part of ours."""
    if block["type"] in ("image", "document"):
        return block["source"]["type"] not in ("base64", "text", "url")
    return block["type"] not in ("text", "tool_result")


def _tools(body: Block) -> tuple[ToolSpec, ...]:
    """The tools that the client runs; those of the server are switches of the sender."""
    return tuple(
        ToolSpec(tool["name"], tool.get("description", ""), tool["input_schema"])
        for tool in body.get("tools", ())
        if "input_schema" in tool
    )


def _reply(blocks: list[Block], model: str) -> AssistantMessage:
    parts: list[Part] = []
    run: list[Block] = []

    def opaque(value: Any) -> None:
        text = value if isinstance(value, str) else pack(value)
        parts.append(ThinkingSignaturePart(signature=text, provider=PROVIDER, model=model))

    def end_run() -> None:
        if run:
            parts.append(TextPart(text="".join(block["text"] for block in run)))
            if any(block.get("citations") for block in run):
                opaque([_plain(block) for block in run])
            run.clear()

    for block in blocks:
        if block["type"] == "text":
            run.append(block)
            continue
        end_run()
        match block["type"]:
            case "thinking":
                if block["thinking"]:
                    parts.append(ThinkingTextPart(text=block["thinking"]))
                opaque(block["signature"])
            case "tool_use":
                arguments = json.dumps(block["input"], ensure_ascii=False)
                parts.append(ToolCallPart(call_id=block["id"], tool_name=block["name"], arguments_json=arguments))
            case _:
                opaque(_plain(block))
    end_run()
    return AssistantMessage(parts=tuple(parts), stop_reason="stop", provider=PROVIDER, model=model)


def _said(blocks: list[Block], found: Conversation) -> list[Message]:
    messages: list[Message] = []
    said: list[Part] = []
    for block in blocks:
        if block["type"] == "tool_result":
            inner = [_part(each, found) for each in blocks_of(block.get("content"))]
            text = "".join(part.text for part in inner if isinstance(part, TextPart))
            kept = tuple(part for part in inner if not isinstance(part, TextPart))
            status = "error" if block.get("is_error") else "success"
            name = next(
                call.tool_name
                for message in reversed(found.messages)
                for call in message.tool_calls
                if call.call_id == block["tool_use_id"]
            )
            messages.append(
                ToolResultMessage(
                    call_id=block["tool_use_id"], tool_name=name, status=status, output_text=text, parts=kept
                )
            )
        else:
            said.append(_part(block, found))
    return [*messages, *([UserMessage(parts=tuple(said))] if said else [])]


def _part(block: Block, found: Conversation) -> Part:
    if block["type"] == "text":
        return TextPart(text=block["text"])
    if is_strange(block):
        return TextPart(text=json.dumps(_plain(block), sort_keys=True))
    source = block["source"]
    if source["type"] == "url":
        return ImagePart(url=source["url"])
    data = base64.b64decode(source["data"]) if source["type"] == "base64" else source["data"].encode()
    name = content_hash(data)
    found.attachments[name] = data
    if block["type"] == "image":
        return ImagePart(attachment=name, mime_type=source["media_type"])
    return FilePart(attachment=name, filename=block.get("title") or "", mime_type=source["media_type"], size=len(data))


def _plain(block: Block) -> Block:
    return as_input({key: value for key, value in block.items() if key != "cache_control"})


def normal(body: Block) -> Block:
    """What of `body` is history, in the form to compare by."""
    messages = []
    for message in body["messages"]:
        blocks = [_normal_block(block, message["role"]) for block in blocks_of(message["content"])]
        messages.append(
            {"role": message["role"], "content": _joined(blocks) if message["role"] == "assistant" else blocks}
        )
    tools = [tool for tool in body.get("tools", ()) if "input_schema" in tool]
    keys = ("name", "description", "input_schema")
    return {
        "model": body["model"],
        "system": read_body({**body, "messages": []}).system,
        "tools": [{key: tool[key] for key in keys if tool.get(key)} for tool in tools],
        "messages": messages,
    }


def _normal_block(block: Block, role: str) -> Block:
    block = _plain(block)
    if role == "user" and is_strange(block):
        return {"type": "text", "text": json.dumps(block, sort_keys=True)}
    match block["type"]:
        case "tool_use":
            return {key: block[key] for key in ("type", "id", "name", "input")}
        case "document":
            title = {"title": block["title"]} if block.get("title") not in (None, "", "file") else {}
            return {"type": "document", "source": block["source"], **title}
        case "text":
            return {key: value for key, value in block.items() if value}
        case "tool_result":
            inner = [_normal_block(each, "user") for each in blocks_of(block.get("content"))]
            text = "".join(each["text"] for each in inner if each["type"] == "text").strip()
            rest = [each for each in inner if each["type"] != "text"]
            block["content"] = [*([{"type": "text", "text": text}] if text else []), *rest]
            return {key: value for key, value in block.items() if key != "is_error" or value}
    return block


def _joined(blocks: list[Block]) -> list[Block]:
    joined: list[Block] = []
    for block in blocks:
        last = joined[-1] if joined else {}
        if block["type"] == last.get("type") == "text" and "citations" not in block and "citations" not in last:
            joined[-1] = {"type": "text", "text": last["text"] + block["text"]}
        else:
            joined.append(block)
    return joined
