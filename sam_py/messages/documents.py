"""Documents: attached files whose text has to be taken out of them, and that text in sections, as Markdown."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Any, Literal

VERSION = 1
"""Of the JSON that `Document.to_json` writes."""

DocumentKind = Literal["pdf", "docx", "xlsx", "pptx", "epub", "html", "csv"]

_OFFICE = "application/vnd.openxmlformats-officedocument"
MIME_TYPES: dict[DocumentKind, str] = {
    "pdf": "application/pdf",
    "docx": f"{_OFFICE}.wordprocessingml.document",
    "xlsx": f"{_OFFICE}.spreadsheetml.sheet",
    "pptx": f"{_OFFICE}.presentationml.presentation",
    "epub": "application/epub+zip",
    "html": "text/html",
    "csv": "text/csv",
}
_KINDS = {mime_type: kind for kind, mime_type in MIME_TYPES.items()}
_KINDS |= {"application/xhtml+xml": "html", "text/tab-separated-values": "csv"}
_KINDS |= {
    "application/vnd.ms-word.document.macroenabled.12": "docx",
    "application/vnd.ms-excel.sheet.macroenabled.12": "xlsx",
    "application/vnd.ms-powerpoint.presentation.macroenabled.12": "pptx",
}
AS_IT_STANDS_BYTES = {"html": 20_000, "csv": 60_000}
"""Up to this size these are shown as they are written: exact, and short enough."""


def document_kind(mime_type: str, size: int) -> DocumentKind | None:
    """What kind of document a file of this type and size (in bytes) is; None where it is none, or shown as it stands.

    >>> document_kind("application/pdf", 10), document_kind("text/html", 10), document_kind("text/html", 50_000)
    ('pdf', None, 'html')
    """
    kind = _KINDS.get(mime_type.partition(";")[0].strip().lower())
    if kind is None or size <= AS_IT_STANDS_BYTES.get(kind, -1):
        return None
    return kind


_IN_ARCHIVES: tuple[tuple[bytes, DocumentKind], ...] = (
    (b"word/document", "docx"),
    (b"xl/workbook.xml", "xlsx"),
    (b"ppt/presentation.xml", "pptx"),
    (b"application/epub+zip", "epub"),
    (b"META-INF/container.xml", "epub"),
)
_MARKUP = rb"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--.{0,2000}?-->\s*){0,9}<(?:!doctype\s+html|html)\b"
_SUFFIXES: dict[str, DocumentKind] = {
    ".html": "html", ".htm": "html", ".xhtml": "html", ".csv": "csv", ".tsv": "csv",
}  # fmt: skip


def kind_of_content(data: bytes, filename: str) -> DocumentKind | None:
    """What kind of document `data` looks like; what is no text or archive of its own kind is not asked for its name.

    >>> kind_of_content(b"%PDF-1.7", "x"), kind_of_content(b"a,b", "a.csv"), kind_of_content(b"a,b", "a.pdf")
    ('pdf', 'csv', None)
    """
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data[:4] == b"PK\x03\x04":
        return next((kind for mark, kind in _IN_ARCHIVES if mark in data), None)
    if b"\0" in data[:64] and data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        return None
    suffix = PurePath(filename).suffix.lower()
    if re.match(_MARKUP, data[:4_096], re.IGNORECASE | re.DOTALL) and suffix not in (".svg", ".xml"):
        return "html"
    return _SUFFIXES.get(suffix)


@dataclass(frozen=True, slots=True)
class Section:
    """A page, sheet, slide or chapter: `label` names it ("Page 3"), or is empty where a document has no such parts."""

    label: str
    text: str


@dataclass(frozen=True)
class Document:
    """`pages` counts what the file holds (pages, sheets, slides, chapters), also those without text; 0: no such thing.

    `notes` are sentences about what is not in the text. `is_cut`: a limit ended the reading; the text is its beginning.
    """

    kind: DocumentKind
    title: str = ""
    sections: tuple[Section, ...] = ()
    pages: int = 0
    notes: tuple[str, ...] = ()
    is_cut: bool = False

    @cached_property
    def markdown(self) -> str:
        """All text, each section under its label in brackets.

        >>> Document("pdf", sections=(Section("Page 1", "Hello"), Section("Page 2", "again"))).markdown
        '[Page 1]\\nHello\\n\\n[Page 2]\\nagain'
        """
        pieces = [f"[{each.label}]\n{each.text}" if each.label else each.text for each in self.sections]
        return "\n\n".join(pieces)

    @cached_property
    def words(self) -> int:
        return sum(len(section.text.split()) for section in self.sections)

    @property
    def has_text(self) -> bool:
        return any(section.text.strip() for section in self.sections)

    def label_at(self, offset: int) -> str:
        """The label of the section in which the character `offset` of `markdown` lies; "" where it has none."""
        end = 0
        for section in self.sections:
            end += len(section.text) + (len(section.label) + 3 if section.label else 0) + 2
            if offset < end:
                return section.label
        return ""

    def to_json(self) -> bytes:
        return json.dumps({"v": VERSION, **asdict(self)}, ensure_ascii=False).encode("utf-8", "replace")


def document_of(data: bytes) -> Document:
    """The document that `to_json` wrote. Raises ValueError where it is damaged, or of a version that we do not know."""
    said: Any = json.loads(data)
    try:
        if said["v"] != VERSION:
            raise ValueError(f"a document of version {said['v']}")
        return Document(
            kind=said["kind"],
            title=str(said["title"]),
            sections=tuple(Section(str(each["label"]), str(each["text"])) for each in said["sections"]),
            pages=int(said["pages"]),
            notes=tuple(str(note) for note in said["notes"]),
            is_cut=bool(said["is_cut"]),
        )
    except (KeyError, TypeError) as error:
        raise ValueError("not a document") from error
