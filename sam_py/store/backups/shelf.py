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
    Progress,
    backups_in,
    check_backup,
    make_backup,
    remove_backup,
    sweep_attachments,
)
from sam_py.store.backups.restoring import BackedUp, bring_back, contents
from sam_py.store.backups.thinning import superfluous
from sam_py.store.disk import Disk
from sam_py.store.writer import BACKGROUND, Writer

log = logging.getLogger(__name__)

EVERY = timedelta(hours=6)
LOOK_AFTER_S = 900.0
"""How often it is asked whether one is due."""
_MOST_AT_ONCE = 3
"""Older ones that go with each that is made: one is usual. A clock that is years ahead must not empty the shelf."""


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
        """All of the folder, the newest first. Raises StorageError."""
        folder = self.folder
        return await self._writer.run(lambda: backups_in(folder), BACKGROUND)

    async def make(self, progress: Progress = lambda _done, _all: True) -> Backup:
        """Make one now, and thin out older ones. `progress` is called on another thread. Raises StorageError."""
        await self._flush()
        folder, now = self.folder, self._now()

        def work() -> Backup:
            made = make_backup(
                self._paths, folder, now, self._disk, lambda done, of: not self._closing and progress(done, of)
            )
            older = {backup.made_at: backup for backup in backups_in(folder)}
            gone = sorted(superfluous(older, now))[:_MOST_AT_ONCE]
            for moment in gone:
                remove_backup(older[moment])
            if gone:
                sweep_attachments(folder)
            return made

        made = await self._writer.run(work, BACKGROUND)
        log.info("backed up to %s (%d kB)", made.path.name, made.size // 1000)
        return made

    async def make_if_due(self) -> Backup | None:
        """Make one where it is due. Raises StorageError."""
        return await self.make() if await self.is_due() else None

    async def is_due(self) -> bool:
        """Whether the last is older than `EVERY`, and something changed since. Raises StorageError."""
        return await self._is_behind(EVERY)

    async def is_behind(self) -> bool:
        """Whether something changed since the last. Raises StorageError."""
        return await self._is_behind(timedelta(0))

    async def _is_behind(self, age: timedelta) -> bool:
        changed = self._changed_at()
        if changed is None:
            return False
        now = self._now()  # one from the future was made while the clock was wrong: it holds nothing up
        last = next((backup for backup in await self.made() if backup.made_at <= now), None)
        return last is None or (now - last.made_at >= age and changed > last.made_at)

    async def check(self, backup: Backup) -> None:
        """Read it to the last byte. Raises StorageError, naming what is wrong."""
        await self._writer.run(lambda: check_backup(backup.path), BACKGROUND)

    async def contents(self, backup: Backup) -> list[BackedUp]:
        """Its conversations, compared with those that are here. Raises StorageError."""
        await self._flush()
        return await self._writer.run(lambda: contents(backup.path, self._paths, self._disk), BACKGROUND)

    async def bring_back(self, backup: Backup, id: str) -> str:
        """Bring one conversation back; returns its id here, another one where it is a copy. Raises StorageError."""
        device = self._device()
        work = self._writer.run(lambda: bring_back(backup.path, id, self._paths, device, self._disk), BACKGROUND)
        return await asyncio.shield(work)

    async def aclose(self) -> None:
        """Give up what is being made, and end the thread."""
        self._closing = True
        await self._writer.aclose()
