"""What a server answers, as text for the model and as parts: pictures and files go into the attachment store."""

from __future__ import annotations

import base64
import binascii
import json
import mimetypes
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit

from sam_py.messages.parts import FilePart, ImagePart, Part
from sam_py.tools.base import ToolError, ToolOutput
from sam_py.tools.mcp.names import one_line
from sam_py.tools.mcp.offer import PromptMessage, ReadContent

PutAttachment = Callable[[bytes, str], Awaitable[str]]

LONGEST_TEXT = 1_000_000
"""Characters of one answer that are text of a result; the rest is kept as a file beside it."""
MOST_PARTS = 32
MOST_MESSAGES = 100
"""Of one prompt."""
_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


@dataclass
class _Gathered:
    texts: list[str] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    left_out: int = 0


async def tool_output(result: Any, put: PutAttachment) -> ToolOutput:
    """The answer to ``tools/call``."""
    gathered = _Gathered()
    for block in result.content:
        await _gather(block, gathered, put)
    if not gathered.texts and result.structured_content is not None:
        gathered.texts.append(json.dumps(result.structured_content, ensure_ascii=False, indent=1))
    return await _output(gathered, put, failed=bool(result.is_error))


async def resource_output(contents: Iterable[Any], put: PutAttachment) -> ToolOutput:
    """The answer to ``resources/read``."""
    gathered = _Gathered()
    for content in contents:
        await _gather_resource(content, gathered, put)
    return await _output(gathered, put)


def read_contents(contents: Iterable[Any], asked_uri: str) -> tuple[ReadContent, ...]:
    """The answer to ``resources/read``, as it came. Raises `ToolError` where it is damaged."""
    return tuple(_read(content, asked_uri) for content in list(contents)[:MOST_PARTS])


def prompt_messages(messages: Iterable[Any]) -> tuple[PromptMessage, ...]:
    """The answer to ``prompts/get``: texts, and what came with them. Raises `ToolError` where it is damaged."""
    found = []
    for message in list(messages)[:MOST_MESSAGES]:
        block, text, attached = message.content, "", None
        match block.type:
            case "text":
                text = block.text
            case "image" | "audio":
                name = block.type + (mimetypes.guess_extension(block.mime_type) or "")
                attached = ReadContent(name, block.mime_type, data=_bytes(block.data, name))
            case "resource":
                attached = _read(block.resource, "")
            case "resource_link":
                text = f"[{one_line(block.name)}: {block.uri}]"
            case other:
                text = f"[{one_line(str(other), 40)}]"
        found.append(PromptMessage(message.role, text[:LONGEST_TEXT], attached))
    return tuple(found)


def _read(content: Any, asked_uri: str) -> ReadContent:
    kind = (content.mime_type or "").partition(";")[0].strip().lower()
    name = _filename(content.uri or asked_uri)
    if "." not in name:
        name += mimetypes.guess_extension(kind) or ""
    if hasattr(content, "text"):
        return ReadContent(name, kind, content.text)
    return ReadContent(name, kind, data=_bytes(content.blob, name))


def _bytes(coded: str, name: str) -> bytes:
    try:
        return base64.b64decode(coded, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ToolError(f"“{name}” came damaged, so it was not taken.") from error


async def _gather(block: Any, gathered: _Gathered, put: PutAttachment) -> None:
    match block.type:
        case "text":
            gathered.texts.append(block.text)
        case "image" | "audio":
            await _gather_blob(block.data, block.mime_type, block.type, gathered, put)
        case "resource":
            await _gather_resource(block.resource, gathered, put)
        case "resource_link":
            about = f": {one_line(block.description, 300)}" if block.description else ""
            gathered.texts.append(f"[resource {block.uri} ({one_line(block.name)}){about}]")
        case other:
            gathered.texts.append(f"[{one_line(str(other), 40)}: a kind of content that is not known here]")


async def _gather_resource(content: Any, gathered: _Gathered, put: PutAttachment) -> None:
    if hasattr(content, "text"):
        gathered.texts.append(content.text)
    else:
        await _gather_blob(content.blob, content.mime_type or "", _filename(content.uri), gathered, put)


async def _gather_blob(data: str, mime_type: str, name: str, gathered: _Gathered, put: PutAttachment) -> None:
    if len(gathered.parts) >= MOST_PARTS:
        gathered.left_out += 1
        return
    try:
        content = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        gathered.texts.append(f"[{one_line(name)}: damaged]")
        return
    kind = mime_type.partition(";")[0].strip().lower()
    attachment = await put(content, kind or "application/octet-stream")
    if kind in _PICTURES:
        gathered.parts.append(ImagePart(attachment=attachment, mime_type=kind))
        return
    filename = name if "." in name else name + (mimetypes.guess_extension(kind) or ".bin")
    gathered.parts.append(
        FilePart(
            attachment=attachment,
            filename=filename,
            mime_type=kind or "application/octet-stream",
            size=len(content),
        )
    )


async def _output(gathered: _Gathered, put: PutAttachment, *, failed: bool = False) -> ToolOutput:
    text = "\n".join(gathered.texts)
    if gathered.left_out:
        text += f"\n[{gathered.left_out} more pictures or files are left out.]"
    if len(text) > LONGEST_TEXT:
        whole = text.encode("utf-8", "replace")
        attachment = await put(whole, "text/plain")
        gathered.parts.append(
            FilePart(attachment=attachment, filename="result.txt", mime_type="text/plain", size=len(whole))
        )
        text = f"{text[:LONGEST_TEXT]}\n[{len(text) - LONGEST_TEXT:,} more characters are left out.]"
    return ToolOutput(text=text, parts=tuple(gathered.parts), failed=failed)


def _filename(uri: str) -> str:
    try:
        path = urlsplit(uri).path
    except ValueError:
        path = ""
    return one_line(unquote(path).replace("\\", "/").rpartition("/")[2], 100) or "resource"
