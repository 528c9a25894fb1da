"""From a message to what is found of it: words by column, and the items that the library lists."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

from sam_py.messages.documents import document_kind
from sam_py.messages.message import Message, ToolResultMessage
from sam_py.messages.parts import CodePart, FilePart, ImagePart, TextPart, ThinkingTextPart, ToolCallPart
from sam_py.store.search_index.plain import read_markdown

ItemKind = Literal["image", "code", "file", "link", "document", "tool"]
ITEM_KINDS: tuple[ItemKind, ...] = ("image", "code", "file", "link", "document", "tool")

_MOST_TEXT = 2_000_000
"""Characters of one column of one message."""
SHOWN = 2_000
"""Characters of a long text that an item has; all of it is in its message."""
_PROMPT = 20_000
_MOST_ITEMS = 1_000
_TEXT_TYPES = frozenset(
    {
        "application/json", "application/xml", "application/yaml", "application/x-yaml", "application/toml",
        "application/javascript", "application/x-javascript", "application/x-sh", "application/sql",
        "application/x-python", "application/x-ndjson", "image/svg+xml",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class NewItem:
    """A thing for the library. `offset`: characters into its part's text at which it begins."""

    kind: ItemKind
    part_index: int
    offset: int = 0
    name: str = ""
    detail: str = ""
    text: str = ""
    url: str = ""
    attachment: str = ""
    mime_type: str = ""
    size: int = 0
    width: int = 0
    height: int = 0


@dataclass(slots=True)
class Extracted:
    """`columns`: words by column. `files`: attached files whose own text is to be found, with their part's index."""

    columns: dict[str, list[str]] = field(default_factory=dict)
    items: list[NewItem] = field(default_factory=list)
    files: list[tuple[int, FilePart]] = field(default_factory=list)

    def say(self, column: str, *texts: str) -> None:
        said = [text for text in texts if text]
        if said:
            self.columns.setdefault(column, []).extend(said)

    def column(self, name: str) -> str:
        pieces = self.columns.get(name)
        if pieces is None:
            return ""
        return pieces[0][:_MOST_TEXT] if len(pieces) == 1 else "\n".join(pieces)[:_MOST_TEXT]


def extract(message: Message, *, prompt: str = "") -> Extracted:
    """What is found of `message`. `prompt`: what its pictures were made from, where something was."""
    found = Extracted()
    for index, part in enumerate(message.parts):
        match part:
            case TextPart():
                _take_text(found, index, part.text, message.role)
            case CodePart():
                found.say("code", part.filename, part.code)
                name = part.filename or first_line(part.code)
                _add(found, NewItem("code", index, name=name, detail=part.language, text=part.code[:SHOWN]))
            case ThinkingTextPart():
                found.say("thinking", part.text)
            case ToolCallPart():
                found.say("tool", part.tool_name, said_in(part.arguments_json))
            case ImagePart():
                _take_image(found, index, part, prompt)
            case FilePart():
                _take_file(found, index, part)
            case _:
                pass
    if isinstance(message, ToolResultMessage):
        found.say("tool", message.tool_name, *message.details, message.output_text[:_MOST_TEXT])
        text = message.output_text[:SHOWN]
        _add(found, NewItem("tool", -1, name=message.tool_name, detail=message.status, text=text))
    return found


def is_text(part: FilePart) -> bool:
    """Whether the file is text that needs no parsing."""
    mime = part.mime_type.partition(";")[0].strip().lower()
    return (mime.startswith("text/") or mime in _TEXT_TYPES) and document_kind(part.mime_type, part.size) is None


def said_in(arguments_json: str) -> str:
    """The words in a call's arguments, one value a line; as they stand where they are no JSON.

    >>> said_in('{"city": "Lyon", "days": [1, "two"]}'), said_in('{"city": "Ly')
    ('Lyon\\n1\\ntwo', '{"city": "Ly')
    """
    text = arguments_json[:_MOST_TEXT]
    try:
        return "\n".join(_leaves(json.loads(text)))
    except (ValueError, RecursionError):
        return text


def first_line(code: str) -> str:
    """What a piece of code without a name is called: its first line that says something.

    >>> first_line("\\n  def go():\\n    pass")
    'def go():'
    """
    for line in code[:SHOWN].splitlines():
        if stripped := line.strip():
            return stripped[:120]
    return ""


def _leaves(value: Any) -> Iterator[str]:
    match value:
        case dict():
            for each in value.values():
                yield from _leaves(each)
        case list():
            for each in value:
                yield from _leaves(each)
        case None | bool():
            pass
        case _:
            yield str(value)


def _take_text(found: Extracted, index: int, text: str, role: str) -> None:
    plain = read_markdown(text)
    found.say("text", plain.words)
    for code in plain.codes:
        found.say("code", code.code)
        name = first_line(code.code)
        shown = code.code[:SHOWN]
        if name:
            _add(found, NewItem("code", index, code.offset, name=name, detail=code.language, text=shown))
    if role in ("user", "assistant"):
        for link in plain.links:
            found.say("link", link.label, link.url)
            host = _host(link.url)
            name = link.label or host or link.url
            _add(found, NewItem("link", index, link.offset, name=name, detail=host, url=link.url))


def _take_image(found: Extracted, index: int, part: ImagePart, prompt: str) -> None:
    extra = part.model_extra or {}
    name = str(extra.get("filename") or "")
    url = part.url or ""
    if url[:5].lower() == "data:":  # the picture itself
        url = ""
    found.say("image", name, part.alt, prompt, url)
    _add(
        found,
        NewItem(
            "image",
            index,
            name=name or part.alt,
            detail=part.alt,
            text=prompt if len(prompt) <= _PROMPT else f"{prompt[:_PROMPT]} […]",
            url=url,
            attachment=part.attachment or "",
            mime_type=part.mime_type,
            width=part.width or 0,
            height=part.height or 0,
        ),
    )


def _take_file(found: Extracted, index: int, part: FilePart) -> None:
    is_document = document_kind(part.mime_type, part.size) is not None
    found.say("file", part.filename)
    found.files.append((index, part))
    _add(
        found,
        NewItem(
            "document" if is_document else "file",
            index,
            name=part.filename,
            detail=part.mime_type,
            attachment=part.attachment,
            mime_type=part.mime_type,
            size=part.size,
        ),
    )


def _add(found: Extracted, item: NewItem) -> None:
    if len(found.items) < _MOST_ITEMS:
        found.items.append(item)


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
