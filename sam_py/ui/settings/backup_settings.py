"""BackupSettings: when the last backup was made, where they lie, and the ways to make one and to bring one back."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QDateTime, QLocale, Qt
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from sam_py.errors import SamError
from sam_py.settings.model import Settings
from sam_py.ui.links import open_folder
from sam_py.ui.program_backups import ProgramBackups
from sam_py.ui.services import Services
from sam_py.ui.settings.fields import Switch, Words
from sam_py.ui.settings.progress_row import ProgressRow
from sam_py.ui.widgets.buttons import IconButton, PillButton


class BackupSettings(QWidget):
    """Part of Settings · Data. Follows the backups while it is open."""

    def __init__(self, services: Services, backups: ProgramBackups) -> None:
        super().__init__()
        self._services = services
        self._backups = backups
        icons = services.icons
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(14)
        self.on = Switch(icons, self.tr("Back up by itself"))
        self.on.switched.connect(lambda on: backups.change(backups=on))
        self.state = Words(icons, small=True, role="muted")
        self.problem = Words(icons, small=True, role="error")
        self.problem.hide()
        self.now_button = PillButton(icons, self.tr("Back up now"), kind="outline", icon="archive")
        self.now_button.clicked.connect(lambda: services.tasks.spawn(backups.make_now(), "back up now"))
        self.restore_button = PillButton(icons, self.tr("Restore…"), kind="outline", icon="undo")
        self.restore_button.clicked.connect(self._restore)
        self.progress = ProgressRow(icons, self.tr("Backing up"))
        self.progress.cancelled.connect(backups.give_up)
        self.folder = Words(icons, small=True, role="muted")
        self.folder.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.choose = PillButton(
            icons, self.tr("Choose…"), kind="outline", label=self.tr("Choose the folder for backups")
        )
        self.choose.clicked.connect(self._choose_folder)
        self.standard = PillButton(
            icons, self.tr("Standard"), label=self.tr("Keep backups in the standard folder again")
        )
        self.standard.clicked.connect(lambda: self._take_folder(None))
        self.open = IconButton(icons, "folder-open", self.tr("Open the folder of backups"))
        self.open.clicked.connect(lambda: open_folder(backups.folder))
        self._build()
        backups.changed.connect(self._show)
        services.tasks.spawn(backups.refresh(), "look for backups")

    def show_settings(self, settings: Settings) -> None:
        self.on.setChecked(settings.data.backups)
        self.folder.setText(str(self._backups.folder))
        self.standard.setVisible(not self._backups.is_standard_folder)
        if self._backups.made is None:
            self._services.tasks.spawn(self._backups.refresh(), "look for backups")
        self._show()

    def leave(self) -> None:
        self._backups.changed.disconnect(self._show)

    # Inside

    def _build(self) -> None:
        hint = self.tr(
            "Within some hours of a change, before an import and before the data folder is moved. Old ones are "
            "thinned out: of each day, week and month one stays."
        )
        self._add_row(
            self.tr("Back up by itself"), Words(self._services.icons, hint, role="muted", small=True), self.on
        )
        self.on.setAccessibleDescription(hint)
        self._add_row(self.tr("Last backup"), self.state, self.now_button, self.restore_button)
        self._column.addWidget(self.progress)
        self._column.addWidget(self.problem)
        self._add_row(self.tr("Folder of backups"), self.folder, self.open, self.standard, self.choose)
        advice = self.tr("A folder on another disk survives the loss of this one.")
        self._column.addWidget(Words(self._services.icons, advice, role="muted", small=True))

    def _add_row(self, name: str, more: Words, *fields: QWidget) -> None:
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(Words(self._services.icons, name))
        words.addWidget(more)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addLayout(words, 1)
        row.addSpacing(16)
        for field in fields:
            row.addWidget(field, 0, Qt.AlignmentFlag.AlignVCenter)
        self._column.addLayout(row)

    def _show(self) -> None:
        backups = self._backups
        self.now_button.setEnabled(not backups.is_making)
        if backups.is_making:
            self.progress.show_share(self.tr("Backing up…"), backups.share)
        else:
            self.progress.hide()
        self.problem.say(backups.problem, "error")
        self.state.setText(self._words())
        self.restore_button.setEnabled(bool(backups.made))

    def _words(self) -> str:
        made = self._backups.made
        if made is None:
            return ""
        if not made:
            return self.tr("None was made yet.")
        size = QLocale().formattedDataSize(sum(each.size for each in made))
        words = self.tr("%1 · %2 backups, %3") if len(made) > 1 else self.tr("%1 · %3")
        last = moment_words(made[0].made_at)
        if made[0].is_incomplete:
            last = self.tr("%1 (incomplete)").replace("%1", last)
        return words.replace("%3", size).replace("%2", str(len(made))).replace("%1", last)

    def _restore(self) -> None:
        from sam_py.ui.settings.restore_dialog import RestoreDialog

        RestoreDialog(self._services, self._backups, self).open()

    def _choose_folder(self) -> None:
        dialog = QFileDialog(self, self.tr("The folder for backups"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        folder = self._backups.folder
        dialog.setDirectory(str(folder if folder.is_dir() else Path.home()))
        dialog.fileSelected.connect(lambda chosen: self._take_folder(Path(chosen)))
        dialog.open()

    def _take_folder(self, folder: Path | None) -> None:
        try:
            self._backups.choose_folder(folder)
        except SamError as error:
            self._backups.problem = str(error)
            self._show()


def moment_words(at: datetime) -> str:
    """A date and time in the person's own form."""
    return QLocale().toString(QDateTime.fromSecsSinceEpoch(int(at.timestamp())), "d MMMM yyyy, HH:mm")
