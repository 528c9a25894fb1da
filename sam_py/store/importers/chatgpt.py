"""ChatGPT's data export: ``conversations.json``, alone, in its ZIP, or in the unpacked folder.

Each conversation is a tree (``mapping``) with ``current_node`` on the way that is shown. Tools have no call ids: a
message of the assistant to a ``recipient`` is a call, the tool's message below it the result. Pictures lie beside the
file under names that begin with the id of their ``asset_pointer``.

Sources: the format notes and test data of public readers of it (mitkury/chatgpt-export-parser,
docs/chatgpt-data-export-format.md; danny-avila/LibreChat, api/server/utils/import/__data__/chatgpt-*.json).
OpenAI documents how to ask for an export, not its form: https://help.openai.com/en/articles/7260999.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from sam_py.messages.message import StopReason, ToolStatus
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
    picture_or_file,
    taken,
    text_of,
    unknown,
    without,
)
from sam_py.store.importers.gathering import Gathering
from sam_py.store.importers.json_stream import DamagedItem

KEY = "chatgpt"
_FILE = re.compile(r"(.*/)?conversations([-_]\d+)?\.json\Z")
_BESIDE = ("user.json", "user_settings.json", "message_feedback.json", "model_comparisons.json")
"""Of an account's other matters. What is named here is no conversation, nor a part of one."""
_LISTS = ("shared_conversations.json", "chat.html", "export_manifest.json")
"""What names or shows conversations that stand in the main file."""
_CONTEXTS = ("user_editable_context", "model_editable_context")
_FILE_ID = re.compile(r"file-[A-Za-z0-9]+|file_[A-Za-z0-9]+")
_SCHEME = re.compile(r"\A[a-z-]+://")
_MARK = re.compile("[\ue200-\ue2ff]")
"""Of the private signs that begin and end a reference."""
_STOPS: dict[str, StopReason] = {"stop": "stop", "max_tokens": "length", "interrupted": "aborted"}
_READ = ("model_slug",)
_READ_OF_MESSAGE = ("id", "author", "content", "metadata", "create_time", "recipient", "status", "weight")
_READ_OF_CONTENT = {
    "text": ("parts",),
    "multimodal_text": ("parts",),
    "code": ("text", "language"),
    "thoughts": ("thoughts",),
    "user_editable_context": ("user_profile", "user_instructions"),
    "model_editable_context": ("model_set_context",),
}
_READ_OF_OTHERS = ("text", "result", "content", "parts")
_READ_OF_CONVERSATION = (
    "mapping",
    "title",
    "create_time",
    "current_node",
    "id",
    "conversation_id",
    "is_archived",
    "is_starred",
)


def detect(bundle: Bundle, heads: Sequence[Head]) -> bool:
    return any("mapping" in fields_of(head.first) or "mapping" in head.members for head in heads)


def read(source: Source) -> Iterator[Found | Aside]:
    names = [name for name in source.bundle.names if _FILE.match(name)]
    files = _Files(source)
    seen: set[str] = set()
    yield from source.each_file(sorted({*names, *source.files}), partial(_file, files, seen))
    others = {PurePosixPath(name).name for name in source.bundle.names}
    if beside := ", ".join(each for each in (*_BESIDE, *_LISTS) if each in others):
        source.note(f"Not read, as there are no other conversations in it: {beside}.")


def _file(files: _Files, seen: set[str], source: Source, name: str) -> Iterator[Found | Aside]:
    with source.bundle.stream(name) as stream:
        if stream.root == "{":  # one conversation by itself
            whole = source.bundle.json(name)
            yield from taken(f"the conversation in {name}", whole, partial(_one, whole, files, seen))
            return
        for item in stream.items():
            if isinstance(item, DamagedItem):
                yield Aside(f"a conversation in {name}", item.why, item.text.encode("utf-8", "replace"))
            else:
                yield from taken(_name(item.value), item.value, partial(_one, item.value, files, seen))


def _one(value: Any, files: _Files, seen: set[str]) -> Iterator[Found | Aside]:
    conversation = fields_of(value)
    title = text_of(conversation.get("title"))
    id = text_of(conversation.get("conversation_id")) or text_of(conversation.get("id"))
    if not conversation.get("mapping") or not isinstance(conversation["mapping"], dict):
        yield Aside(f"the conversation “{title or id}”", "it has no messages", canonical(value))
        return
    id = id or f"{title}\n{conversation.get('create_time')}"
    if id in seen:
        return
    seen.add(id)
    found = _Tree(conversation, id, files).found()
    yield found or Aside(f"the conversation “{title or id}”", "there is nothing in it", canonical(value))


def _name(value: Any) -> str:
    return f"the conversation “{text_of(fields_of(value).get('title'))}”"


