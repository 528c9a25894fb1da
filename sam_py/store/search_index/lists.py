"""What Library and Pinned list, by date, in pages; and how many there are. Blocking; on a reader's thread."""

from __future__ import annotations

import sqlite3
from typing import Any

from sam_py.store.search_index.extract import ITEM_KINDS, SHOWN
from sam_py.store.search_index.letters import bare
from sam_py.store.search_index.narrowing import PLACE, PLACE_COLUMNS, Hidden, conditions, is_hidden, key_range, place_of
from sam_py.store.search_index.query import understand
from sam_py.store.search_index.results import Counts, Cursor, Filters, Item, Items, Pin, Pins
from sam_py.store.search_index.search import NOTHING_HIDDEN
from sam_py.store.search_index.words import shown, storable

_PREVIEW = 400
_BEGINNING = "substr(coalesce({}), 1, {})".format(
    ", ".join(f"nullif(entry.{column}, '')" for column in ("text", "code", "tool", "file", "image", "thinking")),
    _PREVIEW,
)
"""What a message says first: its words, else those of what it brings."""
_LOOKED_UP = 3
"""Letters from which on a beginning is looked up in the index: fewer stand everywhere."""
_IN_CUT = (
    f"(length(item.text) >= {SHOWN} AND item.kind IN ('code', 'tool') "  # noqa: S608 - a number of ours
    "AND item.message IN (SELECT rowid FROM entry WHERE entry MATCH ?))"
)
_IN_FILE = (
    "(item.kind IN ('file', 'document') AND EXISTS (SELECT 1 FROM chunk WHERE chunk.message = item.message AND "
    "chunk.part_index = item.part_index AND chunk.key IN (SELECT rowid FROM entry WHERE entry MATCH ?)))"
)
_JOINED = (
    "CROSS JOIN message ON message.key = item.message CROSS JOIN conversation ON conversation.key = "
    "message.conversation"
)


def items(
    connection: sqlite3.Connection,
    filters: Filters,
    *,
    limit: int,
    after: Cursor | None,
    hidden: Hidden = NOTHING_HIDDEN,
) -> Items:
    """The newest first; those of one message in its order."""
    kinds = _kinds(filters)
    where, values = _item_conditions(filters)
    low, high = key_range(filters)
    if after is not None:
        where += " AND (item.message < ? OR (item.message = ? AND (item.number, item.kind) > (?, ?)))"
        values += (after[0], after[0], after[1], after[2])
        high = min(high, int(after[0]) + 1)
    one = "item.kind = ?" if len(kinds) == 1 else f"item.kind IN ({', '.join('?' * len(kinds))})"
    index = "" if len(kinds) == 1 else "INDEXED BY item_of"
    rows = connection.execute(
        f"SELECT {PLACE}, item.kind, item.part_index, item.offset, item.name, item.detail, item.text, "  # noqa: S608 - ours
        "item.url, item.attachment, item.mime_type, item.size, item.width, item.height, item.message, item.number "
        f"FROM item {index} {_JOINED} WHERE {one} AND item.message >= ? AND item.message < ?{where} "
        "ORDER BY item.message DESC, item.number, item.kind LIMIT ?",
        (*kinds, low, high, *values, limit + 1),
    ).fetchall()
    found = [
        Item(place_of(row[:PLACE_COLUMNS]), *row[PLACE_COLUMNS : PLACE_COLUMNS + 12])
        for row in rows[:limit]
        if not is_hidden(hidden, row[0], row[2])
    ]
    last = rows[limit - 1] if len(rows) > limit else None
    return Items(tuple(found), (last[-2], last[-1], last[PLACE_COLUMNS]) if last is not None else None)


def pinned(
    connection: sqlite3.Connection,
    filters: Filters,
    *,
    limit: int,
    after: Cursor | None,
    hidden: Hidden = NOTHING_HIDDEN,
) -> Pins:
    """The newest first."""
    return _messages(connection, "message INDEXED BY pinned_message", "message.pinned", filters, limit, after, hidden)


