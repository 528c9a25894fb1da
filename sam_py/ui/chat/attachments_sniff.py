"""What a file is, judged by its content: a picture, a PDF, text (how coded, in which language), or binary."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

from sam_py.messages.documents import MIME_TYPES, document_kind, kind_of_content

Kind = Literal["image", "document", "locked", "text", "binary"]
"""A document has its text taken out; one that is locked was packed by Office with a password."""

_HEAD = 64 * 1024
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
)
_OLE = b"\xd0\xcf\x11\xe0"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
"""The name of the stream that holds an Office document with a password (MS-OFFCRYPTO, 2.3.4)."""
_BRANDS = {b"avif": "image/avif", b"avis": "image/avif"}
_BRANDS |= dict.fromkeys((b"heic", b"heix", b"hevc", b"mif1", b"msf1"), "image/heic")

_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Control characters that text files do hold: bell, backspace, tab, line feed, vertical tab, form feed, return, escape.
_TEXT_CONTROLS = frozenset(b"\x07\x08\t\n\x0b\x0c\r\x1b")

LANGUAGES = {
    "bash": "bash", "bat": "batch", "c": "c", "cc": "cpp", "cfg": "ini", "clj": "clojure", "cpp": "cpp", "cs": "csharp",
    "css": "css", "csv": "csv", "cxx": "cpp", "dart": "dart", "diff": "diff", "ex": "elixir", "exs": "elixir",
    "f90": "fortran", "go": "go", "gradle": "groovy", "graphql": "graphql", "h": "c", "hpp": "cpp", "hs": "haskell",
    "htm": "html", "html": "html", "ini": "ini", "java": "java", "jl": "julia", "js": "javascript", "json": "json",
    "jsonl": "json", "jsx": "jsx", "kt": "kotlin", "less": "less", "lua": "lua", "m": "objective-c", "md": "markdown",
    "mjs": "javascript", "ml": "ocaml", "nix": "nix", "patch": "diff", "php": "php", "pl": "perl", "ps1": "powershell",
    "py": "python", "pyi": "python", "qml": "qml", "r": "r", "rb": "ruby", "rs": "rust", "rst": "rst", "scala": "scala",
    "scss": "scss", "sh": "bash", "sql": "sql", "svelte": "svelte", "svg": "xml", "swift": "swift", "tex": "latex",
    "toml": "toml", "ts": "typescript", "tsv": "csv", "tsx": "tsx", "vb": "vbnet", "vue": "vue", "xml": "xml",
    "yaml": "yaml", "yml": "yaml", "zig": "zig", "zsh": "bash",
}  # fmt: skip
_NAMES = {"dockerfile": "docker", "makefile": "make", "cmakelists.txt": "cmake", "gemfile": "ruby", "justfile": "make"}


@dataclass(frozen=True, slots=True)
class Sniffed:
    kind: Kind
    mime_type: str
    encoding: str = ""
    """Of text: the name of a Python codec."""


def sniff(data: bytes, name: str = "") -> Sniffed:
    """What `data` is; the `name` of the file is asked only where text may be a table or a page, because names lie.

    >>> sniff(b"%PDF-1.7 ...").kind, sniff(b"<svg/>").kind, sniff(bytes(range(256))).kind
    ('document', 'text', 'binary')
    """
    if mime_type := _image_type(data):
        return Sniffed("image", mime_type)
    kind = kind_of_content(data, name)
    if kind is not None and document_kind(MIME_TYPES[kind], len(data)) is not None:
        return Sniffed("document", MIME_TYPES[kind])
    if data.startswith(_OLE) and _ENCRYPTED in data:
        return Sniffed("locked", "application/octet-stream")
    if encoding := text_encoding(data):
        return Sniffed("text", "text/plain", encoding)
    return Sniffed("binary", "application/octet-stream")


def text_encoding(data: bytes) -> str:
    """The codec that decodes `data` as text, or "" where it is no text. Looks at the whole of it only for UTF-8.

    >>> text_encoding("naïve".encode()), text_encoding("naïve".encode("latin-1")), text_encoding(b"PK\\x03\\x04\\x00")
    ('utf-8', 'cp1252', '')
    """
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return encoding if _decodes(data, encoding) else ""
    head = data[:_HEAD]
    if b"\x00" in head:
        return _utf16_without_bom(head, data)
    controls = sum(byte < 32 and byte not in _TEXT_CONTROLS for byte in head)
    if controls > len(head) // 500:  # a stray one happens in logs
        return ""
    if _decodes(data, "utf-8"):
        return "utf-8"
    # Western one-byte text is mostly ASCII letters; compressed or encrypted bytes are not.
    high = sum(byte >= 128 for byte in head)
    if high > len(head) * 0.3:
        return ""
    return "cp1252" if _decodes(data, "cp1252") else "latin-1"


def language_of(filename: str) -> str:
    """The language that a file's name stands for, in the highlighter's words; "text" where it says none.

    >>> language_of("setup.py"), language_of("Dockerfile"), language_of("notes.txt")
    ('python', 'docker', 'text')
    """
    name = filename.lower()
    return _NAMES.get(name) or LANGUAGES.get(PurePath(name).suffix.lstrip("."), "text")


def _image_type(data: bytes) -> str:
    for signature, mime_type in _SIGNATURES:
        if data.startswith(signature):
            if signature == b"BM" and not _is_bitmap(data):
                continue
            return mime_type
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if data[4:8] == b"ftyp":
        return _BRANDS.get(data[8:12], "")
    return ""


def _is_bitmap(data: bytes) -> bool:
    """Text may begin with BM; a bitmap goes on with two reserved zeros and a known header size."""
    return data[6:10] == b"\x00\x00\x00\x00" and int.from_bytes(data[14:18], "little") in (12, 40, 52, 56, 64, 108, 124)


def _utf16_without_bom(head: bytes, data: bytes) -> str:
    """UTF-16 text in Latin letters has its zeros all at even or all at odd places."""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    half = len(head) // 2
    if odd > half * 0.7 and even == 0 and _decodes(data, "utf-16-le"):
        return "utf-16-le"
    if even > half * 0.7 and odd == 0 and _decodes(data, "utf-16-be"):
        return "utf-16-be"
    return ""


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
