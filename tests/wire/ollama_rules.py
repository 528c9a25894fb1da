"""What Ollama refuses, or silently misreads, in a chat body beyond its types. Sources: its API reference and source."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from tests.wire.fault import Faults, blank


def ollama_faults(body: dict[str, Any], faults: Faults, dialect: str = "") -> None:
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        faults.add("messages", "messages", "there is none")
        return
    waiting: list[tuple[str, str]] = []
    asked_at, before, ids = "", "", set[str]()

    def close(where: str) -> None:
        if waiting:
            faults.add("call.unanswered", asked_at, f"{len(waiting)} calls have no result before {where}")
        waiting.clear()

    for place, message in enumerate(messages):
        if not isinstance(message, dict):
            continue
        path, role, content = f"messages.{place}", message.get("role"), message.get("content")
        if role == "tool":
            _result(message, path, waiting, faults)
            before = "tool"
            continue
        close(path)
        if role not in ("system", "user", "assistant"):
            faults.add("role", f"{path}.role", repr(role))
        if role == before and role in ("user", "assistant"):
            faults.add("role.twice", path, f"two {role} messages in a row", strict=True)
        before = str(role)
        calls = message.get("tool_calls")
        if calls == []:
            faults.add("calls.empty", f"{path}.tool_calls", "leave the key out", strict=True)
        if blank(content) and not calls and not message.get("images"):
            faults.add("content.empty", path, strict=bool(message.get("thinking")))
        for number, call in enumerate(calls or ()):
            asked_at = path
            waiting.append(_call(call, f"{path}.tool_calls.{number}", ids, faults))
        _images(message.get("images"), path, role, faults)
    close("the end")
    if before == "assistant":
        faults.add("messages.last", f"messages.{len(messages) - 1}", "the assistant has the last word", strict=True)


def _call(call: Any, path: str, ids: set[str], faults: Faults) -> tuple[str, str]:
    call = call if isinstance(call, dict) else {}
    function = call.get("function") or {}
    call_id = str(call.get("id") or "")
    if not function.get("name"):
        faults.add("call.name", path, "a call names its tool")
    if not isinstance(function.get("arguments"), dict):
        faults.add("call.arguments", path, "an object, not its text")
    if call_id and call_id in ids:
        faults.add("call.same_id", path, repr(call_id))
    ids.add(call_id)
    return call_id, str(function.get("name") or "")


def _result(message: dict[str, Any], path: str, waiting: list[tuple[str, str]], faults: Faults) -> None:
    name = str(message.get("tool_name") or message.get("name") or "")
    call_id = str(message.get("tool_call_id") or "")
    if not waiting:
        faults.add("result.orphan", path, "no open call before it")
    else:
        wanted_id, wanted_name = waiting.pop(0)
        if name and name != wanted_name:
            faults.add("result.name", path, f"{name!r} to {wanted_name!r}")
        if call_id and wanted_id and call_id != wanted_id:
            faults.add("result.id", path, f"{call_id!r} to {wanted_id!r}")
    if not name and not call_id:
        faults.add("result.unnamed", path, "the model cannot tell results apart", strict=True)
    if not isinstance(message.get("content"), str):
        faults.add("content.empty", f"{path}.content", "text")
    elif blank(message["content"]):
        faults.add("content.blank", f"{path}.content", strict=True)


def _images(images: Any, path: str, role: Any, faults: Faults) -> None:
    if images is None:
        return
    if images == []:
        faults.add("images.empty", path, "leave the key out", strict=True)
    if role != "user":
        faults.add("image.role", path, f"no picture in a message of the {role}", strict=True)
    for number, image in enumerate(images if isinstance(images, list) else ()):
        try:
            data = base64.b64decode(str(image), validate=True)
        except (binascii.Error, ValueError):
            data = b""
        if not data:
            faults.add("image.base64", f"{path}.images.{number}", "bare base64, no address and no data: URL")
