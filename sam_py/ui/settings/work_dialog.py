"""WorkDialog: a dialog that does one long thing at a time, and may be left in the middle of it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from PySide6.QtWidgets import QDialog, QWidget

from sam_py.ui.services import Services


class WorkDialog(QDialog):
    """Open it with `open()`. Closing it cancels what it does; the dialog itself goes when that has ended."""

    def __init__(self, services: Services, parent: QWidget) -> None:
        super().__init__(parent)
        self.services = services
        self._task: asyncio.Task[Any] | None = None
        self._left = False

    @property
    def is_working(self) -> bool:
        return self._task is not None

    def begin(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Do this, instead of what is being done."""
        self.cancel()
        task = self._task = self.services.tasks.spawn(work, name)
        task.add_done_callback(self._ended)

    def cancel(self) -> None:
        """Leave what is being done."""
        if self._task is not None:
            self._task.cancel()

    def show_state(self) -> None:
        """Bring buttons and the like to whether something is being done. Called at its end, too."""

    def make_room(self) -> None:
        """Grow where what is said now would be cut off."""
        layout = self.layout()
        if layout is not None:
            layout.activate()
            self.resize(self.width(), max(self.height(), layout.totalHeightForWidth(self.width())))

    def _ended(self, task: asyncio.Task[Any]) -> None:
        if task is not self._task:  # another thing was begun since
            return
        self._task = None
        self.show_state()
        self.make_room()
        if self._left:
            self.deleteLater()

    # Qt

    def done(self, result: int) -> None:
        self._left = True
        self.cancel()
        super().done(result)
        if self._task is None:
            self.deleteLater()
