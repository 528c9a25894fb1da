"""What services refuse in a Responses body beyond its types.

Sources: OpenAI's API reference (responses/create) and its guide to reasoning, and refusals as recorded.
"""

from __future__ import annotations

import json
import re
from typing import Any

from tests.wire.fault import Faults, blank

_NAME = re.compile(r"[A-Za-z0-9_-]{1,128}\Z")
_LONGEST_ID = 64
_CALLS = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "local_shell_call": "local_shell_call_output",
    "shell_call": "shell_call_output",
    "apply_patch_call": "apply_patch_call_output",
    "computer_call": "computer_call_output",
}
_SAID_BY = {
    "assistant": ("output_text", "refusal"),
    "user": ("input_text", "input_image", "input_file", "input_audio"),
    "system": ("input_text", "input_image", "input_file"),
    "developer": ("input_text", "input_image", "input_file"),
}
_URL = re.compile(r"(https?://|data:[a-z]+/[a-z0-9.+-]+;base64,)")


def responses_faults(body: dict[str, Any], faults: Faults, dialect: str = "") -> None:
    _tools(body, faults)
    items = body.get("input")
    chained = bool(body.get("previous_response_id") or body.get("conversation"))
    if isinstance(items, str):
        if blank(items):
            faults.add("input.empty", "input")
        return
    if not isinstance(items, list) or (not items and not chained):
        faults.add("input.empty", "input")
        return
    if "stream_options" in body and not body.get("stream"):
        faults.add("stream_options", "stream_options", "only with stream: true")
    items = [item for item in items if isinstance(item, dict)]
    _pairs(items, faults, chained)
    stored = body.get("store") is not False
    for place, item in enumerate(items):
        match _kind(item):
            case "message":
                _message(item, f"input.{place}", faults)
            case "reasoning" if not chained:
                _reasoning(items, place, faults, stored, dialect)
    ids = [item["id"] for item in items if item.get("id") and item.get("type") != "item_reference"]
    for repeated in {each for each in ids if ids.count(each) > 1}:
        faults.add("item.same_id", "input", f"two items are called {repeated!r}", strict=dialect not in ("", "openai"))
    if items and _kind(items[-1]) == "message" and items[-1].get("role") == "assistant":
        faults.add("input.last", f"input.{len(items) - 1}", "the assistant has the last word", strict=True)


def _kind(item: dict[str, Any]) -> str:
    return str(item.get("type") or ("message" if "role" in item else ""))


def _tools(body: dict[str, Any], faults: Faults) -> None:
    if body.get("tools") == []:
        faults.add("tools.empty", "tools", "leave the key out", strict=True)
    names = []
    for place, tool in enumerate(body.get("tools") or ()):
        if isinstance(tool, dict) and tool.get("type") == "function":
            names.append(tool.get("name"))
            schema = tool.get("parameters")
            if not _NAME.match(str(tool.get("name") or "")):
                faults.add("tools.name", f"tools.{place}.name", repr(tool.get("name")))
            if schema is not None and (not isinstance(schema, dict) or schema.get("type", "object") != "object"):
                faults.add("tools.schema", f"tools.{place}.parameters", "parameters are an object")
    if len(set(names)) < len(names):
        faults.add("tools.twice", "tools", "two tools have one name")


