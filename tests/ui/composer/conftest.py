"""A composer on a stage: its attachments are read when the test says so, and what it says is noted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from sam_py.errors import SamError
from sam_py.messages.parts import Parts
from sam_py.store.drafts import Draft
from sam_py.ui.chat.attachments_intake import Intake
from sam_py.ui.chat.composer import Composer
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.icons import Icons


class Running:
    """What `Tasks` is to the program: starts coroutines; here they run when the test says so."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.tasks: list[asyncio.Task[Any]] = []
        self.put_error: SamError | None = None
        self.stored: list[bytes] = []

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = self.loop.create_task(work)
        self.tasks.append(task)
        return task

    async def put(self, content: bytes) -> str:
        if self.put_error is not None:
            raise self.put_error
        self.stored.append(content)
        return f"hash{len(self.stored)}"

    def finish(self) -> None:
        """Run everything that was started until it has ended."""
        while waiting := [task for task in self.tasks if not task.done()]:
            self.loop.run_until_complete(asyncio.gather(*waiting, return_exceptions=True))
        self.tasks.clear()


@dataclass
class Waiting:
    text: str
    parts: Parts = ()
    held: bool = False


@dataclass
class Said:
    """Everything that the composer announced."""

    sent: list[tuple[str, Parts]]
    drafts: list[Draft]
    stops: list[bool]


@pytest.fixture
def running() -> Iterator[Running]:
    running = Running()
    yield running
    for task in running.tasks:
        task.cancel()
    running.finish()
    running.loop.close()


@pytest.fixture
def composer(qtbot: QtBot, running: Running) -> Iterator[Composer]:
    themes = Themes()
    intake = Intake(running.put)
    composer = Composer(Icons(themes), intake, running.spawn)
    qtbot.addWidget(composer)
    composer.resize(760, 160)
    with qtbot.waitActive(composer):
        composer.show()
        composer.activateWindow()
    composer.focus_text()
    yield composer
    intake.close()


@pytest.fixture
def said(composer: Composer) -> Said:
    said = Said([], [], [])
    composer.send_requested.connect(lambda text, parts: said.sent.append((text, parts)))
    composer.draft_changed.connect(said.drafts.append)
    composer.stop_requested.connect(lambda: said.stops.append(True))
    return said


def typed(composer: Composer, text: str) -> None:
    QTest.keyClicks(composer.text, text)


def press(composer: Composer, key: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(composer.text, key, held)


def paste(composer: Composer, text: str) -> None:
    QApplication.clipboard().setText(text)
    composer.text.paste()


def pasted_mime(composer: Composer, fill: Callable[[QMimeData], None]) -> None:
    mime = QMimeData()
    fill(mime)
    QApplication.clipboard().setMimeData(mime)
    composer.text.paste()


def dropped(composer: Composer, mime: QMimeData) -> None:
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    held = Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(20, 20), copy, mime, left, held)
    QApplication.sendEvent(composer, enter)
    assert enter.isAccepted()
    assert composer.box.drop_words == "Drop to attach"
    QApplication.sendEvent(composer, QDropEvent(QPointF(20, 20), copy, mime, left, held))
    assert composer.box.drop_words == ""
