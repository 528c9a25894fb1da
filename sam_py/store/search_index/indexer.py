"""Indexer: the thread that writes the index. What was just said goes first, all else in slices between pauses."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

from sam_py.paths import Paths
from sam_py.store.disk import Disk
from sam_py.store.errors import StorageError
from sam_py.store.search_index import database
from sam_py.store.search_index.backlog import Backlog, Behind, behind_of, find_changes
from sam_py.store.search_index.errors import SearchError, is_damage, trouble_of
from sam_py.store.search_index.files import FileTexts
from sam_py.store.search_index.results import IndexState, Phase
from sam_py.store.search_index.sync import sync
from sam_py.store.search_index.writer import IndexWriter

log = logging.getLogger(__name__)

COMMIT_EVERY_S = 1.5
RETRY_S, MOST_RETRY_S = 2.0, 60.0
LOOK_EVERY_S = 5.0
"""When nothing happens: is the database still there?"""
_TELL_EVERY_S = 0.1
_LONGEST_PAUSE_S = 0.05
_CLEARED_AT_ONCE = 32
_FILES_AT_ONCE = 8
_WORDS_AT_ONCE = 500
_BULK_BYTES = 2_000_000
_MOST_AT_ONCE = 64
_LATEST_FILES_S = 600.0


class _StoppedError(Exception):
    """The thread is to end."""


class _ReplacedError(Exception):
    """The database is not the one that was opened."""


class Indexer:
    """`tell` hears of the index's state on the indexer's thread; `let_go` closes what reads, before a file is deleted.

    With `is_gentle` each slice of work is followed by a pause as long: the window gets every second moment.
    """

    def __init__(
        self,
        paths: Paths,
        tell: Callable[[IndexState], None],
        let_go: Callable[[], None],
        *,
        is_gentle: bool = True,
        disk: Disk | None = None,
    ) -> None:
        self.path = paths.state / database.NAME
        self._conversations = paths.conversations
        self._files = FileTexts(paths)
        self._disk = disk or Disk()
        self._tell = tell
        self._let_go = let_go
        self._is_gentle = is_gentle
        self._news = threading.Condition()
        self._urgent: dict[str, None] = {}
        self._forgotten: dict[str, None] = {}
        self._asked = 0
        self._is_stopping = False
        self._is_check_due = True
        self._is_rebuild_due = False
        self._thread: threading.Thread | None = None
        self._writer: IndexWriter | None = None
        self._identity: tuple[int, int] | None = None
        self._backlog = Backlog()
        self._step: tuple[Behind, Iterator[int]] | None = None
        self._awaited: tuple[int, int] | None = (-(2**62), -1)
        """Where the look at files without text goes on; None where it is over for now."""
        self._files_wait_s = LOOK_EVERY_S
        self._files_due_s = 0.0
        self._begun_s = 0.0
        self._told_s = 0.0
        self._revision = 0
        self._answered = 0
        self._error: SearchError | None = None
        self._phase: Phase = "opening"

    # From the loop's thread

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="sam-search-index", daemon=True)
        self._thread.start()

    def stop(self) -> threading.Thread | None:
        """Have the thread end soon; what is written by then stays. Returns it."""
        with self._news:
            self._is_stopping = True
            self._news.notify()
        return self._thread

    def changed(self, id: str) -> int:
        """The files of a conversation changed. Returns the number that `IndexState.answered` will reach with it."""
        with self._news:
            self._forgotten.pop(id, None)
            self._urgent[id] = None
            return self._asked_more()

    def removed(self, id: str) -> int:
        with self._news:
            self._urgent.pop(id, None)
            self._forgotten[id] = None
            return self._asked_more()

    def check(self) -> int:
        """Compare all conversations with the index."""
        with self._news:
            self._is_check_due = True
            return self._asked_more()

    def rebuild(self) -> int:
        """Delete the index and build it anew."""
        with self._news:
            self._is_rebuild_due = True
            return self._asked_more()

    def look(self) -> None:
        """See at once whether the database is still there."""
        with self._news:
            self._news.notify()

    @property
    def _is_something_due(self) -> bool:
        return bool(self._urgent or self._forgotten or self._is_check_due or self._is_rebuild_due)

    def _asked_more(self) -> int:
        self._asked += 1
        self._news.notify()
        return self._asked

    # On the thread

    def _run(self) -> None:
        wait_s = RETRY_S
        was_well = database.how_left(self.path)
        while True:
            try:
                self._open(was_well)
                was_well = "well"
                wait_s = RETRY_S
                self._work()
            except _StoppedError:
                self._close(commit=True)
                return
            except _ReplacedError:
                self._let_go()
                self._close(commit=False)
                log.info("the search index was replaced; it is opened again")
                self._begin_again()
            except (sqlite3.Error, OSError, SearchError) as error:
                self._close(commit=False)
                self._failed(error)
                is_new = is_damage(error) and self._discard()
                if not self._sleep(0.0 if is_new else wait_s):
                    return
                wait_s = min(wait_s * 2, MOST_RETRY_S)
                was_well = "unknown"
                self._begin_again()
            except Exception:  # an error of ours must not end the search for good, nor fill the log
                log.exception("the search index failed")
                self._close(commit=False)
                self._failed(SearchError("Search failed because of an error in this program.", kind="failed"))
                if not self._sleep(MOST_RETRY_S):
                    return
                self._begin_again()

    def _open(self, how_left: str) -> None:
        if how_left == "changed" or self._is_rebuild_due:
            self._is_rebuild_due = False
            log.info("the search index is built anew")
            self._discard()
        elif database.identity(self.path) is None:
            self._discard()  # what was left beside it belongs to no other
        connection = database.open_to_write(self.path)
        self._writer = IndexWriter(connection)
        self._identity = database.identity(self.path)
        if how_left == "unknown" and not database.is_whole(connection):
            raise sqlite3.DatabaseError("malformed")
        self._say("building", at_once=True)

    def _close(self, *, commit: bool) -> None:
        writer, self._writer = self._writer, None
        if writer is None:
            return
        with suppress(sqlite3.Error):
            if commit:
                writer.commit()
            else:
                writer.roll_back()
        with suppress(sqlite3.Error):
            writer.connection.close()

    def _discard(self) -> bool:
        self._let_go()
        try:
            database.discard(self.path)
        except OSError as error:
            log.warning("the search index cannot be deleted: %s", error)
            return False
        return True

    def _begin_again(self) -> None:
        self._step = None
        self._is_check_due = True
        self._awaited = (-(2**62), -1)

    def _failed(self, error: BaseException) -> None:
        trouble = error if isinstance(error, SearchError) else None
        if isinstance(error, sqlite3.Error | OSError):
            trouble = trouble_of(error, self.path)
        log.warning("the search index: %s (%s)", trouble, trouble.detail if trouble is not None else error)
        self._error = trouble
        self._say("failed", at_once=True)

    def _work(self) -> None:
        while True:
            self._heed()
            began_s = time.monotonic()
            if self._take_step():
                self._pause(time.monotonic() - began_s)
                continue
            self._commit()
            with self._news:
                if self._is_something_due:
                    continue
                self._answered = self._asked
            self._error = None
            self._say("ready", at_once=True)
            with self._news:
                if not (self._is_stopping or self._is_something_due):
                    self._news.wait(LOOK_EVERY_S)
            self._look_again()

    def _heed(self) -> None:
        """Do what was asked from outside, between two steps."""
        with self._news:
            if self._is_stopping:
                raise _StoppedError
            if self._is_rebuild_due:
                raise _ReplacedError
            urgent, self._urgent = list(self._urgent), {}
            forgotten, self._forgotten = list(self._forgotten), {}
            check, self._is_check_due = self._is_check_due, False
        for id in forgotten:
            self._our_writer.forget_conversation(id)
            self._drop_step(id)
        for id in urgent:
            self._drop_step(id)
            self._take_in(id)
            self._files_due_s, self._files_wait_s = 0.0, LOOK_EVERY_S
        if urgent or forgotten:
            self._read_files()
            self._commit()
        if check:
            try:
                behind, gone = find_changes(self._our_writer.connection, self._conversations, self._disk)
            except StorageError as error:
                raise SearchError(str(error), kind="missing", detail=error.detail) from error
            for id in gone:
                self._our_writer.forget_conversation(id)
            self._backlog.fill(behind)
            self._step = None
            self._commit()

    def _take_in(self, id: str) -> None:
        """What was just said in a conversation, at once; where it is very much (an import), it waits in the backlog."""
        written = 0
        steps = sync(self._our_writer, self._folder(id), id, self._disk)
        for step in steps:
            written += step
            if written > _MOST_AT_ONCE:
                self._backlog.add(behind_of(str(self._conversations), id, self._disk))
                return

    def _take_step(self) -> bool:
        """Do a little of what is left; False where nothing is."""
        if self._step is None and self._backlog:
            behind = self._backlog.take()
            self._step = (behind, sync(self._our_writer, self._folder(behind.id), behind.id, self._disk))
        if self._step is not None:
            behind, steps = self._step
            self._our_writer.is_bulk = self._backlog.size > _BULK_BYTES
            if next(steps, None) is None:
                self._backlog.finished(behind)
                self._step = None
            self._our_writer.is_bulk = False
            self._say("building")
            return True
        writer = self._our_writer
        return writer.gather_words(_WORDS_AT_ONCE) or writer.clear_some(_CLEARED_AT_ONCE) or self._read_files()

    def _drop_step(self, id: str) -> None:
        """The conversation is done anew, or gone: what was begun of it goes on from there."""
        if self._step is not None and self._step[0].id == id:
            self._backlog.finished(self._step[0])
            self._step[1].close()  # type: ignore[attr-defined]
            self._step = None

    def _read_files(self) -> bool:
        """Take in the text of some attached files that has come; False where the look is over."""
        if self._awaited is None:
            if time.monotonic() < self._files_due_s:
                return False
            self._awaited = (-(2**62), -1)
        found = self._our_writer.awaited(_FILES_AT_ONCE, self._awaited)
        for message, part_index, part in found:
            self._awaited = (message, part_index)
            pieces = self._files.pieces(part_index, part)
            if pieces is not None:
                self._our_writer.put_pieces(message, part_index, pieces)
                self._files_wait_s = LOOK_EVERY_S
        if not found:
            self._awaited = None
            self._files_due_s = time.monotonic() + self._files_wait_s
            self._files_wait_s = min(self._files_wait_s * 2, _LATEST_FILES_S)
        return bool(found)

    def _pause(self, spent_s: float) -> None:
        if self._our_writer.is_open:
            if not self._begun_s:
                self._begun_s = time.monotonic()
            elif time.monotonic() - self._begun_s > COMMIT_EVERY_S:
                self._commit()
        if self._is_gentle:
            with self._news:
                if not (self._urgent or self._is_stopping):
                    self._news.wait(min(spent_s, _LONGEST_PAUSE_S))

    def _commit(self) -> None:
        self._begun_s = 0.0
        if not self._our_writer.is_open:
            return
        self._our_writer.commit()
        self._revision += 1
        if database.identity(self.path) != self._identity:
            raise _ReplacedError
        self._say(self._phase, at_once=True)

    def _look_again(self) -> None:
        if database.identity(self.path) != self._identity:
            raise _ReplacedError

    def _sleep(self, seconds: float) -> bool:
        """False where the thread is to end."""
        with self._news:
            if not self._is_stopping and seconds:
                self._news.wait_for(lambda: self._is_stopping or self._is_rebuild_due, seconds)
            return not self._is_stopping

    def _say(self, phase: Phase, *, at_once: bool = False) -> None:
        self._phase = phase
        now = time.monotonic()
        if not at_once and now - self._told_s < _TELL_EVERY_S:
            return
        self._told_s = now
        share = 1.0 if phase == "ready" else self._backlog.share
        backlog = self._backlog
        self._tell(IndexState(phase, backlog.done, backlog.total, share, self._revision, self._answered, self._error))

    def _folder(self, id: str) -> str:
        return str(self._conversations / id)

    @property
    def _our_writer(self) -> IndexWriter:
        assert self._writer is not None
        return self._writer
