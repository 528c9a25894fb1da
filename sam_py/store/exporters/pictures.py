"""Pictures by what their bytes are: names and declared types are not trusted."""

from __future__ import annotations

_SIGNS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
)
ENDINGS = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/bmp": ".bmp",
    "image/webp": ".webp",
    "image/avif": ".avif",
}


def kind_of_picture(content: bytes) -> str:
    """The MIME type of a picture that every browser shows; "" for anything else, SVG too: it can act.

    >>> kind_of_picture(b"GIF89a..."), kind_of_picture(b"<svg/>")
    ('image/gif', '')
    """
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    if content[4:12] in (b"ftypavif", b"ftypavis"):
        return "image/avif"
    return next((kind for sign, kind in _SIGNS if content.startswith(sign)), "")
