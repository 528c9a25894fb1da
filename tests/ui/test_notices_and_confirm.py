"""Notices never block and can be acted on by the keyboard; a question calls back and waits for nobody."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from sam_py.ui.theme import Themes
from sam_py.ui.widgets.confirm import Confirm
from sam_py.ui.widgets.icons import Icons
from sam_py.ui.widgets.notices import MOST, Notices

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    window.resize(800, 600)
    QLineEdit(window).setObjectName("box")
    qtbot.addWidget(window)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    return window


@pytest.fixture
def notices(window: QWidget) -> Notices:
    themes = Themes(parent=window)
    return Notices(themes, Icons(themes), window)


def test_a_notice_goes_by_itself(notices: Notices, qtbot: QtBot) -> None:
    notices.show_notice("Copied", timeout_ms=1)
    assert notices.isVisible()
    qtbot.waitUntil(lambda: notices.notices == ())
    assert notices.isHidden()


def test_an_error_stays_until_it_is_dismissed(notices: Notices) -> None:
    notices.show_notice("The disk is full.", kind="error")
    assert not notices.notices[0]._timer.isActive()
    notices.notices[0].close_button.click()
    assert notices.notices == ()


def test_what_is_said_of_one_conversation_goes_with_it(notices: Notices) -> None:
    notices.show_notice("The disk is full.", kind="error")
    for _again in range(2):
        notices.say_of("one", ["This conversation is damaged."])
    assert [notice.text for notice in notices.notices] == ["The disk is full.", "This conversation is damaged."]
    assert not notices.notices[1]._timer.isActive()
    notices.say_of("other", [])
    assert [notice.text for notice in notices.notices] == ["The disk is full."]


def test_a_notice_does_not_take_the_focus(notices: Notices, window: QWidget) -> None:
    box = window.findChild(QLineEdit, "box")
    assert box is not None
    box.setFocus()
    notices.show_notice("Deleted", action_text="Undo", on_action=lambda: None)
    assert box.hasFocus()


def test_the_action_is_reached_by_the_keyboard_and_done_once(notices: Notices) -> None:
    done: list[str] = []
    notices.show_notice("Deleted", action_text="Undo", on_action=lambda: done.append("undone"))
    assert notices.focus_latest()
    action = notices.notices[0].action
    assert action is not None
    assert action.hasFocus()
    QTest.keyClick(action, Qt.Key.Key_Return)
    assert done == ["undone"]
    assert notices.notices == ()


def test_time_stands_still_while_the_keyboard_is_in_a_notice(notices: Notices, window: QWidget) -> None:
    notices.show_notice("Deleted", action_text="Undo", timeout_ms=60_000)
    clock = notices.notices[0]._timer
    assert clock.isActive()
    notices.focus_latest()
    assert not clock.isActive()
    box = window.findChild(QLineEdit, "box")
    assert box is not None
    box.setFocus()
    assert clock.isActive()


def test_escape_dismisses_the_notice_that_has_the_focus(notices: Notices) -> None:
    notices.show_notice("Deleted", action_text="Undo")
    notices.focus_latest()
    action = notices.notices[0].action
    assert action is not None
    QTest.keyClick(action, Qt.Key.Key_Escape)
    assert notices.notices == ()


def test_notices_stack_and_the_oldest_error_makes_room(notices: Notices) -> None:
    for n in range(MOST + 1):
        notices.show_notice(f"Problem {n}", kind="error")
    assert [notice.text for notice in notices.notices] == [f"Problem {n}" for n in range(1, MOST + 1)]


def test_the_same_words_are_not_shown_twice(notices: Notices) -> None:
    notices.show_notice("No connection", kind="error")
    notices.show_notice("No connection", kind="error")
    assert len(notices.notices) == 1


def test_markup_in_a_notice_is_shown_as_it_is(notices: Notices) -> None:
    notices.show_notice("“<b>x</b>.txt” is gone")
    assert notices.notices[0].label.textFormat() == Qt.TextFormat.PlainText


def test_notices_stay_above_what_must_not_be_covered(notices: Notices, window: QWidget) -> None:
    composer = QWidget(window)
    composer.setGeometry(100, 480, 600, 120)
    composer.show()
    notices.keep_above(composer)
    notices.show_notice("Copied")
    assert notices.geometry().bottom() < composer.geometry().top()
    composer.setGeometry(100, 300, 600, 300)
    assert notices.geometry().bottom() < 300
    assert notices.geometry().center().x() == pytest.approx(400, abs=2)


def test_a_narrow_window_narrows_the_notices(notices: Notices, window: QWidget) -> None:
    notices.show_notice("A sentence that is long enough to need more than one line in a narrow window.")
    window.resize(300, 500)
    assert notices.width() <= 300
    assert notices.geometry().bottom() < 500


def test_a_confirmed_question_calls_back_and_esc_does_not(window: QWidget, notices: Notices, qtbot: QtBot) -> None:
    called: list[bool] = []
    icons = notices._icons

    def ask() -> Confirm:
        question = Confirm.ask(window, icons, "Empty?", "Gone for good.", "Empty", lambda: called.append(True))
        qtbot.waitUntil(lambda: question.cancel_button.hasFocus())
        return question

    QTest.keyClick(ask(), Qt.Key.Key_Escape)
    assert called == []
    QTest.keyClick(ask().accept_button, Qt.Key.Key_Return)
    assert called == [True]


def test_the_same_error_again_stands_there_once(window: QWidget, notices: Notices) -> None:
    for _ in range(4):
        notices.show_notice("Something went wrong", kind="error", action_text="Open the log")
    notices.show_notice("Deleted “A”", action_text="Undo")
    notices.show_notice("Deleted “A”", action_text="Undo")
    assert [notice.text for notice in notices.notices] == ["Something went wrong", "Deleted “A”", "Deleted “A”"]
