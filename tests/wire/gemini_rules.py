"""What Google refuses in a generateContent body beyond its types.

Sources: Google's API reference (models.generateContent), its pages on function calling and thought signatures, and
refusals as recorded.
"""

from __future__ import annotations

import re
from typing import Any

from tests.wire.fault import Faults, blank

_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}\Z")
_DATA = (
    "text",
    "inlineData",
    "fileData",
    "functionCall",
    "functionResponse",
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
)
_MIME = re.compile(r"[a-z]+/[a-z0-9.+-]+\Z")


def gemini_faults(body: dict[str, Any], faults: Faults, model: str = "") -> None:
    contents = body.get("contents")
    contents = [contents] if isinstance(contents, dict) else contents
    if not isinstance(contents, list) or not contents:
        faults.add("contents", "contents", "there is none")
        return
    _tools(body, faults)
    contents = [(place, each) for place, each in enumerate(contents) if isinstance(each, dict)]
    before = ""
    for place, content in contents:
        path = f"contents.{place}"
        role = str(content.get("role") or "user")
        if role not in ("user", "model", "function"):
            faults.add("role", f"{path}.role", f"{role!r} is neither user nor model")
        side = "model" if role == "model" else "user"
        if side == before:
            faults.add("role.twice", path, f"two {side} contents in a row", strict=True)
        if not before and side == "model":
            faults.add("role.first", path, "the user speaks first")
        before = side
        parts = content.get("parts")
        if not isinstance(parts, list) or not parts:
            faults.add("content.empty", f"{path}.parts")
            continue
        for number, part in enumerate(parts):
            if isinstance(part, dict):
                _part(part, f"{path}.parts.{number}", side, faults)
    _pairs(contents, faults)
    if before == "model":
        faults.add("contents.last", f"contents.{contents[-1][0]}", "the model has the last word", strict=True)
    if re.search(r"gemini-([3-9]|\d\d)", model or str(body.get("model") or "")):
        _signatures(contents, faults)
    system = _of(body, "systemInstruction")
    if isinstance(system, dict) and all(blank(_of(part, "text")) for part in system.get("parts") or ()):
        faults.add("content.empty_text", "systemInstruction", strict=True)


def _of(value: Any, key: str) -> Any:
    """A field under its JSON name or, as the API takes it too, in snake case."""
    if not isinstance(value, dict):
        return None
    snake = re.sub(r"([A-Z])", lambda match: f"_{match[1].lower()}", key)
    return value.get(key, value.get(snake))


def _tools(body: dict[str, Any], faults: Faults) -> None:
    tools = body.get("tools")
    names = []
    for place, tool in enumerate(tools if isinstance(tools, list) else [tools]):
        for number, declared in enumerate(_of(tool, "functionDeclarations") or ()):
            path = f"tools.{place}.functionDeclarations.{number}"
            names.append(declared.get("name"))
            if not _NAME.match(str(declared.get("name") or "")):
                faults.add("tools.name", path, repr(declared.get("name")))
            if declared.get("parameters") is not None and _of(declared, "parametersJsonSchema") is not None:
                faults.add("tools.schema", path, "two schemas")
    if len(set(names)) < len(names):
        faults.add("tools.twice", "tools", "two tools have one name")


