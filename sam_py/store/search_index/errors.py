"""SearchError: why nothing can be looked up, or not kept up to date, in a sentence that says what to do."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Literal

from sam_py.errors import SamError

SearchTrouble = Literal["full", "read_only", "damaged", "busy", "unsupported", "missing", "failed"]


class SearchError(SamError):
    """Trouble with the search index alone: conversations are not touched by it."""

    def __init__(self, message: str, *, kind: SearchTrouble, detail: str = "") -> None:
        super().__init__(message, detail=detail)
        self.kind: SearchTrouble = kind


def trouble_of(error: sqlite3.Error | OSError, path: Path) -> SearchError:
    """The sentence for what SQLite or the disk said of the database at `path`."""
    said = str(error).lower()
    detail = f"{type(error).__name__}: {error}"
    if "full" in said or "no space" in said:
        text = f"Search cannot be kept up to date, because the disk that holds {path.parent} is full: free some space."
        return SearchError(text, kind="full", detail=detail)
    if "readonly" in said or "read-only" in said or "unable to open" in said or "permission" in said:
        text = f"Search needs to write in {path.parent}: allow it to. Your chats are not affected."
        return SearchError(text, kind="read_only", detail=detail)
    if "locked" in said or "busy" in said:
        text = "Another program is working on the search index: try again in a moment."
        return SearchError(text, kind="busy", detail=detail)
    if "no such module" in said or "no such tokenizer" in said or "unknown tokenizer" in said:
        text = "Search needs SQLite 3.34 or newer with FTS5, which this Python does not have: install another Python."
        return SearchError(text, kind="unsupported", detail=detail)
    if is_damage(error):
        text = "The search index was damaged and is being built anew: try again in a moment. Your chats are whole."
        return SearchError(text, kind="damaged", detail=detail)
    text = f"Search does not work at the moment ({error}): it is tried again by itself. Your chats are not affected."
    return SearchError(text, kind="failed", detail=detail)


def is_damage(error: BaseException) -> bool:
    """Whether the database itself is what is wrong: only building it anew helps."""
    if not isinstance(error, sqlite3.DatabaseError):
        return False
    said = str(error).lower()
    signs = ("malformed", "not a database", "no such table", "missing row")
    return type(error) is sqlite3.DatabaseError or any(sign in said for sign in signs)
