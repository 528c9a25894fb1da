"""Which messages have the words, and in what order: the part of a search whose cost is kept in bounds.

Words that few messages have are ranked by bm25 over all of them. Words that very many have say little, and ranking
all of those would take long: there the newest block of messages is ranked by importance and age, then the next.
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Sequence
from typing import Any, NamedTuple

from sam_py.store.search_index.database import COLUMNS
from sam_py.store.search_index.narrowing import conditions, key_range
from sam_py.store.search_index.query import Query, Term
from sam_py.store.search_index.results import BY_DEFAULT, HIT_KINDS, Filters
from sam_py.store.search_index.words import fold, is_sign, is_unspaced, shown
from sam_py.store.search_index.writer import conversation_tag, model_tag

BLOCK = 1_000
"""Messages that are ranked among each other."""
FEW = 24
"""With fewer hits than this, words within longer words are looked for too."""
_TAGGED = 200
"""Up to so many conversations of a folder narrow the full-text search itself."""
_WIDER = 48
_MANY_PLACES = 30_000
_LIKELY = 48
_WEIGHTS = (1.0, 0.8, 0.5, 0.4, 1.2, 1.5, 0.8, 0.6, 0.0)
_WORTH_RANKING = 200
_WORTH_READING = 400
_MONTH_MS = 30 * 86_400_000
_END = "\U0010ffff"


class Candidate(NamedTuple):
    """An entry of the index that has the words.

    `message` is its message's key, `part_index` the part whose file it is of, or -1; `is_inside`: within longer words.
    """

    key: int
    message: int
    part_index: int
    score: float
    is_inside: bool = False


def expression(
    connection: sqlite3.Connection,
    query: Query,
    filters: Filters,
    *,
    wider: dict[Term, tuple[str, ...]] | None = None,
    is_whole: bool = False,
) -> tuple[str, bool]:
    """The search as FTS5 reads it, and whether its words are so common that bm25 says nothing; empty: no column.

    Unless `is_whole`, a beginning that stands everywhere is looked for by the commonest of its words alone.
    """
    columns = [kind for kind in HIT_KINDS if kind in (filters.kinds or BY_DEFAULT) and kind != "title"]
    if not columns:
        return "", False
    is_common = False
    pieces: list[str] = []
    for term in query.terms:
        likely: tuple[str, ...] = ()
        if term.is_open and len(term.words) == 1 and wider is None:
            likely = _likely(connection, term.words[0])
            is_common = is_common or bool(likely)
            if is_whole or filters.conversation_id or filters.folder:  # few conversations may not have the likely ones
                likely = ()
        if likely:
            pieces.append("(" + " OR ".join(f'"{word}"' for word in likely) + ")")
        else:
            pieces.append(term.match(wider.get(term, ()) if wider is not None else ()))
    said = " AND ".join(pieces)
    if query.without:
        said = f"({said})" + "".join(f" NOT {term.match()}" for term in query.without)
    match = f"{{{' '.join(columns)}}} : ({said})"
    if filters.conversation_id:
        found = connection.execute("SELECT key FROM conversation WHERE id = ?", (filters.conversation_id,)).fetchone()
        match = f"(tags : {conversation_tag(found[0] if found is not None else 0)}) AND ({match})"
    if 0 < len(filters.among) <= _TAGGED:
        asked = f"SELECT key FROM conversation WHERE id IN ({', '.join('?' * len(filters.among))})"  # noqa: S608 - ours
        keys = [row[0] for row in connection.execute(asked, tuple(filters.among))] or [0]
        match = f"(tags : ({' OR '.join(map(conversation_tag, keys))})) AND ({match})"
    if filters.model:
        match = f"(tags : {model_tag(filters.model)}) AND ({match})"
    return match, is_common


def ranked(
    connection: sqlite3.Connection, query: Query, filters: Filters, below: int | None, as_of_ms: int
) -> tuple[list[Candidate], int | None, bool]:
    """The best candidates first, of the newest block of keys under `below`; below which the next block begins; and
    whether there are more, with the words in longer ones, than are ranked."""
    match, is_common = expression(connection, query, filters)
    if not match:
        return [], None, False
    is_common = is_common or _are_common(connection, query)
    rows = _rows(connection, match, filters, below, with_rank=not is_common)
    if is_common and len(rows) <= _WORTH_RANKING:  # common each, and seldom together
        is_common = False
        found = _looked_through(connection, query, filters, below)
        if found is None:
            match, _ = expression(connection, query, filters, is_whole=True)
            found = _rows(connection, match, filters, below, with_rank=True)
        rows = found
    more = rows[BLOCK - 1][0] if len(rows) > BLOCK else None
    candidates = _scored(rows[:BLOCK], as_of_ms, with_rank=not is_common and more is None)
    are_more = False
    if below is None and len(rows) < FEW:
        inside, are_more = _inside(connection, query, filters, {row[0] for row in rows}, as_of_ms)
        candidates += inside
    candidates.sort(key=lambda candidate: (-candidate.score, -candidate.key))
    return _one_of_each(candidates), more, are_more


def in_order(
    connection: sqlite3.Connection,
    query: Query,
    filters: Filters,
    after: int | None,
    most: int,
    *,
    newest: bool,
    is_wide: bool = False,
) -> list[Candidate]:
    """Candidates by date, from the key `after` on; of all the pages of a file that have the words the first alone.

    `is_wide`: also those with the words in longer ones.
    """
    wider = _wider(connection, query) if is_wide else None
    match, _is_common = expression(connection, query, filters, wider=wider)
    kept: list[Candidate] = []
    seen: set[tuple[int, int]] = set()
    edge, is_more = after, bool(match)
    while is_more and len(kept) < most:
        rows = _rows(connection, match, filters, edge, with_rank=False, newest=newest, most=most)
        is_more = len(rows) == most
        for key, message, part_index, *_rest in rows:
            edge = key
            place = (message, part_index)
            if part_index >= 0:
                if place in seen or (after is not None and _came(connection, match, place, key, newest)):
                    continue
                seen.add(place)
            kept.append(Candidate(key, message, part_index, 0.0, is_wide))
            if len(kept) == most:
                break
    return kept


def are_few(connection: sqlite3.Connection, query: Query, filters: Filters) -> bool:
    """Whether so few have the words that they are looked for within longer ones, too."""
    match, _is_common = expression(connection, query, filters)
    return not match or len(_rows(connection, match, filters, None, with_rank=False, most=FEW)) < FEW


def are_unknown(connection: sqlite3.Connection, query: Query) -> bool:
    """Whether nothing that was ever said has any of these words. False where that is not known of a script."""
    words = {word for term in query.terms for word in term.words if not is_sign(word)}
    if not words or any(map(is_unspaced, words)):
        return False
    sql = f"SELECT 1 FROM vocabulary WHERE word IN ({', '.join('?' * len(words))})"  # noqa: S608 - marks alone
    return connection.execute(sql, tuple(words)).fetchone() is None


def _came(connection: sqlite3.Connection, match: str, place: tuple[int, int], key: int, newest: bool) -> bool:
    """Whether another page of the same file came before the one at `key`."""
    sign = ">" if newest else "<"
    found = connection.execute(
        f"SELECT 1 FROM chunk WHERE message = ? AND part_index = ? AND key {sign} ? "  # noqa: S608 - a sign of ours
        "AND key IN (SELECT rowid FROM entry WHERE entry MATCH ?) LIMIT 1",
        (*place, key, match),
    )
    return found.fetchone() is not None


def recency(age_ms: float) -> float:
    """From 1 for what was just said down to 0; one half after a month."""
    return 1.0 / (1.0 + age_ms / _MONTH_MS) if age_ms > 0 else 1.0


def _rows(
    connection: sqlite3.Connection,
    match: str,
    filters: Filters,
    edge: int | None,
    *,
    with_rank: bool,
    newest: bool = True,
    most: int = BLOCK + 1,
) -> list[tuple[Any, ...]]:
    where, values = conditions(filters)
    low, high = key_range(filters)
    if edge is not None:
        low, high = (low, min(high, edge)) if newest else (max(low, edge + 1), high)
    weights = ", ".join(map(str, _WEIGHTS))
    rank = f"bm25(entry, {weights})" if with_rank else "0.0"
    way = "DESC" if newest else "ASC"
    return connection.execute(
        "SELECT entry.rowid, message.key, coalesce(chunk.part_index, -1), message.importance, message.created, "  # noqa: S608
        f"message.pinned, {rank} FROM entry LEFT JOIN chunk ON chunk.key = entry.rowid "
        "CROSS JOIN message ON message.key = coalesce(chunk.message, entry.rowid) "
        "CROSS JOIN conversation ON conversation.key = message.conversation "
        f"WHERE entry MATCH ? AND entry.rowid >= ? AND entry.rowid < ?{where} "
        f"ORDER BY entry.rowid {way} LIMIT ?",
        (match, low, high, *values, most),
    ).fetchall()


def _scored(
    rows: Sequence[tuple[Any, ...]], as_of_ms: int, *, with_rank: bool, is_inside: bool = False
) -> list[Candidate]:
    best = max((-row[6] for row in rows), default=0.0) or 1.0
    base = -1.0 if is_inside else 0.0
    found = []
    for key, message, part_index, importance, created, pinned, rank in rows:
        words = math.sqrt(-rank / best) if with_rank and rank < 0 else 0.0
        score = base + words + 0.35 * importance + 0.35 * recency(as_of_ms - created) + (0.1 if pinned else 0.0)
        found.append(Candidate(key, message, part_index, round(score, 9), is_inside))
    return found


def _looked_through(
    connection: sqlite3.Connection, query: Query, filters: Filters, below: int | None
) -> list[tuple[Any, ...]] | None:
    """Rows that have the other words, and in which the beginning of the last was found by reading them.

    Gathering all places of a beginning like "t" takes longer. None where there is none, or the others have too many.
    """
    opened = [term for term in query.terms if term.is_open]
    rest = Query(tuple(term for term in query.terms if not term.is_open), query.without)
    if not opened or not rest:
        return None
    match, _is_common = expression(connection, rest, filters)
    rows = _rows(connection, match, filters, below, with_rank=True, most=_WORTH_READING + 1)
    if len(rows) > _WORTH_READING:
        return None
    columns = ", ".join(column for column in COLUMNS if column in (filters.kinds or BY_DEFAULT))
    pattern = re.compile(opened[0].pattern())
    found = []
    for row in rows:
        texts = connection.execute(f"SELECT {columns} FROM entry WHERE rowid = ?", (row[0],)).fetchone()  # noqa: S608
        if any(text and pattern.search(fold(shown(text))) for text in texts):
            found.append(row)
    return found


def _inside(
    connection: sqlite3.Connection, query: Query, filters: Filters, known: set[int], as_of_ms: int
) -> tuple[list[Candidate], bool]:
    """Messages that have the words only as parts of longer ones ("fall" in "waterfalls"); whether there are more."""
    wider = _wider(connection, query)
    if not any(wider.values()):
        return [], False
    match, _is_common = expression(connection, query, filters, wider=wider)
    rows = [row for row in _rows(connection, match, filters, None, with_rank=False) if row[0] not in known]
    return _scored(rows[:BLOCK], as_of_ms, with_rank=False, is_inside=True), len(rows) >= BLOCK


def _wider(connection: sqlite3.Connection, query: Query) -> dict[Term, tuple[str, ...]]:
    return {
        term: _containing(connection, term.words[0])
        for term in query.terms
        if len(term.words) == 1 and not is_sign(term.words[0]) and not is_unspaced(term.words[0])
    }


def _containing(connection: sqlite3.Connection, word: str) -> tuple[str, ...]:
    """The commonest words that contain `word`, but not the word itself."""
    if len(word) < 3:
        return ()
    rows = connection.execute(
        "SELECT vocabulary.word FROM fragments CROSS JOIN vocabulary ON vocabulary.id = fragments.rowid "
        "WHERE fragments MATCH ? ORDER BY vocabulary.count DESC LIMIT ?",
        (f'"{word}"', _WIDER + 1),
    ).fetchall()
    return tuple(found for (found,) in rows if found != word)[:_WIDER]


def _are_common(connection: sqlite3.Connection, query: Query) -> bool:
    """Whether very many messages have each of the words: how often they have them says next to nothing then."""
    words = {word for term in query.terms for word in term.words if not is_unspaced(word)}
    marks = ", ".join("?" * len(words))
    found = connection.execute(
        f"SELECT count(*) FROM vocabulary WHERE word IN ({marks}) AND count > ?",  # noqa: S608 - marks alone
        (*words, 2 * BLOCK),
    ).fetchone()
    return bool(words) and found[0] == len(words)


def _likely(connection: sqlite3.Connection, beginning: str) -> tuple[str, ...]:
    """The commonest words with this beginning, where all of them together stand in too many places to gather."""
    span = (beginning, beginning + _END)
    total = connection.execute(
        "SELECT total(count) FROM vocabulary WHERE word >= ? AND word < ?", span
    ).fetchone()[0]  # fmt: skip
    if total <= _MANY_PLACES:
        return ()
    rows = connection.execute(
        "SELECT word FROM vocabulary WHERE word >= ? AND word < ? ORDER BY count DESC LIMIT ?", (*span, _LIKELY)
    ).fetchall()
    return tuple(word for (word,) in rows)


def _one_of_each(candidates: list[Candidate]) -> list[Candidate]:
    """Of each message's own words, and of all the pages of each of its files, the best: the first in the list."""
    seen: set[tuple[int, int]] = set()
    kept = []
    for candidate in candidates:
        place = (candidate.message, candidate.part_index)
        if place not in seen:
            seen.add(place)
            kept.append(candidate)
    return kept
