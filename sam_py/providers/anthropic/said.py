"""A user's turn as content blocks: results of tools first, then what the person said, with pictures and documents."""

from __future__ import annotations

import base64
from collections.abc import Iterator

from sam_py.messages.parts import CodePart, FilePart, ImagePart, TextPart
from sam_py.messages.turn import ToolResultPart, Turn, TurnPart
from sam_py.providers.anthropic.opaque import Block
from sam_py.providers.anthropic.replies import described, fenced, text_block
from sam_py.providers.attached import bytes_of
from sam_py.providers.base import ChatRequest
from sam_py.providers.ids import wire_id

_NOTHING = "(no output)"
_PICTURES = {b"\x89PNG\r\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}
"""How the kinds of pictures begin that the API takes. It compares them with what they are said to be."""
_PICTURE_TYPES = frozenset({*_PICTURES.values(), "image/webp"})
_TEXT_TYPES = frozenset({"application/json", "application/xml"})


def said_blocks(turn: Turn, request: ChatRequest) -> list[Block]:
    """The blocks of a user's turn.

    Raises `SamError` where an attachment's bytes are missing, ValueError for a part that has no place here.
    """
    results = [_result(part, request) for part in turn.parts if isinstance(part, ToolResultPart)]
    rest = [part for part in turn.parts if not isinstance(part, ToolResultPart)]
    return [*results, *(block for part in rest for block in _content(part, request))]


def _result(part: ToolResultPart, request: ChatRequest) -> Block:
    content = [block for inner in part.parts for block in _content(inner, request)]
    said = "" if content and part.text.strip() == _NOTHING else part.text
    if said.strip() or not content:
        content.insert(0, text_block(said if said.strip() else _NOTHING))
    block: Block = {"type": "tool_result", "tool_use_id": wire_id(part.call_id, "anthropic"), "content": content}
    return block if part.status == "success" else {**block, "is_error": True}


def _content(part: TurnPart, request: ChatRequest) -> Iterator[Block]:
    """One part as blocks: none where it is blank."""
    match part:
        case TextPart():
            text = part.text
        case CodePart():
            text = fenced(part)
        case ImagePart():
            yield _image(part, request)
            return
        case FilePart():
            yield _file(part, request)
            return
        case _:
            raise ValueError(f"a {part.kind!r} part has no form in a user's turn of Messages")
    if text.strip():
        yield text_block(text)


def _image(part: ImagePart, request: ChatRequest) -> Block:
    if not request.limits.images:
        return text_block(described(part))
    if part.attachment is not None:
        data = bytes_of(part.attachment, part.alt or "an image", request)
        kind = _kind_of_picture(data) or part.mime_type
        if kind in _PICTURE_TYPES:
            return {"type": "image", "source": _base64(data, kind)}
    elif part.url and part.url.startswith("https://"):
        return {"type": "image", "source": {"type": "url", "url": part.url}}
    return text_block(described(part))


def _kind_of_picture(data: bytes) -> str:
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _PICTURES.items() if data.startswith(start)), "")


def _file(part: FilePart, request: ChatRequest) -> Block:
    """A PDF and a text as documents; anything else by its name."""
    kind = part.mime_type.split(";")[0].strip().lower()
    if kind == "application/pdf" and request.limits.pdfs:
        data = bytes_of(part.attachment, part.filename, request)
        return _document(_base64(data, kind), part)
    if kind.startswith("text/") or kind in _TEXT_TYPES:
        text = bytes_of(part.attachment, part.filename, request).decode("utf-8", "replace")
        if text.strip():
            return _document({"type": "text", "media_type": "text/plain", "data": text}, part)
        return text_block(f"[File: {part.filename}, which is empty]")
    return text_block(f"[File: {part.filename}, {part.mime_type}, {part.size} bytes; this model cannot read it]")


def _document(source: Block, part: FilePart) -> Block:
    block: Block = {"type": "document", "source": source}
    return {**block, "title": text_block(part.filename[:500])["text"]} if part.filename.strip() else block


def _base64(data: bytes, kind: str) -> Block:
    return {"type": "base64", "media_type": kind, "data": base64.b64encode(data).decode("ascii")}
