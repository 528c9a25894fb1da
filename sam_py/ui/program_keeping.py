"""ProgramKeeping: what keeps the library safe and opens it: backups, and the ways in and out; built when needed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from sam_py.ui.export.choice import Exported, LastChoice
from sam_py.ui.program_backups import ProgramBackups
from sam_py.ui.services import Services

if TYPE_CHECKING:
    from sam_py.ui.main_window import MainWindow


class ProgramKeeping(QObject):
    """One for the whole program, joined with its window."""

    def __init__(self, services: Services, window: MainWindow) -> None:
        super().__init__(window)
        self._services = services
        self._window = window
        self._last = LastChoice()
        conversations = window.conversations
        self.backups = ProgramBackups(
            services, lambda: any(each.is_busy for each in conversations.all()), window.report, self
        )

    async def aclose(self) -> None:
        await self.backups.aclose()

    # Out

    def export(self, ids: Sequence[str], folder: str = "") -> None:
        """Ask how to save conversations: those of a `folder`, or chosen ones."""
        if not ids:
            self._window.notices.show_notice(self.tr("There is nothing to export yet."))
            return
        several = folder or self.tr("%1 conversations").replace("%1", str(len(ids)))
        self._ask(Exported(tuple(ids), self._title(ids[0]) if len(ids) == 1 else several))

    def export_all(self) -> None:
        """Ask how to save everything, archived conversations too."""
        ids = [each.id for each in self._services.library.summaries()]
        self.export(ids, self.tr("All conversations"))

    def export_messages(self, conversation_id: str, messages: Sequence[str]) -> None:
        """Ask how to save messages of one conversation."""
        if messages:
            self._ask(Exported((conversation_id,), self._title(conversation_id), tuple(messages)))

    def _title(self, id: str) -> str:
        summary = self._services.library.summary(id)
        title = (summary.title or summary.preview[:60]) if summary is not None else ""
        return title or self.tr("Conversation")

    def _ask(self, exported: Exported) -> None:
        from sam_py.ui.export.export_dialog import ExportDialog

        ExportDialog(self._services, exported, self._last, self._above()).open()

    # In

    def import_files(self, files: Sequence[Path] = ()) -> None:
        """Ask what to import, or import `files` at once."""
        from sam_py.ui.import_.import_dialog import ImportDialog

        dialog = ImportDialog(self._services, self.backups, self._open, self._above())
        dialog.open()
        dialog.run(files)

    # Elsewhere

    def move(self) -> None:
        """Ask where the data folder is to be."""
        from sam_py.ui.program_moving import ProgramMoving
        from sam_py.ui.settings.move_dialog import MoveDialog

        moving = ProgramMoving(self._services, self.backups, self._window)
        MoveDialog(self._services, moving, self._above()).open()

    def _open(self, conversation_id: str) -> None:
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, QDialog):  # the settings, from where it was imported
            dialog.accept()
        self._window.open_conversation(conversation_id)

    def _above(self) -> QWidget:
        """What a dialog stands over: the settings, where they are open."""
        return QApplication.activeModalWidget() or self._window
