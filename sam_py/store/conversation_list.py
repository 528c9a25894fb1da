"""The list of conversations: rows kept with the stamps of their files in a derived index, checked against the files."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any, Literal

from sam_py.paths import Paths
from sam_py.store.disk import Disk
from sam_py.store.errors import ReadReport, StorageError, damaged_conversations
from sam_py.store.folders import Presence, Scanned, changed_at, conversation_ids, place_in_trash, revive, scan
from sam_py.store.index import Index, write_index
from sam_py.store.journal import Stamp
from sam_py.store.summary import ConversationSummary, newest_first, summary_of_damaged
from sam_py.store.writer import BACKGROUND, READ, Clock, Timer, Writer

log = logging.getLogger(__name__)

INDEX_QUIET_S = 2.0
_BATCH = 20


@dataclass(frozen=True, slots=True)
class LibraryChange:
    """A row of the list came, changed or went; ``reset``: read the whole list anew."""

    kind: Literal["added", "changed", "removed", "reset"]
    id: str = ""


class Chores:
    """Timers and tasks that end with their owner. A name has one timer at a time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._timers: dict[str, Timer] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closed = False

    def later(self, name: str, delay_s: float, work: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        """Run `work` in `delay_s`, unless something of that name is due already."""
        if self._closed or name in self._timers:
            return

        def due() -> None:
            self._timers.pop(name, None)
            self.spawn(work())

        self._timers[name] = self._clock.call_later(delay_s, due)

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    async def settle(self) -> None:
        """Return when no task runs."""
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def aclose(self) -> None:
        self._closed = True
        for timer in self._timers.values():
            timer.cancel()
        for task in list(self._tasks):
            task.cancel()
        await self.settle()

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("background work of the library failed", exc_info=error)


class ConversationList:
    """Rows on the loop's thread; reading and writing on the writer's.

    `is_open(id)` tells which conversations the window holds: their rows come from their bus, never from files.
    `on_revived(id)` hears of those that are back from the trash, because another computer went on with them;
    `on_missing(count)` of how many went away that are not in the trash, `on_damaged(trouble)` of those whose files were
    found damaged: they stay in the list.
    """

    def __init__(
        self,
        paths: Paths,
        writer: Writer,
        chores: Chores,
        disk: Disk,
        is_open: Callable[[str], bool],
        on_revived: Callable[[str], None],
        on_missing: Callable[[int], None],
        on_damaged: Callable[[StorageError], None],
        presence: Presence,
    ) -> None:
        self.device = ""
        self._conversations = paths.conversations
        self._trash = paths.data / "trash"
        self._index_path = paths.state / "index.json"
        self._writer = writer
        self._chores = chores
        self._disk = disk
        self._is_open = is_open
        self._on_revived = on_revived
        self._on_missing = on_missing
        self._on_damaged = on_damaged
        self._presence = presence
        self._index = Index()
        self._knows_all = False
        """False until the folders were looked through once, if no index said what is in them."""
        self._listeners: list[Callable[[LibraryChange], None]] = []
        self._stored_listeners: list[Callable[[str], object]] = []

    def __contains__(self, id: str) -> bool:
        return id in self._index.summaries

    def get(self, id: str) -> ConversationSummary | None:
        return self._index.summaries.get(id)

    def newest_first(self) -> list[ConversationSummary]:
        return newest_first(self._index.summaries)

    def subscribe(self, listener: Callable[[LibraryChange], None]) -> Callable[[], None]:
        return join(self._listeners, listener)

    def on_stored(self, listener: Callable[[str], object]) -> Callable[[], None]:
        return join(self._stored_listeners, listener)

    def become(self, index: Index) -> None:
        """Take over an index that was read. Nobody is told: at start nobody listens yet."""
        self._index = index
        self._knows_all = True

    def put(self, summary: ConversationSummary, stamp: Stamp | None = None) -> None:
        """Add or change a row. `stamp` None: its files' stamp stays what it is."""
        id = summary.id
        before = self._index.summaries.get(id)
        if stamp is not None:
            self.put_stamp(id, stamp)
        if before != summary:
            self._index.summaries[id] = summary
            self._changed()
            self._publish(LibraryChange("added" if before is None else "changed", id))

    def put_stamp(self, id: str, stamp: Stamp) -> None:
        """The files of `id` are at `stamp`, and its row says what they say."""
        if self._index.stamps.get(id) != stamp:
            self._index.stamps[id] = stamp
            self._index.damaged.pop(id, None)
            self._changed()
            for listener in tuple(self._stored_listeners):
                listener(id)

    def drop(self, id: str) -> None:
        self._index.stamps.pop(id, None)
        self._index.damaged.pop(id, None)
        if self._index.summaries.pop(id, None) is not None:
            self._changed()
            self._publish(LibraryChange("removed", id))

    async def read(self, id: str) -> None:
        """Read one row from its files. A folder that holds nothing has none, but for an open conversation."""
        revived = await self._writer.run(lambda: self._revived(id), READ)
        for found in await self._scan([id], {}, READ):
            if found.damage:  # it may be on its way: the next look through all folders tells of it
                if found.summary is not None:
                    self.put(found.summary)
            elif found.summary is not None:
                self.put(found.summary, found.stamp)
            elif not self._is_open(id):
                await self._drop_gone([id])
        for each in revived:
            self._on_revived(each)

    async def revive(self, id: str) -> None:
        """Make an open conversation whole that was deleted elsewhere and gone on with. Raises StorageError."""
        for each in await self._writer.run(lambda: self._revived(id), READ):
            self._on_revived(each)

    async def refresh(self) -> None:
        """Read anew the rows of conversations whose files changed. Raises StorageError."""
        known = set(self._index.summaries)  # what comes while the folders are looked through is not among the missing
        ids = await self._writer.run(self._present, BACKGROUND)
        if revived := await self._writer.run(self._revived, BACKGROUND):
            ids = await self._writer.run(self._present, BACKGROUND)
        await self._drop_gone([id for id in known - set(ids) if not self._is_open(id)])
        damaged: list[tuple[str, str]] = []
        for start in range(0, len(ids), _BATCH):
            batch = [id for id in ids[start : start + _BATCH] if not self._is_open(id)]
            stamps = {id: self._index.stamps[id] for id in batch if id in self._index.stamps}
            for found in await self._scan(batch, stamps, BACKGROUND):
                if self._is_open(found.id):
                    continue
                if found.summary is None and not found.damage:
                    await self._drop_gone([found.id])
                else:
                    damaged += self._take(found)
        self._knows_all = True
        if damaged:
            self._on_damaged(damaged_conversations(damaged, self._conversations))
        for each in revived:
            self._on_revived(each)

    def opened(self, id: str, report: ReadReport, stamp: Stamp, messages_known: int) -> ReadReport:
        """What there is to tell of a conversation that was just read as a whole; `stamp` is of the files as read."""
        told, missing = self._index.damaged.get(id, ""), self._missing(id, stamp, messages_known)
        report = replace(report, missing_messages=missing, told=told)
        if id in self._index.summaries and report.damage:
            log.warning("conversation %s: %s", id, report)
            self._index.damaged[id] = report.damage
            self._changed()
        return report

    def announce_all(self) -> None:
        """Tell everyone to read the whole list anew."""
        self._publish(LibraryChange("reset"))

    async def save(self) -> None:
        """Write the index. It is derived: where it cannot be written it is built anew at the next start."""
        index = Index(dict(self._index.summaries), dict(self._index.stamps), dict(self._index.damaged))
        try:
            await self._writer.run(lambda: write_index(self._disk, self._index_path, index), BACKGROUND)
        except OSError as error:
            log.warning("the index of conversations could not be written", exc_info=error)

    def _take(self, found: Scanned) -> list[tuple[str, str]]:
        """Put the row of what was read. Returns its title and what is damaged, where that is news."""
        id, before = found.id, self._index.summaries.get(found.id)
        if before is None and found.summary is None and self._knows_all and not any(size for _, size, _ in found.stamp):
            return []  # empty files that never said anything: another computer's are on their way
        damage = found.damage
        if found.summary is not None and (missing := self._missing(id, found.stamp, found.messages_known)):
            damage = ReadReport(missing_messages=missing).damage + (f", {damage}" if damage else "")
        summary = found.summary or before or summary_of_damaged(id, changed_at(found.stamp))
        if damage and before is not None and not summary.title:
            summary = replace(summary, title=before.title)
        told = self._index.damaged.get(id, "")
        self.put(summary, found.stamp)
        if damage:
            self._index.damaged[id] = told if damage in told else damage
        return [(summary.title or summary.preview, damage)] if damage not in told else []

    def _missing(self, id: str, stamp: Stamp, messages_known: int) -> int:
        """How many messages a conversation lost with a file that changed and did not grow, or that is gone.

        A file that is compacted shrinks too, but still tells of all messages.
        """
        row, sizes = self._index.summaries.get(id), {name: size for name, size, _time in stamp}
        changed = [each for each in self._index.stamps.get(id, ()) if each not in stamp]
        is_less = any(sizes.get(name, 0) <= size for name, size, _time in changed)
        return max(0, row.message_count - messages_known) if row is not None and is_less else 0

    async def _drop_gone(self, ids: list[str]) -> None:
        """Take out the rows of conversations whose files are gone. Raises StorageError where the store is."""
        known = [id for id in ids if id in self._index.summaries]
        if not known:
            return
        missing = await self._writer.run(lambda: self._not_in_trash(known), READ)
        for id in known:
            if not self._is_open(id):  # it came back just now
                self.drop(id)
        if missing:
            self._on_missing(missing)

    def _not_in_trash(self, ids: list[str]) -> int:
        self._presence.check()
        return sum(place_in_trash(self._trash, id, self._disk) is None for id in ids)

    def _revived(self, only: str = "") -> list[str]:
        return revive(self._conversations, self._trash, self._disk, only)

    def _present(self) -> list[str]:
        self._presence.check()
        return conversation_ids(self._conversations, self._disk)

    async def _scan(self, ids: list[str], stamps: dict[str, Stamp], rank: int) -> list[Scanned]:
        conversations, device, disk = self._conversations, self.device, self._disk
        return await self._writer.run(lambda: scan(conversations, ids, stamps, device, disk), rank)

    def _changed(self) -> None:
        self._chores.later("index", INDEX_QUIET_S, self.save)

    def _publish(self, change: LibraryChange) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(change)
            except Exception:  # one broken listener must not stop the others
                log.exception("a listener failed on %s", change)


def join(listeners: list[Any], listener: Any) -> Callable[[], None]:
    """Add a listener; returns the function that takes it out again."""
    listeners.append(listener)

    def leave() -> None:
        if listener in listeners:
            listeners.remove(listener)

    return leave
