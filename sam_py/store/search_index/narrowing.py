"""Filters as SQL, and rows as places. The tables are called `message` and `conversation` in every query."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from sam_py.store.search_index.results import Filters, Place
from sam_py.store.search_index.words import BEHIND, shown
from sam_py.store.summary import PREVIEW_CHARACTERS

_NAME = (
    f"iif(conversation.title <> '', conversation.title, char({ord(BEHIND)}) || coalesce((SELECT substr(entry.text, 1, "  # noqa: S608
    f"{4 * PREVIEW_CHARACTERS}) FROM message AS tip CROSS JOIN entry ON entry.rowid = tip.key "
    "WHERE tip.conversation = conversation.key AND tip.id = conversation.tip), ''))"
)
"""The title; of what has none the beginning of its last message, as in the sidebar, and told by what stands before."""
PLACE = (
    f"conversation.id, {_NAME}, message.id, message.created, message.role, message.model, "
    "message.importance, message.pinned, message.on_path"
)
"""The columns that `place_of` takes."""
PLACE_COLUMNS = 9
IN_FOLDER = "conversation.id IN (SELECT value FROM json_each(?))"
"""What a conversation of `Filters.among` fulfils; the value is a JSON list of their ids."""
KEY_BITS = 6
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LATE_S = 86_400
"""How far a key may lie after its date, where very many messages have one second (an import)."""

Hidden = tuple[frozenset[str], frozenset[tuple[str, str]]]
"""Conversations, and messages of conversations, that are gone, whatever the index says."""


def conditions(filters: Filters) -> tuple[str, list[Any]]:
    """What a message must fulfil, beginning with AND; and the values for it."""
    where: list[str] = []
    values: list[Any] = []
    if filters.conversation_id:
        where.append("conversation.id = ?")
        values.append(filters.conversation_id)
    if filters.folder:
        where.append(IN_FOLDER)
        values.append(json.dumps(sorted(filters.among)))
    if filters.role:
        where.append("message.role = ?")
        values.append(filters.role)
    if filters.since is not None:
        where.append("message.created >= ?")
        values.append(ms_of(filters.since))
    if filters.until is not None:
        where.append("message.created < ?")
        values.append(ms_of(filters.until))
    if filters.model:
        where.append("message.model = ?")
        values.append(filters.model)
    if filters.min_importance > 0:
        where.append("message.importance >= ?")
        values.append(filters.min_importance)
    if filters.pinned_only:
        where.append("message.pinned")
    if filters.shown_path_only:
        where.append("message.on_path")
    return "".join(f" AND {each}" for each in where), values


def key_range(filters: Filters) -> tuple[int, int]:
    """Between which keys all messages of the filters' dates lie: the first, and the first after them."""
    low, high = -(2**62), 2**62
    if filters.since is not None:
        low = (ms_of(filters.since) // 1000) << KEY_BITS
    if filters.until is not None:
        high = (ms_of(filters.until) // 1000 + 1 + _LATE_S) << KEY_BITS
    return low, high


def place_of(row: tuple[Any, ...]) -> Place:
    """From the columns of `PLACE`."""
    conversation, title, message, created, role, model, importance, pinned, on_path = row
    if title.startswith(BEHIND):
        title = " ".join(shown(title[1:]).split())[:PREVIEW_CHARACTERS]
    return Place(conversation, title, message, moment_of(created), role, model, importance, bool(pinned), bool(on_path))


def is_hidden(hidden: Hidden, conversation: str, message: str) -> bool:
    return conversation in hidden[0] or (conversation, message) in hidden[1]


def moment_of(ms: int) -> datetime:
    """Of any year: Windows' own function knows none before 1970."""
    return _EPOCH + timedelta(milliseconds=ms)


def ms_of(moment: datetime) -> int:
    return round((moment - _EPOCH) / timedelta(milliseconds=1))
