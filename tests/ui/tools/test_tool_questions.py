"""The question before a call: everything is shown, Deny comes first, and nothing is allowed by accident."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit

from sam_py.ui.chat.tool_question import ToolQuestion
from sam_py.ui.chat.tool_text import ToolText

LETTER = ("q1", "burn", '{"place": "letter\\u202egpj.exe"}')
DIARY = ("q2", "burn", '{"place": "diary"}')


def asked(stage: Any) -> ToolQuestion:
    (question,) = [card.question for card in stage.cards() if card.question is not None]
    return question


def arm(stage: Any, question: ToolQuestion) -> None:
    stage.qtbot.waitUntil(lambda: all(button.isEnabled() for button in question.allow.values()))


def stages(stage: Any) -> list[str]:
    return [card.call.stage for card in stage.cards()]


def test_it_shows_what_would_be_touched_and_every_argument(stage: Any) -> None:
    stage.runs(stage.says(LETTER))
    touches, arguments = (box.toPlainText() for box in asked(stage).findChildren(ToolText))
    assert touches == "Changes: /papers/letter⟨U+202E⟩gpj.exe\nSends to: https://fire.example"
    assert arguments == '{\n  "place": "letter⟨U+202E⟩gpj.exe"\n}'


def test_long_arguments_are_scrolled_and_never_cut(stage: Any) -> None:
    stage.runs(stage.says(("q1", "burn", '{"place": "' + "x" * 60_000 + 'END"}')))
    box = asked(stage).findChildren(ToolText)[-1]
    stage.turn()
    assert "END" in box.toPlainText()
    assert box.height() < 400
    assert box.verticalScrollBar().maximum() > 0


def test_what_it_does_is_said_shortly_and_a_text_box_has_no_empty_end(stage: Any) -> None:
    stage.runs(stage.says(("q1", "burn", '{"place": "' + "letter " * 90 + '"}')))
    question = asked(stage)
    assert len(question._doing.text()) <= 300
    box = question.findChildren(ToolText)[-1]
    stage.turn()
    assert box.verticalScrollBar().maximum() == 0
    text_px = box.blockBoundingGeometry(box.document().lastBlock()).bottom()
    assert 0 <= box.height() - text_px < 2 * box.fontMetrics().lineSpacing()


def test_deny_has_the_keyboard_first(stage: Any) -> None:
    stage.timeline.activateWindow()
    stage.qtbot.waitUntil(stage.timeline.isActiveWindow)
    stage.runs(stage.says(LETTER))
    stage.qtbot.waitUntil(lambda: asked(stage).deny.hasFocus())


def test_who_is_writing_keeps_the_keyboard(stage: Any) -> None:
    box = QPlainTextEdit("My next ques", stage.timeline)
    box.show()
    stage.timeline.activateWindow()
    box.setFocus()
    stage.qtbot.waitUntil(box.hasFocus)
    stage.runs(stage.says(LETTER))
    stage.turn()
    assert box.hasFocus()


def test_words_typed_at_the_question_go_to_the_message(stage: Any) -> None:
    stage.runs(stage.says(LETTER))
    with stage.qtbot.waitSignal(stage.calls.typed) as typed:
        stage.qtbot.keyClicks(asked(stage).deny, "h")
    assert typed.args == ["h"]


def test_nothing_is_answered_in_the_first_half_second(stage: Any) -> None:
    stage.runs(stage.says(LETTER))
    question = asked(stage)
    question.disarm()
    for button in (question.deny, *question.allow.values()):
        stage.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    stage.turn()
    assert stages(stage) == ["awaiting_approval"]


def test_enter_never_allows(stage: Any) -> None:
    stage.runs(stage.says(LETTER))
    question = asked(stage)
    arm(stage, question)
    for button in question.allow.values():
        for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            stage.qtbot.keyClick(button, key)
    stage.turn()
    assert stages(stage) == ["awaiting_approval"]
    stage.qtbot.keyClick(question.allow["once"], Qt.Key.Key_Space)
    stage.turn()
    assert stages(stage) == ["success"]


def test_enter_on_deny_denies_and_the_card_says_so(stage: Any) -> None:
    stage.runs(stage.says(LETTER))
    question = asked(stage)
    arm(stage, question)
    stage.qtbot.keyClick(question.deny, Qt.Key.Key_Return)
    stage.turn()
    card = stage.card()
    assert (card.call.stage, card.question, card._line._ticking) == ("aborted", None, "not allowed")
    assert "not allowed" in card.accessibleName()


def test_each_answer_grants_what_it_says(stage: Any) -> None:
    for number, (answer, grants) in enumerate((("once", 0), ("conversation", 1), ("always", 1))):
        stage.runs(stage.says((f"q{number}", "burn", '{"place": "letter"}')))
        question = asked(stage)
        arm(stage, question)
        stage.qtbot.mouseClick(question.allow[answer], Qt.MouseButton.LeftButton)
        stage.turn()
        approvals = stage.tools.approvals
        assert len(approvals.grants) == grants
        assert all(each.conversation_id == ("talk" if answer == "conversation" else "") for each in approvals.grants)
        for grant in approvals.grants:
            approvals.revoke(grant)


def test_what_was_allowed_for_a_conversation_holds_when_it_is_unloaded_and_ends_when_it_is_deleted(stage: Any) -> None:
    stage.runs(stage.says(LETTER))
    question = asked(stage)
    arm(stage, question)
    stage.qtbot.mouseClick(question.allow["conversation"], Qt.MouseButton.LeftButton)
    stage.turn()
    held = stage.tools.approvals.grants
    stage.tools.close("talk")
    assert [each.conversation_id for each in held] == ["talk"]
    assert stage.tools.approvals.grants == held
    stage.tools.forget("talk")
    assert stage.tools.approvals.grants == ()


def test_what_no_grant_covers_can_only_be_allowed_once(stage: Any) -> None:
    stage.runs(stage.says(("q1", "burn", '{"place": "cellar"}')))
    question = asked(stage)
    assert [answer for answer, button in question.allow.items() if button.isVisible()] == ["once"]
    assert question.findChildren(ToolText)[0].toPlainText().startswith("Reaches into your own network: localhost")


def test_a_question_that_comes_up_where_another_was_answered_is_not_armed(stage: Any) -> None:
    stage.runs(stage.says(LETTER, DIARY))
    first = asked(stage)
    arm(stage, first)
    stage.qtbot.mouseClick(first.allow["once"], Qt.MouseButton.LeftButton)
    stage.turn()
    second = asked(stage)
    assert second.question.call_id == "q2"
    assert not any(button.isEnabled() for button in second.allow.values())


def test_words_of_strangers_are_warned_of(stage: Any) -> None:
    stage.box.runner.strangers_spoke = True
    stage.runs(stage.says(LETTER))
    assert asked(stage)._warning.isVisible()
    assert "strangers" in asked(stage).accessibleName()


def test_a_stop_takes_the_question_away(stage: Any) -> None:
    stage.runs(stage.says(LETTER))
    stage.box.runner.halt()
    stage._round.cancel()
    stage.turn()
    assert stages(stage) == ["aborted"]
    assert stage.card().question is None
    assert stage.tools.approvals.questions == ()


def test_nothing_in_a_question_is_read_as_markup(stage: Any) -> None:
    stage.runs(stage.says(("q1", "burn", '{"place": "<img src=file:///etc/passwd><b>x</b>"}')))
    question = asked(stage)
    assert question._doing.textFormat() == Qt.TextFormat.PlainText
    assert "<b>x</b>" in question._doing.text()
    assert not question.findChildren(QLineEdit)


def test_one_frame_alone_says_where_the_keyboard_is(stage: Any) -> None:
    stage.timeline.activateWindow()
    stage.qtbot.waitUntil(stage.timeline.isActiveWindow)
    stage.runs(stage.says(LETTER))
    question = asked(stage)
    stage.qtbot.waitUntil(question.deny.hasFocus)
    (row,) = [row for row in stage.timeline.rows_in_order() if row.message_id == stage.timeline.current_id]
    assert not row.has_frame
    stage.timeline.setFocus()
    assert row.has_frame