class _Files:
    """The pictures and files beside the conversations, by the id that their names begin with."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._names: dict[str, str] = {}
        for name in source.bundle.names:
            if (id := _FILE_ID.match(PurePosixPath(name).name)) is not None:
                self._names.setdefault(id.group(), name)

    def part(self, pointer: str, name: str = "", mime_type: str = "") -> Part | None:
        """The part for a pointer or id; None where its file is not in the export."""
        bare = _SCHEME.sub("", pointer).split("#")[0].split("?")[0]
        file = self._names.get(bare)
        content = self._source.file(file) if file is not None else None
        return picture_or_file(self._source.keep, content, name, mime_type) if content is not None else None


class _Tree:
    """One conversation on its way in."""

    def __init__(self, conversation: dict[str, Any], id: str, files: _Files) -> None:
        self._files = files
        self._mapping: dict[str, Any] = conversation["mapping"]
        self._model = text_of(conversation.get("default_model_slug"))
        self._carried: dict[str, list[Part]] = {}
        self._gathering = gathering = Gathering(
            KEY, id, title=text_of(conversation.get("title")), created=conversation.get("create_time")
        )
        gathering.setting("archived", conversation.get("is_archived") is True)
        gathering.setting("pinned", conversation.get("is_starred") is True)
        gathering.setting("imported", without(conversation, *_READ_OF_CONVERSATION))
        for node_id, parent in self._in_order():
            self._take(node_id, parent)
        gathering.show(text_of(conversation.get("current_node")) or gathering.last)

    def found(self) -> Found | None:
        return self._gathering.found()

    def _in_order(self) -> Iterator[tuple[str, str | None]]:
        """Parents before children; what hangs from nowhere, or in a circle, comes as a first message."""
        children: dict[str | None, list[str]] = {}
        for id, node in self._mapping.items():
            parent = fields_of(node).get("parent")
            children.setdefault(parent if parent in self._mapping else None, []).append(id)
        for id, node in self._mapping.items():  # in the order in which the export has them
            place = {child: number for number, child in enumerate(items_of(fields_of(node).get("children")))}
            if id in children:
                ordered = sorted((place.get(child, len(place)), child) for child in children[id])
                children[id] = [child for _place, child in ordered]
        placed: set[str] = set()
        for first in [*children.get(None, []), *self._mapping]:
            stack: list[tuple[str, str | None]] = [(first, None)]
            while stack:
                id, parent = stack.pop()
                if id in placed:
                    continue
                placed.add(id)
                yield id, parent
                stack += [(child, id) for child in reversed(children.get(id, []))]

    def _take(self, id: str, parent: str | None) -> None:
        message = fields_of(fields_of(self._mapping[id]).get("message"))
        role = text_of(fields_of(message.get("author")).get("role"))
        content, metadata = fields_of(message.get("content")), fields_of(message.get("metadata"))
        at, rest = message.get("create_time"), _rest_of(message)
        carried = self._carried.pop(parent or "", [])
        gathering = self._gathering
        match role:
            case _ if content.get("content_type") in _CONTEXTS:
                gathering.system(id, parent, _context(content), at, **rest)
            case "system":
                gathering.system(id, parent, _said(content) or _instructions(metadata), at, **rest)
            case "user":
                gathering.user(id, parent, [*self._parts(content), *self._attached(content, metadata)], at, **rest)
            case "assistant":
                self._reply(id, parent, message, carried)
            case "tool":
                name = text_of(fields_of(message.get("author")).get("name"))
                parts = self._parts(content)
                call = gathering.call_to_answer(parent)
                status: ToolStatus = "error" if content.get("content_type") == "system_error" else "success"
                gathering.result(id, parent, call, None, at, tool_name=name, status=status, parts=parts, **rest)
            case "":
                gathering.user(id, parent, [], at)  # a root without a message
            case _:
                gathering.user(id, parent, [unknown("message", message)], at)

    def _reply(self, id: str, parent: str | None, message: dict[str, Any], carried: list[Part]) -> None:
        content, metadata = fields_of(message.get("content")), fields_of(message.get("metadata"))
        recipient = text_of(message.get("recipient")) or "all"
        parts: list[Part]
        if recipient != "all":
            parts = [ToolCallPart(call_id=id, tool_name=recipient, arguments_json=_said(content))]
        else:
            parts = self._parts(content, metadata)
        if parts and all(isinstance(part, ThinkingTextPart) for part in parts) and self._is_followed_by_reply(id):
            self._carried[id] = [*carried, *parts]  # what was thought belongs to what was said then
            parts = carried = []
        stop = text_of(fields_of(metadata.get("finish_details")).get("type"))
        self._gathering.reply(
            id,
            parent,
            [*carried, *parts],
            message.get("create_time"),
            model=text_of(metadata.get("model_slug")) or self._model,
            stop_reason="aborted" if message.get("status") == "in_progress" else _STOPS.get(stop, "stop"),
            **_rest_of(message),
        )

    def _is_followed_by_reply(self, id: str) -> bool:
        children = [child for child in items_of(fields_of(self._mapping[id]).get("children")) if child in self._mapping]
        if len(children) != 1 or fields_of(self._mapping[children[0]]).get("parent") != id:
            return False
        after = fields_of(fields_of(self._mapping[children[0]]).get("message"))
        return fields_of(after.get("author")).get("role") == "assistant"

    def _parts(self, content: Mapping[str, Any], metadata: Mapping[str, Any] | None = None) -> list[Part]:
        match content.get("content_type"):
            case "text" | "multimodal_text":
                return [self._piece(piece, metadata or {}) for piece in items_of(content.get("parts"))]
            case "code":
                language = text_of(content.get("language"))
                return [CodePart(code=_said(content), language="" if language == "unknown" else language)]
            case "thoughts":
                thoughts = [fields_of(each) for each in items_of(content.get("thoughts"))]
                texts = [
                    "\n\n".join(filter(None, map(text_of, (t.get("summary"), t.get("content"))))) for t in thoughts
                ]
                return [ThinkingTextPart(text="\n\n".join(filter(None, texts)))] if any(texts) else []
            case "reasoning_recap":
                return [ThinkingTextPart(text=_said(content))] if _said(content) else []
            case "execution_output" | "tether_browsing_display" | "tether_quote" | "system_error":
                return [TextPart(text=_said(content))]
            case None:
                return []
            case _:
                return [unknown("content", dict(content))]

    def _piece(self, piece: Any, metadata: Mapping[str, Any]) -> Part:
        if isinstance(piece, str):
            return TextPart(text=_with_references(piece, metadata))
        fields = fields_of(piece)
        kind = text_of(fields.get("content_type"))
        if kind == "audio_transcription":
            return TextPart(text=text_of(fields.get("text")))
        if kind.endswith("asset_pointer"):
            dalle = fields_of(fields_of(fields.get("metadata")).get("dalle"))
            part = self._files.part(text_of(fields.get("asset_pointer")), text_of(dalle.get("prompt")))
            if part is not None:
                return part
            self._gathering.note("Some pictures or recordings are not in the export; what names them is kept.")
        return unknown("content", piece)

    def _attached(self, content: Mapping[str, Any], metadata: Mapping[str, Any]) -> Iterator[Part]:
        """Attached files but for those that stand among the parts, too, as pictures do."""
        pointed = [text_of(fields_of(piece).get("asset_pointer")) for piece in items_of(content.get("parts"))]
        for each in map(fields_of, items_of(metadata.get("attachments"))):
            name, kind = text_of(each.get("name")), text_of(each.get("mime_type") or each.get("mimeType"))
            if any(pointer.endswith(text_of(each.get("id"))) for pointer in pointed if pointer):
                continue
            part = self._files.part(text_of(each.get("id")), name, kind)
            if part is None:
                self._gathering.note("Some attached files are not in the export; their names are kept.")
            yield part or unknown("file", each)


def _rest_of(message: dict[str, Any]) -> dict[str, Any]:
    """What of a message is in none of its parts, for the message to keep."""
    author, content, metadata = (fields_of(message.get(key)) for key in ("author", "content", "metadata"))
    kind = text_of(content.get("content_type"))
    read = _READ_OF_CONTENT.get(kind, _READ_OF_OTHERS)
    rest: dict[str, Any] = {
        "metadata": without(metadata, *_READ),
        "message": without(message, *_READ_OF_MESSAGE) | {"author": without(author, "role", "name")},
        "content": without(content, "content_type", *read),
        "pieces": [each for each in items_of(content.get("parts")) if isinstance(each, dict)],
    }
    if kind == "thoughts":
        thoughts = [without(fields_of(each), "summary", "content") for each in items_of(content.get("thoughts"))]
        rest["thoughts"] = [each for each in thoughts if each]
    rest["message"] = without(rest["message"])
    return without(rest)


def _said(content: Mapping[str, Any]) -> str:
    """The text of a content, in whichever field its type has it."""
    texts = [piece for piece in items_of(content.get("parts")) if isinstance(piece, str)]
    return "".join(texts) or next(
        (value for key in ("text", "result", "content") if (value := text_of(content.get(key)))), ""
    )


def _context(content: Mapping[str, Any]) -> str:
    """What the person, or the model, has it remember."""
    read = _READ_OF_CONTENT[text_of(content.get("content_type"))]
    return "\n\n".join(filter(None, (text_of(content.get(key)) for key in read)))


def _instructions(metadata: Mapping[str, Any]) -> str:
    """The person's own instructions, where older exports have them."""
    told = fields_of(metadata.get("user_context_message_data"))
    return "\n\n".join(filter(None, (text_of(told.get(key)) for key in ("about_user_message", "about_model_message"))))


def _with_references(text: str, metadata: Mapping[str, Any]) -> str:
    """`text` with the links that stand for its marks of reference."""
    for reference in map(fields_of, items_of(metadata.get("content_references"))):
        mark, link = text_of(reference.get("matched_text")), reference.get("alt")
        if mark.strip() and isinstance(link, str):
            text = text.replace(mark, link)
        elif _MARK.search(mark):  # stands for nothing that is shown; what it said is kept with the metadata
            text = text.replace(mark, "")
    return text


IMPORTER = Importer(KEY, "ChatGPT", detect, read)
