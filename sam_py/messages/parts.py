"""Parts: the pieces that a message is made of, told apart by `kind`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Tag


class Frozen(BaseModel):
    """Immutable; fields of a newer version are kept in `model_extra` and written back."""

    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True)  # a start needs few of them


class TextPart(Frozen):
    kind: Literal["text"] = "text"
    text: str


class ImagePart(Frozen):
    """A picture: in the attachment store (content hash) or, never loaded by itself, at an address."""

    kind: Literal["image"] = "image"
    attachment: str | None = None
    url: str | None = None
    mime_type: str = "image/png"
    width: int | None = None
    height: int | None = None
    alt: str = ""


class FilePart(Frozen):
    kind: Literal["file"] = "file"
    attachment: str
    filename: str
    mime_type: str = "application/octet-stream"
    size: int = 0


class CodePart(Frozen):
    kind: Literal["code"] = "code"
    code: str
    language: str = ""
    filename: str = ""


class ThinkingTextPart(Frozen):
    kind: Literal["thinking_text"] = "thinking_text"
    text: str


class ThinkingSignaturePart(Frozen):
    """Opaque; goes back only to the provider and model family that issued it."""

    kind: Literal["thinking_signature"] = "thinking_signature"
    signature: str
    provider: str
    model: str


class ToolCallPart(Frozen):
    """`arguments_json` is the string as it was streamed, even where it is not valid JSON."""

    kind: Literal["tool_call"] = "tool_call"
    call_id: str
    tool_name: str
    arguments_json: str = ""


class UnknownPart(Frozen):
    """A part of a newer version: kept and written back whole, shown as a note, refused by mappings."""

    kind: str


_KNOWN = frozenset({"text", "image", "file", "code", "thinking_text", "thinking_signature", "tool_call"})


def _tag(value: Any) -> str:
    kind = value.get("kind") if isinstance(value, dict) else getattr(value, "kind", None)
    return kind if isinstance(kind, str) and kind in _KNOWN else "unknown"


Part = Annotated[
    Annotated[TextPart, Tag("text")]
    | Annotated[ImagePart, Tag("image")]
    | Annotated[FilePart, Tag("file")]
    | Annotated[CodePart, Tag("code")]
    | Annotated[ThinkingTextPart, Tag("thinking_text")]
    | Annotated[ThinkingSignaturePart, Tag("thinking_signature")]
    | Annotated[ToolCallPart, Tag("tool_call")]
    | Annotated[UnknownPart, Tag("unknown")],
    Discriminator(_tag),
]

Parts = tuple[Part, ...]
"""The ordered content of a message."""
