"""What was written to a conversation since it was indexed: the new lines alone, where they only add at its end.

That is what a chat does all day; its cost does not depend on how long the conversation is. Everything else (another
branch, a deletion, an annotation, another device's file) makes the conversation be compared as a whole.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from zlib import crc32

from sam_py.store.disk import Disk
from sam_py.store.journal import is_journal
from sam_py.store.lines import MessageRecord, Record, read_lines
from sam_py.store.search_index.narrowing import ms_of
from sam_py.store.search_index.words import storable

ENDS_WITH = 64
"""Bytes before the place up to which a file was read: the same ones still stand there where it only grew."""
_WITHOUT_WORDS = frozenset({"tool_state_changed", "task_recorded", "error_occurred"})
_SETTINGS_ASIDE = frozenset({"setting:title", "setting:created_at"})

JournalRow = tuple[str, int, int, int, bytes]
"""Name, size, time of change in ns, bytes read, the last of these."""


@dataclass(frozen=True, slots=True)
class Tail:
    """New messages, each below the one before it and the first below the tip, or the tip said again."""

    records: list[MessageRecord]
    journal: list[JournalRow]


class _CompareAllError(Exception):
    """The new lines do more than add."""


def read_tail(connection: sqlite3.Connection, conversation: int, folder: str, disk: Disk) -> Tail | None:
    """The new messages of a conversation; None where it has to be compared as a whole. Raises OSError."""
    rows = connection.execute(
        "SELECT name, size, mtime_ns, read_to, ends_with FROM journal WHERE conversation = ?", (conversation,)
    ).fetchall()
    known: dict[str, JournalRow] = {row[0]: row for row in rows}
    names = sorted(name for name in disk.names(folder) if is_journal(name))
    if not known or names != sorted(known):
        return None
    journal: list[JournalRow] = []
    records: list[Record] = []
    for name in names:
        path = os.path.join(folder, name)
        size, mtime_ns = disk.stat(path)
        row = known[name]
        if (size, mtime_ns) != row[1:3]:
            fresh = _new_bytes(path, row)
            if fresh is None:
                return None
            reading = read_lines(fresh, name.rpartition(".")[0])
            if reading.bad or reading.torn_at is not None:
                return None
            records += reading.records
            read_to = row[3] + len(fresh)
            row = (name, size, mtime_ns, read_to, (row[4] + fresh)[-ENDS_WITH:])
        journal.append(row)
    try:
        return Tail(list(_added(connection, conversation, records)), journal)
    except _CompareAllError:
        return None


def _new_bytes(path: str, row: JournalRow) -> bytes | None:
    """The whole lines after what was read; None where the file is not what it was plus something."""
    _name, _size, _mtime_ns, read_to, ends_with = row
    with open(path, "rb") as file:
        file.seek(read_to - len(ends_with))
        content = file.read()
    if content[: len(ends_with)] != ends_with:
        return None
    fresh = content[len(ends_with) :]
    return fresh[: fresh.rfind(b"\n") + 1]


def _added(connection: sqlite3.Connection, conversation: int, records: list[Record]) -> Iterator[MessageRecord]:
    found = connection.execute(
        "SELECT tip, is_loose, updated FROM conversation WHERE key = ?", (conversation,)
    ).fetchone()
    if found is None or found[1]:
        raise _CompareAllError
    tip: str | None = found[0]
    newest_ms: int = found[2]
    new: dict[str, MessageRecord] = {}
    for record in sorted(records, key=lambda record: (record.rev, record.dev)):
        if not isinstance(record, MessageRecord):
            if record.event_name in _WITHOUT_WORDS or record.subject.startswith("unknown:"):
                continue
            if record.event_name == "settings_changed" and record.subject not in _SETTINGS_ASIDE:
                continue
            raise _CompareAllError
        if storable(record.id) != record.id or (record.parent_id and storable(record.parent_id) != record.parent_id):
            raise _CompareAllError
        is_newer = _is_newer(connection, conversation, record, new.get(record.id))
        if is_newer is None:
            created_ms = ms_of_created(record)
            if record.parent_id != tip or created_ms is None or created_ms < newest_ms:
                raise _CompareAllError
            tip, newest_ms = record.id, created_ms
            new[record.id] = record
        elif is_newer:
            if record.id != tip:
                raise _CompareAllError
            new[record.id] = record
    yield from new.values()


def _is_newer(
    connection: sqlite3.Connection, conversation: int, record: MessageRecord, new: MessageRecord | None
) -> bool | None:
    """Whether `record` says its message anew; None where that was never heard of."""
    if new is not None:
        if (record.parent_id, record.created) != (new.parent_id, new.created):
            raise _CompareAllError
        return record.beats(new)
    key = (conversation, record.id)
    if connection.execute("SELECT 1 FROM removed WHERE conversation = ? AND id = ?", key).fetchone() is not None:
        raise _CompareAllError
    row = connection.execute(
        "SELECT rev, sure, dev, crc, parent, note, created FROM message WHERE conversation = ? AND id = ?", key
    ).fetchone()
    if row is None:
        return None
    rev, sure, dev, crc, parent, note, created_ms = row
    if (record.rev, record.sure, record.dev) == (rev, bool(sure), dev):
        if crc32(record.line) != crc:
            raise _CompareAllError
        return False
    if (record.rev, record.sure, record.dev) < (rev, bool(sure), dev):
        return False
    if note or (parent, created_ms) != (record.parent_id, ms_of_created(record)):
        raise _CompareAllError
    return True


def ms_of_created(record: MessageRecord) -> int | None:
    """When the message was made; None where its line does not say."""
    try:
        moment = datetime.fromisoformat(record.created.decode())
    except ValueError:
        return None
    return ms_of(moment.replace(tzinfo=UTC))
