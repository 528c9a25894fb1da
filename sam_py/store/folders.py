"""The folders of the store: whether it is the one that was here, what changed in it, its trash. All blocking."""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sam_py.paths import Paths
from sam_py.store.disk import Disk, replace_durably
from sam_py.store.errors import StorageError, cannot_read, cannot_write, gone_away
from sam_py.store.journal import SUFFIX, Journal, Stamp, is_journal, stamp_of
from sam_py.store.migrations import SCHEMA
from sam_py.store.summary import ConversationSummary, summary_of_history

log = logging.getLogger(__name__)

_ID = re.compile(r"[0-9A-Za-z][\w-]*\Z")
MARK = "store.json"
"""In the data folder of every store."""
_LEFT_OVER = re.compile(r"([^.~][^.]*)\.jsonl\.tmp\d+\Z")
_TRASHED = re.compile(r"(\d+)-(.+)\Z")


@dataclass(frozen=True, slots=True)
class Scanned:
    """A conversation's folder as found: its row and the stamp of its files.

    `summary` is None where nothing is there, or with `damage` where nothing of what is there can be read.
    """

    id: str
    summary: ConversationSummary | None
    stamp: Stamp = ()
    damage: str = ""
    messages_known: int = 0


def is_conversation_id(name: str) -> bool:
    return _ID.match(name) is not None


def check_store(data: Path, conversations: Path, disk: Disk, known: int) -> None:
    """See that this is the store that was here before; mark a new one. Raises StorageError.

    `known` conversations were listed when the program ran last. A data folder that has lost its mark then is
    another one: a drive that is not mounted, a folder that is not synced yet. An empty store made in its place
    would look as if everything were lost.
    """
    mark = data / MARK
    try:
        found = disk.exists(str(mark))
        names = disk.names(str(conversations)) if disk.exists(str(conversations)) else []
    except OSError as error:
        raise cannot_read(error, conversations) from error
    if not found and known and not any(is_conversation_id(name) for name in names):
        raise StorageError(
            f"Your {known} conversations were in {data}, but it is empty now: connect the drive or wait for the "
            "sync program, then try again; nothing was changed. If you removed them yourself, delete index.json too.",
            kind="gone",
        )
    try:
        conversations.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise cannot_read(error, conversations) from error
    if not found:
        try:
            replace_durably(disk, str(mark), json.dumps({"store": "sam-py", "schema": SCHEMA}).encode())
        except OSError as error:  # readable, not writable: what is here can be shown; saving says the rest
            log.warning("the store %s cannot be written: %s", data, cannot_write(error, data))


class Presence:
    """Whether the data folder is the store that was there when the program started, and last time.

    A drive that is unmounted leaves its folder behind, empty or with what once was written there by mistake. What is
    written into it then is acknowledged, and hidden when the drive is back: so the store's mark is looked for before
    anything new is made in it. Where the mark alone was taken away, from the very folder, it is put there again.
    """

    def __init__(self, paths: Paths, disk: Disk) -> None:
        self._data = paths.data
        self._conversations = paths.conversations
        self._disk = disk
        self._is_moved = paths.moved
        self._refusal: StorageError | None = None
        self._had_mark = False
        self._identity: tuple[int, int] | None = None

    def begin(self, known: int) -> None:
        """See that it is the store with the `known` conversations of the last time. Raises StorageError.

        A data folder that was moved is not made: where it is not there, its drive is not.
        """
        try:
            if self._is_moved and not self._disk.exists(str(self._data)):
                raise gone_away(self._data)
            check_store(self._data, self._conversations, self._disk, known)
        except StorageError as error:
            self._refusal = error
            raise
        self._refusal = None
        self._had_mark, self._identity = self._is_marked, _identity_of(self._data)

    def check(self) -> None:
        """Raises StorageError where the store was not there, or went away since."""
        if self._refusal is not None:
            raise self._refusal
        if not self._had_mark or self._is_marked:
            return
        if self._identity is None or _identity_of(self._data) != self._identity or not self._has_conversations:
            raise gone_away(self._data)
        log.warning("%s was taken away from %s; it is put there again", MARK, self._data)
        check_store(self._data, self._conversations, self._disk, known=0)

    @property
    def _is_marked(self) -> bool:
        return self._disk.exists(str(self._data / MARK))

    @property
    def _has_conversations(self) -> bool:
        there = self._disk.exists(str(self._conversations))
        return there and bool(conversation_ids(self._conversations, self._disk))


