"""ProgramKeeping: what keeps the library safe and opens it: backups, and the ways in and out; built when needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from sam_py.ui.program_backups import ProgramBackups
from sam_py.ui.services import Services

if TYPE_CHECKING:
    from sam_py.ui.main_window import MainWindow


class ProgramKeeping(QObject):
    """One for the whole program, joined with its window."""

    def __init__(self, services: Services, window: MainWindow) -> None:
        super().__init__(window)
        conversations = window.conversations
        self.backups = ProgramBackups(
            services, lambda: any(each.is_busy for each in conversations.all()), window.report, self
        )

    async def aclose(self) -> None:
        await self.backups.aclose()
