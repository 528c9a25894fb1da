"""Which attached files are documents: files whose text has to be taken out of them before a model can be shown it."""

from __future__ import annotations

from typing import Literal

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
