"""The panel of mini prompts, with keys and mouse: ticked, ordered, written, put away, and never in the way."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QAbstractItemModel, QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.modeltest import ModelTester

from sam_py.bus.message_bus import MessageBus
from sam_py.reminders.mini_prompts import TEXT_MOST, MiniPrompt
from tests.ui.mini_prompts.conftest import FullDisk, Stage

Key = Qt.Key
ALT, CTRL, LEFT = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier, Qt.MouseButton.LeftButton


def choose(words: str) -> None:
    """Choose from the menu that is open."""
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    action = next(each for each in menu.actions() if each.text().split("\t")[0] == words)
    assert action.isEnabled()
    action.trigger()
    menu.close()


def test_the_panel_opens_takes_the_keyboard_and_gives_it_back(stage: Stage) -> None:
    stage.add("brief", "kind")
    stage.composer.prompts_button.click()
    assert stage.panel.isVisible()
    assert stage.window.focusWidget() is stage.panel.page.list
    assert [index.row() for index in stage.panel.page.list.selectedIndexes()] == [0]
    assert stage.panel.geometry().bottom() <= stage.composer.box.mapTo(stage.window, QPoint(0, 0)).y() + 8
    stage.press(Key.Key_Escape)
    assert not stage.panel.isVisible()
    assert stage.window.focusWidget() is stage.composer.text
    stage.composer.prompts_button.click()
    stage.composer.prompts_button.click()
    assert not stage.panel.isVisible()


def test_the_panel_closes_when_the_keyboard_goes_elsewhere(stage: Stage) -> None:
    stage.add("brief")
    stage.control.toggle_panel()
    stage.composer.focus_text()
    assert not stage.panel.isVisible()
    assert stage.window.focusWidget() is stage.composer.text


def test_a_tick_is_a_setting_of_the_conversation_and_counted_on_the_button(stage: Stage) -> None:
    stage.add("brief", "kind", "formal")
    stage.control.toggle_panel()
    stage.press(Key.Key_Down)
    stage.press(Key.Key_Space)
    QTest.mouseClick(stage.panel.page.list.viewport(), LEFT, pos=stage.centre_of(2))
    assert stage.bus.settings.mini_prompts == ("kind", "formal")
    assert stage.names == ["-brief", "+kind", "+formal"]
    assert stage.composer.prompts_button.text() == "Prompts · 2"
    stage.press(Key.Key_Space)
    assert stage.bus.settings.mini_prompts == ("kind",)
    other = MessageBus("other")
    stage.control.attach(other)
    assert stage.composer.prompts_button.text() == "Prompts"
    assert stage.names == ["-brief", "-kind", "-formal"]


def test_a_person_who_begins_is_offered_examples_that_a_click_adds(stage: Stage) -> None:
    stage.control.toggle_panel()
    stage.press(Key.Key_Return)
    assert stage.names == ["+Short answers"]
    assert stage.window.focusWidget() is stage.panel.page.list
    rest = [pill for pill in stage.panel.more_examples.pills if pill.isVisible()]
    assert [pill.text() for pill in rest] == ["Ask first", "Say how sure"]
    rest[0].click()
    assert stage.names == ["+Short answers", "+Ask first"]
    stage.press(Key.Key_Escape)
    stage.control.toggle_panel()
    assert stage.panel.more_examples.isHidden()
    stage.save()
    assert "Short answers" in stage.prompts.path.read_text()  # type: ignore[union-attr]


def test_a_prompt_is_written_with_keys_alone(stage: Stage) -> None:
    stage.add("brief")
    stage.control.toggle_panel()
    stage.press(Key.Key_Tab)
    assert stage.window.focusWidget() is stage.panel.new_button
    stage.press(Key.Key_Return)
    stage.type("Plain words")
    stage.press(Key.Key_Return)
    stage.type("No jargon.")
    stage.press(Key.Key_Tab)
    stage.press(Key.Key_Space)
    stage.press(Key.Key_Return, CTRL)
    new = stage.prompts.all()[-1]
    assert (new.name, new.text, new.conversations) == ("Plain words", "No jargon.", ("here",))
    assert stage.names == ["-brief", "+Plain words"]
    assert stage.panel.page.list.current_id == new.id
    stage.control.attach(MessageBus("other"))
    assert stage.names == ["-brief"]


def test_what_is_missing_or_too_long_is_said_at_its_field(stage: Stage) -> None:
    stage.control.toggle_panel()
    stage.panel.new_button.click()
    editor = stage.panel.editor
    editor.save_button.click()
    assert editor.name_trouble.text() == "Give it a name."
    assert stage.window.focusWidget() is editor.name
    stage.type("Long")
    assert editor.name_trouble.text() == ""
    editor.text.setPlainText("x" * (TEXT_MOST + 1))
    assert "8001 characters" in editor.text_trouble.text().replace(",", "")
    editor.save_button.click()
    assert stage.prompts.all() == ()
    assert stage.window.focusWidget() is editor.text


def test_what_was_typed_is_there_when_the_panel_comes_back(stage: Stage) -> None:
    stage.add("brief")
    stage.control.toggle_panel()
    stage.panel.new_button.click()
    stage.type("Half a na")
    stage.press(Key.Key_Escape)
    assert not stage.panel.isVisible()
    stage.control.attach(MessageBus("other"))
    stage.control.toggle_panel()
    assert stage.panel.editor.name.text() == "Half a na"
    stage.panel.editor.cancel_button.click()
    stage.panel.new_button.click()
    assert stage.panel.editor.name.text() == ""
    stage.press(Key.Key_Escape)  # nothing would be lost: back to the list
    assert stage.panel.stack.currentWidget() is stage.panel.page


def test_leaving_the_editor_for_the_list_keeps_what_was_typed(stage: Stage) -> None:
    stage.add("brief")
    stage.control.toggle_panel()
    stage.panel.new_button.click()
    stage.type("Half a na")
    stage.panel.back_button.click()
    assert stage.names == ["-brief"]
    stage.panel.new_button.click()
    assert stage.panel.editor.name.text() == "Half a na"
    stage.panel.back_button.click()
    stage.control._act("edit", "brief")
    assert stage.panel.editor.name.text() == "brief"
    stage.panel.editor.cancel_button.click()
    stage.panel.new_button.click()
    assert stage.panel.editor.name.text() == "Half a na"


def test_rows_are_ordered_by_dragging_and_by_keys_and_saved_so(stage: Stage) -> None:
    stage.add("a", "b", "c", "d")
    stage.prompts.put(MiniPrompt(id="unseen", name="unseen", text="x", conversations=("other",)), 1)
    stage.control.toggle_panel()
    port = stage.panel.page.list.viewport()
    QTest.mousePress(port, LEFT, pos=stage.centre_of(0))
    for row in (1, 2):
        QTest.mouseMove(port, stage.centre_of(row))
        QApplication.processEvents()
    assert stage.names == ["-b", "-c", "-a", "-d"]
    assert [prompt.id for prompt in stage.prompts.all()] == ["a", "unseen", "b", "c", "d"]
    QTest.mouseRelease(port, LEFT, pos=stage.centre_of(2))
    assert [prompt.id for prompt in stage.prompts.all()] == ["b", "unseen", "c", "a", "d"]
    assert stage.bus.settings.mini_prompts == ()  # a drag ticks nothing
    stage.press(Key.Key_Down, ALT)
    stage.press(Key.Key_Down, ALT)
    assert stage.names == ["-b", "-c", "-d", "-a"]
    stage.save()
    text = stage.prompts.path.read_text()  # type: ignore[union-attr]
    assert [text.index(f'"id": "{each}"') for each in "bcda"] == sorted(text.index(f'"id": "{e}"') for e in "bcda")


def test_a_deleted_prompt_can_be_brought_back(stage: Stage) -> None:
    stage.add("a", "b", "c", on=True)
    stage.control.toggle_panel()
    stage.press(Key.Key_Down)
    stage.press(Key.Key_Delete)
    assert stage.names == ["+a", "+c"]
    assert stage.panel.page.list.current_id == "c"
    assert stage.panel.undo_line.words.text() == "“b” was deleted."
    stage.panel.new_button.click()
    assert not stage.panel.undo_line.isVisible()
    stage.press(Key.Key_Escape)
    stage.press(Key.Key_Z, CTRL)
    assert stage.names == ["+a", "+b", "+c"]
    assert stage.panel.page.list.current_id == "b"
    assert not stage.panel.undo_line.isVisible()


def test_deleting_the_only_prompt_leaves_examples_and_an_undo(stage: Stage) -> None:
    stage.add("a", on=True)
    stage.control.toggle_panel()
    stage.press(Key.Key_Delete)
    assert stage.window.focusWidget() is stage.panel.examples.cards[0]
    assert stage.composer.prompts_button.text() == "Prompts"
    stage.panel.undo_line.action.click()
    assert stage.names == ["+a"]


def test_a_prompt_deleted_elsewhere_is_off_without_a_word(stage: Stage) -> None:
    stage.add("a", "b", on=True)
    stage.control.toggle_panel()
    stage.prompts.remove("a")
    assert stage.names == ["+b"]
    assert stage.composer.prompts_button.text() == "Prompts · 1"
    stage.control._act("edit", "a")
    assert stage.panel.stack.currentWidget() is stage.panel.page


def test_the_menu_copies_moves_and_puts_the_text_into_the_message(stage: Stage) -> None:
    stage.add("a", "b")
    stage.composer.text.set_text("before ")
    stage.control.toggle_panel()
    view = stage.panel.page.list
    view.open_menu()
    choose("Duplicate")
    assert stage.names == ["-a", "-a 2", "-b"]
    view.open_menu()
    choose("Move up")
    assert stage.names == ["-a 2", "-a", "-b"]
    view.open_menu()
    choose("Insert into the message")
    assert stage.composer.text.text() == "before Be a."
    assert stage.window.focusWidget() is stage.composer.text
    assert not stage.panel.isVisible()


def test_many_prompts_can_be_searched(stage: Stage) -> None:
    stage.add(*(f"p{number}" for number in range(8)))
    stage.control.toggle_panel()
    assert stage.panel.page.search.isHidden()
    stage.add("Haiku")
    assert stage.panel.page.search.isVisible()
    stage.press(Key.Key_Up)
    stage.type("be hai")
    assert stage.names == ["-Haiku"]
    stage.press(Key.Key_Down)
    stage.press(Key.Key_Space)
    assert stage.bus.settings.mini_prompts == ("Haiku",)
    stage.press(Key.Key_Escape)
    stage.control.toggle_panel()
    assert len(stage.names) == 9


def test_a_file_that_cannot_be_written_is_said_and_tried_again(stage: Stage, disk: FullDisk) -> None:
    stage.add("a")
    stage.control._save()
    stage.save()
    stage.control.toggle_panel()
    disk.is_full = True
    stage.press(Key.Key_Delete)
    stage.save()
    assert stage.panel.trouble_line.isVisible()
    assert "space" in stage.panel.trouble_line.words.text()
    assert stage.troubles == []
    disk.is_full = False
    stage.panel.trouble_line.action.click()
    stage.save()
    assert not stage.panel.trouble_line.isVisible()
    assert '"a"' not in stage.prompts.path.read_text()  # type: ignore[union-attr]


def test_the_button_keeps_to_the_room_that_is_there(stage: Stage) -> None:
    button = stage.composer.prompts_button
    stage.add("a", on=True)
    button.fit(700)
    assert button.text() == "Prompts · 1"
    button.fit(420)
    assert button.text() == "1"
    button.fit(200)
    assert button.isHidden()
    assert button.accessibleName() == "Mini prompts: 1 switched on"


def test_the_panel_stays_within_a_small_window(stage: Stage) -> None:
    stage.add(*(f"p{number}" for number in range(20)))
    stage.control.toggle_panel()
    for size in ((420, 360), (300, 260), (900, 900)):
        stage.window.resize(*size)
        assert stage.window.rect().contains(stage.panel.geometry())
        assert stage.panel.height() > 120


def test_the_rows_are_a_sound_model_whatever_happens_to_them(stage: Stage, qtmodeltester: ModelTester) -> None:
    stage.add("a", "b", "c", on=True)
    rows = stage.panel.page.rows
    assert isinstance(rows, QAbstractItemModel)
    qtmodeltester.check(rows)
    rows.move(0, 2)
    rows.move(2, 1)
    assert rows.ids == ["b", "a", "c"]
    rows.settle()
    assert [prompt.id for prompt in stage.prompts.all()] == ["b", "a", "c"]
    rows.search("be c")
    assert not rows.move(0, 1)
    qtmodeltester.check(rows)
    rows.setData(rows.index(0), Qt.CheckState.Unchecked, Qt.ItemDataRole.CheckStateRole)
    assert stage.bus.settings.mini_prompts == ("a", "b")


def test_a_screen_reader_hears_name_place_and_tick(stage: Stage) -> None:
    stage.prompts.put(MiniPrompt(id="a", name="Brief", text="Be brief.", conversations=("here",)))
    stage.control.switch("a", True)
    stage.control.toggle_panel()
    row = QAccessible.queryAccessibleInterface(stage.panel.page.list).child(0)
    assert row.text(QAccessible.Text.Name) == "Brief, only in this conversation, Be brief."
    assert row.state().checkable
    assert row.state().checked
    stage.press(Key.Key_Space)
    assert not row.state().checked


@pytest.mark.parametrize("words", ["<b>bold</b>", "a\u202egpj.exe", "x" * 3000])
def test_any_words_are_drawn_as_they_are(stage: Stage, words: str) -> None:
    stage.prompts.put(MiniPrompt(name=words[:80], text=words))
    stage.control.toggle_panel()
    stage.panel.grab()
    assert stage.panel.page.rows.rowCount() == 1
