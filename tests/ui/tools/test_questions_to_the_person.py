"""The model asks the person: at its call, in plain words, answered or skipped, and never lost while one types."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPlainTextEdit

from sam_py.messages.message import ToolResultMessage
from sam_py.tools.builtin.ask_person import AskPersonTool
from sam_py.tools.questions import PersonQuestion, PersonQuestions
from sam_py.ui.chat.tool_person import PersonAnswer


def asks(call_id: str = "a1", **arguments: Any) -> tuple[str, str, str]:
    return (call_id, "ask_person", json.dumps({"question": "Which colour?", **arguments}))


COLOURS = {"choices": ["Red", "Blue", "Green"]}


@pytest.fixture
def asking(stage: Any) -> Any:
    stage.tools.registry.add(AskPersonTool(stage.tools.questions.ask))
    return stage


def shown(stage: Any) -> PersonAnswer:
    (person,) = [card.person for card in stage.cards() if card.person is not None]
    return person


def arm(stage: Any) -> PersonAnswer:
    person = shown(stage)
    stage.qtbot.waitUntil(lambda: person.is_armed)
    return person


def answer(stage: Any) -> str:
    stage.turn()
    (result,) = [each for each in stage.bus.messages() if isinstance(each, ToolResultMessage)]
    assert stage.card().person is None
    return result.output_text


def test_it_stands_at_its_call_under_a_heading_of_ours_and_in_plain_text(asking: Any) -> None:
    hostile = "<b>SAM</b> needs your key. ![x](http://x.test)\n\n\n\nAllow?\u202e"
    asking.runs(asking.says(asks(question=hostile, choices=["<i>Allow\nonce</i>"])))
    person = shown(asking)
    words = [label.text() for label in person.findChildren(QLabel)]
    assert words[0] == "The model asks you"
    assert words[1] == "<b>SAM</b> needs your key. ![x](http://x.test)\nAllow?⟨U+202E⟩"
    assert "allows no tool anything" in words[2]
    assert all(label.textFormat() == Qt.TextFormat.PlainText for label in person.findChildren(QLabel))
    assert [option.text() for option in person.options] == ["<i>Allow once</i>"]
    assert asking.card().call.stage == "running"


def test_one_press_on_a_choice_answers_with_it(asking: Any) -> None:
    asking.runs(asking.says(asks(**COLOURS)))
    asking.qtbot.mouseClick(arm(asking).options[1], Qt.MouseButton.LeftButton)
    assert answer(asking) == "Blue"
    assert asking.card().call.stage == "success"


def test_several_are_checked_and_sent_together_with_other_words(asking: Any) -> None:
    asking.runs(asking.says(asks(**COLOURS, several=True)))
    person = arm(asking)
    assert person.send is not None
    assert person.line is not None
    assert not person.send.isEnabled()
    for place in (2, 0):
        asking.qtbot.keyClick(person.options[place], Qt.Key.Key_Space)
    asking.qtbot.keyClicks(person.line, "and black")
    asking.qtbot.mouseClick(person.send, Qt.MouseButton.LeftButton)
    assert answer(asking) == "Red\nGreen\nand black"
    assert asking.card().call.outcome == "Red; Green; and black"


def test_other_words_are_answered_with_enter(asking: Any) -> None:
    asking.runs(asking.says(asks()))
    person = arm(asking)
    assert person.line is not None
    asking.qtbot.keyClick(person.line, Qt.Key.Key_Return)
    assert asking.tools.questions.questions
    asking.qtbot.keyClicks(person.line, "Ochre")
    with asking.qtbot.waitSignal(asking.calls.typed):  # the keyboard goes back to the message
        asking.qtbot.keyClick(person.line, Qt.Key.Key_Return)
    assert answer(asking) == "Ochre"


def test_where_only_the_choices_count_there_is_no_line(asking: Any) -> None:
    asking.runs(asking.says(asks(**COLOURS, own_words=False)))
    assert (shown(asking).line, shown(asking).send) == (None, None)


def test_a_skipped_question_is_said_to_the_model(asking: Any) -> None:
    asking.runs(asking.says(asks(**COLOURS)))
    asking.qtbot.mouseClick(arm(asking).skip, Qt.MouseButton.LeftButton)
    assert "closed the question without an answer" in answer(asking)


def test_nothing_is_answered_in_the_moment_in_which_it_comes_up(asking: Any) -> None:
    asking.runs(asking.says(asks(**COLOURS)))
    person = shown(asking)
    person.disarm()
    for button in (person.options[0], person.skip):
        asking.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    asking.turn()
    assert asking.tools.questions.questions


def test_the_keyboard_comes_to_the_choices_but_never_from_somebody_who_writes(asking: Any) -> None:
    box = QPlainTextEdit("My next ques", asking.timeline)
    box.show()
    asking.timeline.activateWindow()
    box.setFocus()
    asking.qtbot.waitUntil(box.hasFocus)
    asking.runs(asking.says(asks(**COLOURS)))
    asking.turn()
    assert box.hasFocus()
    box.clear()
    shown(asking).take_keyboard()
    assert shown(asking).options[0].hasFocus()


def test_a_question_that_is_scrolled_back_into_view_leaves_the_keyboard_where_it_is(asking: Any) -> None:
    asking.timeline.activateWindow()
    asking.qtbot.waitUntil(asking.timeline.isActiveWindow)
    asking.runs(asking.says(asks(**COLOURS)))
    asking.qtbot.waitUntil(lambda: shown(asking).options[0].hasFocus())
    asking.timeline.setFocus()
    asking.timeline.set_model(None)
    asking.timeline.set_model(asking.model)
    asking.turn()
    assert arm(asking).isVisible()
    assert asking.timeline.hasFocus()


def test_letters_at_a_choice_go_into_the_line_and_escape_goes_back_without_an_answer(asking: Any) -> None:
    asking.runs(asking.says(asks(**COLOURS)))
    person = arm(asking)
    assert person.line is not None
    asking.qtbot.keyClicks(person.options[0], "O")
    assert person.line.text() == "O"
    with asking.qtbot.waitSignal(asking.calls.typed) as typed:
        asking.qtbot.keyClick(person.line, Qt.Key.Key_Escape)
    assert typed.args == [""]
    assert asking.tools.questions.questions
    for key in (Qt.Key.Key_Delete, Qt.Key.Key_Left, Qt.Key.Key_Up):  # nothing happens to the message around it
        asking.qtbot.keyClick(person.skip, key)
    assert len(asking.bus) == 2


def test_what_was_typed_is_there_when_the_card_is_made_anew(asking: Any) -> None:
    asking.runs(asking.says(asks(**COLOURS, several=True)))
    person = shown(asking)
    assert person.line is not None
    asking.qtbot.keyClicks(person.line, "and bl")
    asking.qtbot.mouseClick(person.options[2], Qt.MouseButton.LeftButton)
    asking.calls.detach()
    asking.timeline.set_model(None)
    asking.calls.attach(asking.bus)  # another conversation was looked at meanwhile
    asking.timeline.set_model(asking.model)
    asking.turn()
    again = arm(asking)
    assert again is not person
    assert again.line is not None
    assert (again.line.text(), [option.isChecked() for option in again.options]) == ("and bl", [False, False, True])
    asking.qtbot.keyClick(again.line, Qt.Key.Key_Return)
    assert answer(asking) == "Green\nand bl"
    assert asking.calls._drafts == {}


def test_a_stop_takes_the_model_s_question_away_and_leaves_a_whole_history(asking: Any) -> None:
    asking.runs(asking.says(asks(**COLOURS)))
    asking.box.runner.halt()
    asking._round.cancel()
    asking.turn()
    assert asking.card().person is None
    assert asking.tools.questions.questions == ()
    (result,) = [each for each in asking.bus.messages() if isinstance(each, ToolResultMessage)]
    assert (result.status, asking.card().call.stage) == ("aborted", "aborted")


def test_a_card_in_a_narrow_window_shows_all_of_its_choices(asking: Any) -> None:
    long = "A colour that is hard to say in a word, so that it takes several lines where there is little room"
    asking.timeline.resize(320, 640)
    asking.runs(asking.says(asks(choices=[long, "Red"])))
    person = shown(asking)
    first, second = person.options
    assert first.height() > second.height()
    assert second.geometry().top() > first.geometry().bottom()
    assert person.rect().contains(person.skip.geometry())
    assert person.rect().contains(person._note.geometry())


def test_a_question_is_answered_once_and_its_conversation_s_end_withdraws_it() -> None:
    async def scenario() -> None:
        questions = PersonQuestions()
        asked = [
            asyncio.ensure_future(questions.ask(PersonQuestion(call, talk, "Why?")))
            for call, talk in (("1", "a"), ("1", "b"))
        ]
        await asyncio.sleep(0)
        assert questions.answer("1", "a", "So")
        assert not questions.answer("1", "a", "Not so")
        assert [each.conversation_id for each in questions.questions] == ["b"]
        questions.withdraw("b")
        assert await asyncio.gather(*asked) == ["So", None]
        assert questions.questions == ()

    asyncio.run(scenario())
