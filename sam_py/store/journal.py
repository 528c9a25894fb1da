"""Journal: the folder of one conversation, read from all devices' files and written through this device's own.

Blocking; used on the writer's thread only. Nothing that was handed to `save` is lost while the object lives: what
the disk refused waits in memory and goes with the next attempt.
"""

from __future__ import annotations

import gc
import logging
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from sam_py.bus.loaded import LoadedHistory
from sam_py.messages.history import HistoryEvent
from sam_py.store.disk import Disk, append_durably, cut_durably, replace_durably
from sam_py.store.errors import ReadReport as ReadReport
from sam_py.store.errors import StorageError, cannot_read, cannot_write, newer_version
from sam_py.store.lines import Reading, Record, read_line, read_lines, write_line
from sam_py.store.merge import history_of, take
from sam_py.store.migrations import SCHEMA

log = logging.getLogger(__name__)

SUFFIX = ".jsonl"
COMPACT_RATIO = 3.0
COMPACT_BYTES = 256 * 1024
_TRIES = 5
"""How often what another program takes away in the very moment is written again; the next save goes on."""

Stamp = tuple[tuple[str, int, int], ...]
"""Name, size and time of change of each journal file: equal stamps, equal content."""


@dataclass(frozen=True, slots=True)
class FromOthers:
    """A conversation as merged anew. `subjects` are what other devices' files changed in it; `messages`, which ones."""

    history: LoadedHistory
    subjects: frozenset[str]
    trouble: StorageError | None = None
    """What the person has to hear: a newer version of the program came into it."""

    @property
    def messages(self) -> frozenset[str]:
        """The ids of the messages whose words, place or annotations are others now."""
        pairs = (subject.partition(":") for subject in self.subjects)
        return frozenset(id for kind, _colon, id in pairs if kind in ("message", "annotation"))