def important(
    connection: sqlite3.Connection,
    filters: Filters,
    *,
    limit: int,
    after: Cursor | None,
    hidden: Hidden = NOTHING_HIDDEN,
) -> Pins:
    """What is as important as the filters say and on the shown path, but not pinned; the newest first."""
    which = "NOT message.pinned AND message.on_path AND message.role IN ('user', 'assistant')"
    return _messages(connection, "message", which, filters, limit, after, hidden)


def _messages(
    connection: sqlite3.Connection,
    source: str,
    which: str,
    filters: Filters,
    limit: int,
    after: Cursor | None,
    hidden: Hidden,
) -> Pins:
    where, values = conditions(filters)
    low, high = key_range(filters)
    if after is not None:
        high = min(high, int(after[0]))
    for word in bare(filters.text).split():
        where += " AND instr(folded(entry.text), ?)"
        values.append(storable(word))
    rows = connection.execute(
        f"SELECT {PLACE}, {_BEGINNING}, message.rule, message.key "  # noqa: S608 - ours
        f"FROM {source} CROSS JOIN conversation ON conversation.key = message.conversation "
        "CROSS JOIN entry ON entry.rowid = message.key "
        f"WHERE {which} AND message.key >= ? AND message.key < ?{where} ORDER BY message.key DESC LIMIT ?",
        (low, high, *values, limit + 1),
    ).fetchall()
    found = [
        Pin(place_of(row[:PLACE_COLUMNS]), shown(row[PLACE_COLUMNS] or "").strip(), row[-2])
        for row in rows[:limit]
        if not is_hidden(hidden, row[0], row[2])
    ]
    return Pins(tuple(found), (rows[limit - 1][-1],) if len(rows) > limit else None)


def counts(connection: sqlite3.Connection, filters: Filters) -> Counts:
    """Of what `items` and `pinned` list with these filters, whatever their kinds; models of all conversations."""
    where, values = _item_conditions(filters)
    plain = not where
    low, high = key_range(filters)
    source = f"FROM item {_JOINED} WHERE item.message >= ? AND item.message < ?{where}"
    if plain and not connection.execute("SELECT 1 FROM cleared LIMIT 1").fetchone():
        source = "FROM item WHERE item.message >= ? AND item.message < ?"
    by_kind = connection.execute(f"SELECT item.kind, count(*) {source} GROUP BY item.kind", (low, high, *values))
    narrow, narrow_values = conditions(filters)
    base = "FROM message CROSS JOIN conversation ON conversation.key = message.conversation WHERE 1"
    pins = _count(connection, f"{base.replace('message CROSS', 'message INDEXED BY pinned_message CROSS')} AND "
                  f"message.pinned{narrow}", narrow_values)  # fmt: skip
    messages = _count(connection, f"{base}{narrow}", narrow_values)
    conversations = _count(connection, "FROM conversation", [])
    models = connection.execute(
        "SELECT model, count(*) FROM message WHERE model <> '' GROUP BY model ORDER BY count(*) DESC, model"
    ).fetchall()
    found = dict.fromkeys(ITEM_KINDS, 0) | dict(by_kind.fetchall())
    return Counts({str(kind): count for kind, count in found.items()}, pins, messages, conversations, tuple(models))


def _count(connection: sqlite3.Connection, source: str, values: list[Any]) -> int:
    return int(connection.execute(f"SELECT count(*) {source}", values).fetchone()[0])


def _kinds(filters: Filters) -> list[str]:
    return [kind for kind in ITEM_KINDS if not filters.kinds or kind in filters.kinds] or ["none"]


def _item_conditions(filters: Filters) -> tuple[str, list[Any]]:
    """A word is looked for in what an item has; where that is cut, or a file, also in the words of all of it."""
    where, values = conditions(filters)
    for word in bare(filters.text).split():
        has = "instr(item.folded, ?)"
        values.append(storable(word))
        terms = understand(word).terms if len(word) >= _LOOKED_UP else ()
        if terms:
            said = " AND ".join(term.match() for term in terms)
            has = f"({has} OR {_IN_CUT} OR {_IN_FILE})"
            values += [f"{{code tool}} : ({said})", f"{{document}} : ({said})"]
        where += f" AND {has}"
    return where, values
