"""The text of attached files: documents as `store.documents` keeps them, plain text as it lies in the attachments."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path

from sam_py.messages.documents import document_kind, document_of
from sam_py.messages.parts import FilePart
from sam_py.paths import Paths
from sam_py.store.search_index.extract import is_text
from sam_py.store.search_index.writer import Piece

log = logging.getLogger(__name__)

_PIECE = 16_000
"""Characters of a piece: a page of a book has 2,000, and what is found in a piece is shown from around the words."""
_MOST = 8_000_000
_HASH = re.compile(r"[0-9a-f]{64}\Z")
_BREAK = re.compile(r"\s")


class FileTexts:
    """Reads what is on the disk, and parses nothing. On the index's thread."""

    def __init__(self, paths: Paths) -> None:
        self._attachments = paths.attachments
        self._documents = paths.data / "documents"

    def pieces(self, part_index: int, part: FilePart) -> list[Piece] | None:
        """The text of an attached file in pieces: none where it has no text, None where that is not here (yet)."""
        if not _HASH.match(part.attachment):
            return []
        if document_kind(part.mime_type, part.size) is not None:
            sections = self._document(part.attachment)
        elif is_text(part):
            sections = self._plain(part.attachment)
        else:
            return []
        if sections is None:
            return None
        found: list[Piece] = []
        left = _MOST
        for label, text in sections:
            for piece in _cut(text[:left]):
                found.append(Piece(part_index, len(found), label, part.filename, piece))
                left -= len(piece)
        return found

    def _document(self, hash: str) -> list[tuple[str, str]] | None:
        path = self._documents / hash[:2] / f"{hash}.json"
        content = _read(path)
        if content is None:
            return None
        try:
            document = document_of(content)
        except ValueError:  # it is made again when it is next attached or sent
            log.info("the text of the document %s cannot be read", hash[:8])
            return None
        head = [("", document.title)] if document.title else []
        return head + [(section.label, section.text) for section in document.sections]

    def _plain(self, hash: str) -> list[tuple[str, str]] | None:
        content = _read(self._attachments / hash[:2] / hash)
        if content is None:
            return None
        encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
        try:
            return [("", content.decode(encoding))]
        except UnicodeDecodeError:
            return [("", content.decode("cp1252", "replace"))]


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _cut(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = start + _PIECE
        if end < len(text) and (gap := _BREAK.search(text, end, end + 1_000)) is not None:
            end = gap.start()
        if piece := text[start:end].strip():
            yield piece
        start = end
