"""What services refuse in a Chat Completions body beyond its types.

Sources: OpenAI's API reference (chat/create), the services' own pages, and refusals as recorded.
"""

from __future__ import annotations

import json
import re
from typing import Any

from tests.wire.fault import Faults, blank

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
_LONGEST_ID = {"openai": 40, "azure": 40}
_MISTRAL_ID = re.compile(r"[A-Za-z0-9]{9}\Z")
_REASONING_MODEL = re.compile(r"(^|/)(o[134](-|$)|gpt-5(?!-chat))")
_FIRST_PARTY = ("openai", "azure")
_URL = re.compile(r"(https?://|data:[a-z]+/[a-z0-9.+-]+;base64,)")


def chat_faults(body: dict[str, Any], faults: Faults, dialect: str = "") -> None:
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        faults.add("messages", "messages", "there is none")
        return
    _settings(body, faults, dialect)
    _tools(body, faults)
    talk = _Talk(faults, dialect)
    for place, message in enumerate(messages):
        if isinstance(message, dict):
            talk.hear(place, message)
    talk.close("the end")
    if all(isinstance(each, dict) and each.get("role") in ("system", "developer") for each in messages):
        faults.add("messages.nobody", "messages", "nobody says anything", strict=True)
    last = messages[-1]
    if isinstance(last, dict) and last.get("role") == "assistant" and not last.get("prefix"):
        faults.add("messages.last", f"messages.{len(messages) - 1}", "the assistant has the last word", strict=True)
    if dialect == "deepseek":
        _deepseek(messages, faults)


def _settings(body: dict[str, Any], faults: Faults, dialect: str) -> None:
    if "stream_options" in body and not body.get("stream"):
        faults.add("stream_options", "stream_options", "only with stream: true")
    if "parallel_tool_calls" in body and not body.get("tools"):
        faults.add("parallel_tool_calls", "parallel_tool_calls", "only with tools")
    if body.get("tool_choice") not in (None, "none", "auto") and not body.get("tools"):
        faults.add("tool_choice", "tool_choice", "there are no tools")
    if "max_tokens" in body and "max_completion_tokens" in body:
        faults.add("max_tokens", "max_tokens", "both keys", strict=True)
    if dialect in _FIRST_PARTY and _REASONING_MODEL.search(str(body.get("model", ""))):
        for key in ("max_tokens", "temperature", "top_p", "stop", "presence_penalty", "frequency_penalty"):
            if key in body:
                faults.add("unsupported_parameter", key, "reasoning models refuse it")


def _tools(body: dict[str, Any], faults: Faults) -> None:
    if body.get("tools") == []:
        faults.add("tools.empty", "tools", "leave the key out")
    names = []
    for place, tool in enumerate(body.get("tools") or ()):
        function = tool.get("function") if isinstance(tool, dict) else None
        if isinstance(function, dict):
            names.append(function.get("name"))
            if not _NAME.match(str(function.get("name") or "")):
                faults.add("tools.name", f"tools.{place}.function.name", repr(function.get("name")))
            _schema(function.get("parameters"), f"tools.{place}.function.parameters", faults)
    if len(set(names)) < len(names):
        faults.add("tools.twice", "tools", "two tools have one name")


def _schema(schema: Any, path: str, faults: Faults) -> None:
    if schema is not None and (not isinstance(schema, dict) or schema.get("type", "object") != "object"):
        faults.add("tools.schema", path, "parameters are an object")


def _deepseek(messages: list[Any], faults: Faults) -> None:
    """In thinking mode each message with calls carries its reasoning ("must be passed back to the API")."""
    if not any(isinstance(each, dict) and each.get("reasoning_content") for each in messages):
        return
    for place, message in enumerate(messages):
        if isinstance(message, dict) and message.get("tool_calls") and "reasoning_content" not in message:
            faults.add("deepseek.reasoning_content", f"messages.{place}")