def _pairs(items: list[dict[str, Any]], faults: Faults, chained: bool) -> None:
    """Each call has its output before anybody speaks again; no output without its call."""
    waiting: dict[str, str] = {}
    answered: set[str] = set()

    def close(where: str) -> None:
        for call_id, path in waiting.items():
            faults.add("call.unanswered", path, f"{call_id!r} has no output before {where}")
        waiting.clear()

    for place, item in enumerate(items):
        kind, path, call_id = _kind(item), f"input.{place}", str(item.get("call_id") or "")
        if kind in _CALLS:
            if not call_id or len(call_id) > _LONGEST_ID:
                faults.add("call.id", f"{path}.call_id", f"1 to {_LONGEST_ID} characters, not {call_id[:70]!r}")
            if call_id in waiting:
                faults.add("call.same_id", path, repr(call_id))
            if call_id in answered:
                faults.add("call.reused_id", path, repr(call_id), strict=True)
            waiting[call_id] = path
            if kind == "function_call":
                _call(item, path, faults)
        elif kind in _CALLS.values():
            if call_id in waiting:
                del waiting[call_id]
                answered.add(call_id)
            elif call_id in answered:
                faults.add("result.twice", path, repr(call_id))
            elif not chained and not any(
                _kind(each) == "tool_search_call" and each.get("call_id") == call_id for each in items[:place]
            ):
                faults.add("result.orphan", path, f"no open call {call_id!r}")
            _output(item.get("output"), f"{path}.output", faults)
        elif kind == "message" and not chained:
            close(path)
    if not chained:
        close("the end")


def _call(item: dict[str, Any], path: str, faults: Faults) -> None:
    if not _NAME.match(str(item.get("name") or "")):
        faults.add("call.name", f"{path}.name", repr(item.get("name")))
    try:
        is_object = isinstance(json.loads(item.get("arguments") or ""), dict)
    except (TypeError, ValueError, RecursionError):
        is_object = False
    if not is_object:
        faults.add("call.arguments", f"{path}.arguments", "a JSON object as text", strict=True)


def _output(output: Any, path: str, faults: Faults) -> None:
    if output is None:
        faults.add("content.empty", path)
    elif blank(output):
        faults.add("content.blank", path, strict=True)
    for number, part in enumerate(output if isinstance(output, list) else ()):
        _part(part, f"{path}.{number}", _SAID_BY["user"], faults)


def _message(item: dict[str, Any], path: str, faults: Faults) -> None:
    role, content = str(item.get("role")), item.get("content")
    if role not in _SAID_BY:
        faults.add("role", f"{path}.role", repr(role))
        return
    if blank(content):
        faults.add("content.empty", f"{path}.content", strict=content is not None)
    for number, part in enumerate(content if isinstance(content, list) else ()):
        _part(part, f"{path}.content.{number}", _SAID_BY[role], faults)


def _part(part: Any, path: str, allowed: tuple[str, ...], faults: Faults) -> None:
    if not isinstance(part, dict):
        return
    kind = part.get("type")
    if kind not in allowed:
        faults.add("content.type", path, f"{kind!r} has no place here")
    if kind in ("input_text", "output_text") and blank(part.get("text")):
        faults.add("content.empty_text", path, strict=True)
    if kind == "input_image" and not part.get("file_id") and not _URL.match(str(part.get("image_url"))):
        faults.add("image.url", path, str(part.get("image_url"))[:60])
    if kind == "input_file" and not part.keys() & {"file_id", "file_url", "file_data"}:
        faults.add("file", path, "neither data nor address nor id")


def _reasoning(items: list[dict[str, Any]], place: int, faults: Faults, stored: bool, dialect: str) -> None:
    """A reasoning item stands directly before what it led to: "provided without its required following item"."""
    item, path = items[place], f"input.{place}"
    follower = next((each for each in items[place + 1 :] if _kind(each) != "reasoning"), None)
    kind = _kind(follower) if follower is not None else ""
    alone = follower is None or kind in _CALLS.values() or (kind == "message" and follower.get("role") != "assistant")
    if follower is not None and kind == "message" and stored and item.get("id") and not follower.get("id"):
        alone = dialect in ("", "openai", "azure")  # rebuilt without its id: not the item that it led to
    if alone:
        faults.add("reasoning.alone", path, "what it led to does not follow", strict=not item.get("id"))
    if not stored and not item.get("encrypted_content") and not item.get("content"):
        faults.add("reasoning.unencrypted", path, "the server keeps no copy", strict=True)
