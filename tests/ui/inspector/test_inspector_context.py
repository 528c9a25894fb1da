"""The context tab: the window in numbers, each message's fate, and what a person changes about it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from sam_py.messages.turn import Limits
from sam_py.providers.base import Finished
from sam_py.store.drafts import Draft, Edit
from tests.ui.inspector.conftest import SMALL


def choose(bench: Any, message_id: str) -> None:
    bench.page.list.choose(message_id)
    assert not bench.page.strip.isHidden()


def test_the_page_shows_the_window_and_the_fate_of_each_message(bench: Any) -> None:
    bench.say_much()
    bench.draft = Draft(text="And now?")
    tester = QAbstractItemModelTester(bench.page.rows, QAbstractItemModelTester.FailureReportingMode.Fatal)
    bench.open()
    page = bench.page
    assert "of 1500 tokens" in page.headline.text()
    told = page.bar.accessibleDescription()
    assert "For the reply: 200 tokens" in told
    assert "Left out: " in told
    titles = bench.titles()
    assert len(titles) == 61
    assert titles[0].startswith("And now?. What you are writing · Sent")
    assert titles[-1].startswith("Question 0. You · Sent, pinned. ")
    assert "Left out, least important. 0 of" in titles[-4]
    assert page.filter.itemText(0) == "All messages (61)"
    page.filter.chosen.emit("left_out")
    assert all("Left out" in title for title in bench.titles())
    assert 20 < len(bench.titles()) < 61
    assert tester.model() is page.rows


def test_what_a_person_says_of_a_message_counts_at_once(bench: Any) -> None:
    bench.say_much()
    bench.open()
    first_reply = bench.bus.id_at(1)
    choose(bench, first_reply)
    strip = bench.page.strip
    assert "left out" in strip.reason.text()
    strip.keep.click()
    bench.settle()
    assert bench.bus.get(first_reply).context == "keep"
    assert "you chose to keep it" in strip.reason.text()
    assert strip.keep.isChecked()
    strip.never.click()
    bench.settle()
    assert bench.bus.get(first_reply).context == "never"
    assert "It is not sent" in strip.reason.text()
    strip.never.click()
    bench.settle()
    assert bench.bus.get(first_reply).context == ""
    strip.pin.click()
    bench.settle()
    assert bench.bus.get(first_reply).pinned
    assert strip.pin.text() == "Unpin"


def test_pins_that_exceed_the_window_are_warned_of(bench: Any) -> None:
    bench.bus.add_user_message("long words " * 1500, pinned=True)
    bench.open()
    assert "more than" in bench.page.warning.text()
    assert bench.page.warning.isVisible()


def test_nothing_is_worked_out_while_a_reply_streams_or_nobody_looks(bench: Any, qtbot: QtBot) -> None:
    bench.say_much(3)
    bench.provider.say("First ")
    task = bench.loop.create_task(bench.session.send("And now?"))
    bench.turn(lambda: bench.session.state.phase == "streaming")
    bench.open()
    looks = bench.looks
    assert bench.titles()[0].startswith("The reply that is being written")
    for _ in range(100):
        bench.provider.say("more ")
        bench.turn(lambda: True)
    bench.turn()
    assert (bench.looks, bench.inspector.watch._soon.isActive()) == (looks, False)
    bench.inspector.show_tab("todo")
    bench.provider.say(Finished("stop"))
    bench.turn(task.done)
    assert not bench.inspector.watch._soon.isActive()
    bench.inspector.show_tab("context")
    bench.settle()
    assert bench.looks == looks + 1
    assert bench.titles()[0].startswith("First more")


def test_a_refresh_keeps_the_chosen_message_and_its_place(bench: Any) -> None:
    bench.say_much()
    bench.open()
    chosen = bench.bus.id_at(10)
    choose(bench, chosen)
    resets = []
    bench.page.rows.modelReset.connect(lambda: resets.append(1))
    bench.draft = Draft(text="x")
    bench.inspector.draft_changed()
    bench.settle()
    bench.draft = Draft()
    bench.inspector.draft_changed()
    bench.settle()
    bench.bus.add_user_message("One more", pinned=False)
    bench.settle()
    assert (resets, bench.page.list.current_id()) == ([], chosen)
    assert bench.titles()[0].startswith("One more")


def test_an_edit_of_an_earlier_message_shows_what_would_be_sent_in_its_place(bench: Any) -> None:
    bench.say_much(4)
    bench.draft = Draft(text="waits behind", edit=Edit(message_id=bench.bus.id_at(2), text="Asked otherwise"))
    bench.open()
    assert [title.split(".")[0] for title in bench.titles()] == ["Asked otherwise", "Answer 0", "Question 0"]


def test_a_summary_is_made_with_a_press_and_told_where_it_fails(bench: Any) -> None:
    bench.say_much(6)
    bench.open()
    page = bench.page
    bench.provider.say("They spoke of ")
    page.summarise.click()
    bench.turn(lambda: bench.provider.open)
    assert not page.summarise.isEnabled()
    page.cancel.click()
    bench.turn(lambda: page.summarise.isEnabled())
    assert bench.provider.open == 0
    bench.provider.forget()
    bench.provider.answer("They spoke of words.")
    page.summarise.click()
    bench.turn(lambda: page.told.text().startswith("Done"))
    bench.settle()
    (summary,) = (message for message in bench.bus.messages() if message.role == "developer")
    assert any("Summarised, in a summary" in title for title in bench.titles())
    assert any("Summary · Sent, stands for others" in title for title in bench.titles())
    bench.provider.limits = Limits()
    bench.bus.annotate(bench.bus.id_at(0), importance=0.4)
    bench.settle()
    assert "Left out: " in page.bar.accessibleDescription()
    assert page.warning.text().endswith("is not known, so nothing is left out for lack of room.")
    bench.provider.limits = SMALL
    bench.bus.remove(summary.id)
    for index in range(6):
        bench.bus.annotate(bench.bus.id_at(index), pinned=True)
    page.summarise.click()
    bench.turn(lambda: page.told.text().startswith("There is nothing to summarise"))
    assert page.told.isVisible()


def test_enter_on_a_message_shows_it_and_escape_closes(bench: Any, qtbot: QtBot) -> None:
    bench.say_much(3)
    bench.open()
    chosen = bench.bus.id_at(2)
    choose(bench, chosen)
    with qtbot.waitSignal(bench.inspector.jump_requested) as jumped:
        QTest.keyClick(bench.page.list, Qt.Key.Key_Return)
    assert jumped.args == [chosen]
    with qtbot.waitSignal(bench.page.list.menu_requested) as asked:
        QTest.keyClick(bench.page.list, Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    assert asked.args[0] == chosen
    menu = QApplication.activePopupWidget()
    assert [action.text() for action in menu.actions()][:3] == ["Show it in the conversation", "Copy", "Unpin"]
    menu.actions()[4].trigger()
    menu.close()
    assert bench.bus.get(chosen).context == "never"
    with qtbot.waitSignal(bench.inspector.closed):
        QTest.keyClick(bench.page.list, Qt.Key.Key_Escape)


def test_the_pinned_tab_says_how_important_each_is_and_lets_it_go(bench: Any) -> None:
    bench.say_much(3)
    must = bench.bus.add_user_message("It must not exceed 500 euros.", pinned=True)
    bench.open()
    bench.inspector.show_tab("pinned")
    page = bench.inspector.pinned
    assert bench.titles(page.rows)[0] == "It must not exceed 500 euros.. You · Importance 0.90 (constraint)"
    assert page.rows.rowCount() == 3
    page.list.choose(must.id)
    page.strip.pin.click()
    bench.settle()
    assert bench.titles(page.rows)[0].startswith("Question 1.")
    assert page.rows.rowCount() == 2


def test_the_tasks_follow_the_conversation(bench: Any) -> None:
    bench.open()
    page = bench.inspector.todo
    assert page.headline.text() == "There are no tasks"
    bench.bus.change_setting("todo", {"items": [{"id": 1, "title": "Cook", "status": "completed"}]})
    assert page.headline.text() == "1 of 1 done"
