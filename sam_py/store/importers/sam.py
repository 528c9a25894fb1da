"""SAM's own files (the original program, macOS): ``conversation.json``, and the export package for one or many.

Older versions kept all conversations in one list, ``conversations.json``.

A conversation is a list of messages; a tool's message has its name, status and result, a reply may hold what it
thought. A package adds memories and a folder. Memories are kept aside: they are no messages.

Source: SyntheticAutonomicMind/SAM, Sources/ConversationEngine/ConversationModel.swift (what is kept) and
ConversationImportExportService.swift (the packages); only the names of fields were taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from sam_py.messages.message import ToolStatus
from sam_py.messages.parts import CodePart, Part, TextPart, ThinkingTextPart, ToolCallPart
from sam_py.store.exporters.lossless import canonical
from sam_py.store.importers.bundle import Bundle
from sam_py.store.importers.found import (
    Aside,
    Found,
    Head,
    Importer,
    Source,
    fields_of,
    items_of,
    picture_at,
    taken,
    text_of,
    unknown,
    without,
)
from sam_py.store.importers.gathering import Gathering, as_json, usage_of
from sam_py.store.importers.leftover import left_of, left_of_call

KEY = "sam"
_STATUS: dict[str, ToolStatus] = {"error": "error", "failed": "error", "cancelled": "aborted", "running": "aborted"}
_READ = ("id", "title", "created", "messages", "isPinned", "folderId")
_READ_OF_MESSAGE = (
    "id",
    "content",
    "isFromUser",
    "timestamp",
    "type",
    "toolName",
    "toolStatus",
    "toolCallId",
    "toolCalls",
    "contentParts",
    "reasoningContent",
    "isPinned",
    "importance",
)

_READ_OF_PART = {
    "text": ("text",),
    "code": ("code", "language", "filename"),
    "image": ("base64", "mimeType", "mime", "url"),
}


def detect(bundle: Bundle, heads: Sequence[Head]) -> bool:
    for head in heads:
        listed = fields_of(head.first)  # of an older file, in which all conversations stand
        if any("isFromUser" in fields_of(each) for each in items_of(listed.get("messages"))[:1]):
            return True
        if {"created", "updated", "messages", "settings"} <= listed.keys():
            return True
        first = fields_of(head.members.get("messages"))
        if "isFromUser" in first or {"formatVersion", "samVersion"} <= head.members.keys():
            return True
        if {"created", "updated", "messages", "settings"} <= head.members.keys():
            return True
    return False


def read(source: Source) -> Iterator[Found | Aside]:
    yield from source.each_file([*source.files, *source.others], _packages_in)


def _packages_in(source: Source, name: str) -> Iterator[Found | Aside]:
    whole = source.bundle.json(name)
    told = fields_of(whole)
    packages = [fields_of(each) for each in items_of(whole) or items_of(told.get("conversations"))] or [told]
    for package in packages:
        conversation = fields_of(package.get("conversation")) or package
        if "messages" not in conversation:
            continue
        folder = text_of(fields_of(package.get("folder")).get("name"))
        title = text_of(conversation.get("title"))
        take = partial(_conversation, source, conversation, folder)
        yield from taken(f"the conversation “{title}”", conversation, take)
        for key, what in (("memories", "memories"), ("ragChunks", "pieces of documents")):
            if package.get(key):
                yield Aside(f"the {what} of “{title}”", "they are no messages", canonical(package[key]))


def _conversation(source: Source, conversation: dict[str, Any], folder: str) -> Iterator[Found | Aside]:
    title = text_of(conversation.get("title"))
    id = text_of(conversation.get("id")).lower() or title
    gathering = Gathering(KEY, id, title=title, created=conversation.get("created"))
    settings = fields_of(conversation.get("settings"))
    gathering.setting("pinned", conversation.get("isPinned") is True)
    gathering.setting("folder", folder)
    gathering.setting("imported", {**without(conversation, *_READ, "settings"), "settings": settings})
    before: str | None = None
    for number, message in enumerate(map(fields_of, items_of(conversation.get("messages")))):
        own = text_of(message.get("id")) or str(number)
        _take(source, gathering, own, before, message)
        before = own
    found = gathering.found()
    yield found or Aside(f"the conversation “{title or id}”", "there is nothing in it", canonical(conversation))


def _take(source: Source, gathering: Gathering, id: str, parent: str | None, message: dict[str, Any]) -> None:
    at, content = message.get("timestamp"), text_of(message.get("content"))
    parts = [_part(source, each) for each in items_of(message.get("contentParts"))]
    if content and not any(isinstance(part, TextPart) for part in parts):
        parts.insert(0, TextPart(text=content))
    rest: dict[str, Any] = {"message": without(message, *_READ_OF_MESSAGE), "left": _left_of(message)}
    kind = text_of(message.get("type"))
    if kind == "toolExecution" or message.get("toolName"):
        status = _STATUS.get(text_of(message.get("toolStatus")).lower(), "success")
        call, tool = text_of(message.get("toolCallId")), text_of(message.get("toolName"))
        gathering.result(id, parent, call, None, at, tool_name=tool, status=status, parts=parts, **rest)
    elif message.get("isFromUser") is True:
        gathering.user(id, parent, parts, at, **rest)
    elif kind in ("system", "systemStatus"):
        gathering.system(id, parent, content, at, **rest)
    else:
        thought = text_of(message.get("reasoningContent"))
        if kind == "thinking":
            thought, parts = "\n\n".join(filter(None, (thought, content))), []
        thinking: list[Part] = [ThinkingTextPart(text=thought)] if thought else []
        metrics = fields_of(message.get("performanceMetrics"))
        usage = usage_of(metrics.get("promptTokens"), metrics.get("completionTokens") or metrics.get("tokenCount"))
        gathering.reply(id, parent, [*thinking, *parts, *_calls(message)], at, usage=usage, **rest)
    importance = message.get("importance")
    number = float(importance) if isinstance(importance, int | float) and 0 <= importance <= 1 else None
    gathering.annotate(id, pinned=message.get("isPinned") is True, importance=number)


def _left_of(message: dict[str, Any]) -> list[dict[str, Any]]:
    """What parts say beside their content, and calls beside what was asked."""
    calls = [fields_of(call) for call in items_of(message.get("toolCalls"))]
    left = [left_of_call(call, fields_of(call.get("function")) or call) for call in calls]
    told = left_of(items_of(message.get("contentParts")), _READ_OF_PART)
    return [*told, *({"call": place, **rest} for place, rest in enumerate(left) if rest)]


def _calls(message: dict[str, Any]) -> Iterator[ToolCallPart]:
    for call in map(fields_of, items_of(message.get("toolCalls"))):
        function = fields_of(call.get("function")) or call
        arguments = as_json(function.get("arguments") or {})
        name = text_of(function.get("name"))
        yield ToolCallPart(call_id=text_of(call.get("id")), tool_name=name, arguments_json=arguments)


def _part(source: Source, value: Any) -> Part:
    """A part in either of SAM's forms: its own, or that of OpenAI's chat API."""
    match value:
        case {"type": "text", "text": str(text)}:
            return TextPart(text=text)
        case {"type": "code", "code": str(code)}:
            return CodePart(code=code, language=text_of(value.get("language")), filename=text_of(value.get("filename")))
        case {"type": "image", "base64": str(data)} if data:
            kind = text_of(value.get("mimeType") or value.get("mime")) or "image/png"
            return picture_at(f"data:{kind};base64,{data}", source.keep)
        case {"type": "image", "url": str(url)} | {"imageUrl": {"url": str(url)}} | {"image_url": {"url": str(url)}}:
            return picture_at(url, source.keep)
        case _:
            return unknown("content", value)


IMPORTER = Importer(KEY, "SAM", detect, read)
