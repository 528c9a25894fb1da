"""The panel over a composer of its own: real prompts in a real file, and what is saved when the test says so."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from sam_py.bus.message_bus import MessageBus
from sam_py.reminders.mini_prompts import MiniPrompt, MiniPrompts
from sam_py.store.disk import Disk
from sam_py.ui.chat.attachments_intake import Intake
from sam_py.ui.chat.composer import Composer
from sam_py.ui.mini_prompts.control import MiniPromptsControl
from sam_py.ui.mini_prompts.panel import MiniPromptsPanel
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.icons import Icons
from tests.ui.window.conftest import run, sit_down

__all__ = ["run", "sit_down"]


class Stage:
    """A window with a composer, a conversation and its prompts."""

    def __init__(self, path: Path, disk: Disk) -> None:
        self.loop = asyncio.new_event_loop()
        self.work: list[Coroutine[Any, Any, None]] = []
        self.prompts = MiniPrompts(path, disk=disk)
        self.bus = MessageBus("here")
        self.window = QWidget()
        self.icons = icons = Icons(Themes())
        self.intake = Intake(self._put)
        self.composer = Composer(icons, self.intake, lambda work: work.close(), parent=self.window)
        column = QVBoxLayout(self.window)
        column.addStretch(1)
        column.addWidget(self.composer)
        self.control = MiniPromptsControl(self.prompts, icons, self._spawn, self.composer, self.window)
        self.control.attach(self.bus)
        self.troubles: list[str] = []
        self.control.trouble.connect(self.troubles.append)

    @property
    def panel(self) -> MiniPromptsPanel:
        return self.control.panel

    @property
    def names(self) -> list[str]:
        """What the list shows, each name with a sign where it is ticked."""
        rows = self.panel.page.rows
        prompts = [rows.prompt(row) for row in range(rows.rowCount())]
        return [f"{'+' if rows.is_on(row) else '-'}{each.name}" for row, each in enumerate(prompts) if each is not None]

    def add(self, *names: str, on: bool = False) -> None:
        for name in names:
            self.prompts.put(MiniPrompt(id=name, name=name, text=f"Be {name}."))
            self.control.switch(name, on)

    def press(self, key: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Press a key where the keyboard is."""
        focus = self.window.focusWidget()
        assert focus is not None
        QTest.keyClick(focus, key, held)

    def type(self, text: str) -> None:
        focus = self.window.focusWidget()
        assert focus is not None
        QTest.keyClicks(focus, text)

    def centre_of(self, row: int) -> QPoint:
        view = self.panel.page.list
        return view.visualRect(view.rows.index(row)).center()

    def save(self) -> None:
        """Write what changed."""
        while self.work:
            self.loop.run_until_complete(self.work.pop(0))

    async def _put(self, _content: bytes) -> str:
        return "hash"

    def _spawn(self, work: Coroutine[Any, Any, None], _name: str) -> None:
        self.work.append(work)


class FullDisk(Disk):
    """Has no room while `is_full`."""

    is_full = False

    def write(self, fd: int, data: memoryview) -> int:
        if self.is_full:
            raise OSError(28, "No space left on device")
        return super().write(fd, data)


@pytest.fixture
def disk() -> FullDisk:
    return FullDisk()


@pytest.fixture
def stage(qtbot: QtBot, tmp_path: Path, disk: FullDisk) -> Iterator[Stage]:
    stage = Stage(tmp_path / "mini_prompts.json", disk)
    qtbot.addWidget(stage.window)
    stage.window.resize(760, 640)
    with qtbot.waitActive(stage.window):
        stage.window.show()
        stage.window.activateWindow()
    stage.composer.focus_text()
    yield stage
    stage.control.detach()
    for work in stage.work:
        work.close()
    disk.is_full = False
    stage.loop.run_until_complete(stage.prompts.aclose())
    stage.loop.close()
    stage.intake.close()
    gc.collect()
