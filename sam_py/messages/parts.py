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
    """A part of a newer version, or what an import has no part for: kept and written back whole, shown as a note.

    Of an import, `value` is what the other program wrote.
    """

    kind: str

    @property
    def name(self) -> str:
        """What the picture or file is called that an export named and did not hold; "" of anything else."""
        value = self._value
        inner: dict[str, Any] = next((value[key] for key in _INSIDE if isinstance(value.get(key), dict)), {})
        keys = _NAMES if self.kind in _FILES else _SURE_NAMES
        names = (fields.get(key) for fields, keys in ((value, keys), (inner, _NAMES)) for key in keys)
        name = next((name for name in names if isinstance(name, str) and name.strip()), "")
        return "" if name.startswith("data:") else " ".join(name.rpartition("://")[2].split())[:_LONGEST_NAME]

    @property
    def text(self) -> str:
        """The words in what an import has no part for; "" where it has none."""
        text = self._value.get("text")
        return text.strip() if isinstance(text, str) else ""

    @property
    def in_words(self) -> str:
        """What stands for it where it cannot be shown, in brackets; "" where nothing of it can be said.

        >>> UnknownPart.model_validate({"kind": "imported_file", "value": {"file_name": "owl.png"}}).in_words
        '[owl.png: not in the export]'
        """
        if self.kind == "imported_error" and self.text:
            return f"[The reply failed: {self.text}]"
        return self.text or (f"[{self.name}: not in the export]" if self.name else "")

    @property
    def _value(self) -> dict[str, Any]:
        value = (self.model_extra or {}).get("value") if self.kind.startswith("imported_") else None
        return value if isinstance(value, dict) else {}


_FILES = ("imported_file", "imported_image", "imported_picture")
_SURE_NAMES = ("file_name", "filename", "fileName", "origin_name", "asset_pointer")
_NAMES = (*_SURE_NAMES, "name", "url")
_INSIDE = ("file", "image_file", "image_url", "image")
"""Where programs put a file's own fields."""
_LONGEST_NAME = 200

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
