"""The parts of a message as Chat Completions take them: text, pictures, documents, and marks for the prompt cache."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sam_py.messages.builder import mend_surrogates
from sam_py.messages.parts import CodePart, FilePart, ImagePart, TextPart, UnknownPart
from sam_py.messages.turn import TurnPart
from sam_py.providers.attached import bytes_of, data_url, fenced
from sam_py.providers.base import ChatRequest
from sam_py.providers.openai_chat.dialect import Dialect


def content_parts(part: TurnPart, request: ChatRequest, dialect: Dialect) -> Iterator[dict[str, Any]]:
    """One part of a user's say as content parts: none where it is blank."""
    match part:
        case TextPart():
            if part.text.strip():
                yield text_part(part.text)
        case CodePart():
            yield text_part(fenced(part))
        case ImagePart():
            yield _image(part, request)
        case FilePart():
            yield _file(part, request, dialect)
        case UnknownPart():
            raise ValueError(f"a {part.kind!r} part has no form in Chat Completions")
        case _:
            raise ValueError(f"a user turn cannot hold a {part.kind} part")


def text_part(text: str) -> dict[str, Any]:
    return {"type": "text", "text": mend_surrogates(text)}


def _image(part: ImagePart, request: ChatRequest) -> dict[str, Any]:
    if not request.limits.images:
        return text_part(described(part))
    if part.attachment is not None:
        url = data_url(bytes_of(part.attachment, part.alt or "an image", request), part.mime_type)
    elif part.url:
        url = part.url
    else:
        return text_part(described(part))
    return {"type": "image_url", "image_url": {"url": url}}


def described(part: ImagePart) -> str:
    return f"[Image: {part.alt}]" if part.alt.strip() else "[Image]"


def _file(part: FilePart, request: ChatRequest, dialect: Dialect) -> dict[str, Any]:
    """A PDF as the service wants it; text as text; anything else by its name."""
    if part.mime_type == "application/pdf" and dialect.pdf and request.limits.pdfs:
        url = data_url(bytes_of(part.attachment, part.filename, request), part.mime_type)
        if dialect.pdf == "document_url":
            return {"type": "document_url", "document_url": url}
        return {"type": "file", "file": {"filename": part.filename, "file_data": url}}
    if part.mime_type.startswith("text/") or part.mime_type in ("application/json", "application/xml"):
        text = bytes_of(part.attachment, part.filename, request).decode("utf-8", "replace")
        return text_part(fenced(CodePart(code=text, filename=part.filename)))
    return text_part(f"[File: {part.filename}, {part.mime_type}, {part.size} bytes; this model cannot read it]")


def mark_for_cache(messages: list[dict[str, Any]]) -> None:
    """Mark how far the prompt stays the same: the system prompt, and the last thing that the person said.

    Anthropic takes at most four marks; the services that pass them on take them on parts of text.
    """
    last_user = next((message for message in reversed(messages) if message["role"] == "user"), None)
    for message in (messages[0] if messages and messages[0]["role"] == "system" else None, last_user):
        if message is None:
            continue
        content = message["content"]
        parts = [text_part(content)] if isinstance(content, str) else [dict(part) for part in content]
        last_text = next((part for part in reversed(parts) if part["type"] == "text"), None)
        if last_text is not None:
            last_text["cache_control"] = {"type": "ephemeral"}
            message["content"] = parts