class Journal:
    """One conversation on disk.

    Invariants: `winners[s]` is the line that holds for subject s among all files and what waits; `own[s]` is that
    of this device's file; `waiting` holds what is not on the disk yet, one line per subject, in order.

    Where a newer version of the program wrote as this device, nothing is written: what is said waits in memory. Its
    lines in another device's file stop nobody: our own file is ours, and no file of another is ever changed.
    """

    def __init__(
        self,
        folder: Path | str,
        device: str,
        disk: Disk | None = None,
        *,
        ratio: float = COMPACT_RATIO,
        min_bytes: int = COMPACT_BYTES,
        trashed_at: Callable[[], str | None] = lambda: None,
        check_store: Callable[[], None] = lambda: None,
    ) -> None:
        """`trashed_at` tells where in the trash the conversation lies, None where it does not.

        `check_store` is asked before the folder is made; it raises StorageError where the store is not there.
        """
        self.folder = str(folder)
        self.device = device
        self.disk = disk or Disk()
        self.path = os.path.join(self.folder, device + SUFFIX)
        self.winners: dict[str, Record] = {}
        self.own: dict[str, Record] = {}
        self.waiting: dict[str, Record] = {}
        self._given: list[HistoryEvent] = []
        self.report = ReadReport()
        self.compactions = 0
        self.bytes_written = 0
        self.restored = False
        """Set when files that another program took away were written again; the reader of the flag clears it."""
        self.met_twin = False
        """Set when somebody else wrote into our file: our id is used twice. The reader of the flag clears it."""
        self._trashed_at = trashed_at
        self._check_store = check_store
        self._ratio = ratio
        self._min_bytes = min_bytes
        self._compact_above = 0
        self._size = 0
        self._live_bytes = 0
        self._top_rev = 0
        self._loaded = False
        self._folder_synced = False
        self._seen: dict[str, tuple[int, int]] = {}
        """Size and time of change of the other devices' files when they were read."""

    # Reading

    def load(self, *, mend: bool = True) -> LoadedHistory:
        """Read every device's file and, with `mend`, cut a torn tail of our own.

        Raises StorageError where the folder or our file is unreadable; a folder that is not there is empty.
        """
        with _no_collection():
            self._read_all(mend=mend)
            return history_of(self.winners)

    def history(self) -> LoadedHistory:
        """What is known now, without reading the disk again if it was read."""
        if not self._loaded:
            self._read_all()
        return history_of(self.winners)

    def read_others(self, known: frozenset[str] = frozenset()) -> FromOthers | None:
        """Read what other devices' files say since they were last read; None where that changes nothing.

        `known` are subjects that were found so before and not yet taken in. A file that is half copied says what it
        says so far; one that went away takes nothing with it. Raises StorageError where the folder cannot be read.
        """
        if not self._loaded or self._given:
            return None
        disk, news, before = self.disk, set(known), self.report
        try:
            names = [name for name in disk.names(self.folder) if is_journal(name)]
        except FileNotFoundError:
            names = []
        except OSError as error:
            raise cannot_read(error, self.folder) from error
        for name in sorted(names):
            path = os.path.join(self.folder, name)
            try:
                stamp = disk.stat(path)
                if self._seen.get(name) == stamp or (path == self.path and stamp[0] == self._size):
                    continue
                records = read_lines(disk.read(path), name.removesuffix(SUFFIX)).records
            except OSError as error:  # it is being replaced: the next news of the folder reads it
                log.info("the journal %s could not be read now", path, exc_info=error)
                continue
            self._seen[name] = stamp
            news.update(record.subject for record in records if take(self.winners, record))
            self._top_rev = max(self._top_rev, max((record.rev for record in records), default=0))
            self._look_at_versions(records, mine=path == self.path)
        trouble = None if self.report == before else newer_version(self.report, self.folder)
        if not news and trouble is None:
            return None
        merged = dict(self.winners)
        for record in self.waiting.values():
            take(merged, record)
        with _no_collection():
            return FromOthers(history_of(merged), frozenset(news), trouble)

    @property
    def read_stamp(self) -> Stamp:
        """The stamp of the files as they were read last."""
        return tuple(sorted((name, *stamp) for name, stamp in self._seen.items()))

    @property
    def messages_known(self) -> int:
        """How many messages the files tell of, the removed ones among them: it never becomes less."""
        return sum(subject.startswith("message:") for subject in self.winners)

    def stamp(self) -> Stamp:
        return stamp_of(self.disk, self.folder)

    # Writing

    @property
    def has_unsaved(self) -> bool:
        """True while something that was handed to `save` is not on the disk."""
        return bool(self._given or self.waiting)

    def save(self, events: Iterable[HistoryEvent]) -> None:
        """Make the events durable, with all that still waits. Raises StorageError; the events then wait."""
        self._given.extend(events)
        if not self._loaded or (self.report.read_only and not self._is_as_left()):
            self._read_all()
        if self.report.read_only:  # which version is looked at is no word that could be lost
            self._given = [event for event in self._given if event.event != "branch_selected"]
        unwritable = self._number()
        if self.report.read_only:
            if self.waiting:
                raise newer_version(self.report, self.folder)
            return
        if self.waiting or not (self._is_as_left() or self.is_put_away()):
            try:
                self._write_waiting()
            except OSError as error:
                raise cannot_write(error, self.folder) from error
            self._maybe_compact()
        if unwritable:
            raise StorageError(
                "A change to this conversation cannot be written, because of an error in this program; all else is "
                "saved. Copy what matters to you and report it with the log file.",
                kind="damaged",
                detail=unwritable,
            )

    def is_put_away(self) -> bool:
        """Whether somebody deleted the conversation, with all that our file said: its files lie in the trash alone."""
        try:
            if any(is_journal(name) for name in self.disk.names(self.folder)):
                return False
        except OSError:
            pass  # no folder, no files
        place = self._trashed_at()
        try:
            name = self.device + SUFFIX
            return place is not None and (not self._size or self.disk.stat(os.path.join(place, name))[0] >= self._size)
        except OSError:
            return False

    def wait(self, events: Iterable[HistoryEvent]) -> None:
        """Keep events for the next `save`."""
        self._given.extend(events)

    def become(self, device: str) -> None:
        """Write as this device from now on, into its own file. On the writer's thread."""
        self.device = device
        self.path = os.path.join(self.folder, device + SUFFIX)
        self.own = {}
        self._size = self._live_bytes = self._compact_above = 0
        self._folder_synced = False
        self.report = replace(self.report, read_only=False)

    def move_to(self, folder: Path | str) -> None:
        """Go on in `folder`: the one so far was moved there. On the writer's thread."""
        self.folder = str(folder)
        self.path = os.path.join(self.folder, self.device + SUFFIX)
        self._folder_synced = False

    def adopt(self, records: Iterable[Record]) -> None:
        """Take lines of another conversation as they are (a copy of it); the next `save` writes them."""
        if not self._loaded:
            self._read_all()
        for record in records:
            self.waiting[record.subject] = record
            self._top_rev = max(self._top_rev, record.rev)

    # Inside

    def _number(self) -> str:
        """Give each event its revision and its line; returns what kind of event could not be written, if one."""
        unwritable = ""
        for event in self._given:
            self._top_rev += 1
            try:
                line = write_line(event, self._top_rev, self.device)
            except (ValueError, TypeError, RecursionError):  # one broken event must not stop those after it
                log.exception("a %s event cannot be written", event.event)
                unwritable = event.event
                continue
            record = read_line(line[:-1], self.device)
            assert record is not None
            self.waiting.pop(record.subject, None)
            self.waiting[record.subject] = record
        self._given.clear()
        return unwritable

    def _read_all(self, *, mend: bool = True) -> None:
        disk = self.disk
        self.winners = dict(self.waiting)
        self.own = {}
        self._size = self._live_bytes = 0
        files = bad = torn = edited = 0
        unreadable: list[str] = []
        silent: list[str] = []
        self._seen = {}
        self.report = ReadReport()
        try:
            names = sorted(name for name in disk.names(self.folder) if is_journal(name))
        except FileNotFoundError:
            names = []
        except OSError as error:
            raise cannot_read(error, self.folder) from error
        for name in names:
            path = os.path.join(self.folder, name)
            mine = path == self.path
            try:
                stamp = disk.stat(path)
                raw = disk.read(path)
            except OSError as error:
                if mine:
                    raise cannot_read(error, path) from error
                unreadable.append(name)
                log.warning("the journal %s could not be read", path, exc_info=error)
                continue
            self._seen[name] = stamp
            reading = read_lines(raw, name.removesuffix(SUFFIX))
            self._look_at_versions(reading.records, mine=mine)
            for record in reading.records:
                take(self.winners, record)
            files += 1
            bad += len(reading.bad)
            edited += reading.edited
            if not reading.records:
                silent.append(name)
            if mine:
                torn = 0 if reading.torn_at is None else len(raw) - reading.torn_at
                self._take_own(raw, reading, mend=mend and not self.report.read_only)
        self._top_rev = max((record.rev for record in self.winners.values()), default=0)
        self._loaded = True
        self.report = replace(
            self.report,
            folder=self.folder,
            files=files,
            damaged_lines=bad,
            torn_bytes=torn,
            edited_lines=edited,
            unreadable_files=tuple(unreadable),
            silent_files=tuple(silent),
        )

    def _look_at_versions(self, records: Iterable[Record], *, mine: bool) -> None:
        """Note what a newer version of the program wrote; lines of another device in our file were carried there."""
        newer = [record for record in records if record.v > SCHEMA]
        if newer:
            locks = self.report.read_only or (mine and any(record.dev == self.device for record in newer))
            self.report = replace(self.report, newer=True, read_only=locks)

    def _take_own(self, raw: bytes, reading: Reading, *, mend: bool) -> None:
        for record in reading.records:
            take(self.own, record)
        self._live_bytes = sum(len(record.line) + 1 for record in self.own.values())
        self._size = len(raw)
        if reading.torn_at is None or not mend:
            return
        try:  # by the sync rule the tail was never acknowledged; its bytes are kept all the same
            if not self._is_as_left():  # it grows: somebody else is writing it
                return
            append_durably(self.disk, self.path + ".torn", raw[reading.torn_at :] + b"\n")
            cut_durably(self.disk, self.path, reading.torn_at)
            self._size = reading.torn_at
            if reading.torn:
                lines = b"".join(record.line + b"\n" for record in reading.torn)
                self._size = append_durably(self.disk, self.path, lines)
        except OSError as error:
            log.warning("the torn tail of %s stays where it is", self.path, exc_info=error)

    def _is_as_left(self) -> bool:
        """False where our file is not as long as we left it: taken away, put back as it was, or written by others."""
        try:
            return self.disk.stat(self.path)[0] == self._size
        except OSError:
            return self._size == 0

    def _write_waiting(self) -> None:
        for _try in range(_TRIES):
            if not self._is_as_left():
                self._gather_what_is_missing()
                if self.report.read_only:
                    raise newer_version(self.report, self.folder)
            if self.waiting:
                self._append_waiting()
            if self._is_as_left():  # else somebody replaced it just now, without what we wrote
                return

    def _append_waiting(self) -> None:
        disk = self.disk
        if not disk.exists(self.folder):
            self._check_store()
            disk.make_folder(self.folder)
            self._folder_synced = False
        records = list(self.waiting.values())
        data = b"".join(record.line + b"\n" for record in records)
        size = append_durably(disk, self.path, data)
        if not self._folder_synced:
            disk.sync_folder(self.folder)
            disk.sync_folder(os.path.dirname(self.folder))
            self._folder_synced = True
        self._size = size
        self.bytes_written += len(data)
        for record in records:
            known = self.own.get(record.subject)
            if take(self.own, record):
                self._live_bytes += len(record.line) + 1 - (len(known.line) + 1 if known is not None else 0)
            take(self.winners, record)
        self.waiting.clear()

    def _gather_what_is_missing(self) -> None:
        """Put back among what waits all that we knew and the disk no longer says; learn what others wrote there."""
        there: dict[str, Record] = {}
        before, self.own = self.own, {}
        size = 0
        try:
            for name in self.disk.names(self.folder):
                if is_journal(name):
                    path = os.path.join(self.folder, name)
                    raw = self.disk.read(path)
                    for record in read_lines(raw, name.removesuffix(SUFFIX)).records:
                        take(there, record)
                        if path == self.path:
                            take(self.own, record)
                    size = len(raw) if path == self.path else size
        except FileNotFoundError:
            pass
        self._look_at_versions(self.own.values(), mine=True)
        self.met_twin = self.met_twin or any(self._is_anothers(record, before) for record in self.own.values())
        self._folder_synced = False
        self._size = size
        self._live_bytes = sum(len(record.line) + 1 for record in self.own.values())
        missing = [r for s, r in self.winners.items() if s not in there or r.beats(there[s])]
        waiting = {record.subject: record for record in sorted(missing, key=lambda record: record.rev)}
        for subject, record in self.waiting.items():
            waiting.pop(subject, None)
            waiting[subject] = record
        self.waiting = waiting
        for record in there.values():
            self._top_rev = max(self._top_rev, record.rev)
            take(self.winners, record)
        self.restored = bool(missing) and not self.is_put_away()
        log.warning("%s was changed or taken away by another program; %d lines go back", self.path, len(missing))

    def _is_anothers(self, record: Record, before: dict[str, Record]) -> bool:
        """Whether a line of our file is not from us: neither what we wrote there, nor older, nor just being written."""
        known, waits = before.get(record.subject), self.waiting.get(record.subject)
        return (known is None or record.beats(known)) and (waits is None or waits.line != record.line)

    def _maybe_compact(self) -> None:
        if self._size > max(self._min_bytes, self._ratio * self._live_bytes, self._compact_above):
            try:
                self._compact()
            except OSError as error:
                # The journal is still whole: try again when it has grown. Saving itself says when the disk is full.
                self._compact_above = self._size + self._min_bytes
                log.info("%s could not be compacted", self.path, exc_info=error)

    def _compact(self) -> None:
        """Write what the file still says into a new one; damaged lines are kept aside first."""
        raw = self.disk.read(self.path)
        if len(raw) != self._size:
            return
        reading = read_lines(raw, self.device)
        if any(record.v > SCHEMA for record in reading.records):  # which of its lines hold, only that version knows
            self._compact_above = self._size + self._min_bytes
            return
        if reading.bad:
            append_durably(self.disk, self.path + ".bad", b"\n".join(reading.bad) + b"\n")
            self.disk.sync_folder(self.folder)
        for record in reading.records:
            take(self.own, record)
        lines = [record.line for record in sorted(self.own.values(), key=lambda record: record.rev)]
        data = b"\n".join(lines) + b"\n"
        if not replace_durably(self.disk, self.path, data, unless=lambda: not self._is_as_left()):
            return
        self._size = self._live_bytes = len(data)
        self._compact_above = 0
        self.bytes_written += len(data)
        self.compactions += 1


@contextmanager
def _no_collection() -> Iterator[None]:
    """Reading makes ten thousands of objects and no garbage: looking for some would take a third of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def is_journal(name: str) -> bool:
    """Also the copies that sync programs make of a file in conflict: they keep its ending."""
    return name.endswith(SUFFIX) and not name.startswith((".", "~"))


def stamp_of(disk: Disk, folder: str) -> Stamp:
    """The stamp of a conversation's folder. Raises OSError where there is none."""
    names = sorted(name for name in disk.names(folder) if is_journal(name))
    return tuple((name, *disk.stat(os.path.join(folder, name))) for name in names)
