"""Shown: parts as a model takes them. Nothing empty, nothing that it cannot read, and nothing silently left out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from sam_py.messages.builder import mend_surrogates
from sam_py.messages.parts import (
    CodePart,
    FilePart,
    ImagePart,
    Part,
    TextPart,
    ThinkingSignaturePart,
    ThinkingTextPart,
    ToolCallPart,
    UnknownPart,
)
from sam_py.messages.turn import Limits, TurnPart
from sam_py.transcript.attached import is_text_file
from sam_py.transcript.documents import DocumentTexts, as_part

_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/heic", "image/heif"})
"""What some model takes; a mapper leaves out those that its own do not."""
_SAME_TYPE = {"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/x-png": "image/png"}


class Shown:
    """Degrades parts to what `limits` allow and keeps notes of it, each once."""

    def __init__(self, limits: Limits, notes: dict[str, None], documents: DocumentTexts | None = None) -> None:
        self.notes = notes
        self.limits = limits
        self._documents = documents or {}

    def note(self, note: str) -> None:
        self.notes[note] = None

    def parts(self, parts: Iterable[Part]) -> list[TurnPart]:
        """`parts` as this model takes them. Raises ValueError for a part that belongs in a reply."""
        shown: list[TurnPart] = []
        for part in parts:
            match part:
                case TextPart():
                    if part.text.strip():
                        shown.append(mended(part))
                case CodePart():
                    if part.code.strip():
                        shown.append(TextPart(text=mend_surrogates(_fenced(part))))
                case ImagePart():
                    shown.append(self._image(part))
                case FilePart():
                    shown.append(self._file(part))
                case UnknownPart() if part.in_words:
                    shown.append(TextPart(text=mend_surrogates(part.in_words)))
                case UnknownPart():
                    self.note(f"A part of the kind {part.kind!r} is of a newer version and is not sent.")
                    shown.append(TextPart(text=f"[content of the kind {part.kind!r}, which cannot be sent]"))
                case ThinkingTextPart() | ThinkingSignaturePart() | ToolCallPart():
                    raise ValueError(f"a {part.kind} part belongs in a reply")
                case _:
                    assert_never(part)
        return shown

    def _image(self, part: ImagePart) -> TurnPart:
        if not self.limits.images:
            self.note("A picture is sent as text: this model takes no pictures.")
            return named("picture", part.alt)
        alt = mend_surrogates(part.alt)
        if alt != part.alt:
            part = part.model_copy(update={"alt": alt})
        if part.attachment:
            kind = part.mime_type.partition(";")[0].strip().lower()
            kind = _SAME_TYPE.get(kind, kind)
            if kind in _PICTURES:
                return part if kind == part.mime_type else part.model_copy(update={"mime_type": kind})
            self.note(f"A picture is sent as text: models take none of the type {part.mime_type or 'unknown'}.")
        elif part.url and part.url.startswith(("https://", "http://")):
            return part
        else:
            self.note("A picture is sent as text: it has neither content nor a public address.")
        return named("picture", part.alt)

    def _file(self, part: FilePart) -> TurnPart:
        if (document := self._documents.get(part.attachment)) is not None:
            how = "as its text" if document.is_whole else "as the beginning of its text"
            self.note(f"The document {part.filename} is sent {how}.")
            return as_part(part, document)
        name = mend_surrogates(part.filename).strip() or "file"
        if name != part.filename:
            part = part.model_copy(update={"filename": name})
        if is_text_file(part) or (part.mime_type == "application/pdf" and self.limits.pdfs):
            return part
        self.note(f"The file {part.filename} is sent as its name alone: this model does not take such files.")
        text = f"[file: {part.filename}, {part.mime_type}, {part.size} bytes; its content is not readable here]"
        return TextPart(text=mend_surrogates(text))


def named(what: str, name: str) -> TextPart:
    """A text in the place of what cannot be sent."""
    return TextPart(text=mend_surrogates(f"[{what}: {name}]") if name.strip() else f"[{what}]")


def mended(part: TextPart) -> TextPart:
    """`part` without half characters."""
    text = mend_surrogates(part.text)
    return part if text is part.text else TextPart(text=text)


def _fenced(part: CodePart) -> str:
    """The code in a fence that is longer than any in it, its file name above."""
    fence = "```"
    while fence in part.code:
        fence += "`"
    name = f"{part.filename}\n" if part.filename else ""
    return f"{name}{fence}{part.language}\n{part.code}\n{fence}"
