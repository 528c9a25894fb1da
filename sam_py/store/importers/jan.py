"""Jan's threads: folders with ``thread.json`` and ``messages.jsonl``, one or many, also in a ZIP.

Source: janhq/jan, core/src/types/thread/threadEntity.ts and message/messageEntity.ts (the forms); where the files are:
https://jan.ai/docs/desktop/data-folder.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from sam_py.messages.message import StopReason
from sam_py.messages.parts import Part, TextPart, ThinkingTextPart, ToolCallPart
from sam_py.store.exporters.errors import TransferError
from sam_py.store.exporters.lossless import canonical, mended
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
from sam_py.store.importers.gathering import Gathering, Result, as_json
from sam_py.store.importers.leftover import left_of, left_of_call, plain

KEY = "jan"
_LONGEST_LINE = 64 * 1024 * 1024
_STOPS: dict[str, StopReason] = {"stopped": "aborted", "error": "error", "pending": "aborted"}
_READ = ("id", "object", "thread_id", "role", "content", "status", "created_at", "metadata")
_READ_OF_BLOCK = {
    "text": ("text",),
    "reasoning": ("text",),
    "image_url": ("image_url",),
    "tool_call": ("tool_call_id", "tool_name", "input", "output"),
}


def detect(bundle: Bundle, heads: Sequence[Head]) -> bool:
    if bundle.named("thread.json") and bundle.named("messages.jsonl"):
        return True
    return any("thread_id" in head.members and "content" in head.members for head in heads)


def read(source: Source) -> Iterator[Found | Aside]:
    names = sorted(source.bundle.ending_in("messages.jsonl")) or source.files
    yield from source.each_file(names, _thread_in)


def _thread_in(source: Source, name: str) -> Iterator[Found | Aside]:
    path = PurePosixPath(name)
    thread: dict[str, Any] = {}
    beside = (path.parent / "thread.json").as_posix()
    if beside in source.bundle.names:
        try:
            thread = fields_of(source.bundle.json(beside))
        except TransferError as error:
            content = source.file(beside) if error.kind == "damaged" else b""
            yield Aside(beside, str(error), content or b"")
    yield from taken(f"the thread in {name}", thread, partial(_thread, source, name, thread))


def _thread(source: Source, name: str, thread: dict[str, Any]) -> Iterator[Found | Aside]:
    messages: list[dict[str, Any]] = []
    with source.bundle.open(name) as file:
        number = 0
        while line := file.readline(_LONGEST_LINE):
            number += 1
            if not line.strip():
                continue
            try:
                messages.append(fields_of(mended(json.loads(line.decode("utf-8-sig", "replace")))))
            except (ValueError, RecursionError):
                yield Aside(f"line {number} of {name}", "it is damaged", line)
    id = text_of(thread.get("id")) or next((text_of(m.get("thread_id")) for m in messages), "") or name
    title = text_of(thread.get("title")) or text_of(fields_of(thread.get("metadata")).get("title"))
    assistant = fields_of(next(iter(items_of(thread.get("assistants"))), {}))
    model = text_of(fields_of(assistant.get("model")).get("id"))
    gathering = Gathering(KEY, id, title=title, created=thread.get("created"))
    gathering.setting("system_prompt", text_of(assistant.get("instructions")))
    gathering.setting("imported", without(thread, "id", "object", "title", "created"))
    before: str | None = None
    for place, message in enumerate(messages):
        own = text_of(message.get("id")) or str(place)
        _take(source, gathering, own, before, message, model)
        before = own
    found = gathering.found()
    yield found or Aside(f"the thread “{title or id}”", "there is nothing in it", canonical(thread))


def _take(
    source: Source, gathering: Gathering, id: str, parent: str | None, message: dict[str, Any], model: str
) -> None:
    at, metadata = message.get("created_at"), fields_of(message.get("metadata"))
    calls = [fields_of(each) for each in items_of(metadata.get("tool_calls"))]
    rest = {
        **without(message, *_READ),
        "metadata": without(metadata, "tool_calls"),
        "left": [
            *left_of(items_of(message.get("content")), _READ_OF_BLOCK),
            *_left_of(message),
            *_left_of_calls(calls),
        ],
    }
    rest = without(rest)
    content = message.get("content")
    blocks = [TextPart(text=content)] if isinstance(content, str) else []
    pieces: list[Part | Result] = [*blocks, *(b for each in items_of(content) for b in _block(source, fields_of(each)))]
    pieces += [block for each in calls for block in _call(each)]
    if message.get("role") == "assistant":
        stop = _STOPS.get(text_of(message.get("status")), "stop")
        gathering.turns(id, parent, pieces, at, model=model, stop_reason=stop, message=rest)
        return
    match message.get("role"):
        case "system":
            gathering.system(id, parent, pieces, at, message=rest)
        case "tool":
            gathering.result(id, parent, text_of(message.get("tool_call_id")), None, at, parts=pieces, message=rest)
        case _:
            gathering.user(id, parent, pieces, at, message=rest)


def _block(source: Source, block: dict[str, Any]) -> Iterator[Part | Result]:
    value = text_of(fields_of(block.get("text")).get("value")) or text_of(block.get("text"))
    match block.get("type"):
        case "text":
            yield TextPart(text=value)
        case "reasoning":
            yield ThinkingTextPart(text=value)
        case "image_url" if text_of(fields_of(block.get("image_url")).get("url")):
            yield picture_at(text_of(fields_of(block.get("image_url")).get("url")), source.keep)
        case "tool_call":
            id, name = text_of(block.get("tool_call_id")), text_of(block.get("tool_name"))
            yield ToolCallPart(call_id=id, tool_name=name, arguments_json=as_json(block.get("input") or {}))
            if block.get("output") is not None:
                yield Result(plain(block["output"]), id, name)
        case _:
            yield unknown("content", block)


def _left_of(message: dict[str, Any]) -> list[dict[str, Any]]:
    """What texts say beside their value, as where they were found."""
    left: list[dict[str, Any]] = []
    for place, block in enumerate(map(fields_of, items_of(message.get("content")))):
        inner = without(fields_of(block.get("text")), "value") | without(fields_of(block.get("image_url")), "url")
        left += [{"inside": place, **inner}] if inner else []
    return left


def _left_of_calls(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    left: list[dict[str, Any]] = []
    for place, entry in enumerate(calls):
        tool = fields_of(entry.get("tool"))
        rest = without(
            {
                **without(entry, "tool", "response"),
                "tool": left_of_call(tool, fields_of(tool.get("function"))),
                "response": without(fields_of(entry.get("response")), "content"),
            }
        )
        left += [{"call": place, **rest}] if rest else []
    return left


def _call(entry: dict[str, Any]) -> Iterator[Part | Result]:
    """A call as the reply's metadata has it, with what came back."""
    tool = fields_of(entry.get("tool"))
    function = fields_of(tool.get("function"))
    id, name = text_of(tool.get("id")), text_of(function.get("name"))
    yield ToolCallPart(call_id=id, tool_name=name, arguments_json=as_json(function.get("arguments") or {}))
    response = fields_of(entry.get("response"))
    if response:
        yield Result(plain(response.get("content")), id, name, "error" if response.get("error") else "success")


IMPORTER = Importer(KEY, "Jan", detect, read)
