"""What Anthropic refuses in a Messages body beyond its types.

Sources: Anthropic's API reference (messages), its pages on tool use, extended thinking and prompt caching, and
refusals as recorded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tests.wire.fault import Faults, blank

_ID = re.compile(r"[a-zA-Z0-9_-]+\Z")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}\Z")
_MEDIA = ("image/jpeg", "image/png", "image/gif", "image/webp")
_WITHOUT_SAMPLING = re.compile(r"claude-(opus-4-[7-9]|(opus|sonnet|haiku)-[5-9](?![0-9])|fable|mythos)")
_THINKING = ("thinking", "redacted_thinking")
_LEAST_BUDGET = 1024
_MOST_MARKS = 4


def anthropic_faults(body: dict[str, Any], faults: Faults, dialect: str = "") -> None:
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        faults.add("messages", "messages", "there is none")
        return
    _tools(body, faults)
    _settings(body, faults)
    for place, block in enumerate(body["system"] if isinstance(body.get("system"), list) else ()):
        if isinstance(block, dict) and blank(block.get("text")):
            faults.add("content.empty_text", f"system.{place}", strict=block.get("text") not in ("", None))
    if isinstance(body.get("system"), str) and not body["system"].strip():
        faults.add("content.empty_text", "system", strict=True)
    if sum(1 for _ in _marks(body)) > _MOST_MARKS:
        faults.add("cache_control", "", f"at most {_MOST_MARKS} marks")
    talk = _Talk(faults, body)
    for place, message in enumerate(messages):
        if isinstance(message, dict):
            talk.hear(place, message)
    talk.end()


def _marks(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        if value.get("cache_control") is not None:
            yield value["cache_control"]
        for inner in value.values():
            yield from _marks(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _marks(inner)


def _tools(body: dict[str, Any], faults: Faults) -> None:
    names = []
    for place, tool in enumerate(body.get("tools") or ()):
        if not isinstance(tool, dict) or "input_schema" not in tool:
            continue
        names.append(tool.get("name"))
        if not _NAME.match(str(tool.get("name") or "")):
            faults.add("tools.name", f"tools.{place}.name", repr(tool.get("name")))
        schema = tool["input_schema"]
        if not isinstance(schema, dict) or schema.get("type") != "object":
            faults.add("tools.schema", f"tools.{place}.input_schema", "its type is object")
    if len(set(names)) < len(names):
        faults.add("tools.twice", "tools", "two tools have one name")
    if body.get("tools") == []:
        faults.add("tools.empty", "tools", "leave the key out", strict=True)
    if body.get("tool_choice") and not body.get("tools"):
        faults.add("tool_choice", "tool_choice", "there are no tools")


def _settings(body: dict[str, Any], faults: Faults) -> None:
    model, thinking = str(body.get("model") or ""), body.get("thinking")
    thinking = thinking if isinstance(thinking, dict) else {}
    limit = body.get("max_tokens")
    if not isinstance(limit, int) or limit < 1:
        faults.add("max_tokens", "max_tokens", "required, at least 1")
    if _WITHOUT_SAMPLING.search(model):
        for key in ("temperature", "top_p", "top_k"):
            if key in body:
                faults.add("model.sampling", key, "deprecated for this model")
        if thinking.get("type") == "enabled":
            faults.add("model.thinking", "thinking", "this model thinks adaptively")
    if isinstance(body.get("temperature"), int | float) and not 0 <= body["temperature"] <= 1:
        faults.add("temperature", "temperature", "0 to 1")
    if thinking.get("type") != "enabled":
        return
    budget = thinking.get("budget_tokens")
    if not isinstance(budget, int) or budget < _LEAST_BUDGET or (isinstance(limit, int) and budget >= limit):
        faults.add("thinking.budget", "thinking.budget_tokens", f"from {_LEAST_BUDGET} to less than max_tokens")
    if body.get("temperature") not in (None, 1):
        faults.add("thinking.temperature", "temperature", "1 while thinking")
    if "top_k" in body:
        faults.add("thinking.top_k", "top_k", "not while thinking")
    if isinstance(body.get("tool_choice"), dict) and body["tool_choice"].get("type") in ("any", "tool"):
        faults.add("thinking.tool_choice", "tool_choice", "no forced tool while thinking")


class _Talk:
    """The order of messages: results of all calls open the next user message; thinking opens a turn."""

    def __init__(self, faults: Faults, body: dict[str, Any]) -> None:
        self._faults = faults
        self._model = str(body.get("model") or "")
        self._thinks = isinstance(body.get("thinking"), dict) and body["thinking"].get("type") in (
            "enabled",
            "adaptive",
        )
        self._open: dict[str, str] = {}
        self._ids: set[str] = set()
        self._before = ""
        self._at = 0
        self._last: list[dict[str, Any]] = []

    def hear(self, place: int, message: dict[str, Any]) -> None:
        path, role, content = f"messages.{place}", str(message.get("role")), message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        blocks = [block for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else []
        merged = role == self._before
        if merged:
            self._faults.add("role.twice", path, f"two {role} messages in a row", strict=True)
        if place == 0 and role != "user":
            self._faults.add("role.first", path, "the user speaks first", strict=True)
        if not blocks:
            self._faults.add("content.empty", f"{path}.content")
        for number, block in enumerate(blocks):
            self._block(block, f"{path}.content.{number}", role)
        if role == "assistant":
            if not merged:
                self._close(path)
            self._reply(path, blocks)
        elif role == "user":
            self._results(path, blocks, merged)
        self._before, self._at, self._last = role, place, blocks

    def end(self) -> None:
        self._close("the end")
        if self._before != "assistant":
            return
        path = f"messages.{self._at}"
        if _WITHOUT_SAMPLING.search(self._model):
            self._faults.add("last.prefill", path, "this model continues no message")
        else:
            self._faults.add("last.prefill", path, "the assistant has the last word", strict=True)
        last = self._last[-1] if self._last else {}
        if last.get("type") == "text" and str(last.get("text")) != str(last.get("text")).rstrip():
            self._faults.add("last.whitespace", path, "a last message must not end in white space")

    def _close(self, where: str) -> None:
        for call_id, path in self._open.items():
            self._faults.add("call.unanswered", path, f"{call_id!r} has no result before {where}")
        self._open = {}

    def _block(self, block: dict[str, Any], path: str, role: str) -> None:
        kind = block.get("type")
        if kind == "text" and blank(block.get("text")):
            self._faults.add("content.empty_text", path, strict=block.get("text") not in ("", None))
        if kind == "thinking" and not block.get("signature"):
            self._faults.add("thinking.signature", path, "thinking needs its signature")
        if kind == "redacted_thinking" and not block.get("data"):
            self._faults.add("thinking.signature", path, "redacted thinking needs its data")
        if (kind in (*_THINKING, "tool_use") and role != "assistant") or (kind == "tool_result" and role != "user"):
            self._faults.add("content.role", path, f"{kind} in a message of the {role}")
        if kind in ("image", "document") and role == "assistant":
            self._faults.add("content.role", path, f"{kind} in a message of the {role}")
        source = block.get("source")
        if kind in ("image", "document") and isinstance(source, dict) and source.get("type") == "base64":
            allowed = _MEDIA if kind == "image" else ("application/pdf",)
            if source.get("media_type") not in allowed:
                self._faults.add("media_type", path, repr(source.get("media_type")))
            if blank(source.get("data")):
                self._faults.add("content.empty", path, "no data")

    def _results(self, path: str, blocks: list[dict[str, Any]], merged: bool) -> None:
        others, answered = merged and not self._open, set()
        for number, block in enumerate(blocks):
            if block.get("type") != "tool_result":
                others = True
                continue
            where, call_id = f"{path}.content.{number}", block.get("tool_use_id")
            if others:
                self._faults.add("result.first", where, "results come before everything else")
            if call_id in answered:
                self._faults.add("result.twice", where, repr(call_id))
            elif call_id not in self._open:
                self._faults.add("result.orphan", where, f"no call {call_id!r} directly before")
            self._open.pop(call_id, None)  # type: ignore[arg-type]
            answered.add(call_id)
            content = block.get("content")
            for inner, part in enumerate(content if isinstance(content, list) else ()):
                if isinstance(part, dict):
                    self._block(part, f"{where}.content.{inner}", role="user")
            if isinstance(content, str) and not content.strip():
                self._faults.add("content.blank", where, strict=True)
        self._close(f"the end of {path}")

    def _reply(self, path: str, blocks: list[dict[str, Any]]) -> None:
        kinds = [block.get("type") for block in blocks]
        ids: set[str] = set()
        for number, block in enumerate(blocks):
            if block.get("type") != "tool_use":
                continue
            where, call_id = f"{path}.content.{number}", str(block.get("id") or "")
            if not _ID.match(call_id):
                self._faults.add("call.id", where, repr(call_id))
            if not _NAME.match(str(block.get("name") or "")):
                self._faults.add("call.name", where, repr(block.get("name")))
            if not isinstance(block.get("input"), dict):
                self._faults.add("call.arguments", where, "an object")
            if call_id in ids:
                self._faults.add("call.same_id", where, repr(call_id))
            if call_id in self._ids:
                self._faults.add("call.reused_id", where, repr(call_id), strict=True)
            ids.add(call_id)
            self._open[call_id] = where
        self._ids |= ids
        if kinds and kinds[-1] in _THINKING:
            self._faults.add("thinking.last", path, "the final block cannot be thinking")
        uses = [number for number, kind in enumerate(kinds) if kind == "tool_use"]
        if uses and any(kind in _THINKING for kind in kinds[uses[0] :]):
            self._faults.add("thinking.order", path, "thinking comes before the calls that it led to")
        if self._thinks and any(kind in _THINKING for kind in kinds) and kinds[0] == "tool_use":
            self._faults.add("thinking.order", path, "thinking opens the turn")
