"""Cherry Studio's backup: a ZIP with ``data.json`` (its local storage and database) and ``Data/Files``.

A topic is a list of messages, each a list of ids of blocks (text, thinking, tool, image, file, code …). Answers of
several models to one question share its ``askId`` and become branches; the one that was folded out is shown.

Sources: CherryHQ/cherry-studio, src/renderer/src/types/newMessage.ts (messages and blocks); the outer form as its
public readers have it (desktop backup: ``time``, ``version``, ``localStorage``, ``indexedDB``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from sam_py.messages.parts import CodePart, Part, TextPart, ThinkingTextPart, ToolCallPart
from sam_py.store.exporters.errors import TransferError
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
    picture_or_file,
    stable_id,
    taken,
    text_of,
    unknown,
    without,
)
from sam_py.store.importers.gathering import Gathering, Result, as_json, usage_of
from sam_py.store.importers.leftover import left_of

KEY = "cherry-studio"
_STORE = "persist:cherry-studio"
_PROGRAM = "Cherry Studio"
_READ_OF_MESSAGE = ("id", "role", "topicId", "createdAt", "blocks", "content", "askId", "status")
_OF_BLOCK = ("id", "messageId", "status", "createdAt")
_READ_OF_BLOCK = {
    "main_text": (*_OF_BLOCK, "content"),
    "thinking": (*_OF_BLOCK, "content"),
    "code": (*_OF_BLOCK, "content", "language"),
    "tool": (*_OF_BLOCK, "toolId", "toolName", "arguments", "content"),
    "image": (*_OF_BLOCK, "url"),
    "file": _OF_BLOCK,
}
_COPY = (
    "This backup of Cherry Studio is a copy of its database, which only Cherry Studio can read. A file that holds a "
    "data.json can be imported: in Cherry Studio, Settings, Data, “Export to phone” saves one where the version has "
    "it, and older versions make their backups so."
)


def detect(bundle: Bundle, heads: Sequence[Head]) -> bool:
    return any({"localStorage", "indexedDB"} <= head.members.keys() or _is_copy(head.members) for head in heads)


def _is_copy(members: Mapping[str, Any]) -> bool:
    """Whether a file is the ``metadata.json`` of a backup that holds the database itself."""
    return members.get("appName") == _PROGRAM and "appVersion" in members


def read(source: Source) -> Iterator[Found | Aside]:
    yield from source.each_file(source.files, _topics_in)


def _topics_in(source: Source, name: str) -> Iterator[Found | Aside]:
    backup = fields_of(source.bundle.json(name))
    if _is_copy(backup):
        if len(source.files) == 1:
            raise TransferError(_COPY, kind="unknown_format")
        return
    database = fields_of(backup.get("indexedDB"))
    topics = items_of(database.get("topics"))
    if not topics:
        raise TransferError(
            "This backup of Cherry Studio holds no topics in a form that is known here: export topics one by one.",
            kind="unknown_format",
        )
    blocks = {text_of(fields_of(each).get("id")): fields_of(each) for each in items_of(database.get("message_blocks"))}
    told = _told_topics(fields_of(backup.get("localStorage")))
    files = _Files(source)
    for value in topics:
        topic = fields_of(value)
        id = text_of(topic.get("id"))
        what = f"the topic “{text_of(told.get(id, {}).get('name')) or id}”"
        yield from taken(what, topic, partial(_topic, files, topic, what, told.get(id, {}), blocks))


def _told_topics(storage: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What the list of assistants says of each topic: its name, and the assistant's with its prompt."""
    try:
        slices = json.loads(text_of(storage.get(_STORE)) or "{}")
        assistants = fields_of(json.loads(text_of(fields_of(slices).get("assistants")) or "{}"))
    except (ValueError, RecursionError):
        return {}
    told: dict[str, dict[str, Any]] = {}
    everyone = [*items_of(assistants.get("assistants")), assistants.get("defaultAssistant")]
    for assistant in map(fields_of, everyone):
        for topic in map(fields_of, items_of(assistant.get("topics"))):
            of = {"prompt": text_of(assistant.get("prompt")), "assistant": text_of(assistant.get("name"))}
            told.setdefault(text_of(topic.get("id")), {**topic, **of})
    return told


