"""Backups: when they are made, which stay, and the window's door to them. The work is done on a thread of its own."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from pathlib import Path

from sam_py.messages.message import utc_now
from sam_py.paths import Paths
from sam_py.store.backups.making import (
    Backup,
    Checked,
    Progress,
    backups_in,
    check_backup,
    make_backup,
    remove_backup,
    sweep_attachments,
)
from sam_py.store.backups.restoring import BackedUp, Besides, Brought, besides, bring_back, bring_notes, contents
from sam_py.store.backups.thinning import superfluous
from sam_py.store.disk import Disk
from sam_py.store.errors import StorageError
from sam_py.store.writer import BACKGROUND, Writer

log = logging.getLogger(__name__)

EVERY = timedelta(hours=6)
LOOK_AFTER_S = 900.0
"""How often it is asked whether one is due."""
_MOST_AT_ONCE = 3
"""Older ones that go with each that is made: one is usual. Whatever is wrong must not empty the shelf at once."""
_AHEAD = timedelta(days=1)
"""So far ahead of now only a clock that was wrong can have made one."""


class Backups:
    """The backups of one library.

    `folder_of` says where they go, asked each time; `flush` puts everything that was said on the disk; `changed_at`
    is when a conversation last changed (None: never), so that nothing is backed up twice.
    """

    def __init__(
        self,
        paths: Paths,
        *,
        folder_of: Callable[[], Path],
        flush: Callable[[], Awaitable[None]],
        changed_at: Callable[[], datetime | None],
        device: Callable[[], str],
        disk: Disk | None = None,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._paths = paths
        self._folder_of = folder_of
        self._flush = flush
        self._changed_at = changed_at
        self._device = device
        self._disk = disk or Disk()
        self._now = now
        self._writer = Writer("sam-backup")
        self._closing = False

    @property
    def folder(self) -> Path:
        return self._folder_of()

    async def made(self) -> list[Backup]:
        """All of the folder, the newest first; at the end those that are dated ahead. Raises StorageError."""
        folder = self.folder
        found = await self._writer.run(lambda: backups_in(folder), BACKGROUND)
        return sorted(found, key=self.is_ahead)

    def is_ahead(self, backup: Backup) -> bool:
        """Whether it was made while the clock was ahead: nobody knows when."""
        return backup.made_at > self._now() + _AHEAD

    async def make(self, progress: Progress = lambda _done, _all: True) -> Backup:
        """Make one now, and thin out older ones. `progress` is called on another thread. Raises StorageError.

        What could not be read is named by the backup that it returns.
        """
        unsaved = await self._save_all()
        folder, now = self.folder, self._now()

        def goes_on(done: int, of: int) -> bool:
            return not self._closing and progress(done, of)

        def work() -> Backup:
            made = make_backup(self._paths, folder, now, self._disk, goes_on, unsaved)
            try:
                _thin(folder, now)
            except StorageError as error:  # the new one is there; the next one tries again
                log.warning("old backups stay: %s (%s)", error, error.detail)
            return made

        made = await self._writer.run(work, BACKGROUND)
        log.info("backed up to %s (%d kB)", made.path.name, made.size // 1000)
        return made

    async def make_if_due(self) -> Backup | None:
        """Make one where it is due. Raises StorageError."""
        return await self.make() if await self.is_due() else None

    async def is_due(self) -> bool:
        """Whether the last is older than `EVERY`, and something changed since or is not in it. Raises StorageError."""
        return await self._is_behind(EVERY)

    async def is_behind(self) -> bool:
        """Whether something changed since the last, or is not in it. Raises StorageError."""
        return await self._is_behind(timedelta(0))

    async def _is_behind(self, age: timedelta) -> bool:
        changed = self._changed_at()
        if changed is None:
            return False
        now = self._now()  # one from the future was made while the clock was wrong: it holds nothing up
        last = next((backup for backup in await self.made() if backup.made_at <= now), None)
        return last is None or (now - last.made_at >= age and (changed > last.made_at or last.is_incomplete))

    async def check(self, backup: Backup) -> Checked:
        """Read it to the last byte. Raises StorageError, naming what is wrong."""
        return await self._writer.run(lambda: check_backup(backup.path), BACKGROUND)

    async def contents(self, backup: Backup) -> list[BackedUp]:
        """Its conversations, compared with those that are here. Raises StorageError."""
        await self._save_all()
        return await self._writer.run(lambda: contents(backup.path, self._paths, self._disk), BACKGROUND)

    async def bring_back(self, backup: Backup, id: str) -> Brought:
        """Bring one conversation back, beside another state of it as a copy. Raises StorageError."""
        device = self._device()
        work = self._writer.run(lambda: bring_back(backup.path, id, self._paths, device, self._disk), BACKGROUND)
        return await asyncio.shield(work)

    async def besides(self, backup: Backup) -> Besides:
        """What it holds besides conversations. Raises StorageError."""
        return await self._writer.run(lambda: besides(backup.path, self._paths), BACKGROUND)

    async def bring_notes(self, backup: Backup) -> int:
        """Bring back the notes that are missing; returns how many. Raises StorageError."""
        work = self._writer.run(lambda: bring_notes(backup.path, self._paths, self._disk), BACKGROUND)
        return await asyncio.shield(work)

    async def _save_all(self) -> tuple[str, ...]:
        """Why not everything that was said is on the disk. What cannot be saved keeps nothing else from a backup."""
        try:
            await self._flush()
        except StorageError as error:
            log.warning("not all is saved: %s (%s)", error, error.detail)
            return (str(error),)
        return ()

    async def aclose(self) -> None:
        """Give up what is being made, and end the thread."""
        self._closing = True
        await self._writer.aclose()


def _thin(folder: Path, now: datetime) -> None:
    made = backups_in(folder)
    gone = superfluous((each.made_at for each in made), now, {each.made_at for each in made if each.is_incomplete})
    oldest_first = [each for each in reversed(made) if each.made_at in gone]
    for backup in oldest_first[:_MOST_AT_ONCE]:
        remove_backup(backup)
    if gone:
        sweep_attachments(folder, now)
