"""What a file is, judged by its first bytes: a picture, text and how it is coded, or binary, and which."""

from __future__ import annotations

import codecs
import struct
from dataclasses import dataclass

_HEAD = 64 * 1024
_PICTURES = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))
_BINARIES = (
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive or an Office document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a Windows program"),
    (b"\xcf\xfa\xed\xfe", "a macOS program"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
    (b"OggS", "an Ogg sound or film"),
    (b"ID3", "an MP3 sound"),
    (b"RIFF", "a sound or film"),
    (b"\x00\x00\x01\x00", "an icon"),
    (b"GGUF", "a language model"),
)
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_TEXT_CONTROLS = frozenset(b"\x07\x08\t\n\x0b\x0c\r\x1b")


@dataclass(frozen=True, slots=True)
class Content:
    """`kind` is ``text``, ``picture`` or ``binary``; `what` names a binary in words, `encoding` a codec of Python."""

    kind: str
    encoding: str = ""
    mime_type: str = ""
    what: str = ""


def content_of(data: bytes) -> Content:
    """What `data` is; the file's name is not asked, because names lie.

    >>> content_of(b"caf\\xc3\\xa9").encoding, content_of(b"caf\\xe9").encoding, content_of(b"%PDF-1.7").what
    ('utf-8', 'cp1252', 'a PDF document')
    """
    for start, mime_type in _PICTURES:
        if data.startswith(start):
            return Content("picture", mime_type=mime_type)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return Content("picture", mime_type="image/webp")
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return Content("text", encoding=encoding)
    for start, what in _BINARIES:
        if data.startswith(start) and (len(start) > 2 or _has_controls(data)):
            return Content("binary", what=what)
    head = data[:_HEAD]
    if b"\x00" in head:
        even, odd = head[0::2].count(0), head[1::2].count(0)
        if max(even, odd) > 0.3 * len(head) / 2 and min(even, odd) < 0.05 * len(head) / 2:
            return Content("text", encoding="utf-16-le" if odd > even else "utf-16-be")
        return Content("binary", what="binary data")
    if _has_controls(head):
        return Content("binary", what="binary data")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head, final=len(head) < _HEAD)
    except UnicodeDecodeError:
        return Content("text", encoding="cp1252")
    return Content("text", encoding="utf-8")


def decoded(data: bytes, encoding: str) -> str:
    """`data` as text without its byte order mark; what the encoding has no character for becomes U+FFFD."""
    return data.decode(encoding, errors="replace").removeprefix("\ufeff")


def picture_size(data: bytes) -> tuple[int | None, int | None]:
    """Width and height in pixels of a PNG or GIF; None where the head does not say it plainly."""
    if data.startswith(b"\x89PNG\r\n\x1a\n") and len(data) >= 24:
        width, height = struct.unpack(">II", data[16:24])
        return int(width), int(height)
    if data.startswith(b"GIF8") and len(data) >= 10:
        width, height = struct.unpack("<HH", data[6:10])
        return int(width), int(height)
    return None, None


def _has_controls(data: bytes) -> bool:
    head = data[:_HEAD]
    return sum(byte < 32 and byte not in _TEXT_CONTROLS for byte in head) > max(1, len(head) // 500)
