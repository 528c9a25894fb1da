"""What keeps the program from starting, in a box: after a double click there is no terminal to say it in."""

from __future__ import annotations

import asyncio
import sys

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QApplication, QMessageBox

from sam_py.ui.loop import Loop

_UNSEEN = frozenset({"offscreen", "minimal", "minimalegl"})


def show_trouble(text: str) -> None:
    """Return when the person has closed the box; at once where a terminal or nobody would see it. No loop runs yet."""
    if sys.stderr is not None and sys.stderr.isatty():
        return
    app = QApplication.instance() or QApplication([sys.argv[0]])
    assert isinstance(app, QApplication)
    if app.platformName() in _UNSEEN:
        return
    loop = Loop(app)
    with loop:
        loop.run_until_complete(_closed(text))


async def _closed(text: str) -> None:
    box = trouble_box(text)
    closed = asyncio.Event()
    box.finished.connect(closed.set)
    box.open()
    await closed.wait()
    box.deleteLater()


def trouble_box(text: str) -> QMessageBox:
    """The box that says `text`, which can be copied out of it."""
    box = QMessageBox()
    box.setIcon(QMessageBox.Icon.Warning)
    box.setWindowTitle(QCoreApplication.translate("StartTrouble", "SAM cannot start"))
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(text)
    box.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    box.setStandardButtons(QMessageBox.StandardButton.Close)
    return box
