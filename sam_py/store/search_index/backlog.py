"""Which conversations the index is behind with, and how far it has come with them."""

from __future__ import annotations

import os
import sqlite3
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from sam_py.store.disk import Disk
from sam_py.store.folders import conversation_ids
from sam_py.store.journal import is_journal


@dataclass(frozen=True, slots=True)
class Behind:
    id: str
    size: int
    """Bytes of its journals."""
    changed_ns: int


class Backlog:
    """Conversations to compare, those changed last first."""

    def __init__(self) -> None:
        self._waiting: deque[Behind] = deque()
        self.done = 0
        self.total = 0
        self._bytes_done = 0
        self._bytes_total = 0

    def __bool__(self) -> bool:
        return bool(self._waiting)

    @property
    def share(self) -> float:
        return self._bytes_done / self._bytes_total if self._bytes_total else 1.0

    @property
    def size(self) -> int:
        """Bytes of all journals that it began with."""
        return self._bytes_total

    def fill(self, found: list[Behind]) -> None:
        """Begin anew with `found`."""
        self._waiting = deque(sorted(found, key=lambda each: (each.changed_ns, each.id), reverse=True))
        self.done, self.total = 0, len(found)
        self._bytes_done, self._bytes_total = 0, sum(each.size for each in found)

    def add(self, behind: Behind) -> None:
        """One more, to be done next."""
        if not self._waiting and self.done == self.total:
            self.fill([])
        self._waiting.appendleft(behind)
        self.total += 1
        self._bytes_total += behind.size

    def take(self) -> Behind:
        return self._waiting.popleft()

    def finished(self, behind: Behind) -> None:
        self.done += 1
        self._bytes_done += behind.size


def find_changes(connection: sqlite3.Connection, conversations: Path, disk: Disk) -> tuple[list[Behind], list[str]]:
    """What is on the disk and not so in the index, and what is in the index alone. Raises StorageError, sqlite3.Error.

    A tenth of a millisecond for each conversation.
    """
    known: dict[str, set[tuple[str, int, int]]] = {}
    for (id,) in connection.execute("SELECT id FROM conversation"):
        known[id] = set()
    rows = connection.execute(
        "SELECT conversation.id, name, size, mtime_ns FROM journal "
        "JOIN conversation ON conversation.key = journal.conversation"
    )
    for id, name, size, mtime_ns in rows:
        known[id].add((name, size, mtime_ns))
    behind: list[Behind] = []
    ids = conversation_ids(conversations, disk)
    for id in ids:
        files = _files(os.path.join(conversations, id), disk)
        if files != known.get(id, set()):
            behind.append(_behind(id, files))
    return behind, sorted(set(known) - set(ids))


def behind_of(conversations: str, id: str, disk: Disk) -> Behind:
    return _behind(id, _files(os.path.join(conversations, id), disk))


def _behind(id: str, files: set[tuple[str, int, int]]) -> Behind:
    return Behind(id, sum(file[1] for file in files), max((file[2] for file in files), default=0))


def _files(folder: str, disk: Disk) -> set[tuple[str, int, int]]:
    try:
        return {(name, *disk.stat(os.path.join(folder, name))) for name in disk.names(folder) if is_journal(name)}
    except OSError:
        return set()