def _part(part: dict[str, Any], path: str, side: str, faults: Faults) -> None:
    signature = _of(part, "thoughtSignature")
    held = [key for key in _DATA if _of(part, key) is not None]
    if len(held) > 1:
        faults.add("part.data", path, f"one kind of data, not {held}")
    if not held and not signature:
        faults.add("part.empty", path)
    if held == ["text"] and blank(part["text"]) and not signature:
        faults.add("content.empty_text", path, strict=True)
    if signature is not None and (not isinstance(signature, str) or not re.fullmatch(r"[A-Za-z0-9+/_-]+=*", signature)):
        faults.add("signature.form", path, "base64")
    if signature is not None and side == "user":
        faults.add("signature.role", path, "the user signs nothing", strict=True)
    call, response, inline = _of(part, "functionCall"), _of(part, "functionResponse"), _of(part, "inlineData")
    if call is not None:
        if side == "user":
            faults.add("call.role", path, "the model calls")
        if not _NAME.match(str(call.get("name") or "")):
            faults.add("call.name", path, repr(call.get("name")))
        if not isinstance(call.get("args", {}), dict):
            faults.add("call.arguments", path, "an object")
    if response is not None:
        if side == "model":
            faults.add("result.role", path, "the user answers")
        if not isinstance(response.get("response"), dict):
            faults.add("result.response", path, "an object", strict=response.get("response") is None)
        elif not response["response"]:
            faults.add("content.blank", path, strict=True)
    if inline is not None:
        if not _MIME.match(str(_of(inline, "mimeType"))):
            faults.add("media_type", path, repr(_of(inline, "mimeType")))
        if blank(inline.get("data")):
            faults.add("content.empty", path, "no data")


def _sides(contents: list[tuple[int, dict[str, Any]]]) -> list[tuple[str, str, list[dict[str, Any]]]]:
    """(side, path, parts) of each turn; neighbours of one side are one turn to the API."""
    turns: list[tuple[str, str, list[dict[str, Any]]]] = []
    for place, content in contents:
        side = "model" if content.get("role") == "model" else "user"
        parts = [part for part in content.get("parts") or () if isinstance(part, dict)]
        if turns and turns[-1][0] == side:
            turns[-1][2].extend(parts)
        else:
            turns.append((side, f"contents.{place}", list(parts)))
    return turns


def _pairs(contents: list[tuple[int, dict[str, Any]]], faults: Faults) -> None:
    """As many responses as calls, of the same names, in the turn behind."""
    due: list[dict[str, Any]] = []
    due_at = ""
    for side, path, parts in _sides(contents):
        if side == "model":
            due = [call for part in parts if (call := _of(part, "functionCall")) is not None]
            due_at = path
            continue
        given = [answer for part in parts if (answer := _of(part, "functionResponse")) is not None]
        if due and not given:
            faults.add("call.unanswered", due_at, "no responses in the turn behind")
        elif given and not due:
            faults.add("result.orphan", path, "no calls in the turn before")
        elif len(given) != len(due):
            faults.add("result.count", path, f"{len(given)} responses to {len(due)} calls")
        elif due:
            _matched(due, given, path, faults)
        due = []
    if due:
        faults.add("call.unanswered", due_at, "no responses behind")


def _matched(due: list[dict[str, Any]], given: list[dict[str, Any]], path: str, faults: Faults) -> None:
    called, answered = [str(each.get("name")) for each in due], [str(each.get("name")) for each in given]
    if called != answered:
        faults.add("result.name", path, f"{answered} to {called}", strict=sorted(called) == sorted(answered))
    ids, given_ids = [each.get("id") for each in due], [each.get("id") for each in given]
    if any(each not in ids for each in given_ids if each) or len({*given_ids} - {None}) < sum(map(bool, given_ids)):
        faults.add("result.id", path, f"{given_ids} to {ids}")
    elif ids != given_ids:
        faults.add("result.id", path, f"{given_ids} to {ids}", strict=True)


def _signatures(contents: list[tuple[int, dict[str, Any]]], faults: Faults) -> None:
    """Gemini 3: the first call of each step since the user's last words carries its signature."""
    turns = _sides(contents)
    asked = max(
        (
            number
            for number, (side, _path, parts) in enumerate(turns)
            if side == "user" and any(_of(part, "functionResponse") is None for part in parts)
        ),
        default=-1,
    )
    for side, path, parts in turns[asked + 1 :]:
        calls = [part for part in parts if _of(part, "functionCall") is not None]
        if side == "model" and calls and not _of(calls[0], "thoughtSignature"):
            faults.add("signature.missing", path, "the first call of a step must carry its thoughtSignature")