class _Talk:
    """The order of messages: each call answered once, directly behind, before anybody else speaks."""

    def __init__(self, faults: Faults, dialect: str) -> None:
        self._faults = faults
        self._dialect = dialect
        self._open: dict[str, str] = {}
        self._answered: set[str] = set()
        self._before = ""
        self._ids: set[str] = set()

    def hear(self, place: int, message: dict[str, Any]) -> None:
        path, role = f"messages.{place}", message.get("role")
        if role == "tool":
            self._result(path, message)
            return
        self.close(path)
        if role not in ("system", "developer", "user", "assistant", "function"):
            self._faults.add("role", f"{path}.role", repr(role))
        if role == "assistant":
            self._reply(path, message)
        elif blank(message.get("content")):
            self._faults.add("content.empty", f"{path}.content")
        if role == self._before and role in ("user", "assistant"):
            self._faults.add("role.twice", path, f"two {role} messages in a row", strict=True)
        if role in ("system", "developer") and place:
            self._faults.add("role.system", path, "the system prompt comes first", strict=True)
        self._before = str(role)
        self._parts(path, message.get("content"), str(role))

    def close(self, where: str) -> None:
        for call_id, path in self._open.items():
            self._faults.add("call.unanswered", path, f"{call_id!r} has no result before {where}")
        self._open, self._answered = {}, set()

    def _result(self, path: str, message: dict[str, Any]) -> None:
        call_id, content = message.get("tool_call_id"), message.get("content")
        if call_id in self._open:
            if next(iter(self._open)) != call_id:
                self._faults.add("result.order", path, "results come in the order of their calls", strict=True)
            del self._open[call_id]
            self._answered.add(str(call_id))
        elif call_id in self._answered:
            self._faults.add("result.twice", path, repr(call_id))
        else:
            self._faults.add("result.orphan", path, f"no call {call_id!r} directly before")
        if content is None:
            self._faults.add("content.empty", f"{path}.content")
        elif blank(content):
            self._faults.add("content.blank", f"{path}.content", strict=True)
        for number, part in enumerate(content if isinstance(content, list) else ()):
            if isinstance(part, dict) and part.get("type") != "text":
                self._faults.add("result.part", f"{path}.content.{number}", "a result is text here", strict=True)
        self._parts(path, content, "tool")
        self._before = "tool"

    def _reply(self, path: str, message: dict[str, Any]) -> None:
        calls = message.get("tool_calls")
        if calls == []:
            self._faults.add("calls.empty", f"{path}.tool_calls", "leave the key out", strict=True)
        if not calls and not message.get("refusal") and not message.get("function_call"):
            content = message.get("content")
            if blank(content):
                said = content == "" or any(
                    message.get(k) for k in ("reasoning", "reasoning_content", "reasoning_details")
                )
                self._faults.add("content.empty", f"{path}.content", strict=bool(said))
        ids: set[str] = set()
        for number, call in enumerate(calls or ()):
            self._call(f"{path}.tool_calls.{number}", call if isinstance(call, dict) else {}, ids)
        for call_id in ids & self._ids:
            self._faults.add("call.reused_id", path, repr(call_id), strict=True)
        self._ids |= ids

    def _call(self, path: str, call: dict[str, Any], ids: set[str]) -> None:
        call_id = str(call.get("id") or "")
        function = call.get("function") or {}
        if not call_id:
            self._faults.add("call.id", f"{path}.id", "a call needs one")
        if call_id in ids:
            self._faults.add("call.same_id", path, repr(call_id))
        if len(call_id) > _LONGEST_ID.get(self._dialect, 10_000):
            self._faults.add("call.id", f"{path}.id", "too long")
        if self._dialect == "mistral" and not _MISTRAL_ID.match(call_id):
            self._faults.add("call.id", f"{path}.id", "nine letters or digits")
        ids.add(call_id)
        self._open[call_id] = path
        if call.get("type") == "custom":
            return
        if not _NAME.match(str(function.get("name") or "")):
            self._faults.add("call.name", f"{path}.function.name", repr(function.get("name")))
        try:
            is_object = isinstance(json.loads(function.get("arguments")), dict)
        except (TypeError, ValueError, RecursionError):
            is_object = False
        if not is_object:  # OpenAI itself takes anything; the makers behind gateways do not
            self._faults.add("call.arguments", f"{path}.function.arguments", "a JSON object as text", strict=True)

    def _parts(self, path: str, content: Any, role: str) -> None:
        for number, part in enumerate(content if isinstance(content, list) else ()):
            where = f"{path}.content.{number}"
            if not isinstance(part, dict):
                continue
            kind = part.get("type")
            if kind == "text" and blank(part.get("text")):
                self._faults.add("content.empty_text", where, strict=part.get("text") not in ("", None))
            if kind == "image_url":
                image = part.get("image_url")
                url = image.get("url") if isinstance(image, dict) else image
                if not _URL.match(str(url)):
                    self._faults.add("image.url", where, str(url)[:60])
                if role != "user":
                    self._faults.add("image.role", where, f"no picture in a message of the {role}")
            if kind == "file" and not (part.get("file") or {}).keys() & {"file_id", "file_data"}:
                self._faults.add("file", where, "neither data nor id")
