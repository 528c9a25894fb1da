"""ProgramMoving: the data folder moved while the program runs; then it starts again on the new one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from sam_py.store.backups.making import Cancelled as BackupCancelled
from sam_py.store.disk import Disk
from sam_py.store.moving import Cancelled, MoveError, move_data
from sam_py.ui.last_things import after_the_end
from sam_py.ui.program_backups import ProgramBackups
from sam_py.ui.restart import restart
from sam_py.ui.services import Services
from sam_py.ui.window_state import load_window_state, save_window_state

if TYPE_CHECKING:
    from sam_py.ui.main_window import MainWindow

Tell = Callable[[str, float | None], object]
"""What is being done, and which share of it is over (None: nobody knows)."""
_PATIENCE_S = 10.0


class ProgramMoving:
    """Moves at most once: after that the program must start again, as this one still writes to the old folder."""

    def __init__(self, services: Services, backups: ProgramBackups, window: MainWindow) -> None:
        self._services = services
        self._backups = backups
        self._window = window
        self._shown = ""
        self._given_up = False

    @property
    def data(self) -> Path:
        return self._services.paths.data

    async def move(self, target: Path, tell: Tell) -> None:
        """Copy everything to `target` and point there. Raises SamError or `Cancelled`: then all is where it was, and
        the conversation that was shown is shown again."""
        conversations = self._window.conversations
        if any(each.is_busy for each in conversations.all()):
            raise MoveError(_("A reply is being written: wait until it is there, or stop it, and try again."))
        self._given_up = False
        try:
            tell(_("Saving and closing the conversations…"), None)
            await self._close_conversations()
            await self._services.library.flush()
            if await self._backups.shelf.is_behind():
                tell(_("Backing up first…"), None)
                await self._backups.make()
            loop = asyncio.get_running_loop()
            copying = _("Copying and comparing…")

            def progress(done: int, of: int) -> bool:
                loop.call_soon_threadsafe(tell, copying, done / max(1, of))
                return not self._given_up

            paths = self._services.paths
            work = asyncio.ensure_future(
                asyncio.to_thread(move_data, paths.data, target, paths.config, Disk(), progress)
            )
            try:
                await asyncio.shield(work)
            except asyncio.CancelledError:  # a thread cannot be ended: it is told, and waited for
                self._given_up = True
                await asyncio.wait([work])
                if not work.cancelled() and work.exception() is None:
                    self.restart()  # it was over already
                raise
        except BaseException as error:
            if self._shown:
                self._window.open_conversation(self._shown)
            if isinstance(error, BackupCancelled):
                raise Cancelled from None
            raise

    def give_up(self) -> None:
        """Leave it. What was copied stays where it is: the next attempt goes on from there."""
        self._given_up = True
        self._backups.give_up()

    def restart(self) -> None:
        """End in good order, and start again on the folder that is the right one now."""
        after_the_end(partial(_begin_again, self._services.paths.state / "window.json", self._shown))
        self._window.close_now()

    async def _close_conversations(self) -> None:
        """Nothing of the data folder is open after this but an empty conversation that is on no disk."""
        chat, conversations = self._window.chat, self._window.conversations
        shown = chat.conversation
        self._shown = shown.id if shown is not None and len(shown.bus) else ""
        self._window.new_conversation()
        async with asyncio.timeout(_PATIENCE_S):
            while chat.conversation is None or not chat.conversation.is_new or len(chat.conversation.bus):
                await asyncio.sleep(0.01)
        for each in conversations.all():
            if each is not chat.conversation:
                await conversations.close(each.id)


def _begin_again(window_state: Path, shown: str) -> None:
    if shown:
        save_window_state(window_state, load_window_state(window_state).model_copy(update={"conversation": shown}))
    restart()


def _(text: str) -> str:
    return QCoreApplication.translate("ProgramMoving", text)
