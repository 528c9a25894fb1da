"""The palette finds commands and conversations, and runs one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from sam_py.store.summary import ConversationSummary
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.command_palette import CommandPalette
from sam_py.ui.widgets.fuzzy import rank

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

NOW = datetime(2026, 3, 4, tzinfo=UTC)


class SomeActions:
    def __init__(self, window: QWidget) -> None:
        self.ran: list[str] = []
        self.actions: list[tuple[Any, QAction]] = []
        for name, text, menu in (
            ("new", "New chat", "&File"),
            ("zoom", "Larger text", "&View"),
            ("palette", "All commands…", "&Help"),
            ("about", "About SAM", "&Help"),
        ):
            action = QAction(text, window)
            action.setObjectName(name)
            action.triggered.connect(lambda _checked=False, name=name: self.ran.append(name))
            self.actions.append((SimpleNamespace(menu=menu), action))

    def listed(self) -> Iterable[tuple[Any, QAction]]:
        return self.actions


class Stage:
    def __init__(self, window: QWidget, actions: SomeActions) -> None:
        self.window, self.actions = window, actions
        self.before = QLineEdit(window)
        QVBoxLayout(window).addWidget(self.before)
        self.opened: list[str] = []

    def open(self) -> CommandPalette:
        summaries = [ConversationSummary("c1", "Trip to Lisbon", NOW, NOW), ConversationSummary("c2", "<b>x", NOW, NOW)]
        return CommandPalette.open_over(self.window, Themes(), self.actions, summaries, self.opened.append)


@pytest.fixture
def stage(qtbot: Any) -> Iterator[Stage]:
    CommandPalette.recent.clear()
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(800, 600)
    stage = Stage(window, SomeActions(window))
    with qtbot.waitExposed(window):
        window.show()
    stage.before.setFocus()
    yield stage
    CommandPalette.recent.clear()


def texts(palette: CommandPalette) -> list[str]:
    return [palette.model.index(row).data() for row in range(palette.model.rowCount())]


def test_the_palette_lists_every_command_but_itself_and_then_conversations(stage: Stage) -> None:
    assert texts(stage.open()) == ["New chat", "Larger text", "About SAM", "Trip to Lisbon", "<b>x"]


def test_letters_find_a_command_and_enter_runs_it(stage: Stage, qtbot: Any) -> None:
    palette = stage.open()
    qtbot.keyClicks(palette.field, "lartex")
    assert texts(palette)[0] == "Larger text"
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert stage.actions.ran == ["zoom"]
    assert not palette.isVisible()


def test_a_conversation_opens_by_its_title(stage: Stage, qtbot: Any) -> None:
    palette = stage.open()
    qtbot.keyClicks(palette.field, "lisb")
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert stage.opened == ["c1"]


def test_the_command_run_last_comes_first(stage: Stage, qtbot: Any) -> None:
    palette = stage.open()
    qtbot.keyClicks(palette.field, "about")
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert texts(stage.open())[0] == "About SAM"


def test_escape_gives_the_keyboard_back(stage: Stage, qtbot: Any) -> None:
    palette = stage.open()
    qtbot.keyClick(palette.field, Qt.Key.Key_Escape)
    assert not palette.isVisible()
    assert stage.window.focusWidget() is stage.before
    assert not stage.actions.ran


def test_arrows_go_round(stage: Stage, qtbot: Any) -> None:
    palette = stage.open()
    qtbot.keyClick(palette.field, Qt.Key.Key_Up)
    assert palette.list.currentIndex().row() == palette.model.rowCount() - 1
    qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    assert palette.list.currentIndex().row() == 0


def test_a_click_beside_the_palette_closes_it(stage: Stage, qtbot: Any) -> None:
    palette = stage.open()
    qtbot.mouseClick(palette, Qt.MouseButton.LeftButton, pos=palette.rect().bottomLeft())
    assert not palette.isVisible()


def test_asking_twice_opens_one_palette(stage: Stage) -> None:
    assert stage.open() is stage.open()


def test_the_palette_follows_the_window_s_size(stage: Stage, qtbot: Any) -> None:
    palette = stage.open()
    stage.window.resize(420, 360)
    qtbot.waitUntil(lambda: palette.size() == stage.window.size())
    assert palette.panel.geometry().right() < 420


def test_nothing_found_says_so_and_enter_does_nothing(stage: Stage, qtbot: Any) -> None:
    palette = stage.open()
    qtbot.keyClicks(palette.field, "qqqq")
    palette.grab()
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()


@pytest.mark.parametrize(
    ("needle", "better", "worse"),
    [("se", "Settings", "Close"), ("nc", "New chat", "Announce"), ("copy", "Copy the reply", "A photocopy")],
)
def test_beginnings_rank_before_letters_inside(needle: str, better: str, worse: str) -> None:
    first, second = rank(needle, better), rank(needle, worse)
    assert first is not None
    assert second is None or first > second


def test_the_palette_s_model_keeps_qt_s_rules(stage: Stage, qtmodeltester: Any) -> None:
    qtmodeltester.check(stage.open().model)
