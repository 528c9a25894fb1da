"""What the index of words says to the search by meaning: what there is to embed, and what a passage is shown as.

All blocking, on a reader's thread; raises sqlite3.Error.
"""

from __future__ import annotations

import re
import sqlite3
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from sam_py.store.search_index.narrowing import (
    PLACE,
    PLACE_COLUMNS,
    Hidden,
    conditions,
    is_hidden,
    moment_of,
    ms_of,
    place_of,
)
from sam_py.store.search_index.results import BY_DEFAULT, Filters, Hit, Place
from sam_py.store.search_index.snippet import LENGTH
from sam_py.store.search_index.words import shown
from sam_py.store.semantic.asked import Asked
from sam_py.store.semantic.vectors import Near, digest_of

_SPACE = re.compile(r"\s+")
_SPOKEN = "message.role IN ('user', 'assistant')"
TITLE = ""
"""Stands for a conversation's title where else a message's id stands."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """`state` is another one whenever a message or the title is. `messages` are those that may be embedded."""

    id: str
    state: str
    messages: int


@dataclass(frozen=True, slots=True)
class Said:
    """A message's text, or a title, and a number that is another one after each change."""

    message: str
    version: int
    text: str


def conversations(connection: sqlite3.Connection) -> list[Conversation]:
    """All of them, the newest first. A tenth of a second for 100,000 messages."""
    rows = connection.execute(
        "SELECT conversation.id, conversation.title, count(message.key), total(message.crc) FROM conversation "  # noqa: S608
        f"LEFT JOIN message ON message.conversation = conversation.key AND {_SPOKEN} "
        "GROUP BY conversation.key ORDER BY conversation.updated DESC"
    )
    return [
        Conversation(id, f"{count} {int(total)} {zlib.crc32(title.encode('utf-8', 'replace'))}", count)
        for id, title, count, total in rows
    ]


def versions(connection: sqlite3.Connection, conversation: str) -> dict[str, int]:
    """The version of each message of a conversation, and of its title where it has one."""
    rows = connection.execute(
        "SELECT message.id, message.crc FROM message JOIN conversation ON conversation.key = message.conversation "  # noqa: S608
        f"WHERE conversation.id = ? AND {_SPOKEN} ORDER BY message.key",
        (conversation,),
    )
    found = {id: crc for id, crc in rows}
    title = connection.execute("SELECT title FROM conversation WHERE id = ?", (conversation,)).fetchone()
    if title is not None and title[0].strip():
        found[TITLE] = zlib.crc32(title[0].encode("utf-8", "replace"))
    return found


def texts(connection: sqlite3.Connection, conversation: str, messages: Sequence[str]) -> list[Said]:
    """The words of these messages, as the index has them now; those that are gone meanwhile are left out."""
    found = []
    for message in messages:
        if message == TITLE:
            sql = "SELECT title FROM conversation WHERE id = ?"
            if (row := connection.execute(sql, (conversation,)).fetchone()) is not None:
                found.append(Said(TITLE, zlib.crc32(row[0].encode("utf-8", "replace")), row[0]))
            continue
        row = connection.execute(
            "SELECT message.crc, entry.text FROM conversation "
            "CROSS JOIN message ON message.conversation = conversation.key AND message.id = ? "
            "CROSS JOIN entry ON entry.rowid = message.key WHERE conversation.id = ?",
            (message, conversation),
        ).fetchone()
        if row is not None:
            found.append(Said(message, row[0], shown(row[1] or "")))
    return found


def characters(connection: sqlite3.Connection, after: int, most: int) -> tuple[int, int, int | None]:
    """How many messages and characters the `most` messages after a key have, and the last key; None: the end."""
    rows = connection.execute(
        "SELECT message.key, length(entry.text) FROM message CROSS JOIN entry ON entry.rowid = message.key "  # noqa: S608
        f"WHERE message.key > ? AND {_SPOKEN} ORDER BY message.key LIMIT ?",
        (after, most),
    ).fetchall()
    return len(rows), sum(length or 0 for _key, length in rows), rows[-1][0] if len(rows) == most else None


def hits(
    connection: sqlite3.Connection, found: Sequence[Near], wanted: Asked, filters: Filters, hidden: Hidden
) -> list[Hit]:
    """The hits of `found` that fulfil the filters and are still said, each message once, in the order of `found`."""
    kinds = filters.kinds or BY_DEFAULT
    where, values = conditions(filters)
    hits: list[Hit] = []
    seen: set[tuple[str, str]] = set()
    for near in found:
        place = (near.conversation, near.message)
        if place in seen or is_hidden(hidden, *place):
            continue
        if near.message == TITLE:
            hit = _title(connection, near, wanted, filters) if "title" in kinds else None
        elif "text" in kinds:
            hit = _message(connection, near, wanted, where, values)
        else:
            hit = None
        if hit is not None:
            seen.add(place)
            hits.append(hit)
    return hits


def _message(
    connection: sqlite3.Connection, near: Near, wanted: Asked, where: str, values: Sequence[object]
) -> Hit | None:
    row = connection.execute(
        f"SELECT {PLACE}, entry.text FROM conversation "  # noqa: S608 - words of ours
        "CROSS JOIN message ON message.conversation = conversation.key AND message.id = ? "
        f"CROSS JOIN entry ON entry.rowid = message.key WHERE conversation.id = ? {where}",
        (near.message, near.conversation, *values),
    ).fetchone()
    if row is None:
        return None
    text = shown(row[PLACE_COLUMNS] or "")
    passage = text[near.span[0] : near.span[1]]
    if digest_of(passage) != near.digest or wanted.has_unwanted(text):  # it says something else by now
        return None
    return Hit(place_of(row[:PLACE_COLUMNS]), "text", snippet(passage), (), near.similarity, is_similar=True)


def _title(connection: sqlite3.Connection, near: Near, wanted: Asked, filters: Filters) -> Hit | None:
    if filters.has_no_titles or (filters.folder and near.conversation not in filters.among):
        return None
    sql = "SELECT title, updated FROM conversation WHERE id = ?"
    row = connection.execute(sql, (near.conversation,)).fetchone()
    if row is None or digest_of(row[0][near.span[0] : near.span[1]]) != near.digest:
        return None
    title, updated = row
    if wanted.has_unwanted(title):
        return None
    if filters.since is not None and updated < ms_of(filters.since):
        return None
    if filters.until is not None and updated >= ms_of(filters.until):
        return None
    place = Place(near.conversation, title, "", moment_of(updated))
    return Hit(place, "title", snippet(title), (), near.similarity, is_similar=True)


def snippet(passage: str) -> str:
    """The beginning of a passage on one line."""
    line = _SPACE.sub(" ", passage[: 3 * LENGTH]).strip()
    if len(line) <= LENGTH:
        return line
    return f"{line[:LENGTH].rpartition(' ')[0] or line[:LENGTH]}…"
