"""Library: the store's one door for the window. Its methods run on the loop's thread, the work on the writer's."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from pydantic import JsonValue

from sam_py.bus.deltas import Appended, Delta, Recorded
from sam_py.bus.loaded import LoadedHistory
from sam_py.bus.message_bus import MessageBus
from sam_py.messages.history import HistoryEvent, SettingsChanged
from sam_py.messages.message import new_id, utc_now
from sam_py.paths import Paths
from sam_py.store.attachments import Attachments
from sam_py.store.autosave import Autosave
from sam_py.store.conversation_list import Chores, ConversationList, join
from sam_py.store.conversation_list import LibraryChange as LibraryChange  # part of what the window is told
from sam_py.store.deleting import Deleting
from sam_py.store.device import pen_held, take_pen
from sam_py.store.disk import Disk
from sam_py.store.documents.shelf import Documents
from sam_py.store.drafts import NEW, Draft, Drafts
from sam_py.store.errors import (
    StorageError,
    here_again,
    missing_folders,
    not_in_its_folder,
    written_again,
)
from sam_py.store.folders import Presence, conversation_ids, is_conversation_id, place_in_trash
from sam_py.store.index import Index, read_index
from sam_py.store.journal import Journal, ReadReport, Stamp
from sam_py.store.notes import Notes
from sam_py.store.others import OtherDevices
from sam_py.store.summary import ConversationSummary, copy_title, summary_of_bus
from sam_py.store.writer import READ, SAVE, Clock, LoopClock, Writer

log = logging.getLogger(__name__)

REFRESH_AFTER_S = 1.0
RETRY_CLOSED_S = RETRY_START_S = 5.0
_READ_AT_START = 100
"""Without an index, up to this many conversations are read before `start` returns; more follow behind."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A conversation as read, and what reading it met (`report.notice` is for the person)."""

    history: LoadedHistory
    report: ReadReport


