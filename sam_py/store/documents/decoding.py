"""Decoding: bytes of a text file as text, whatever they are coded in."""

from __future__ import annotations

import codecs

_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 64 * 1024


def decoded(data: bytes) -> str:
    """`data` as text: by its byte order mark, as UTF-8, or by what fits its bytes best.

    >>> decoded("naïve".encode()), decoded("naïve".encode("utf-16"))
    ('naïve', 'naïve')
    """
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return data.decode(encoding, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode(_guessed(data), "replace")


def _guessed(data: bytes) -> str:
    import charset_normalizer

    best = charset_normalizer.from_bytes(data[:_SAMPLE]).best()
    return best.encoding if best is not None else "cp1252"
