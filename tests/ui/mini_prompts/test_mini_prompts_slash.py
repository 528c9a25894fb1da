"""A slash in an empty message offers mini prompts, and never stands in the way of a message that begins so."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from sam_py.ui.mini_prompts.slash import slash_words
from tests.ui.mini_prompts.conftest import Stage

Key = Qt.Key


@pytest.fixture
def sent(stage: Stage) -> list[str]:
    stage.add("brief", "kind words", "formal")
    sent: list[str] = []
    stage.composer.send_requested.connect(lambda text, _parts: sent.append(text))
    return sent


def offers(stage: Stage) -> list[str]:
    return stage.control.slash.rows.ids if stage.control.slash.isVisible() else []


def test_a_slash_offers_prompts_and_enter_takes_one(stage: Stage, sent: list[str]) -> None:
    stage.type("/")
    assert offers(stage) == ["brief", "kind words", "formal"]
    stage.press(Key.Key_Down)
    stage.press(Key.Key_Return)
    assert stage.composer.text.text() == "Be kind words."
    assert offers(stage) == []
    assert sent == []
    stage.composer.text.undo()
    assert stage.composer.text.text() == "/"


def test_letters_narrow_the_offer_to_words_that_begin_so(stage: Stage, sent: list[str]) -> None:
    stage.type("/wo")
    assert offers(stage) == ["kind words"]
    stage.press(Key.Key_Tab)
    assert stage.composer.text.text() == "Be kind words."
    assert stage.window.focusWidget() is stage.composer.text


def test_esc_means_the_slash_as_it_is(stage: Stage, sent: list[str]) -> None:
    stage.type("/f")
    stage.press(Key.Key_Escape)
    stage.type("o")
    assert offers(stage) == []
    stage.press(Key.Key_Return)
    assert sent == ["/fo"]
    stage.type("/fo")
    assert offers(stage) == ["formal"]


@pytest.mark.parametrize("text", ["/etc/hosts", "/x", "1/2", "hello /", "/for mal"])
def test_other_messages_with_slashes_are_sent_by_enter(stage: Stage, sent: list[str], text: str) -> None:
    stage.type(text)
    assert offers(stage) == []
    stage.press(Key.Key_Return)
    assert sent == [text]


def test_the_offer_goes_with_the_keyboard_and_a_click_takes_from_it(stage: Stage, sent: list[str]) -> None:
    stage.type("/")
    stage.composer.attach_button.setFocus()
    assert offers(stage) == []
    stage.composer.focus_text()
    stage.type("f")
    view = stage.control.slash.list
    place = view.visualRect(view.model().index(0, 0)).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert stage.composer.text.text() == "Be formal."


def test_nothing_is_made_for_messages_without_a_slash(stage: Stage) -> None:
    stage.type("hello")
    assert stage.control._slash is None
    assert slash_words("/" + "x" * 100) is None
