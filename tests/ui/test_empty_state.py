"""A new conversation offers the ways to connect a model one click away, and is quiet once there is one."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from sam_py.providers.local import FoundServer
from sam_py.ui.chat.empty_state import EmptyState
from sam_py.ui.theme import DARK, LIGHT, Theme, Themes
from sam_py.ui.theme_style import stylesheet
from sam_py.ui.widgets.icons import Icons

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

OLLAMA = FoundServer("ollama", "Ollama", "http://127.0.0.1:11434/v1", ("qwen3:8b", "gemma3"))


@pytest.fixture
def empty(qtbot: QtBot) -> EmptyState:
    empty = EmptyState(Icons(Themes()))
    qtbot.addWidget(empty)
    empty.resize(900, 700)
    empty.show()
    return empty


def titles(empty: EmptyState) -> list[str]:
    return [card.text() for card in empty.cards]


def test_a_found_server_is_one_click_away(empty: EmptyState, qtbot: QtBot) -> None:
    empty.set_found([OLLAMA])
    assert titles(empty) == ["Use Ollama", "Open a model file", "Use an API key", "Enter an address"]
    with qtbot.waitSignal(empty.local_server_chosen) as chosen:
        empty.cards[0].click()
    assert chosen.args == [OLLAMA]


def test_without_a_server_it_says_how_to_get_one_and_looks_again(empty: EmptyState, qtbot: QtBot) -> None:
    assert titles(empty)[0] == "Run one here"
    with qtbot.waitSignal(empty.look_again_requested):
        empty.cards[0].click()


def test_keys_and_addresses_are_one_click_away_by_the_keyboard_too(empty: EmptyState, qtbot: QtBot) -> None:
    asked: list[str] = []
    empty.add_key_requested.connect(asked.append)
    for card in empty.cards[2:]:
        QTest.keyClick(card, Qt.Key.Key_Return)
    assert asked == ["", "compatible"]


def test_a_model_file_is_one_click_away(empty: EmptyState, qtbot: QtBot) -> None:
    with qtbot.waitSignal(empty.model_file_requested):
        next(card for card in empty.cards if card.text() == "Open a model file").click()


def test_what_to_install_can_be_copied_and_tried_again(empty: EmptyState, qtbot: QtBot) -> None:
    note = empty.note
    assert not note.isVisible()
    note.say("llama.cpp is missing.", trouble=True, command="brew install llama.cpp")
    assert note.isVisible()
    assert not note.cancel.isVisible()
    note.copy.click()
    assert QGuiApplication.clipboard().text() == "brew install llama.cpp"
    with qtbot.waitSignal(empty.model_file_requested):
        note.retry.click()
    note.say("Loading tiny.")
    assert note.cancel.isVisible()
    assert not note.retry.isVisible()
    note.clear()
    assert not note.isVisible()


def test_a_suggestion_is_asked_in_its_own_words(empty: EmptyState, qtbot: QtBot) -> None:
    with qtbot.waitSignal(empty.suggestion_chosen) as chosen:
        empty.suggestions[0].click()
    assert chosen.args == ["Show me what formatting looks like"]


def test_with_a_model_it_names_it_and_offers_nothing_to_connect(empty: EmptyState) -> None:
    empty.set_model("ol", "qwen3:8b")
    assert empty.about.text() == "You are writing to qwen3:8b."
    assert empty.cards == []
    assert not any(pill.isVisible() for pill in empty.suggestions)
    empty.set_model("guide", "Offline guide")
    assert len(empty.cards) == 4


@pytest.mark.parametrize("width", [400, 640, 900, 1600])
@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_nothing_is_cut_off_at_any_width(empty: EmptyState, qtbot: QtBot, width: int, scale: float) -> None:
    themes = empty._themes
    themes.use(Theme(DARK, dark=True).scaled(scale))
    empty.set_found([OLLAMA])
    empty.resize(width, 700)

    page = empty.widget()
    assert page is not None

    def is_whole() -> bool:
        high_enough = all(card.height() >= card.heightForWidth(card.width()) for card in empty.cards)
        rights = [widget.mapTo(page, widget.rect().topRight()).x() for widget in (*empty.cards, *empty.suggestions)]
        return high_enough and max(rights) <= width and empty.horizontalScrollBar().maximum() == 0

    qtbot.waitUntil(is_whole)


def test_headings_keep_their_look_under_a_style_sheet_and_a_new_parent(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.setStyleSheet(stylesheet(Theme(LIGHT, dark=False)))
    empty = EmptyState(Icons(Themes()), window)
    inner = QWidget(window)
    QVBoxLayout(inner).addWidget(empty)
    window.show()
    heading = empty._connect_title
    assert heading.palette().windowText().color().name() == LIGHT.text_muted
    assert heading.font().weight() == QFont.Weight.DemiBold


def test_with_a_model_at_hand_the_guide_does_not_say_that_there_is_none(empty: EmptyState) -> None:
    empty.set_model("guide", "", is_connected=True)
    assert empty.cards == []
    assert "No model is connected" not in empty.about.text()
    assert all(pill.isVisible() for pill in empty.suggestions)


@pytest.mark.parametrize(("width", "height", "scale"), [(760, 310, 2.0), (760, 260, 1.0), (420, 330, 1.0)])
def test_with_little_height_the_ways_to_connect_are_in_view_at_once(
    empty: EmptyState, qtbot: QtBot, width: int, height: int, scale: float
) -> None:
    empty._themes.use(Theme(LIGHT, dark=False).scaled(scale))
    empty.set_found([OLLAMA])
    empty.resize(width, height)
    view = empty.viewport()
    qtbot.waitUntil(
        lambda: all(view.rect().contains(card.rect().translated(card.mapTo(view, QPoint()))) for card in empty.cards)
    )
    assert empty.greeting.isVisible()
    assert all(card.toolTip() for card in empty.cards)
    empty.resize(900, 1600)
    assert not empty.is_low
    assert not any(card.toolTip() for card in empty.cards)
