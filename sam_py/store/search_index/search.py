"""A search, from what was typed to hits with snippets. Blocking; on a reader's thread."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sam_py.store.search_index.candidates import FEW, Candidate, are_few, in_order, ranked, recency
from sam_py.store.search_index.database import COLUMNS
from sam_py.store.search_index.narrowing import (
    IN_FOLDER,
    PLACE,
    PLACE_COLUMNS,
    Hidden,
    is_hidden,
    moment_of,
    ms_of,
    place_of,
)
from sam_py.store.search_index.query import Query, understand
from sam_py.store.search_index.results import (
    BY_DEFAULT,
    Cursor,
    Filters,
    Hit,
    HitKind,
    Order,
    Place,
    Results,
)
from sam_py.store.search_index.snippet import snippet_of
from sam_py.store.search_index.words import fold, shown

_MOST_TITLES = 10
NOTHING_HIDDEN: Hidden = (frozenset(), frozenset())


def search(
    connection: sqlite3.Connection,
    text: str,
    filters: Filters,
    *,
    limit: int,
    after: Cursor | None,
    order: Order,
    now: datetime,
    hidden: Hidden = NOTHING_HIDDEN,
    typing: bool = True,
) -> Results:
    """One page of hits. Raises sqlite3.Error, never for what was typed."""
    query = understand(text, typing=typing)
    if not query or limit < 1:
        return Results()
    if order == "best":
        return _best(connection, query, filters, limit, after, ms_of(now), hidden)
    return _by_date(connection, query, filters, limit, after, now, hidden, newest=order == "newest")


def with_words(
    connection: sqlite3.Connection, hits: Sequence[Hit], text: str, filters: Filters, *, typing: bool = True
) -> list[Hit]:
    """`hits`, found by their meaning, in which those whose message has the words too are hits of these words."""
    query = understand(text, typing=typing)
    if not query or not hits:
        return list(hits)
    is_inside = are_few(connection, query, filters)
    patterns = [term.pattern(inside=is_inside) for term in query.terms]
    without = [term.pattern() for term in query.without]
    columns = [column for column in COLUMNS if column in (filters.kinds or BY_DEFAULT)]
    sql = (
        f"SELECT message.key, {', '.join(columns) or 'NULL'} FROM conversation "  # noqa: S608 - columns of ours
        "CROSS JOIN message ON message.conversation = conversation.key AND message.id = ? "
        "CROSS JOIN entry ON entry.rowid = message.key WHERE conversation.id = ?"
    )
    found = []
    for hit in hits:
        row = connection.execute(sql, (hit.place.message_id, hit.place.conversation_id)).fetchone()
        texts = [fold(shown(each)) for each in row[1:] if each] if row is not None else []
        has = [any(re.search(pattern, each) for each in texts) for pattern in patterns]
        if all(has) and not any(re.search(pattern, each) for pattern in without for each in texts):
            candidate = Candidate(row[0], row[0], -1, hit.score, is_inside)
            found.append(_in_message(connection, candidate, hit.place, patterns, columns))
        else:
            found.append(hit)
    return found


def _by_date(
    connection: sqlite3.Connection,
    query: Query,
    filters: Filters,
    limit: int,
    after: Cursor | None,
    now: datetime,
    hidden: Hidden,
    *,
    newest: bool,
) -> Results:
    """A cursor is: the last key, and whether the words are also looked for within longer ones."""
    edge = int(after[0]) if after is not None else None
    is_wide = bool(filters.conversation_id) or (after is not None and bool(after[1]))
    found = in_order(connection, query, filters, edge, limit + 1, newest=newest, is_wide=is_wide)
    if after is None and not is_wide and len(found) <= min(limit, FEW - 1):
        is_wide = True
        found = in_order(connection, query, filters, edge, limit + 1, newest=newest, is_wide=True)
    titles = _titles(connection, query, filters, ms_of(now), hidden) if after is None else []
    if not newest:
        titles.reverse()
    hits = [*titles, *_hits(connection, query, filters, found[:limit], hidden)]
    more = len(found) > limit
    return Results(tuple(hits), (found[limit - 1].key, int(is_wide)) if more else None, len(hits), more)


def _best(
    connection: sqlite3.Connection,
    query: Query,
    filters: Filters,
    limit: int,
    after: Cursor | None,
    now_ms: int,
    hidden: Hidden,
) -> Results:
    """A cursor is: the date that ages are counted from, where its block begins (or 0), the last score and key."""
    as_of_ms, below, last = now_ms, None, None
    if after is not None:
        as_of_ms = int(after[0])
        below = int(after[1]) or None
        last = (-float(after[2]), -int(after[3])) if len(after) > 2 else None
    candidates, more, are_more = ranked(connection, query, filters, below, as_of_ms)
    rest = candidates
    if last is not None:
        rest = [each for each in candidates if (-each.score, -each.key) > last]
    titles = _titles(connection, query, filters, as_of_ms, hidden) if after is None else []
    page = rest[: max(0, limit - len(titles))]
    hits = _hits(connection, query, filters, page, hidden)
    following: Cursor | None = None
    if len(rest) > len(page):
        end: tuple[float | int, ...] = (page[-1].score, page[-1].key) if page else ()
        following = (as_of_ms, below or 0, *end)
    elif more is not None:
        following = (as_of_ms, more)
    total = len(candidates) + len(titles)
    return Results(tuple(titles + hits), following, total, more is not None or below is not None or are_more)


def _titles(connection: sqlite3.Connection, query: Query, filters: Filters, as_of_ms: int, hidden: Hidden) -> list[Hit]:
    """Conversations whose title has all the words: there are few, and they come first."""
    if "title" not in (filters.kinds or BY_DEFAULT) or filters.has_no_titles:
        return []
    match = " AND ".join(term.match() for term in query.terms)
    match += "".join(f" NOT {term.match()}" for term in query.without)
    where = f" AND {IN_FOLDER}" if filters.folder else ""
    values: list[Any] = [json.dumps(sorted(filters.among))] if filters.folder else []
    for sign, moment in ((">=", filters.since), ("<", filters.until)):
        if moment is not None:
            where += f" AND conversation.updated {sign} ?"
            values.append(ms_of(moment))
    rows = connection.execute(
        "SELECT conversation.id, conversation.title, conversation.updated FROM heading "  # noqa: S608 - ours
        "CROSS JOIN conversation ON conversation.key = heading.rowid "
        f"WHERE heading MATCH ?{where} ORDER BY conversation.updated DESC LIMIT ?",
        (match, *values, _MOST_TITLES),
    ).fetchall()
    hits = []
    patterns = [term.pattern() for term in query.terms]
    for id, title, updated in rows:
        if is_hidden(hidden, id, ""):
            continue
        snippet, marks = snippet_of(title, patterns)
        score = 2.0 + recency(as_of_ms - updated)
        hits.append(Hit(Place(id, title, "", moment_of(updated)), "title", snippet, marks, score))
    return hits


def _hits(
    connection: sqlite3.Connection, query: Query, filters: Filters, page: Sequence[Candidate], hidden: Hidden
) -> list[Hit]:
    columns = [column for column in COLUMNS if column in (filters.kinds or BY_DEFAULT)]
    patterns_by = {inside: [term.pattern(inside=inside) for term in query.terms] for inside in (False, True)}
    hits = []
    for candidate in page:
        row = connection.execute(
            f"SELECT {PLACE} FROM message JOIN conversation ON conversation.key = message.conversation "  # noqa: S608
            "WHERE message.key = ?",
            (candidate.message,),
        ).fetchone()
        if row is None or is_hidden(hidden, row[0], row[2]):
            continue
        place = place_of(row[:PLACE_COLUMNS])
        patterns = patterns_by[candidate.is_inside]
        if candidate.key != candidate.message:
            hits.append(_in_file(connection, candidate, place, patterns))
        else:
            hits.append(_in_message(connection, candidate, place, patterns, columns))
    return hits


def _in_file(
    connection: sqlite3.Connection, candidate: Candidate, place: Place, patterns: Sequence[str]
) -> Hit:  # fmt: skip
    text, part_index, label, filename = connection.execute(
        "SELECT entry.document, chunk.part_index, chunk.label, chunk.filename FROM chunk "
        "CROSS JOIN entry ON entry.rowid = chunk.key WHERE chunk.key = ?",
        (candidate.key,),
    ).fetchone()
    snippet, marks = snippet_of(text, patterns)
    return Hit(place, "document", snippet, marks, candidate.score, part_index, filename, label)


def _in_message(
    connection: sqlite3.Connection,
    candidate: Candidate,
    place: Place,
    patterns: Sequence[str],
    columns: Sequence[str],
) -> Hit:
    """The hit in the column that has the most of the words; of equal ones in the first."""
    row: tuple[Any, ...] = connection.execute(
        "SELECT text, code, tool, thinking, image, file, link, document FROM entry WHERE rowid = ?", (candidate.key,)
    ).fetchone()
    texts = {column: text for column, text in zip(COLUMNS, row, strict=True) if text and column in columns}
    kind, most = "text", 0
    for column, text in texts.items():
        folded = fold(shown(text))
        has = sum(re.search(pattern, folded) is not None for pattern in patterns)
        if has > most:
            kind, most = column, has
    if not most and texts:
        kind = next(iter(texts))
    snippet, marks = snippet_of(texts.get(kind, ""), patterns)
    part_index, name = _part_of(connection, candidate.key, kind, patterns)
    return Hit(place, _as_kind(kind), snippet, marks, candidate.score, part_index, name)


def _part_of(connection: sqlite3.Connection, message: int, kind: str, patterns: Sequence[str]) -> tuple[int, str]:
    """In which part of the message, and what that is called: the thing of this kind that has the words."""
    if kind not in ("code", "image", "file", "link"):
        return -1, ""
    kinds = ("file", "document") if kind == "file" else (kind, kind)
    rows = connection.execute(
        "SELECT part_index, name, folded FROM item WHERE message = ? AND kind IN (?, ?) ORDER BY number LIMIT 200",
        (message, *kinds),
    ).fetchall()
    for part_index, name, folded in rows:
        if any(re.search(pattern, folded) for pattern in patterns):
            return part_index, name
    return (rows[0][0], rows[0][1]) if rows else (-1, "")


def _as_kind(column: str) -> HitKind:
    kinds: dict[str, HitKind] = {
        "code": "code", "tool": "tool", "thinking": "thinking", "image": "image", "file": "file", "link": "link",
    }  # fmt: skip
    return kinds.get(column, "text")
