"""Tool names on the wire: what a service would refuse is translated, always the same way."""

from __future__ import annotations

import hashlib
import re

_TAKEN_EVERYWHERE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}\Z")
_OTHER = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST = 64


def wire_name(name: str) -> str:
    """Return `name` as every service takes it: unchanged where it fits, else cleaned, with a digest at its end.

    OpenAI and others take up to 64 letters, digits, ``_`` and ``-``; Gemini wants a letter or ``_`` first.
    Names of our own tools fit; those in imported histories need not.

    >>> wire_name("read_file"), wire_name("web search!")[:12], wire_name("") == wire_name("")
    ('read_file', 'web_search__', True)
    """
    if _TAKEN_EVERYWHERE.match(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    cleaned = _OTHER.sub("_", name[: _LONGEST - len(digest) - 2])
    if not re.match("[A-Za-z_]", cleaned):
        cleaned = f"_{cleaned}"
    return f"{cleaned}_{digest}"
