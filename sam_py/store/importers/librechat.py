"""LibreChat's JSON export of a conversation: messages nested in ``children`` (recursive), or flat with parents.

Source: danny-avila/LibreChat, api/server/utils/import/__data__/librechat-*.json and importers.js; the kinds of
``content`` parts are those of its data provider (text, think, tool_call, image_file, error).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from sam_py.messages.parts import Part, TextPart, ThinkingTextPart, ToolCallPart
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
    taken,
    text_of,
    unknown,
    without,
)
from sam_py.store.importers.gathering import Gathering, Result, as_json, usage_of

KEY = "librechat"
_READ = ("conversationId", "title", "messages", "messagesTree", "recursive", "branches", "options", "createdAt")
_READ_OF_MESSAGE = (
    "messageId",
    "parentMessageId",
    "children",
    "conversationId",
    "text",
    "content",
    "isCreatedByUser",
    "model",
    "createdAt",
    "finish_reason",
    "error",
    "unfinished",
    "files",
)


def detect(bundle: Bundle, heads: Sequence[Head]) -> bool:
    return any(
        "conversationId" in head.members and bool({"messages", "messagesTree"} & head.members.keys()) for head in heads
    )


def read(source: Source) -> Iterator[Found | Aside]:
    yield from source.each_file([*source.files, *source.others], _taken)


def _taken(source: Source, name: str) -> Iterator[Found | Aside]:
    value = source.bundle.json(name)
    conversation = fields_of(value)
    what = f"the conversation “{text_of(conversation.get('title')) or name}”"
    messages = items_of(conversation.get("messagesTree")) or items_of(conversation.get("messages"))
    found = partial(_conversation, name, conversation, messages)
    return taken(what, value, lambda: [found() or Aside(what, "there is nothing in it", canonical(value))])


def _conversation(name: str, conversation: dict[str, Any], messages: list[Any]) -> Found | None:
    options = fields_of(conversation.get("options"))
    gathering = Gathering(
        KEY,
        text_of(conversation.get("conversationId")) or name,
        title=text_of(conversation.get("title")),
        created=conversation.get("createdAt"),
    )
    gathering.setting("system_prompt", text_of(options.get("promptPrefix")) or text_of(options.get("system")))
    gathering.setting("imported", {**without(conversation, *_READ), "options": without(options, "promptPrefix")})
    ordered = list(_flat(messages))
    known = {text_of(message.get("messageId")) for message, _parent in ordered}
    has_tree = any(parent in known for _message, parent in ordered)
    before: str | None = None
    for number, (message, parent) in enumerate(_parents_first(ordered)):
        id = text_of(message.get("messageId")) or str(number)
        _take(gathering, id, (parent if parent in known else None) if has_tree else before, message)
        before = id
    latest = max(ordered, key=lambda pair: text_of(pair[0].get("createdAt")), default=None)
    gathering.show(text_of(latest[0].get("messageId")) if latest and latest[0].get("createdAt") else before)
    return gathering.found()


def _flat(messages: list[Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Each message with its parent's id, however it is nested."""
    stack: list[tuple[Any, str]] = [(message, "") for message in reversed(messages)]
    while stack:
        value, above = stack.pop()
        message = fields_of(value)
        yield message, above or text_of(message.get("parentMessageId"))
        id = text_of(message.get("messageId"))
        stack += [(child, id) for child in reversed(items_of(message.get("children")))]


def _parents_first(ordered: list[tuple[dict[str, Any], str]]) -> Iterator[tuple[dict[str, Any], str]]:
    known = {text_of(message.get("messageId")) for message, _parent in ordered}
    placed: set[str] = set()
    waiting = ordered
    while waiting:
        later: list[tuple[dict[str, Any], str]] = []
        for message, parent in waiting:
            if parent in known and parent not in placed:
                later.append((message, parent))
            else:
                placed.add(text_of(message.get("messageId")))
                yield message, parent
        if len(later) == len(waiting):  # a circle: opened where it is met
            message, _parent = later.pop(0)
            placed.add(text_of(message.get("messageId")))
            yield message, ""
        waiting = later


def _take(gathering: Gathering, id: str, parent: str | None, message: dict[str, Any]) -> None:
    at, rest = message.get("createdAt"), without(message, *_READ_OF_MESSAGE)
    files = [unknown("file", each) for each in items_of(message.get("files"))]
    if files:
        gathering.note("Files lie on the LibreChat server and are not in the export; what names them is kept.")
    blocks = [block for each in items_of(message.get("content")) for block in _blocks(each)]
    if not blocks:
        blocks = [TextPart(text=text_of(message.get("text")))]
    if message.get("isCreatedByUser") is True:
        gathering.user(id, parent, [*blocks, *files], at, message=rest)
        return
    finish = message.get("finish_reason")
    gathering.turns(
        id,
        parent,
        [*blocks, *files],
        at,
        model=message.get("model"),
        stop_reason="error"
        if message.get("error") is True
        else "aborted"
        if message.get("unfinished") is True
        else "length"
        if finish == "length"
        else "stop",
        usage=usage_of(message.get("promptTokens"), message.get("tokenCount")),
        message=rest,
    )


def _blocks(value: Any) -> Iterator[Part | Result]:
    part = fields_of(value)
    match part.get("type"):
        case "text":
            text = part.get("text")
            yield TextPart(text=text if isinstance(text, str) else text_of(fields_of(text).get("value")))
        case "think":
            yield ThinkingTextPart(text=text_of(part.get("think")))
        case "tool_call":
            call = fields_of(part.get("tool_call"))
            function = fields_of(call.get("function")) or call
            name = text_of(function.get("name"))
            arguments = as_json(function.get("args") or function.get("arguments") or {})
            id = text_of(call.get("id"))
            yield ToolCallPart(call_id=id, tool_name=name, arguments_json=arguments)
            output = function.get("output")
            if output is not None:
                yield Result(output, id, name)
        case _:
            yield unknown("content", value)


IMPORTER = Importer(KEY, "LibreChat", detect, read)
