"""Deleting: the part of `Library` that puts conversations into the trash, brings them back, and empties it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path

from sam_py.paths import Paths
from sam_py.store.autosave import Autosave
from sam_py.store.conversation_list import ConversationList
from sam_py.store.disk import Disk
from sam_py.store.drafts import Drafts
from sam_py.store.errors import StorageError, deleted_elsewhere, gone_on_elsewhere
from sam_py.store.folders import from_trash, looked_at, purge, to_trash
from sam_py.store.journal import Journal
from sam_py.store.summary import summary_of_bus
from sam_py.store.writer import BACKGROUND, READ, SAVE, Writer

log = logging.getLogger(__name__)


class Deleting:
    """What it needs of the library. `_trashed` are those that were deleted here, `_away` elsewhere while open here."""

    drafts: Drafts
    _paths: Paths
    _trash: Path
    _disk: Disk
    _writer: Writer
    _list: ConversationList
    _journals: dict[str, Journal]
    _autosaves: Mapping[str, list[Autosave]]
    _trashed: set[str]
    _away: set[str]
    _now: Callable[[], datetime]

    def _folder(self, id: str) -> str:
        raise NotImplementedError

    async def _settle(self, id: str) -> None:
        raise NotImplementedError

    def _tell(self, problem: StorageError) -> None:
        raise NotImplementedError

    async def chosen_pins(self, id: str, auto_pin: int) -> int:
        """How many of its messages somebody pinned, beyond the user's first `auto_pin`; 0 where it cannot be read.

        From the files, which say it also while the search index is being built.
        """
        from sam_py.store.pins import count_chosen_pins  # not needed at the start

        await self._settle(id)
        journal = Journal(self._folder(id), "", self._disk)
        try:
            return await self._writer.run(lambda: count_chosen_pins(journal.load(mend=False), auto_pin), READ)
        except StorageError as error:
            log.warning("the pins of conversation %s cannot be counted", id, exc_info=error)
            return 0

    async def delete(self, id: str) -> None:
        """Move a conversation to the trash. What an open one still says is kept there, too."""
        await self._settle(id)
        journal, now = self._journals.get(id), self._now()

        def work() -> None:
            place = to_trash(self._paths.conversations, self._trash, id, now, self._disk)
            if journal is not None:
                journal.move_to(place)

        self._trashed.add(id)
        try:
            await self._writer.run(work, SAVE)
        except StorageError:
            self._trashed.discard(id)
            raise
        if id not in self._autosaves:
            self._journals.pop(id, None)
        self._list.drop(id)

    async def restore(self, id: str) -> None:
        """Take a conversation out of the trash again. Raises StorageError where it is not there."""
        journal = self._journals.get(id)

        def work() -> bool:
            found = from_trash(self._paths.conversations, self._trash, id, self._disk)
            if journal is not None and found:
                journal.move_to(self._folder(id))
            return found

        if not await self._writer.run(work, SAVE):
            raise StorageError("This conversation is not in the trash any more.", kind="missing", detail=id)
        self._trashed.discard(id)
        await self._list.read(id)
        for autosave in self._autosaves.get(id, ()):
            self._list.put(summary_of_bus(autosave.bus, self._list.get(id), self._now()))

    async def came_back(self, id: str) -> None:
        """One that may have been deleted here is here again, from a backup: its row follows it from now on."""
        self._trashed.discard(id)
        await self._list.read(id)

    async def purge_trash(self, days: int = 30) -> int:
        """Delete for good what was moved to the trash `days` ago or earlier; returns how many that were.

        Nothing where it was not looked at for so long: a clock that is years ahead must not empty it. The next time
        counts again.
        """
        now, older_than, mark = self._now(), timedelta(days=days), self._paths.state / "trash-looked-at"
        gone = await self._writer.run(
            lambda: purge(self._trash, older_than, now, self._disk) if looked_at(mark, now, older_than) else [],
            BACKGROUND,
        )
        for id in gone:
            self.drafts.forget(id)
        return len(gone)

    def _put_away(self, id: str) -> None:
        """Another computer deleted an open conversation, in which nothing was said here since."""
        summary = self._list.get(id)
        if summary is not None and id not in self._trashed:
            self._away.add(id)
            self._list.drop(id)
            self._tell(deleted_elsewhere(id, summary.title or summary.preview))

    def _tell_revived(self, id: str) -> None:
        self._trashed.discard(id)
        summary = self._list.get(id)
        self._tell(gone_on_elsewhere(id, (summary.title or summary.preview) if summary is not None else ""))
