"""Files named on the command line as parts of a message, their bytes kept in memory."""

from __future__ import annotations

import asyncio
import hashlib
import mimetypes
import os
import stat
import sys
import tempfile
from pathlib import Path
from typing import IO

from sam_py.errors import SamError
from sam_py.messages.documents import MIME_TYPES, Document, document_kind, kind_of_content
from sam_py.messages.parts import FilePart, ImagePart, Part
from sam_py.store.documents.process import Extraction

LARGEST_BYTES = 50_000_000
_IMAGES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}


class Attachments:
    """The bytes of the attached files by content hash: what the attachment store is to the window."""

    def __init__(self) -> None:
        self._contents: dict[str, bytes] = {}
        self._documents: dict[str, Document] = {}

    def add(self, path: Path) -> Part:
        """Read `path` and return its part. Raises `SamError` where it cannot be read or is too large."""
        try:
            if path.is_dir():
                raise SamError(f"{path} is a folder. Name its files one by one with --file.")
            if path.stat().st_size > LARGEST_BYTES:
                raise SamError(f"{path} is larger than {LARGEST_BYTES // 1_000_000} MB. Attach a part of it.")
            data = path.read_bytes()
        except OSError as error:
            reason = (error.strerror or type(error).__name__).lower()
            raise SamError(f"{path} cannot be read ({reason}). Check its name.") from error
        return self.put(data, path.name)

    async def document(self, part: FilePart) -> Document | None:
        """The document that an attached file is, its text taken out in a process of its own; None where it is none.

        Raises `SamError` where it cannot be read.
        """
        kind = document_kind(part.mime_type, part.size)
        if kind is None:
            return None
        if part.attachment not in self._documents:
            with tempfile.TemporaryDirectory(prefix="sam-") as folder:
                path = Path(folder) / "document"
                path.write_bytes(self._contents[part.attachment])
                extraction = Extraction(path, kind, part.filename)
                try:
                    self._documents[part.attachment] = await asyncio.to_thread(extraction.run)
                except asyncio.CancelledError:
                    extraction.cancel()
                    raise
        return self._documents[part.attachment]

    def put(self, data: bytes, filename: str) -> Part:
        attachment = hashlib.sha256(data).hexdigest()
        self._contents[attachment] = data
        mime = mime_of(data, filename)
        if mime.startswith("image/") and mime != "image/svg+xml":
            return ImagePart(attachment=attachment, mime_type=mime, alt=filename)
        return FilePart(attachment=attachment, filename=filename, mime_type=mime, size=len(data))

    async def read(self, attachment: str) -> bytes:
        return self._contents[attachment]

    async def keep(self, data: bytes, mime_type: str) -> str:
        """Keep an image that came with the reply."""
        attachment = hashlib.sha256(data).hexdigest()
        self._contents[attachment] = data
        return attachment

    def size_of(self, attachment: str | None) -> int:
        return len(self._contents.get(attachment or "", b""))


def mime_of(data: bytes, filename: str) -> str:
    """The type by content where that tells, else by name; anything that is UTF-8 is text.

    >>> mime_of(b"fn main() {}", "main.rs"), mime_of(b"\\x00\\x01", "blob")
    ('text/plain', 'application/octet-stream')
    """
    for start, mime in _IMAGES.items():
        if data.startswith(start):
            return mime
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    kind = kind_of_content(data, filename)
    if kind is not None:
        return MIME_TYPES[kind]
    named = mimetypes.guess_type(filename)[0] or ""
    if named.startswith("text/") or named in ("application/json", "image/svg+xml"):
        return named
    if _is_text(data):
        return "text/plain"
    return named if named and not named.startswith(("text/", "image/")) else "application/octet-stream"


def _is_text(data: bytes) -> bool:
    if b"\x00" in data[:8192]:
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def standard_input(asked: bool, stream: IO[str] | None = None) -> str:
    """What is piped in. With a question on the command line only a pipe or file is read, never a terminal."""
    stream = sys.stdin if stream is None else stream
    if stream is None or stream.closed or stream.isatty():
        return ""
    if asked:
        try:
            mode = os.fstat(stream.fileno()).st_mode
        except (OSError, ValueError):
            return ""
        if not (stat.S_ISFIFO(mode) or stat.S_ISREG(mode)):
            return ""
    raw = getattr(stream, "buffer", None)
    text = raw.read().decode("utf-8-sig", "replace") if raw is not None else stream.read()
    return str(text).strip("\n")
