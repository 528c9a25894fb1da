"""A reader of Responses bodies: from what somebody else sent to our messages, and a normal form to compare by.

The normal form says which differences mean nothing to the API, or cannot be said by our messages:

- ``instructions`` and system or developer messages at the start are one system prompt, a blank line between;
- a string stands for one text; keys have no order; ``type: message`` is meant where a role stands alone;
- neighbouring messages of one speaker (and one phase) are one, their neighbouring texts too; blank ones are none;
- items are told apart by their content: without a store on the server their ids mean nothing (`call_id` does),
  and neither do ``status``, ``namespace``, ``annotations``, ``logprobs`` and keys that are null or empty;
- arguments are compared as the JSON that they are; an empty output is the words that we send for it;
- `STRANGE` items are switches of the sender.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from typing import Any

from sam_py.messages.message import AssistantMessage, Message, ToolResultMessage, UserMessage
from sam_py.messages.parts import FilePart, ImagePart, Part, TextPart, ThinkingSignaturePart, ToolCallPart
from sam_py.providers.accumulate import content_hash
from sam_py.providers.base import ToolSpec
from sam_py.providers.openai_responses.kept import Follower, pack

Item = dict[str, Any]
PROVIDER = "openai"
STRANGE = frozenset({"additional_tools", "item_reference"})
_MEANINGLESS = ("id", "status", "namespace", "annotations", "logprobs", "detail")
_NO_OUTPUT = "(no output)"


@dataclass
class Conversation:
    """What a body says, as ours."""

    model: str
    system: str
    messages: list[Message] = field(default_factory=list)
    tools: tuple[ToolSpec, ...] = ()
    attachments: dict[str, bytes] = field(default_factory=dict)


def items_of(body: Item) -> list[Item]:
    """The items of a body with their types written, without those that are no history."""
    given = body["input"]
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    typed = [{"type": "message", **item} for item in items]
    return [item for item in typed if item["type"] not in STRANGE]


def read_body(body: Item) -> Conversation:
    prompts = [body.get("instructions") or ""]
    items = items_of(body)
    while items and items[0].get("role") in ("system", "developer"):
        prompts += [part["text"] for part in contents(items.pop(0)["content"])]
    tools = tuple(
        ToolSpec(tool["name"], tool.get("description") or "", tool.get("parameters") or {})
        for tool in body.get("tools") or ()
        if tool["type"] == "function"
    )
    found = Conversation(body["model"], "\n\n".join(filter(None, prompts)).strip(), tools=tools)
    for place, item in enumerate(items):
        _read(item, items[place + 1 :], found)
    return found


def contents(content: Any) -> list[Item]:
    parts = [{"type": "input_text", "text": content}] if isinstance(content, str) else list(content or ())
    return [part for part in parts if "text" not in part or part["text"].strip()]


def _read(item: Item, rest: list[Item], found: Conversation) -> None:
    match item["type"]:
        case "message" if item["role"] == "assistant":
            phase = item.get("phase")
            if phase:
                _reply(found, _signed(found, pack(None, Follower("message", phase=phase))))
            _reply(found, *(TextPart(text=part.get("text") or part["refusal"]) for part in contents(item["content"])))
        case "message":
            found.messages.append(UserMessage(parts=tuple(_part(part, found) for part in contents(item["content"]))))
        case "function_call":
            call_id, name, arguments = item["call_id"], item["name"], item["arguments"]
            _reply(found, ToolCallPart(call_id=call_id, tool_name=name, arguments_json=arguments))
        case "function_call_output":
            found.messages.append(_result(item, found))
        case "reasoning":
            follower = rest[0] if rest else {"type": "nothing"}
            leads_to = Follower(follower["type"], follower.get("name", ""), follower.get("phase", ""))
            _reply(found, _signed(found, pack(item, leads_to)))
        case _:
            _reply(found, _signed(found, pack(item)))


def _signed(found: Conversation, signature: str) -> ThinkingSignaturePart:
    return ThinkingSignaturePart(signature=signature, provider=PROVIDER, model=found.model)


def _reply(found: Conversation, *parts: Part) -> None:
    """Add to the reply that is open, or open one."""
    last = found.messages[-1] if found.messages else None
    if isinstance(last, AssistantMessage):
        found.messages[-1] = last.model_copy(update={"parts": last.parts + parts})
    else:
        found.messages.append(AssistantMessage(parts=parts, stop_reason="stop", provider=PROVIDER, model=found.model))


def _result(item: Item, found: Conversation) -> ToolResultMessage:
    parts = [_part(part, found) for part in contents(item["output"])]
    calls = [call for message in reversed(found.messages) for call in message.tool_calls]
    return ToolResultMessage(
        call_id=item["call_id"],
        tool_name=next((call.tool_name for call in calls if call.call_id == item["call_id"]), ""),
        status="success",
        output_text="\n\n".join(part.text for part in parts if isinstance(part, TextPart)),
        parts=tuple(part for part in parts if not isinstance(part, TextPart)),
    )


def _part(part: Item, found: Conversation) -> Part:
    match part["type"]:
        case "input_image" if not part["image_url"].startswith("data:"):
            return ImagePart(url=part["image_url"])
        case "input_image":
            name, mime_type = _keep(part["image_url"], found)
            return ImagePart(attachment=name, mime_type=mime_type)
        case "input_file" if "file_data" in part:
            name, mime_type = _keep(part["file_data"], found)
            return FilePart(attachment=name, mime_type=mime_type, filename=part["filename"])
        case _:  # an address of a file is none of our parts
            return TextPart(text=part.get("text") or json.dumps(part, sort_keys=True))


def _keep(url: str, found: Conversation) -> tuple[str, str]:
    mime_type, _, data = url.removeprefix("data:").partition(";base64,")
    found.attachments[content_hash(base64.b64decode(data))] = base64.b64decode(data)
    return content_hash(base64.b64decode(data)), mime_type


def normal(body: Item) -> Item:
    """What of `body` is history, in the form to compare by."""
    items: list[Item] = []
    for item in items_of(body):
        plain = _normal_item(item)
        if plain["type"] == "message":
            if plain["role"] in ("system", "developer") and not items:
                continue
            if not plain["content"]:
                continue
            if items and _speaker(items[-1]) == _speaker(plain):
                items[-1]["content"] += plain["content"]
                continue
        items.append(plain)
    for item in items:
        if item["type"] == "message":
            item["content"] = _joined(item["content"])
    return {"model": body["model"], "system": read_body(body).system, "tools": _tools(body), "items": items}


def _speaker(item: Item) -> tuple[Any, ...] | None:
    return (item["role"], item.get("phase")) if item["type"] == "message" else None


def _normal_item(item: Item) -> Item:
    plain = {key: value for key, value in item.items() if key not in _MEANINGLESS and value not in (None, [], {})}
    match item["type"]:
        case "message":
            plain["content"] = [_normal_part(part) for part in contents(item["content"])]
        case "function_call":
            plain["arguments"] = json.loads(item["arguments"])
        case "function_call_output":
            plain["output"] = _joined([_normal_part(part) for part in contents(item["output"])]) or _NO_OUTPUT
    return plain


def _normal_part(part: Item) -> Item:
    plain = {key: value for key, value in part.items() if key not in _MEANINGLESS and value not in (None, [])}
    return {"text": plain.get("text") or plain["refusal"]} if {"text", "refusal"} & plain.keys() else plain


def _joined(parts: list[Item]) -> list[Item]:
    whole: list[Item] = []
    for part in parts:
        if "text" in part and whole and "text" in whole[-1]:
            whole[-1] = {"text": f"{whole[-1]['text']}\n{part['text']}"}
        else:
            whole.append(part)
    return whole


def _tools(body: Item) -> list[Item]:
    keys = ("name", "description", "parameters")
    tools = [tool for tool in body.get("tools") or () if tool["type"] == "function"]
    return [{key: tool[key] for key in keys if tool.get(key)} for tool in tools]
