"""Names and lines out of what a server says of itself: safe for a provider, for one line and for the eye."""

from __future__ import annotations

import hashlib
import re
import unicodedata

LONGEST_NAME = 64
"""What every provider takes."""
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST_PREFIX = 24


def tool_name(server_id: str, tool: str, *, apart: bool = False) -> str:
    """The name under which a model calls `tool` of `server_id`: always the same, at most 64 safe characters.

    Where something had to be changed or cut, and where `apart` asks for it because another tool has the plain
    name, a piece of a hash keeps it apart.

    >>> tool_name("everything", "echo")
    'everything__echo'
    >>> tool_name("my files", "lire un fichier")
    'my_files__lire_un_fichier_921f8e'
    """
    prefix, name = _UNSAFE.sub("_", server_id)[:_LONGEST_PREFIX], _UNSAFE.sub("_", tool)
    whole = f"{prefix_of(server_id)}{name}"
    is_plain = prefix == server_id and name == tool and "__" not in server_id + "|" + tool
    if is_plain and not apart and len(whole) <= LONGEST_NAME:
        return whole
    digest = hashlib.sha256(f"{server_id}\0{tool}".encode("utf-8", "replace")).hexdigest()[:6]
    return f"{whole[: LONGEST_NAME - 7]}_{digest}"


def prefix_of(server_id: str) -> str:
    """What the names of all tools of a server begin with.

    >>> prefix_of("my files")
    'my_files__'
    """
    return _UNSAFE.sub("_", server_id)[:_LONGEST_PREFIX] + "__"


def one_line(text: str, longest: int = 120) -> str:
    """`text` in one line without characters that hide or reorder what is read.

    >>> one_line("List\\n files\\u202e now")
    'List files now'
    """
    seen = "".join(
        " " if character.isspace() else character
        for character in text
        if character.isspace() or unicodedata.category(character) not in ("Cc", "Cf", "Co", "Cs", "Cn")
    )
    line = " ".join(seen.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"
