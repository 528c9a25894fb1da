"""MoveDialog: where the conversations are to be from now on, what that would do, and how far it is."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from sam_py.errors import SamError
from sam_py.store.moving import Cancelled, check_target
from sam_py.ui.program_moving import Tell
from sam_py.ui.services import Services
from sam_py.ui.settings.fields import Words
from sam_py.ui.settings.progress_row import ProgressRow
from sam_py.ui.settings.work_dialog import WorkDialog
from sam_py.ui.widgets.buttons import PillButton

_WIDTH_PX = 560


class Moving(Protocol):
    """What moves it: `program_moving.ProgramMoving`."""

    @property
    def data(self) -> Path: ...
    async def move(self, target: Path, tell: Tell) -> None: ...
    def give_up(self) -> None: ...
    def restart(self) -> None: ...


class MoveDialog(WorkDialog):
    """Open it with `open()`. Once everything is moved, closing it in any way starts the program again."""

    def __init__(self, services: Services, moving: Moving, parent: QWidget) -> None:
        super().__init__(services, parent)
        self._moving = moving
        self._is_moved = False
        self._is_moving = False
        icons = services.icons
        self.setWindowTitle(self.tr("Move the conversations"))
        self.target = QLineEdit()
        self.target.setAccessibleName(self.tr("The new folder"))
        self.target.textEdited.connect(lambda _text: self._look())
        self.choose = PillButton(icons, self.tr("Choose…"), kind="outline", label=self.tr("Choose the new folder"))
        self.choose.clicked.connect(self._choose)
        self.news = Words(icons, small=True)
        self.progress = ProgressRow(icons, self.tr("Moving"))
        self.progress.cancelled.connect(moving.give_up)
        self.close_button = PillButton(icons, self.tr("Close"), kind="outline")
        self.close_button.clicked.connect(self.reject)
        self.move_button = PillButton(icons, self.tr("Move"), kind="accent")
        self.move_button.clicked.connect(self._go)
        self._may_move = False
        self._build()
        self.show_state()

    def show_state(self) -> None:
        moving = self._is_moving
        self.target.setEnabled(not moving and not self._is_moved)
        self.choose.setEnabled(not moving and not self._is_moved)
        self.close_button.setEnabled(not moving)
        self.close_button.setVisible(not self._is_moved)
        self.move_button.setEnabled(self._is_moved or (self._may_move and not moving))
        self.move_button.setText(self.tr("Restart now") if self._is_moved else self.tr("Move"))
        self.move_button.set_label(self.move_button.text())
        if self._is_moved:
            self.move_button.setFocus()
        if not moving:
            self.progress.hide()

    # Inside

    def _build(self) -> None:
        icons = self.services.icons
        what = self.tr(
            "Everything is copied to the new folder and compared; then the program starts again there. The old folder "
            "stays as it is, until you delete it."
        )
        now = self.tr("Now in %1").replace("%1", str(self._moving.data))
        place = QHBoxLayout()
        place.setSpacing(8)
        place.addWidget(self.target, 1)
        place.addWidget(self.choose)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addStretch(1)
        foot.addWidget(self.close_button)
        foot.addWidget(self.move_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        column.addWidget(Words(icons, what))
        column.addWidget(Words(icons, now, role="muted", small=True))
        column.addLayout(place)
        column.addWidget(self.news)
        column.addWidget(self.progress)
        column.addStretch(1)
        column.addLayout(foot)
        self.news.say(self.tr("Choose an empty folder, or one that another SAM uses."))
        self.resize(round(_WIDTH_PX * icons.themes.current.scale), round(300 * icons.themes.current.scale))

    @property
    def _path(self) -> Path:
        """As it stands there, if there is such a folder: its name may end in a space. Else without spaces around."""
        text = self.target.text()
        try:
            exact = Path(text).expanduser()
            return exact if text.strip() and exact.is_dir() else Path(text.strip()).expanduser()
        except (OSError, RuntimeError, ValueError):  # a home of nobody, a name that no folder can have
            return Path(text.strip())

    def _choose(self) -> None:
        dialog = QFileDialog(self, self.tr("The new folder"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setDirectory(str(Path.home()))
        dialog.fileSelected.connect(self.take)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def take(self, folder: str) -> None:
        """Look at this folder."""
        self.target.setText(folder)
        self._look()

    def _look(self) -> None:
        self._may_move = False
        self.begin(self._look_at(self._path), "look at a folder")
        self.show_state()

    async def _look_at(self, target: Path) -> None:
        try:
            what = await asyncio.to_thread(check_target, self._moving.data, target)
        except SamError as error:
            self.news.say(str(error), "error")
            return
        joins = self.tr("Another SAM keeps conversations there: its and yours become one, and nothing is lost.")
        self.news.say(joins if what == "join" else self.tr("Your conversations will be moved there."))
        self._may_move = True

    def _go(self) -> None:
        if self._is_moved:
            self.accept()
            return
        self._is_moving = True
        self.begin(self._move(self._path), "move the data folder")
        self.show_state()

    async def _move(self, target: Path) -> None:
        try:
            await self._moving.move(target, self.progress.show_share)
        except Cancelled:
            self.news.say(self.tr("Nothing was moved. What was copied stays there, for another attempt."))
        except SamError as error:
            self.news.say(str(error), "error")
        else:
            self._is_moved = True
            said = self.tr(
                "Everything is in %1 now. The old folder is still there, as it was: %2. Delete it when you have seen "
                "that all is well. The program starts again to use the new one."
            )
            self.news.say(said.replace("%2", str(self._moving.data)).replace("%1", str(target)), "success")
        finally:
            self._is_moving = False

    # Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):  # what the marked button says
            if not event.isAutoRepeat():
                self.move_button.click()
            return
        super().keyPressEvent(event)

    def done(self, result: int) -> None:
        if self._is_moving:  # Esc, while it is under way: it is left in good order first
            self._moving.give_up()
            return
        super().done(result)
        if self._is_moved:
            self._moving.restart()