def _identity_of(folder: Path) -> tuple[int, int] | None:
    """What stays of a folder as long as it is the same one, on the same drive; None where nobody tells."""
    try:
        found = os.stat(folder)
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if found.st_ino else None


def conversation_ids(conversations: Path, disk: Disk) -> list[str]:
    """The ids of the folders. Raises StorageError."""
    try:
        return sorted(name for name in disk.names(str(conversations)) if is_conversation_id(name))
    except OSError as error:
        raise cannot_read(error, conversations) from error


def scan(
    conversations: Path, ids: Iterable[str], stamps: Mapping[str, Stamp], device: str, disk: Disk
) -> list[Scanned]:
    """Those of `ids` that are not as `stamps` says, read anew. Clears what a crash left half written.

    What others write, devices and sync programs, is left in peace.
    """
    changed: list[Scanned] = []
    for id in ids:
        folder = os.path.join(conversations, id)
        try:
            for name in disk.names(folder):
                if (left := _LEFT_OVER.match(name)) is not None and left.group(1) == device:
                    with suppress(OSError):  # it is in nobody's way
                        disk.unlink(os.path.join(folder, name))
            stamp = stamp_of(disk, folder)
        except OSError as error:
            is_gone = isinstance(error, FileNotFoundError | NotADirectoryError)
            damage = "" if is_gone else f"it cannot be opened, {error.strerror or error}"
            changed.append(Scanned(id, None, (), damage))
            continue
        if stamp and stamps.get(id) == stamp:
            continue
        changed.append(_read(folder, id, stamp, device, disk))
    return changed


def read_summary(folder: str, id: str, stamp: Stamp, device: str, disk: Disk) -> ConversationSummary | None:
    """The row of one conversation, read from its files; None where they hold nothing."""
    return _read(folder, id, stamp, device, disk).summary


def changed_at(stamp: Stamp) -> datetime:
    """When a conversation's files were written last."""
    return datetime.fromtimestamp(max((time_ns for _name, _size, time_ns in stamp), default=0) / 1e9, UTC)


def _read(folder: str, id: str, stamp: Stamp, device: str, disk: Disk) -> Scanned:
    journal = Journal(folder, device, disk)
    try:
        history = journal.load(mend=False)
    except StorageError as error:
        log.warning("a conversation cannot be read: %s", error)
        return Scanned(id, None, stamp, "its file cannot be opened")
    summary = summary_of_history(id, history, changed_at(stamp)) if history.messages or history.settings else None
    return Scanned(id, summary, stamp, journal.report.damage, journal.messages_known)


def to_trash(conversations: Path, trash: Path, id: str, now: datetime, disk: Disk) -> Path:
    """Move a conversation's folder, if it has one, into the trash; returns its place there. Raises StorageError."""
    source = conversations / id
    place = trash / f"{int(now.timestamp() * 1000)}-{id}"
    try:
        trash.mkdir(parents=True, exist_ok=True, mode=0o700)
        if disk.exists(str(source)):
            disk.rename(str(source), str(place))
            disk.sync_folder(str(trash))
            disk.sync_folder(str(conversations))
    except OSError as error:
        raise cannot_write(error, trash) from error
    return place