def _topic(
    files: _Files, topic: dict[str, Any], what: str, told: dict[str, Any], blocks: dict[str, dict[str, Any]]
) -> Iterator[Found | Aside]:
    id = text_of(topic.get("id")) or stable_id(canonical(topic).decode())
    gathering = Gathering(KEY, id, title=text_of(told.get("name")), created=told.get("createdAt"))
    gathering.setting("pinned", told.get("pinned") is True)
    gathering.setting("system_prompt", told.get("prompt"))
    rest = without(told, "id", "name", "messages", "createdAt", "pinned", "prompt")
    gathering.setting("imported", {**without({"topic": without(topic, "id", "messages")}), **rest})
    before: str | None = None
    answers: dict[str, str] = {}
    for number, message in enumerate(map(fields_of, items_of(topic.get("messages")))):
        own, asked = text_of(message.get("id")) or str(number), text_of(message.get("askId"))
        parent = before
        if message.get("role") == "assistant" and asked in answers:
            parent = asked  # another model's answer to the same question
        _take(files, gathering, own, parent, message, blocks)
        if asked and message.get("role") == "assistant":
            if asked not in answers or message.get("foldSelected") is True:
                answers[asked] = before = own
        else:
            before = own
    gathering.show(before)
    yield gathering.found() or Aside(what, "there is nothing in it", canonical(topic))


def _take(
    files: _Files,
    gathering: Gathering,
    id: str,
    parent: str | None,
    message: dict[str, Any],
    known: dict[str, dict[str, Any]],
) -> None:
    at, rest = message.get("createdAt"), without(message, *_READ_OF_MESSAGE)
    own = [known.get(text_of(block)) or {"missing": block} for block in items_of(message.get("blocks"))]
    blocks = [piece for block in own for piece in _block(files, gathering, block)]
    if not own and isinstance(message.get("content"), str):  # before there were blocks
        blocks = [TextPart(text=message["content"])]
    left = left_of(own, _READ_OF_BLOCK)
    role = message.get("role")
    if role == "assistant":
        model, usage = fields_of(message.get("model")), fields_of(message.get("usage"))
        status = message.get("status")
        gathering.turns(
            id,
            parent,
            blocks,
            at,
            model=text_of(model.get("id")) or text_of(message.get("modelId")),
            stop_reason="aborted" if status in ("paused", "pending") else "error" if status == "error" else "stop",
            usage=usage_of(usage.get("prompt_tokens"), usage.get("completion_tokens")),
            message=rest,
            left=left,
        )
        return
    if role == "system":
        gathering.system(id, parent, blocks, at, message=rest, left=left)
    else:
        gathering.user(id, parent, blocks, at, message=rest, left=left)


def _block(files: _Files, gathering: Gathering, block: dict[str, Any]) -> Iterator[Part | Result]:
    content = text_of(block.get("content"))
    match block.get("type"):
        case "main_text":
            yield TextPart(text=content)
        case "thinking":
            yield ThinkingTextPart(text=content)
        case "code":
            yield CodePart(code=content, language=text_of(block.get("language")))
        case "tool":
            id, name = text_of(block.get("toolId")) or text_of(block.get("id")), text_of(block.get("toolName"))
            raw = fields_of(fields_of(block.get("metadata")).get("rawMcpToolResponse"))
            arguments = block.get("arguments") or raw.get("arguments") or {}
            name = name or text_of(fields_of(raw.get("tool")).get("name")) or "tool"
            yield ToolCallPart(call_id=id, tool_name=name, arguments_json=as_json(arguments))
            output = block.get("content") if block.get("content") is not None else raw.get("response")
            if output is not None:
                yield Result(output, id, name, "error" if block.get("status") == "error" else "success")
        case "image" if text_of(block.get("url")):
            yield picture_at(text_of(block.get("url")), files.source.keep)
        case "image" | "file":
            part = files.part(fields_of(block.get("file")))
            if part is None:
                gathering.note("Some files are not in the backup; what names them is kept.")
            yield part or unknown("file", block)
        case _:
            yield unknown("block", block)


class _Files:
    """The files of a backup, by id: they lie under ``Data/Files`` as the id and the ending."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._names = {PurePosixPath(name).stem: name for name in source.bundle.names if "Files/" in name}

    def part(self, file: dict[str, Any]) -> Part | None:
        name = self._names.get(text_of(file.get("id")))
        content = self.source.file(name) if name is not None else None
        if content is None:
            return None
        return picture_or_file(self.source.keep, content, text_of(file.get("origin_name")), text_of(file.get("mime")))


IMPORTER = Importer(KEY, "Cherry Studio", detect, read)
