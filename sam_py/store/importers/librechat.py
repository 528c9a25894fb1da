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
from sam_py.store.importers.leftover import left_of, left_of_call

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
_READ_OF_BLOCK = {"text": ("text",), "think": ("think",), "tool_call": ("tool_call",)}
_GIVEN = ("output", "outputs", "results")
"""Members that hold what came back."""
_FUNCTIONS = ("", "function", "tool_call")
"""Kinds of calls that have a name of their own; the others are called as their kind is."""


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
    left = left_of(items_of(message.get("content")), _READ_OF_BLOCK) + _left_of_calls(items_of(message.get("content")))
    if blocks and message.get("content") and (text := text_of(message.get("text"))) and not _is_said(text, blocks):
        rest["text"] = text
    if message.get("isCreatedByUser") is True:
        gathering.user(id, parent, [*blocks, *files], at, message=rest, left=left)
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
        left=left,
    )


def _is_said(text: str, blocks: list[Part | Result]) -> bool:
    """Whether the flat text of a message is among its blocks."""
    return text.strip() in "\n".join(block.text for block in blocks if isinstance(block, TextPart))


def _blocks(value: Any) -> Iterator[Part | Result]:
    part = fields_of(value)
    match part.get("type"):
        case "text":
            text = part.get("text")
            yield TextPart(text=text if isinstance(text, str) else text_of(fields_of(text).get("value")))
        case "think":
            yield ThinkingTextPart(text=text_of(part.get("think")))
        case "error":
            error = part.get("error")
            words = text_of(error) or text_of(fields_of(error).get("message")) or text_of(part.get("text"))
            yield unknown("error", {**part, "text": words})
        case "tool_call":
            yield from _called(fields_of(part.get("tool_call")))
        case _:
            yield unknown("content", value)


def _function_of(call: dict[str, Any]) -> dict[str, Any]:
    """What of a call says what was asked: a member that is called as the kind of the call is, or the call itself."""
    return fields_of(call.get("function")) or fields_of(call.get(text_of(call.get("type")))) or call


def _called(call: dict[str, Any]) -> Iterator[Part | Result]:
    """A call and what came of it. Code that was run has its ``outputs``, a search in files its ``results``."""
    kind, function = text_of(call.get("type")), _function_of(call)
    name = text_of(function.get("name")) or text_of(call.get("name")) or (kind if kind not in _FUNCTIONS else "tool")
    arguments: Any = function.get("args") or function.get("arguments") or {}
    if kind == "code_interpreter" and isinstance(function.get("input"), str):
        arguments = {"code": function["input"]}
    id = text_of(call.get("id"))
    yield ToolCallPart(call_id=id, tool_name=name, arguments_json=as_json(arguments))
    output = next((each[key] for each in (function, call) for key in _GIVEN if each.get(key) not in (None, [])), None)
    if isinstance(output, list):
        yield Result(None, id, name, parts=tuple(_given(output)))
    elif output is not None:
        yield Result(output, id, name)


def _given(outputs: list[Any]) -> Iterator[Part]:
    """What code gave back: what it wrote, one below the other, and what names its pictures."""
    logs = [text_of(each.get("logs")) or text_of(each.get("text")) for each in map(fields_of, outputs)]
    if text := "\n".join(filter(None, logs)):
        yield TextPart(text=text)
    for log, each in zip(logs, outputs, strict=True):
        if not log:
            yield unknown("file" if fields_of(each).get("type") == "image" else "content", each)


def _left_of_calls(content: list[Any]) -> list[dict[str, Any]]:
    """What texts say beside their value, and calls beside what was asked and given."""
    left: list[dict[str, Any]] = []
    for place, block in enumerate(map(fields_of, content)):
        left += [{"text_of": place, **rest}] if (rest := without(fields_of(block.get("text")), "value")) else []
        call = fields_of(block.get("tool_call")) if block.get("type") == "tool_call" else {}
        function = _function_of(call)
        left += [{"call_of": place, **rest}] if (rest := left_of_call(call, function, *_GIVEN)) else []
        for given in (items_of(function.get(key)) for key in _GIVEN):
            told = [without(fields_of(each), "type", "logs", "text") for each in given]
            left += [{"given_to": place, **each} for each in told if each]
    return left


IMPORTER = Importer(KEY, "LibreChat", detect, read)
