"""ProgramBackups: backups as the running program makes them, by itself and when asked, and how far one is."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from sam_py.errors import SamError
from sam_py.settings.model import DataSettings, Settings
from sam_py.store.backups.making import Backup, Cancelled
from sam_py.store.backups.shelf import LOOK_AFTER_S, Backups
from sam_py.ui.services import Services

log = logging.getLogger(__name__)

AGAIN_AFTER_S = 60.0
"""How long a reply that streams is let alone before it is asked again."""


class ProgramBackups(QObject):
    """One for the whole program. `is_busy` says whether a reply streams; `tell` shows a person what failed.

    What goes wrong by itself is told once, until a backup was made again or something else goes wrong.
    """

    changed = Signal()
    """What a page shows of it: `made`, `is_making`, `share`, `problem`."""

    def __init__(
        self,
        services: Services,
        is_busy: Callable[[], bool],
        tell: Callable[[SamError], object],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._settings = services.settings
        self._standard = services.paths.state / "backups"
        self._data = services.paths.data
        self._is_busy = is_busy
        self._tell = tell
        self._told = ""
        self._making: asyncio.Task[Backup] | None = None
        self._given_up = False
        self.made: list[Backup] | None = None
        """The newest first; None: not looked for yet."""
        self.share = 0.0
        self.problem = ""
        library = services.library
        self.shelf = Backups(
            services.paths,
            folder_of=lambda: self.folder,
            flush=library.flush,
            changed_at=lambda: max((each.updated_at for each in library.summaries()), default=None),
            device=lambda: library.device,
        )

    # What a person chose

    @property
    def folder(self) -> Path:
        chosen = self._settings.current.data.backup_folder
        return Path(chosen) if chosen else self._standard

    @property
    def is_standard_folder(self) -> bool:
        return self.folder == self._standard

    def choose_folder(self, folder: Path | None) -> None:
        """Keep backups in `folder` from now on, None for the standard one. Those made before stay where they are.

        Raises SamError for a folder in which they would not be safe.
        """
        data = self._data.resolve()
        if folder is not None and (data == folder.resolve() or data in folder.resolve().parents):
            raise SamError("Choose a folder outside of the conversations: else both are lost together.")
        self.change(backup_folder=str(folder) if folder is not None else "")
        self.made = None

    def change(self, **fields: Any) -> None:
        """Keep values of `DataSettings`. Raises `pydantic.ValidationError` for one that is not allowed."""

        def changed(settings: Settings) -> Settings:
            kept = DataSettings.model_validate({**dict(settings.data), **fields})
            return settings.model_copy(update={"data": kept})

        self._settings.change(changed)

    # Making

    @property
    def is_making(self) -> bool:
        return self._making is not None

    async def watch(self) -> None:
        """Make one whenever it is due, until cancelled."""
        while True:
            await asyncio.sleep(AGAIN_AFTER_S if not await self.look() else LOOK_AFTER_S)

    async def look(self) -> bool:
        """Make one if it is due. False: a reply streams, so it was not asked at all."""
        if not self._settings.current.data.backups or self.is_making:
            return True
        if self._is_busy():
            return False
        try:
            if await self.shelf.is_due():
                lacks = self._lacks(await self.make())
                if lacks:
                    self._tell_once(SamError(lacks))
        except Cancelled:
            log.info("a backup was given up")
        except SamError as error:
            log.warning("no backup was made: %s (%s)", error, error.detail)
            self._tell_once(error)
        return True

    async def make(self) -> Backup:
        """Make one, or wait for the one that is being made. Raises StorageError, Cancelled."""
        if self._making is None:
            self._given_up, self.share, self.problem = False, 0.0, ""
            self._making = asyncio.ensure_future(self.shelf.make(self._progress_to(asyncio.get_running_loop())))
            self._making.add_done_callback(self._ended)
            self.changed.emit()
        return await asyncio.shield(self._making)

    async def make_now(self) -> None:
        """As `make`, for a person who looks on: what goes wrong stands in `problem`."""
        try:
            problem = self._lacks(await self.make())
        except Cancelled:
            return
        except SamError as error:
            problem = str(error)
        self.problem = problem
        await self.refresh()

    def give_up(self) -> None:
        """Leave the one that is being made; nothing of it stays."""
        self._given_up = True

    async def refresh(self) -> None:
        """Look which ones there are."""
        try:
            self.made = await self.shelf.made()
        except SamError as error:
            self.made, self.problem = [], str(error)
        self.changed.emit()

    async def aclose(self) -> None:
        """Leave what is being made, and end the thread."""
        await self.shelf.aclose()
        if self._making is not None:
            await asyncio.wait([self._making])

    # Inside

    def _lacks(self, made: Backup) -> str:
        """What is not in it because it could not be read, in a sentence."""
        if not made.unread:
            return ""
        first, more = made.unread[0], len(made.unread) - 1
        said = self.tr("The backup was made, but lacks what could not be read: %1.")
        if more:
            said = self.tr("The backup was made, but lacks what could not be read: %1, and %2 more.")
        hint = self.tr("See to it that this can be read; the next backup holds it then.")
        return f"{said} {hint}".replace("%2", str(more)).replace("%1", first)

    def _tell_once(self, error: SamError) -> None:
        if str(error) != self._told:
            self._told = str(error)
            self._tell(error)

    def _progress_to(self, loop: asyncio.AbstractEventLoop) -> Callable[[int, int], bool]:
        told = -1

        def progress(done: int, of: int) -> bool:
            nonlocal told
            hundredth = done * 100 // max(1, of)
            if hundredth != told:
                told = hundredth
                loop.call_soon_threadsafe(self._show, hundredth / 100)
            return not self._given_up

        return progress

    def _show(self, share: float) -> None:
        if self.is_making:
            self.share = share
            self.changed.emit()

    def _ended(self, task: asyncio.Task[Backup]) -> None:
        self._making = None
        self.share = 0.0
        if not task.cancelled() and task.exception() is None:
            if not task.result().unread:
                self._told = ""
            if self.made is not None:
                self.made = [task.result(), *self.made]
        self.changed.emit()
