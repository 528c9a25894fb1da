"""DataPage: backups, and where everything is kept, with how much room is left there."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QLocale, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from sam_py.settings.model import Settings
from sam_py.ui.links import open_folder
from sam_py.ui.services import Services, no_keeping, no_meaning
from sam_py.ui.settings.fields import Words
from sam_py.ui.settings.page import SettingsPage
from sam_py.ui.widgets.buttons import IconButton, PillButton

if TYPE_CHECKING:
    from sam_py.ui.library.semantic_settings import SemanticSettings
    from sam_py.ui.settings.backup_settings import BackupSettings


class DataPage(SettingsPage):
    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self.backups: BackupSettings | None = None
        self.meaning: SemanticSettings | None = None
        if services.keeping is not no_keeping:
            self._add_keeping()
            if services.meaning is not no_meaning:
                self._add_meaning()
            self.add_heading(self.tr("Folders"))
        moves: tuple[PillButton, ...] = ()
        if services.keeping is not no_keeping:
            label = self.tr("Move the conversations to another folder")
            self.move_button = PillButton(self.icons, self.tr("Move…"), kind="outline", label=label)
            self.move_button.clicked.connect(lambda: services.keeping().move())
            moves = (self.move_button,)
        paths = services.paths
        synced = self.tr("May lie in a folder that is synced between computers.")
        self._add_folder(self.tr("Conversations"), paths.data, f"{synced} {_free_space(paths.data)}".strip(), *moves)
        self._add_folder(self.tr("Settings"), paths.config, self.tr("Keys are not in it: they are in the keyring."))
        self._add_folder(self.tr("Drafts and logs"), paths.state, self.tr("Of this computer only."))
        self.column.addStretch(1)

    def show_settings(self, settings: Settings) -> None:
        if self.backups is not None:
            self.backups.show_settings(settings)
        if self.meaning is not None:
            self.meaning.show_settings(settings)

    def leave(self) -> None:
        if self.backups is not None:
            self.backups.leave()
        if self.meaning is not None:
            self.meaning.leave()

    def _add_meaning(self) -> None:
        from sam_py.ui.library.semantic_settings import SemanticSettings

        self.add_heading(self.tr("Search"))
        self.meaning = SemanticSettings(self.services, self.services.meaning(), self)
        self.column.addWidget(self.meaning)

    def _add_keeping(self) -> None:
        from sam_py.ui.settings.backup_settings import BackupSettings

        self.add_heading(self.tr("Backups"))
        self.backups = BackupSettings(self.services, self.services.keeping().backups)
        self.column.addWidget(self.backups)
        self.add_heading(self.tr("Import and export"))
        keeping = self.services.keeping()
        self.import_button = PillButton(self.icons, self.tr("Import…"), kind="outline", icon="plus")
        self.import_button.clicked.connect(lambda: keeping.import_files())
        hint = self.tr("From ChatGPT, Claude, Open WebUI, LM Studio and others, or what this program exported.")
        self.add_row(self.tr("Bring conversations in"), self.import_button, hint)
        self.export_button = PillButton(self.icons, self.tr("Export…"), kind="outline", icon="download")
        self.export_button.clicked.connect(keeping.export_all)
        hint = self.tr("All conversations, to read or to be imported again. Single ones: by their menus.")
        self.add_row(self.tr("Export everything"), self.export_button, hint)

    def _add_folder(self, name: str, folder: Path, hint: str, *more: PillButton) -> None:
        path = Words(self.icons, str(folder), small=True)
        path.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(Words(self.icons, name))
        words.addWidget(path)
        words.addWidget(Words(self.icons, hint, role="muted", small=True))
        copy = IconButton(self.icons, "copy", self.tr("Copy the path: %1").replace("%1", name))
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(str(folder)))
        show = PillButton(
            self.icons,
            self.tr("Open"),
            kind="outline",
            icon="folder-open",
            label=self.tr("Open: %1").replace("%1", name),
        )
        show.clicked.connect(lambda: open_folder(folder))
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addLayout(words, 1)
        row.addWidget(copy)
        row.addWidget(show)
        for button in more:
            row.addWidget(button)
        self.column.addLayout(row)


def _free_space(folder: Path) -> str:
    """How much room is left where `folder` is, in words; "" where the system does not say."""
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        return ""
    return QCoreApplication.translate("DataPage", "%1 free on this disk.").replace(
        "%1", QLocale().formattedDataSize(free)
    )
