"""Claude's data export: ``conversations.json``, alone, in its ZIP, or in the unpacked folder.

A conversation is a list of ``chat_messages`` whose ``content`` holds text, thinking, tool calls and their results in
order (spoken ones as ``voice_note``); ``parent_message_uuid``, where there is one, makes branches. The text of
attached files is in the export (``extracted_content``), pictures are not. Artifacts come in as what they are: calls
of a tool, or tags in a text.

Sources: public readers and type declarations of it (Sinity/polylogue, docs/providers/claude-ai.md, and others found
by `chat_messages`). Anthropic documents how to ask for an export: https://support.anthropic.com/en/articles/9450526.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

from sam_py.messages.parts import FilePart, Part, TextPart, ThinkingTextPart, ToolCallPart
from sam_py.store.exporters.lossless import canonical
from sam_py.store.importers.bundle import Bundle
from sam_py.store.importers.found import (
    Aside,
    Found,
    Head,
    Importer,
    Keep,
    Source,
    fields_of,
    items_of,
    taken,
    text_of,
    unknown,
    without,
)
from sam_py.store.importers.gathering import Gathering, Result, as_json
from sam_py.store.importers.json_stream import DamagedItem
from sam_py.store.importers.leftover import left_of

KEY = "claude"
_UNSEEN = frozenset({"token_budget", "flag"})
"""Blocks that nobody is shown; kept beside the message."""
_BESIDE = {
    "projects": "it holds projects with their instructions and documents, and no conversations",
    "memories": "it holds what was remembered, and no conversations",
}
_ACCOUNT = ("users", "user")
_READ_OF_BLOCK = {
    "text": ("text",),
    "voice_note": ("text",),
    "thinking": ("thinking",),
    "tool_use": ("id", "name", "input"),
    "tool_result": ("tool_use_id", "name", "content", "is_error"),
}
_READ_OF_RESULT = {"text": ("text",), "knowledge": ("title", "url", "text")}
_LINK = re.compile(r"https?://[^\s<>]+\Z")
_READ = ("uuid", "name", "created_at", "chat_messages", "is_starred", "current_leaf_message_uuid")
_READ_OF_MESSAGE = (
    "uuid",
    "text",
    "content",
    "sender",
    "created_at",
    "attachments",
    "files",
    "parent_message_uuid",
    "index",
)


def detect(bundle: Bundle, heads: Sequence[Head]) -> bool:
    return any(
        "chat_messages" in fields_of(head.first)
        or "chat_messages" in head.members
        or "chat_messages" in fields_of(head.members.get("conversations"))
        for head in heads
    )


def read(source: Source) -> Iterator[Found | Aside]:
    yield from source.each_file(source.files, _conversations_in)
    for name in source.others:
        path = PurePosixPath(name)
        if path.stem in _ACCOUNT:
            source.note(f"“{path.name}” of the export names your account, and was not read.")
        elif (why := _BESIDE.get(path.stem) or _BESIDE.get(path.parent.name)) is not None:
            content = source.file(name) or b""
            if content.strip() not in (b"", b"[]", b"{}"):
                yield Aside(f"“{name}”", why, content)


def _conversations_in(source: Source, name: str) -> Iterator[Found | Aside]:
    with source.bundle.stream(name) as stream:
        if stream.root == "{":
            whole = fields_of(source.bundle.json(name))
            for each in items_of(whole.get("conversations")) or [whole]:
                yield from _taken(each, source.keep)
            return
        for item in stream.items():
            if isinstance(item, DamagedItem):
                yield Aside(f"a conversation in {name}", item.why, item.text.encode("utf-8", "replace"))
            else:
                yield from _taken(item.value, source.keep)


def _taken(value: Any, keep: Keep) -> Iterator[Found | Aside]:
    name = text_of(fields_of(value).get("name"))
    return taken(f"the conversation “{name}”", value, lambda: [_conversation(fields_of(value), keep)])


def _conversation(conversation: dict[str, Any], keep: Keep) -> Found | Aside:
    title = text_of(conversation.get("name"))
    id = text_of(conversation.get("uuid"))
    created = conversation.get("created_at")
    gathering = Gathering(KEY, id or f"{title}\n{created}", title=title, created=created)
    gathering.setting("pinned", conversation.get("is_starred") is True)
    gathering.setting("imported", without(conversation, *_READ))
    messages = [fields_of(each) for each in items_of(conversation.get("chat_messages"))]
    known = {text_of(message.get("uuid")) for message in messages}
    is_tree = any(text_of(message.get("parent_message_uuid")) in known for message in messages)
    before: str | None = None
    for number, message in enumerate(messages):
        uuid = text_of(message.get("uuid")) or str(number)
        parent = text_of(message.get("parent_message_uuid")) if is_tree else before
        _take(gathering, uuid, parent if parent in known else None, message, keep)
        before = uuid
    gathering.show(text_of(conversation.get("current_leaf_message_uuid")) or before)
    found = gathering.found()
    return found or Aside(f"the conversation “{title or id}”", "there is nothing in it", canonical(conversation))


def _take(gathering: Gathering, id: str, parent: str | None, message: dict[str, Any], keep: Keep) -> None:
    content = [fields_of(each) for each in items_of(message.get("content"))]
    blocks = [_block(each) for each in content if each.get("type") not in _UNSEEN]
    if not any(isinstance(block, Result) or not isinstance(block, TextPart) or block.text for block in blocks):
        blocks = [TextPart(text=text_of(message.get("text")))]
    at, rest = message.get("created_at"), without(message, *_READ_OF_MESSAGE)
    left = {"left": left_of(content, _READ_OF_BLOCK), "results": _left_of_results(content)}
    rest |= {"attachments": files} if (files := _left_of_files(message)) else {}
    rest |= {"unseen": unseen} if (unseen := [each for each in content if each.get("type") in _UNSEEN]) else {}
    attached = list(_attached(gathering, message, keep))
    if message.get("sender") == "assistant":
        gathering.turns(id, parent, [*attached, *_with_sources(blocks, content)], at, message=rest, **left)
        return
    gathering.user(id, parent, [*attached, *blocks], at, message=rest, **left)


def _with_sources(blocks: list[Part | Result], content: list[dict[str, Any]]) -> list[Part | Result]:
    """A reply with the addresses that it cites below its text, each once."""
    sources: dict[str, str] = {}
    for citation in (fields_of(each) for block in content for each in items_of(block.get("citations"))):
        told = {**citation, **fields_of(citation.get("details"))}
        url = text_of(told.get("url")).strip()
        if _LINK.match(url):
            title = " ".join(text_of(told.get("title")).split()) or url
            sources.setdefault(url, re.sub(r"([\\\[\]])", r"\\\1", title))
    if not sources:
        return blocks
    links = "\n".join(f"- [{title}](<{url}>)" for url, title in sources.items())
    texts = [place for place, block in enumerate(blocks) if isinstance(block, TextPart) and block.text]
    if not texts:
        return [*blocks, TextPart(text=links)]
    return [
        TextPart(text=f"{block.text.rstrip()}\n\n{links}")
        if isinstance(block, TextPart) and place == texts[-1]
        else block
        for place, block in enumerate(blocks)
    ]


def _left_of_results(content: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"result_of": place, **left}
        for place, block in enumerate(content)
        if block.get("type") == "tool_result"
        for left in left_of(items_of(block.get("content")), _READ_OF_RESULT)
    ]


def _left_of_files(message: dict[str, Any]) -> list[dict[str, Any]]:
    """What the export says of attached files beside their text."""
    files = map(fields_of, items_of(message.get("attachments")))
    return [without(each, "extracted_content") for each in files if each.get("extracted_content")]


def _block(block: dict[str, Any]) -> Part | Result:
    match block.get("type"):
        case "text" | "voice_note":
            return TextPart(text=text_of(block.get("text")))
        case "thinking":
            return ThinkingTextPart(text=text_of(block.get("thinking")) or _summary(block))
        case "tool_use":
            name, arguments = text_of(block.get("name")), as_json(block.get("input") or {})
            return ToolCallPart(call_id=text_of(block.get("id")), tool_name=name, arguments_json=arguments)
        case "tool_result":
            parts = list(_of_result(items_of(block.get("content"))))
            output = block.get("content") if not parts else None
            status = "error" if block.get("is_error") is True else "success"
            name, call = text_of(block.get("name")), text_of(block.get("tool_use_id"))
            return Result(output, call, name, "error" if status == "error" else "success", tuple(parts))
        case _:
            return unknown("content", block)


def _summary(block: dict[str, Any]) -> str:
    """What is told of a thought whose own words are not in the export."""
    told = [text_of(fields_of(each).get("summary")) for each in items_of(block.get("summaries"))]
    return "\n\n".join(filter(None, told))


def _of_result(values: Iterable[Any]) -> Iterator[Part]:
    """What a tool gave back; each page that was found with its title and address above its text."""
    is_first = True
    for value in values:
        fields = fields_of(value)
        match fields.get("type"):
            case "text":
                yield TextPart(text=text_of(fields.get("text")))
            case "knowledge":
                lines = (text_of(fields.get(key)).strip() for key in ("title", "url", "text"))
                yield TextPart(text=("" if is_first else "\n\n") + "\n".join(filter(None, lines)))
            case _:
                yield unknown("content", value)
                continue
        is_first = False


def _attached(gathering: Gathering, message: dict[str, Any], keep: Keep) -> Iterator[Part]:
    """Attached files: as their text where the export has it, else as what names them."""
    for each in map(fields_of, items_of(message.get("attachments"))):
        text, name = text_of(each.get("extracted_content")), text_of(each.get("file_name")) or "attachment"
        if text:
            content = text.encode("utf-8", "replace")
            if not name.lower().endswith((".txt", ".md")):
                name = f"{name}.txt"  # what came is the text of it
            yield FilePart(attachment=keep(content), filename=name, mime_type="text/plain", size=len(content))
        elif each:
            yield unknown("file", each)
    for each in map(fields_of, items_of(message.get("files"))):
        if each:
            gathering.note("The export does not hold the pictures of its conversations; their names are kept.")
            yield unknown("file", each)


IMPORTER = Importer(KEY, "Claude", detect, read)
