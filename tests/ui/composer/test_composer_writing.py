"""The composer: typing, sending, queueing, editing and the draft."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from sam_py.messages.parts import CodePart, ImagePart
from sam_py.settings.model import ModelChoice, ProviderSettings
from sam_py.store.drafts import Draft
from sam_py.ui.chat.composer import Composer
from sam_py.ui.theme import Theme
from tests.ui.composer.conftest import Running, Said, Waiting, paste, press, typed

# Sending


def test_enter_sends_and_empties_the_box(composer: Composer, said: Said) -> None:
    typed(composer, "Hello there")
    press(composer, Qt.Key.Key_Return)
    assert said.sent == [("Hello there", ())]
    assert composer.text.is_empty()
    assert said.drafts[-1] == Draft()


def test_shift_enter_breaks_the_line(composer: Composer, said: Said) -> None:
    typed(composer, "one")
    press(composer, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    typed(composer, "two")
    assert said.sent == []
    assert composer.text.text() == "one\ntwo"


def test_with_ctrl_enter_chosen_enter_breaks_the_line(composer: Composer, said: Said) -> None:
    composer.set_send_with("ctrl_enter")
    typed(composer, "one")
    press(composer, Qt.Key.Key_Return)
    typed(composer, "two")
    assert said.sent == []
    press(composer, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert said.sent == [("one\ntwo", ())]


def test_the_keypad_enter_sends_too(composer: Composer, said: Said) -> None:
    typed(composer, "12")
    press(composer, Qt.Key.Key_Enter, Qt.KeyboardModifier.KeypadModifier)
    assert said.sent == [("12", ())]


def test_nothing_but_white_space_is_not_sent(composer: Composer, said: Said) -> None:
    typed(composer, "   ")
    press(composer, Qt.Key.Key_Return)
    assert said.sent == []
    assert composer.text.text() == "   "


def test_enter_belongs_to_the_input_method_while_it_composes(composer: Composer, said: Said) -> None:
    QApplication.sendEvent(composer.text, QInputMethodEvent("にほん", []))
    press(composer, Qt.Key.Key_Return)
    assert said.sent == []
    commit = QInputMethodEvent("", [])
    commit.setCommitString("日本")
    QApplication.sendEvent(composer.text, commit)
    assert "日本" in composer.text.text()
    press(composer, Qt.Key.Key_Return)
    assert len(said.sent) == 1


def test_no_break_spaces_are_sent_as_they_were_typed(composer: Composer, said: Said) -> None:
    paste(composer, "Vraiment\u00a0?")
    composer.send()
    assert said.sent == [("Vraiment\u00a0?", ())]


def test_a_message_that_could_not_be_sent_comes_back_before_what_was_typed_since(composer: Composer) -> None:
    typed(composer, "next")
    composer.put_back("first", (CodePart(code="x"),))
    assert composer.draft() == Draft(text="first\n\nnext", parts=(CodePart(code="x"),))


def test_undo_and_redo_work_on_a_paste(composer: Composer) -> None:
    paste(composer, "some words")
    composer.text.undo()
    assert composer.text.is_empty()
    composer.text.redo()
    assert composer.text.text() == "some words"


# Busy


def test_escape_stops_only_while_a_reply_streams(composer: Composer, said: Said) -> None:
    press(composer, Qt.Key.Key_Escape)
    assert said.stops == []
    composer.set_busy(True)
    press(composer, Qt.Key.Key_Escape)
    assert said.stops == [True]


def test_while_busy_there_is_stop_and_with_text_also_send(composer: Composer, said: Said) -> None:
    composer.set_busy(True)
    assert composer.stop_button.isVisible()
    assert not composer.send_button.isVisible()
    typed(composer, "and then")
    assert composer.stop_button.isVisible()
    assert composer.send_button.isVisible()
    assert composer.send_button.accessibleName() == "Queue this message"
    press(composer, Qt.Key.Key_Return)
    assert said.sent == [("and then", ())]
    composer.set_busy(False)
    assert not composer.stop_button.isVisible()


def test_queued_messages_can_be_edited_and_removed(composer: Composer, qtbot: QtBot) -> None:
    composer.set_queued([Waiting("first"), Waiting("", (CodePart(code="x"),))])
    assert len(composer.queue.rows) == 2
    with qtbot.waitSignal(composer.queued_removed) as removed:
        composer.queue.rows[1].remove.click()
    assert removed.args == [1]
    with qtbot.waitSignal(composer.queued_edited) as edited:
        composer.queue.rows[0].edit.click()
    assert edited.args == [0]
    composer.set_queued([])
    assert not composer.queue.isVisible()


# Growing


def test_the_box_grows_to_ten_lines_and_then_scrolls(composer: Composer) -> None:
    heights = []
    for _line in range(14):
        heights.append(composer.text.height())
        press(composer, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert heights[:10] == sorted(set(heights[:10]))
    assert len(set(heights[10:])) == 1
    assert composer.text.verticalScrollBar().maximum() > 0
    composer.text.clear()
    assert composer.text.height() == heights[0]


def test_the_box_grows_with_the_text_scale(composer: Composer) -> None:
    before = composer.text.height()
    themes = composer.text._themes
    themes.use(themes.current.scaled(1.5))
    assert composer.text.height() > before * 1.3
    assert composer.text.viewport().font().pointSizeF() == themes.current.body_pt  # the placeholder's


# Editing


def test_up_in_an_empty_box_edits_the_last_message(composer: Composer, qtbot: QtBot) -> None:
    with qtbot.waitSignal(composer.edit_last_requested):
        press(composer, Qt.Key.Key_Up)
    typed(composer, "x")
    with qtbot.assertNotEmitted(composer.edit_last_requested):
        press(composer, Qt.Key.Key_Up)


def test_an_edit_is_submitted_with_its_message_and_the_draft_comes_back(
    composer: Composer, said: Said, qtbot: QtBot
) -> None:
    typed(composer, "a draft")
    composer.set_edit_mode("m1", "an old question", (CodePart(code="x"),))
    assert composer.banner.isVisible()
    typed(composer, "!")
    assert said.drafts[-1].text == "a draft"
    with qtbot.waitSignal(composer.edit_submitted) as submitted:
        press(composer, Qt.Key.Key_Return)
    assert submitted.args == ["m1", "an old question!", (CodePart(code="x"),)]
    assert said.sent == []
    assert composer.text.text() == "a draft"
    assert not composer.banner.isVisible()


def test_escape_cancels_an_edit_before_it_stops_a_reply(composer: Composer, said: Said, qtbot: QtBot) -> None:
    typed(composer, "a draft")
    composer.set_busy(True)
    composer.set_edit_mode("m1", "old")
    with qtbot.waitSignal(composer.edit_cancelled):
        press(composer, Qt.Key.Key_Escape)
    assert said.stops == []
    assert composer.text.text() == "a draft"


# Drafts


def test_another_conversations_draft_is_neither_announced_nor_undone_into(composer: Composer, said: Said) -> None:
    typed(composer, "for one")
    said.drafts.clear()
    composer.set_draft(Draft(text="for two"))
    assert said.drafts == []
    composer.text.undo()
    assert composer.text.text() == "for two"


def test_what_is_read_for_one_conversation_does_not_land_in_the_next(
    composer: Composer, running: Running, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("words", encoding="utf-8")
    composer.add_paths([tmp_path / "a.txt"])
    composer.set_draft(Draft(text="two"))
    running.finish()
    assert composer.draft() == Draft(text="two")


def test_a_draft_with_attachments_is_shown_as_it_was(composer: Composer) -> None:
    draft = Draft(text="half a thought", parts=(ImagePart(attachment="h", width=4, height=3, alt="cat.png"),))
    composer.set_draft(draft)
    assert composer.draft() == draft
    assert composer.chips.chips[0].item.name == "cat.png"


def test_the_placeholder_names_the_model(composer: Composer) -> None:
    composer.set_models((), ModelChoice(provider="x", model="/models/qwen3-8b.gguf"))
    assert composer.text.placeholderText() == "Message qwen3-8b"
    composer.set_models((), ModelChoice(provider="guide", model="guide"))
    assert composer.text.placeholderText() == "Ask the offline guide"


def test_the_model_button_opens_the_picker_with_the_models_of_that_moment(composer: Composer, qtbot: QtBot) -> None:
    providers = (ProviderSettings(id="ol", label="Ollama", models=("qwen3:8b",)),)
    guide = ModelChoice(provider="guide", model="guide")
    composer.model_menu_requested.connect(lambda: composer.set_models(providers, guide))
    composer.model_button.click()
    picker = composer.picker
    assert picker.isVisible()
    QTest.keyClick(picker.list, Qt.Key.Key_Up)
    with qtbot.waitSignal(composer.model_chosen) as chosen:
        QTest.keyClick(picker.list, Qt.Key.Key_Return)
    assert chosen.args == ["ol", "qwen3:8b"]


def test_every_control_has_a_name(composer: Composer) -> None:
    for button in (composer.attach_button, composer.model_button, composer.stop_button, composer.send_button):
        assert button.accessibleName()
    assert composer.text.accessibleName() == "Message"


def test_a_theme_change_repaints_without_a_warning(composer: Composer) -> None:
    composer.set_draft(Draft(text="x", parts=(CodePart(code="x", filename="a.py"),)))
    composer.text._themes.use(Theme(composer.text._themes.current.palette, dark=True))
    assert not composer.grab().isNull()