class Library(Deleting):
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
        self._device = device or ""
        self._has_given_id = device is not None
        self._clock = clock or LoopClock()
        self._disk = disk or Disk()
        self._now = now
        self._writer = Writer()
        self._chores = Chores(self._clock)
        self._autosaves: dict[str, list[Autosave]] = {}
        self._presence = Presence(paths, self._disk)
        self._list = ConversationList(
            paths,
            self._writer,
            self._chores,
            self._disk,
            is_open=lambda id: id in self._autosaves,
            on_revived=self._tell_revived,
            on_missing=lambda count: self._tell(missing_folders(paths.data, count)),
            on_damaged=self._tell,
            presence=self._presence,
        )
        self.attachments = Attachments(paths.attachments, self._writer, self._disk, self._presence.check)
        self.documents = Documents(paths.data / "documents", self.attachments.path, self._writer, self._disk)
        self.notes = Notes(paths.data / "notes", self._writer, self._disk, self._presence.check)
        self.drafts = Drafts(paths.drafts, self._writer, self._clock, self._disk, is_known=self._is_known)
        self._others = OtherDevices(
            paths.conversations,
            self._writer,
            self._chores,
            journal_of=self._kept_by,
            read_row=self._list.read,
            revive=self._list.revive,
            put_away=self._put_away,
            open_ids=lambda: list(self._autosaves),
            refresh=self._refresh_apart,
            tell=self._tell,
        )
        self._journals: dict[str, Journal] = {}
        self._problem_listeners: list[Callable[[StorageError], None]] = []
        self._recorded_listeners: list[Callable[[str, HistoryEvent], None]] = []
        self._refused: StorageError | None = None
        self._gone: StorageError | None = None
        self._unsaved: StorageError | None = None
        """Why conversations that were closed are not wholly on the disk."""
        self._trashed: set[str] = set()
        self._away: set[str] = set()
        self._closed = False

    # The list

    async def start(self) -> None:
        """Make the list ready from its index, and check it against the files a little later.

        Raises StorageError where the conversations that were here cannot be read: nothing is made in their place,
        what is said meanwhile waits in memory, and it is tried again every few seconds, or where `start` is called.
        """
        if self._refused is None and self._list.device:
            return

        def work() -> tuple[str, Index | None, list[str], list[str]]:
            damaged = self.drafts.read_all()
            index = read_index(self._paths.state / "index.json")
            known = len(index.summaries) if index is not None else 0
            self._presence.begin(known)
            device = self._device or take_pen(self._paths.state, self._paths.data, self._disk)
            ids = [] if index is not None else conversation_ids(self._paths.conversations, self._disk)
            return device, index, ids, damaged

        try:
            self._device, index, ids, damaged = await self._writer.run(work, SAVE)
        except StorageError as error:
            self._refused = error
            self._chores.later("start", RETRY_START_S, self._start_again)
            raise
        self._list.device = self._others.device = self._device
        for journal in self._journals.values():
            journal.become(self._device)
        self._refused = None  # from here on what waits is written
        if damaged:
            names = ", ".join(damaged)
            self._tell(StorageError(f"A draft was damaged; it is kept as {names}.", kind="damaged"))
        if index is not None:
            self._list.become(index)
            for autosave in (each for group in self._autosaves.values() for each in group):
                if not autosave.waits_for_content:  # said while the store could not be read
                    self._list.put(summary_of_bus(autosave.bus, None, self._now()))
            self._chores.later("refresh", REFRESH_AFTER_S, self.refresh)
        elif len(ids) <= _READ_AT_START:
            await self.refresh()
        else:
            self._chores.spawn(self.refresh())

    async def _start_again(self) -> None:
        if self._refused is not None:
            with suppress(StorageError):  # told already; the next attempt is due
                await self.start()
                self._list.announce_all()
                self._tell(here_again(self._paths.data))

    def summaries(self) -> list[ConversationSummary]:
        """All conversations, the newest first; archived ones too. The trash is not in it."""
        return self._list.newest_first()

    def summary(self, id: str) -> ConversationSummary | None:
        return self._list.get(id)

    @property
    def device(self) -> str:
        """What names the files that are written here; "" before `start`."""
        return self._device

    def subscribe(self, listener: Callable[[LibraryChange], None]) -> Callable[[], None]:
        """Call `listener` with each change of the list; returns the function that ends it."""
        return self._list.subscribe(listener)

    def on_stored(self, listener: Callable[[str], object]) -> Callable[[], None]:
        """Call `listener` with the id of a conversation whose files changed, by us or by another device."""
        return self._list.on_stored(listener)

    def on_recorded(self, listener: Callable[[str, HistoryEvent], None]) -> Callable[[], None]:
        """Call `listener` with what happens in an open conversation, at once: it is not on the disk yet."""
        return join(self._recorded_listeners, listener)

    def on_problem(self, listener: Callable[[StorageError], None]) -> Callable[[], None]:
        """Call `listener` when saving fails and (with `solved`) when it works again; returns what ends it."""
        return join(self._problem_listeners, listener)

    async def refresh(self) -> None:
        """Compare the list with the files and read again what another device or program changed."""
        try:
            await self._list.refresh()
        except StorageError as error:
            self._gone = error
            self._tell(error)
        else:
            gone, self._gone = self._gone, None
            if gone is not None:
                self._tell(here_again(self._paths.data))

    def follow_others(self) -> None:
        """From now on, what other computers write into a synced folder is shown at once. After `start`."""
        self._others.start(self._device)

    async def look_at_others(self) -> None:
        """Look through all folders now, as when the window is used again after a while."""
        await self._others.look()

    # Conversations

    def create(self) -> str:
        """The id of a new conversation. Nothing is on the disk before its first message."""
        return new_id()

    async def open(self, id: str) -> Opened:
        """Read a conversation. Raises StorageError where it is not here or cannot be read."""
        journal = self._journal(id)
        for other in [known for known in self._journals if known not in self._autosaves and known != id]:
            if not self._journals[other].has_unsaved:
                del self._journals[other]
        history = await self._writer.run(journal.load, READ)
        if not journal.report.files and not journal.winners:
            self._journals.pop(id, None)
            raise not_in_its_folder(id)
        return Opened(history, self._list.opened(id, journal.report, journal.read_stamp, journal.messages_known))

    def refusal_of(self, id: str) -> str:
        """Why nothing can be written into an open conversation, for the person; "" where it can."""
        journal = self._journals.get(id)
        return journal.report.notice if journal is not None and journal.report.read_only else ""

    def attach(self, bus: MessageBus) -> Autosave:
        """Keep what the bus records from now on, and its row in the list. One bus per conversation."""
        id = bus.conversation_id
        journal = self._journal(id)
        is_new = id not in self._list and not bus.tree_size
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
        await self._list.read(id)

    async def duplicate(self, id: str) -> str:
        """Copy a conversation with all its branches; returns the copy's id. Attachments are shared."""
        await self._settle(id)
        copy = new_id()
        source = Journal(self._folder(id), self._device, self._disk)
        target = Journal(self._folder(copy), self._device, self._disk)
        now = self._now().isoformat()
        taken = {summary.title for summary in self.summaries()}

        def work() -> None:
            history = source.load(mend=False)
            title = history.settings.get("title")
            target.adopt(source.winners.values())
            changes: dict[str, JsonValue] = {
                "title": copy_title(str(title or ""), taken),
                "created_at": now,
                "pinned": False,
                "duplicate_of": id,
            }
            target.save(SettingsChanged(key=key, value=value) for key, value in changes.items())

        await self._writer.run(work, SAVE)
        await self._list.read(copy)
        return copy

    # The end

    @property
    def trouble(self) -> StorageError | None:
        """Why something that was said is not on the disk; None where all is, or is on its way."""
        troubles = (autosave.problem for group in self._autosaves.values() for autosave in group)
        return next((trouble for trouble in troubles if trouble is not None), self._unsaved)

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
        self._others.stop()
        self.documents.close()
        await self._chores.aclose()
        try:
            await self.flush()
        except StorageError as error:
            self._tell(error)
        for group in list(self._autosaves.values()):
            for autosave in list(group):
                autosave.close()
        self.drafts.close()
        if self._refused is None and self._device:
            await self._list.save()
        await self._writer.aclose()

    # Inside

    def _folder(self, id: str) -> str:
        if not is_conversation_id(id):
            raise StorageError("There is no such conversation.", kind="missing", detail=id)
        return str(self._paths.conversations / id)

    def _is_known(self, id: str) -> bool:
        """Whether something was said in a conversation, be it deleted since while it is open."""
        return id in self._list or id in self._away or id in self._trashed

    def _journal(self, id: str) -> Journal:
        journal = self._journals.get(id)
        if journal is None:
            trashed_at = partial(place_in_trash, self._trash, id, self._disk)
            check = self._presence.check
            journal = Journal(self._folder(id), self._device, self._disk, trashed_at=trashed_at, check_store=check)
            self._journals[id] = journal
        return journal

    async def _refresh_apart(self) -> None:
        await self._part_from_twin()
        await self.refresh()

    async def _part_from_twin(self, *, anew: bool = False) -> None:
        """Write under another id from now on where another home writes under ours, or if `anew`."""
        if self._has_given_id:
            return
        paths, before = self._paths, self._device
        device = await self._writer.run(partial(pen_held, paths.state, paths.data, before, self._disk, anew=anew), SAVE)
        if before == self._device != device:
            self._device = self._list.device = self._others.device = device
            for journal in list(self._journals.values()):
                await self._writer.run(partial(journal.become, device), SAVE)

    def _kept_by(self, id: str) -> tuple[Journal, Autosave] | None:
        group, journal = self._autosaves.get(id), self._journals.get(id)
        return (journal, group[0]) if group and journal is not None else None

    def _keep(self, id: str, journal: Journal, events: list[HistoryEvent]) -> asyncio.Future[Any]:
        def work() -> tuple[Stamp, bool, bool]:
            if self._refused is not None:
                journal.wait(events)
                raise self._refused
            journal.save(events)
            restored, journal.restored = journal.restored, False
            met_twin, journal.met_twin = journal.met_twin, False
            if journal.is_put_away():
                return (), restored, met_twin
            return (journal.stamp() if journal.report.files or journal.own else ()), restored, met_twin

        future = self._writer.run(work, SAVE)

        def done(future: asyncio.Future[tuple[Stamp, bool, bool]]) -> None:
            if future.cancelled() or future.exception() is not None:
                return
            stamp, restored, met_twin = future.result()
            if met_twin and not self._closed:
                self._others.notice((id,))
                self._chores.spawn(self._part_from_twin(anew=True))
            if id in self._list:
                self._list.put_stamp(id, stamp)
            if restored:
                self._tell(written_again(id))

        future.add_done_callback(done)
        return future

    async def _save_closed(self) -> StorageError | None:
        """Write what conversations that were closed could not write then; tried again until it is done."""
        await self._writer.run(lambda: None, SAVE)  # what was handed over before has been tried now
        problem: StorageError | None = None
        for id, journal in list(self._journals.items()):
            if journal.has_unsaved and id not in self._autosaves:
                try:
                    await self._keep(id, journal, [])
                except StorageError as error:
                    problem = problem or error
        self._unsaved = problem
        if problem is not None:
            self._chores.later("closed", RETRY_CLOSED_S, self._save_closed)
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
            if not journal.has_unsaved:
                self._journals.pop(id, None)
            else:
                self._unsaved = self._unsaved or autosave.problem
                self._chores.later("closed", RETRY_CLOSED_S, self._save_closed)

        future.add_done_callback(done)

    def _follow(self, bus: MessageBus, autosave: Autosave, delta: Delta) -> None:
        """Keep the row of an open conversation up to date, without reading anything."""
        if isinstance(delta, Recorded):
            for listener in tuple(self._recorded_listeners):
                listener(bus.conversation_id, delta.event)
        if isinstance(delta, Appended | Recorded) or autosave.waits_for_content:
            return
        if bus.conversation_id in self._trashed:
            return
        before = self._list.get(bus.conversation_id)
        if before is None and bus.conversation_id not in self._away:  # the conversation to come has come
            self.drafts.save(NEW, Draft())
        self._list.put(summary_of_bus(bus, before, self._now()))

    def _tell(self, problem: StorageError) -> None:
        for listener in tuple(self._problem_listeners):
            try:
                listener(problem)
            except Exception:  # one broken listener must not hide the trouble from the others
                log.exception("a listener failed on %s", problem)
