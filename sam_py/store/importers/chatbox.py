"""Chatbox's exported data: one JSON object with a ``session:<id>`` member for each session (older: ``chat-sessions``).

A session has its messages, earlier threads (each comes in as a conversation of its own), and forks: other ways to
go on after a message, which become branches.

Source: chatboxai/chatbox, src/shared/types/session.ts (sessions, messages, parts, forks); the members of the export
as its public readers have them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from sam_py.messages.message import StopReason
from sam_py.messages.parts import FilePart, Part, TextPart, ThinkingTextPart, ToolCallPart
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
    stable_id,
    taken,
    text_of,
    unknown,
    without,
)
from sam_py.store.importers.gathering import Gathering, Result, as_json, usage_of
from sam_py.store.importers.json_stream import DamagedItem
from sam_py.store.importers.leftover import left_of

KEY = "chatbox"
_SESSION = "session:"
_FINISH: dict[str, StopReason] = {"length": "length", "content-filter": "content_filter", "error": "error"}
_READ = ("id", "name", "messages", "threads", "messageForksHash", "starred", "threadName")
_READ_OF_MESSAGE = ("id", "role", "contentParts", "content", "reasoningContent", "timestamp", "model", "files")
_READ_OF_PART = {
    "text": ("text",),
    "reasoning": ("text",),
    "tool-call": ("toolCallId", "toolName", "args", "state", "result"),
    "image": ("url",),
}
_PARSED = "parseFile"
"""What the keys of files' texts begin with."""


def detect(bundle: Bundle, heads: Sequence[Head]) -> bool:
    return any(
        key in ("chat-sessions-list", "chat-sessions", "__exported_items") or key.startswith(_SESSION)
        for head in heads
        for key in head.members
    )


def read(source: Source) -> Iterator[Found | Aside]:
    yield from source.each_file(source.files, _sessions_in)


def _sessions_in(source: Source, name: str) -> Iterator[Found | Aside]:
    pictures = _pictures(source, name)
    with source.bundle.stream(name) as stream:
        for item in stream.items():
            if isinstance(item, DamagedItem):
                yield Aside(f"“{item.key or 'a part'}” of {name}", item.why, item.text.encode("utf-8", "replace"))
            elif item.key.startswith(_SESSION) or item.key == "chat-sessions":
                session = fields_of(item.value)
                what = f"the session “{text_of(session.get('name'))}”"
                yield from taken(what, item.value, partial(_session, session, source, pictures))


def _pictures(source: Source, name: str) -> dict[str, Part]:
    """Pictures, and the texts of files, that stand in the file itself, by the key under which messages name them."""
    pictures: dict[str, Part] = {}
    with source.bundle.stream(name) as stream:
        for item in stream.items():
            if isinstance(item, DamagedItem) or not isinstance(item.value, str):
                continue
            if item.value.startswith("data:image/"):
                pictures[item.key] = picture_at(item.value, source.keep)
            elif item.key.startswith(_PARSED) and item.value:
                content = item.value.encode("utf-8", "replace")
                hash = source.keep(content)
                pictures[item.key] = FilePart(
                    attachment=hash, filename="file.txt", mime_type="text/plain", size=len(content)
                )
    return pictures


def _session(session: dict[str, Any], source: Source, pictures: dict[str, Part]) -> Iterator[Found | Aside]:
    title = text_of(session.get("name"))
    id = text_of(session.get("id")) or stable_id(canonical(session).decode())
    forks = fields_of(session.get("messageForksHash"))
    threads = [({**session, "name": title}, id)]
    for number, thread in enumerate(map(fields_of, items_of(session.get("threads")))):
        name = text_of(thread.get("name")) or f"thread {number + 1}"
        threads.append(({**thread, "name": f"{title} – {name}"}, f"{id}/{text_of(thread.get('id')) or number}"))
    for thread, thread_id in threads:
        messages = [fields_of(each) for each in items_of(thread.get("messages"))]
        gathering = Gathering(KEY, thread_id, title=text_of(thread.get("name")), created=thread.get("createdAt"))
        gathering.setting("pinned", session.get("starred") is True)
        gathering.setting("imported", without(thread, *_READ))
        taking = _Taking(gathering, source, pictures, forks)
        gathering.show(taking.chain(messages, None))
        found = gathering.found()
        if found is not None:
            yield found
        elif thread_id == id:
            yield Aside(f"the session “{title or id}”", "there is nothing in it", canonical(session))