def from_trash(conversations: Path, trash: Path, id: str, disk: Disk) -> bool:
    """Move a conversation back. False where the trash does not hold it. Raises StorageError."""
    found = [(at_ms, name) for at_ms, name, trashed in _trashed(trash, disk) if trashed == id]
    if not found:
        return False
    at_ms, name = max(found)
    try:
        if disk.exists(str(conversations / id)):  # it came back from another computer or from a backup
            _move_files(trash / name, conversations / id, at_ms, disk)
        else:
            disk.rename(str(trash / name), str(conversations / id))
        disk.sync_folder(str(conversations))
        disk.sync_folder(str(trash))
    except OSError as error:
        raise cannot_write(error, conversations) from error
    return True


def place_in_trash(trash: Path, id: str, disk: Disk) -> str | None:
    """Where in the trash a conversation lies, if it does: what was moved there last. Raises StorageError."""
    found = [(at_ms, name) for at_ms, name, trashed in _trashed(trash, disk) if trashed == id]
    return str(trash / max(found)[1]) if found else None


def revive(conversations: Path, trash: Path, disk: Disk, only: str = "") -> list[str]:
    """Make whole what was deleted on one computer and gone on with on another; returns the ids. Raises StorageError.

    `only`: look at this conversation alone.

    Such a conversation has its old files in the trash, and in its folder again a file that says more. Files that say
    no more than those in the trash are on their way out: a sync program deletes after it has copied.
    """
    revived: list[str] = []
    for at_ms, name, id in _trashed(trash, disk):
        folder, place = conversations / id, trash / name
        if only not in ("", id):
            continue
        try:
            here = [each for each in disk.names(str(folder)) if is_journal(each)] if disk.exists(str(folder)) else []
            if not any(_says_more(folder / each, place / each, disk) for each in here):
                continue
            _move_files(place, folder, at_ms, disk)
        except OSError as error:
            raise cannot_write(error, folder) from error
        log.info("%s was deleted elsewhere and gone on with here: it is whole again", id)
        revived.append(id)
    return revived


def _move_files(place: Path, folder: Path, at_ms: int, disk: Disk) -> None:
    """Move what lies in the trash to what there is in `folder` again. Raises OSError."""
    here = set(disk.names(str(folder)))
    for each in disk.names(str(place)):
        target = folder / (each if each not in here else f"{each.removesuffix(SUFFIX)}.trashed-{at_ms}{SUFFIX}")
        disk.rename(str(place / each), str(target))
    disk.sync_folder(str(folder))
    place.rmdir()


def _says_more(here: Path, there: Path, disk: Disk) -> bool:
    return not disk.exists(str(there)) or not disk.read(str(there)).startswith(disk.read(str(here)))


def looked_at(mark: Path, now: datetime, at_most: timedelta) -> bool:
    """Note in the file `mark` that it is `now`; whether the one before was at most `at_most` old, if any."""
    try:
        before = datetime.fromisoformat(mark.read_text(encoding="ascii").strip())
    except (OSError, ValueError):
        before = now
    try:
        mark.write_text(now.isoformat(), encoding="ascii")
    except OSError as error:
        log.warning("%s cannot be written: %s", mark, error)
    try:
        return now - before <= at_most
    except TypeError:  # edited by hand, without a time zone
        return False


def purge(trash: Path, older_than: timedelta, now: datetime, disk: Disk) -> list[str]:
    """Delete for good what lies in the trash for longer; returns the ids."""
    limit_ms = int((now - older_than).timestamp() * 1000)
    gone: list[str] = []
    for at_ms, name, id in _trashed(trash, disk):
        if at_ms <= limit_ms:
            shutil.rmtree(trash / name, ignore_errors=True)
            gone.append(id)
    return gone


def _trashed(trash: Path, disk: Disk) -> list[tuple[int, str, str]]:
    if not disk.exists(str(trash)):
        return []
    try:
        names = disk.names(str(trash))
    except OSError as error:
        raise cannot_read(error, trash) from error
    return [(int(m.group(1)), name, m.group(2)) for name in names if (m := _TRASHED.match(name)) is not None]
