"""Library: the store's one door for the window. Its methods run on the loop's thread, the work on the writer's."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from pydantic import JsonValue

from sam_py.bus.deltas import Appended, Delta, Recorded
from sam_py.bus.loaded import LoadedHistory
from sam_py.bus.message_bus import MessageBus
from sam_py.messages.history import HistoryEvent, SettingsChanged
from sam_py.messages.message import new_id, utc_now
from sam_py.paths import Paths
from sam_py.store.attachments import Attachments
from sam_py.store.autosave import Autosave
from sam_py.store.device import device_id
from sam_py.store.disk import Disk
from sam_py.store.drafts import NEW, Draft, Drafts
from sam_py.store.errors import StorageError
from sam_py.store.folders import (
    Scanned,
    check_store,
    conversation_ids,
    from_trash,
    is_conversation_id,
    purge,
    scan,
    to_trash,
)
from sam_py.store.index import Index, read_index, write_index
from sam_py.store.journal import Journal, ReadReport, Stamp
from sam_py.store.summary import ConversationSummary, newest_first, summary_of_bus
from sam_py.store.writer import BACKGROUND, READ, SAVE, Clock, LoopClock, Timer, Writer

log = logging.getLogger(__name__)

REFRESH_AFTER_S = 1.0
INDEX_QUIET_S = 2.0
RETRY_CLOSED_S = 5.0
_BATCH = 20
_READ_AT_START = 100
"""Without an index, up to this many conversations are read before `start` returns; more follow behind."""


@dataclass(frozen=True, slots=True)
class LibraryChange:
    """A row of the list came, changed or went; ``reset``: read the whole list anew."""

    kind: Literal["added", "changed", "removed", "reset"]
    id: str = ""


@dataclass(frozen=True, slots=True)
class Opened:
    """A conversation as read, and what reading it met (`report.notice` is for the person)."""

    history: LoadedHistory
    report: ReadReport


class Library:
    """All conversations of one data folder. Call `start` first and `aclose` last."""

    def __init__(
        self,
        paths: Paths,
        *,
        device: str | None = None,
        clock: Clock | None = None,
        disk: Disk | None = None,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._paths = paths
        self._trash = paths.data / "trash"
        self._index_path = paths.state / "index.json"
        self._device = device or ""
        self._clock = clock or LoopClock()
        self._disk = disk or Disk()
        self._now = now
        self._writer = Writer()
        self.attachments = Attachments(paths.attachments, self._writer, self._disk)
        self._index = Index()
        self.drafts = Drafts(
            paths.drafts, self._writer, self._clock, self._disk, is_known=lambda id: id in self._index.summaries
        )
        self._journals: dict[str, Journal] = {}
        self._autosaves: dict[str, list[Autosave]] = {}
        self._in_trash: dict[str, ConversationSummary] = {}
        self._listeners: list[Callable[[LibraryChange], None]] = []
        self._problem_listeners: list[Callable[[StorageError], None]] = []
        self._timers: dict[str, Timer] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closed = False

    # The list

    async def start(self) -> None:
        """Make the list ready from its index, and check it against the files a little later.

        Raises StorageError where the conversations that were here cannot be read: nothing is made in their place.
        """

        def work() -> tuple[str, Index | None, list[str]]:
            index = read_index(self._index_path)
            known = len(index.summaries) if index is not None else 0
            check_store(self._paths.data, self._paths.conversations, self._disk, known)
            self.drafts.read_all()
            device = self._device or device_id(self._paths.state, self._disk)
            ids = [] if index is not None else conversation_ids(self._paths.conversations, self._disk)
            return device, index, ids

        self._device, index, ids = await self._writer.run(work, SAVE)
        if index is not None:
            self._index = index
            self._later("refresh", REFRESH_AFTER_S, lambda: self._spawn(self.refresh()))
        elif len(ids) <= _READ_AT_START:
            await self.refresh()
        else:
            self._spawn(self.refresh())

    def summaries(self) -> list[ConversationSummary]:
        """All conversations, the newest first; archived ones too. The trash is not in it."""
        return newest_first(self._index.summaries)

    def summary(self, id: str) -> ConversationSummary | None:
        return self._index.summaries.get(id)

    def subscribe(self, listener: Callable[[LibraryChange], None]) -> Callable[[], None]:
        """Call `listener` with each change of the list; returns the function that ends it."""
        return _join(self._listeners, listener)

    def on_problem(self, listener: Callable[[StorageError], None]) -> Callable[[], None]:
        """Call `listener` when saving fails and (with `solved`) when it works again; returns what ends it."""
        return _join(self._problem_listeners, listener)

    async def refresh(self) -> None:
        """Compare the list with the files and read again what another device or program changed."""
        conversations, disk, device = self._paths.conversations, self._disk, self._device
        try:
            ids = await self._writer.run(lambda: conversation_ids(conversations, disk), BACKGROUND)
        except StorageError as error:
            self._tell(error)
            return
        for gone in set(self._index.summaries) - set(ids):
            if gone not in self._autosaves:
                self._drop(gone)
        for start in range(0, len(ids), _BATCH):
            batch = [id for id in ids[start : start + _BATCH] if id not in self._autosaves]
            stamps = {id: self._index.stamps.get(id, ()) for id in batch}

            def work(batch: list[str] = batch, stamps: dict[str, Stamp] = stamps) -> list[Scanned]:
                return scan(conversations, batch, stamps, device, disk)

            for found in await self._writer.run(work, BACKGROUND):
                if found.id in self._autosaves:
                    continue
                if found.summary is None:
                    self._drop(found.id)
                else:
                    self._put(found.summary, found.stamp)

    # Conversations

    def create(self) -> str:
        """The id of a new conversation. Nothing is on the disk before its first message."""
        return new_id()

    async def open(self, id: str) -> Opened:
        """Read a conversation. Raises StorageError where it is not here or cannot be read."""
        journal = self._journal(id)
        for other in [known for known in self._journals if known not in self._autosaves and known != id]:
            if not self._journals[other].waiting:
                del self._journals[other]
        history = await self._writer.run(journal.load, READ)
        if not journal.report.files and not journal.winners:
            self._journals.pop(id, None)
            raise StorageError(
                "This conversation is not in its folder any more: look in the trash, or wait until it is synced.",
                kind="missing",
                detail=id,
            )
        if journal.report.damaged_lines or journal.report.torn_bytes:
            log.warning("conversation %s: %s", id, journal.report)
        return Opened(history, journal.report)

    def attach(self, bus: MessageBus) -> Autosave:
        """Keep what the bus records from now on, and its row in the list. One bus per conversation."""
        id = bus.conversation_id
        journal = self._journal(id)
        is_new = id not in self._index.summaries and not bus.tree_size
        autosave = Autosave(
            bus,
            lambda events: self._keep(id, journal, events),
            self._clock,
            is_new=is_new,
            on_problem=self._tell,
            on_closed=lambda: self._detach(id, autosave, unsubscribe),
        )
        self._autosaves.setdefault(id, []).append(autosave)
        unsubscribe = bus.subscribe(lambda delta: self._follow(bus, autosave, delta))
        if is_new and bus.settings.created_at is None:
            bus.change_setting("created_at", self._now().isoformat())
        return autosave

    async def change_setting(self, id: str, key: str, value: JsonValue) -> None:
        """Set one of a conversation's settings, whether it is open or not. Raises StorageError."""
        if id in self._autosaves:
            self._autosaves[id][0].bus.change_setting(key, value)
            return
        journal = self._journal(id)
        await self._keep(id, journal, [SettingsChanged(key=key, value=value)])
        await self._read_row(id)

    async def duplicate(self, id: str) -> str:
        """Copy a conversation with all its branches; returns the copy's id. Attachments are shared."""
        await self._settle(id)
        copy = new_id()
        source = Journal(self._folder(id), self._device, self._disk)
        target = Journal(self._folder(copy), self._device, self._disk)
        now = self._now().isoformat()

        def work() -> None:
            history = source.load(mend=False)
            title = history.settings.get("title")
            target.adopt(source.winners.values())
            changes: dict[str, JsonValue] = {
                "title": f"{title} (copy)" if title else "(copy)",
                "created_at": now,
                "pinned": False,
                "duplicate_of": id,
            }
            target.save(SettingsChanged(key=key, value=value) for key, value in changes.items())

        await self._writer.run(work, SAVE)
        await self._read_row(copy)
        return copy

    async def delete(self, id: str) -> None:
        """Move a conversation to the trash. An open one goes on in memory only, until it is restored."""
        await self._settle(id)
        for autosave in self._autosaves.get(id, ()):
            autosave.pause()
        now = self._now()
        try:
            await self._writer.run(lambda: to_trash(self._paths.conversations, self._trash, id, now, self._disk), SAVE)
        except StorageError:
            for autosave in self._autosaves.get(id, ()):
                autosave.resume()
            raise
        if id not in self._autosaves:
            self._journals.pop(id, None)
        summary = self._index.summaries.get(id)
        if summary is not None:
            self._in_trash[id] = summary
        self._drop(id)

    async def restore(self, id: str) -> None:
        """Take a conversation out of the trash again. Raises StorageError where it is not there."""
        found = await self._writer.run(lambda: from_trash(self._paths.conversations, self._trash, id, self._disk), SAVE)
        if not found:
            raise StorageError("This conversation is not in the trash any more.", kind="missing", detail=id)
        self._in_trash.pop(id, None)
        await self._read_row(id)
        for autosave in self._autosaves.get(id, ()):
            autosave.resume()
            row = summary_of_bus(autosave.bus, self._index.summaries.get(id), self._now())
            self._put(row, self._index.stamps.get(id, ()))

    async def purge_trash(self, days: int = 30) -> int:
        """Delete for good what was moved to the trash `days` ago or earlier; returns how many that were."""
        now = self._now()
        gone = await self._writer.run(lambda: purge(self._trash, timedelta(days=days), now, self._disk), BACKGROUND)
        for id in gone:
            self._in_trash.pop(id, None)
            self.drafts.save(id, Draft())
        return len(gone)

    # The end

    async def flush(self) -> None:
        """Return when everything is on the disk. Raises the first StorageError after trying all."""
        problem: StorageError | None = None
        for autosave in [autosave for group in self._autosaves.values() for autosave in group]:
            try:
                await autosave.save_now()
            except StorageError as error:
                problem = problem or error
        problem = await self._save_closed() or problem
        await self.drafts.flush()
        if problem is not None:
            raise problem

    async def aclose(self) -> None:
        """Save everything and end the thread. What the disk refuses is told to `on_problem` once more."""
        if self._closed:
            return
        self._closed = True
        for timer in self._timers.values():
            timer.cancel()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        try:
            await self.flush()
        except StorageError as error:
            self._tell(error)
        for group in list(self._autosaves.values()):
            for autosave in list(group):
                autosave.close()
        if self._device:
            await self._save_index()
        await self._writer.aclose()

    # Inside

    def _folder(self, id: str) -> str:
        if not is_conversation_id(id):
            raise StorageError("There is no such conversation.", kind="missing", detail=id)
        return str(self._paths.conversations / id)

    def _journal(self, id: str) -> Journal:
        journal = self._journals.get(id)
        if journal is None:
            journal = self._journals[id] = Journal(self._folder(id), self._device, self._disk)
        return journal

    def _keep(self, id: str, journal: Journal, events: list[HistoryEvent]) -> asyncio.Future[Any]:
        def work() -> tuple[Stamp, bool]:
            journal.save(events)
            restored, journal.restored = journal.restored, False
            return (journal.stamp() if journal.report.files or journal.own else ()), restored

        future = self._writer.run(work, SAVE)

        def done(future: asyncio.Future[tuple[Stamp, bool]]) -> None:
            if future.cancelled() or future.exception() is not None:
                return
            stamp, restored = future.result()
            if id in self._index.summaries:
                self._index.stamps[id] = stamp
                self._index_changed()
            if restored:
                self._tell(
                    StorageError(
                        "Another program took away files of the open conversation; they were written again, "
                        "nothing is lost. Look into what cleans or syncs the data folder.",
                        kind="gone",
                        solved=True,
                        detail=id,
                    )
                )

        future.add_done_callback(done)
        return future

    async def _save_closed(self) -> StorageError | None:
        """Write what conversations that were closed could not write then; tried again until it is done."""
        await self._writer.run(lambda: None, SAVE)  # what was handed over before has been tried now
        problem: StorageError | None = None
        for id, journal in list(self._journals.items()):
            if journal.waiting and id not in self._autosaves:
                try:
                    await self._keep(id, journal, [])
                except StorageError as error:
                    problem = problem or error
        if problem is not None and "closed" not in self._timers and not self._closed:
            self._later("closed", RETRY_CLOSED_S, lambda: self._spawn(self._save_closed()))
        return problem

    async def _settle(self, id: str) -> None:
        """Write what an open conversation still holds; what the disk refuses stays with it."""
        for autosave in self._autosaves.get(id, ()):
            with suppress(StorageError):  # told through on_problem already
                await autosave.save_now()

    def _detach(self, id: str, autosave: Autosave, unsubscribe: Callable[[], None]) -> None:
        unsubscribe()
        group = self._autosaves.get(id, [])
        if autosave in group:
            group.remove(autosave)
        if group:
            return
        self._autosaves.pop(id, None)
        if self._closed:
            return
        journal = self._journals.get(id)
        future = self._writer.run(lambda: None, SAVE)

        def done(_future: asyncio.Future[None]) -> None:
            if journal is None or id in self._autosaves or self._closed:
                return
            if not journal.waiting:
                self._journals.pop(id, None)
            elif "closed" not in self._timers:
                self._later("closed", RETRY_CLOSED_S, lambda: self._spawn(self._save_closed()))

        future.add_done_callback(done)

    def _follow(self, bus: MessageBus, autosave: Autosave, delta: Delta) -> None:
        """Keep the row of an open conversation up to date, without reading anything."""
        if isinstance(delta, Appended | Recorded) or autosave.waits_for_content or autosave.is_paused:
            return
        before = self._index.summaries.get(bus.conversation_id)
        if before is None:  # the conversation to come has come: what was drafted for it is said
            self.drafts.save(NEW, Draft())
        self._put(summary_of_bus(bus, before, self._now()), self._index.stamps.get(bus.conversation_id, ()))

    async def _read_row(self, id: str) -> None:
        folder, disk, device = self._folder(id), self._disk, self._device

        def work() -> list[Scanned]:
            return scan(self._paths.conversations, [id], {}, device, disk)

        for found in await self._writer.run(work, READ):
            if found.summary is not None:
                self._put(found.summary, found.stamp)
            else:
                log.warning("%s holds no conversation", folder)

    def _put(self, summary: ConversationSummary, stamp: Stamp) -> None:
        before = self._index.summaries.get(summary.id)
        if before != summary or self._index.stamps.get(summary.id) != stamp:
            self._index.summaries[summary.id] = summary
            self._index.stamps[summary.id] = stamp
            self._index_changed()
        if before != summary:
            self._publish(LibraryChange("added" if before is None else "changed", summary.id))

    def _drop(self, id: str) -> None:
        self._index.stamps.pop(id, None)
        if self._index.summaries.pop(id, None) is not None:
            self._index_changed()
            self._publish(LibraryChange("removed", id))

    def _index_changed(self) -> None:
        if "index" not in self._timers and not self._closed:
            self._later("index", INDEX_QUIET_S, lambda: self._spawn(self._save_index()))

    async def _save_index(self) -> None:
        index = Index(dict(self._index.summaries), dict(self._index.stamps))
        try:
            await self._writer.run(lambda: write_index(self._disk, self._index_path, index), BACKGROUND)
        except OSError as error:  # derived: it is built anew at the next start
            log.warning("the index of conversations could not be written", exc_info=error)

    def _later(self, name: str, delay_s: float, work: Callable[[], None]) -> None:
        def due() -> None:
            self._timers.pop(name, None)
            work()

        self._timers[name] = self._clock.call_later(delay_s, due)

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("background work of the library failed", exc_info=error)

    def _tell(self, problem: StorageError) -> None:
        for listener in tuple(self._problem_listeners):
            try:
                listener(problem)
            except Exception:  # one broken listener must not hide the trouble from the others
                log.exception("a listener failed on %s", problem)

    def _publish(self, change: LibraryChange) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(change)
            except Exception:  # one broken listener must not stop the others
                log.exception("a listener failed on %s", change)


def _join(listeners: list[Any], listener: Any) -> Callable[[], None]:
    listeners.append(listener)

    def leave() -> None:
        if listener in listeners:
            listeners.remove(listener)

    return leave