class _Taking:
    """Puts the messages of one thread, and what forks off it, where they belong."""

    def __init__(self, gathering: Gathering, source: Source, pictures: dict[str, Part], forks: dict[str, Any]) -> None:
        self._gathering = gathering
        self._source = source
        self._pictures = pictures
        self._forks = forks

    def chain(self, messages: list[dict[str, Any]], parent: str | None) -> str | None:
        """One message below the other, and their forks; returns the last one's id."""
        last = parent
        waiting: list[tuple[list[dict[str, Any]], str | None]] = [(messages, parent)]
        is_main = True
        seen: set[str] = set()
        while waiting:
            below, above = waiting.pop(0)
            for number, message in enumerate(below):
                id = text_of(message.get("id")) or f"{above or ''}.{number}"
                if id in seen:
                    above = id
                    continue
                seen.add(id)
                self._take(id, above, message)
                for fork in items_of(fields_of(self._forks.get(id)).get("lists")):
                    others = [fields_of(each) for each in items_of(fields_of(fork).get("messages"))]
                    if others:
                        waiting.append((others, id))
                above = id
            if is_main:
                last, is_main = above, False
        return last

    def _take(self, id: str, parent: str | None, message: dict[str, Any]) -> None:
        at, rest = message.get("timestamp"), without(message, *_READ_OF_MESSAGE)
        blocks = [block for each in items_of(message.get("contentParts")) for block in self._part(fields_of(each))]
        if not blocks and isinstance(message.get("content"), str):
            blocks = [TextPart(text=message["content"])]
        if (thought := text_of(message.get("reasoningContent"))) and not any(
            isinstance(block, ThinkingTextPart) for block in blocks
        ):
            blocks.insert(0, ThinkingTextPart(text=thought))
        files = [self._file(fields_of(each)) for each in items_of(message.get("files"))]
        kept = [each for each, file in zip(items_of(message.get("files")), files, strict=True) if file.kind == "file"]
        rest = {"message": rest, "left": left_of(items_of(message.get("contentParts")), _READ_OF_PART), "files": kept}
        if message.get("role") == "assistant":
            usage = fields_of(message.get("usage"))
            is_error = bool(message.get("error"))
            self._gathering.turns(
                id,
                parent,
                [*blocks, *files],
                at,
                model=message.get("model"),
                stop_reason="error" if is_error else _FINISH.get(text_of(message.get("finishReason")), "stop"),
                usage=usage_of(
                    usage.get("inputTokens"),
                    usage.get("outputTokens"),
                    reasoning_tokens=usage.get("reasoningTokens"),
                    cached_input_tokens=usage.get("cachedInputTokens"),
                ),
                **rest,
            )
            return
        match message.get("role"):
            case "system":
                self._gathering.system(id, parent, blocks, at, **rest)
            case "tool":
                call, name = self._gathering.call_to_answer(parent), text_of(message.get("name"))
                self._gathering.result(id, parent, call, None, at, tool_name=name, parts=[*blocks, *files], **rest)
            case _:
                self._gathering.user(id, parent, [*blocks, *files], at, **rest)

    def _file(self, file: dict[str, Any]) -> Part:
        """An attached file: its text where the export has it, else what names it."""
        known = self._pictures.get(text_of(file.get("storageKey")))
        if isinstance(known, FilePart):
            name = text_of(file.get("name")) or "file"
            return known.model_copy(update={"filename": name if name.lower().endswith(".txt") else f"{name}.txt"})
        self._gathering.note("Some attached files are not in Chatbox's export; what names them is kept.")
        return known or unknown("file", file)

    def _part(self, part: dict[str, Any]) -> Iterator[Part | Result]:
        match part.get("type"):
            case "text":
                yield TextPart(text=text_of(part.get("text")))
            case "reasoning":
                yield ThinkingTextPart(text=text_of(part.get("text")))
            case "tool-call":
                id, name = text_of(part.get("toolCallId")), text_of(part.get("toolName"))
                yield ToolCallPart(call_id=id, tool_name=name, arguments_json=as_json(part.get("args") or {}))
                if part.get("state") in ("result", "error"):
                    yield Result(part.get("result"), id, name, "error" if part.get("state") == "error" else "success")
            case "image":
                if text_of(part.get("url")):
                    yield picture_at(text_of(part.get("url")), self._source.keep)
                elif (picture := self._pictures.get(text_of(part.get("storageKey")))) is not None:
                    yield picture
                else:
                    self._gathering.note("Some pictures are not in the export; what names them is kept.")
                    yield unknown("image", part)
            case _:
                yield unknown("content", part)


IMPORTER = Importer(KEY, "Chatbox", detect, read)
