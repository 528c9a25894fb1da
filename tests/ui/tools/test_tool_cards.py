"""Tool cards: they follow their call by its id, from its announcement to what is left of it after a restart."""

from __future__ import annotations

import json
from typing import Any

import pytest
from PySide6.QtCore import Qt

from sam_py.bus.loaded import LoadedHistory
from sam_py.bus.message_bus import MessageBus
from sam_py.bus.tool_ledger import ENDED_WITH_THE_PROGRAM
from sam_py.messages.history import ErrorOccurred
from sam_py.messages.message import ToolResultMessage
from sam_py.messages.parts import CodePart
from sam_py.ui.chat.tool_text import ToolText
from sam_py.ui.chat.tool_words import made_visible, pretty_arguments

LAKE = ("c1", "look", '{"place": "lake"}')
WOOD = ("c2", "look", '{"place": "wood"}')


def texts(card: Any) -> list[str]:
    return [each.toPlainText() for each in card.details.findChildren(ToolText)]


def test_a_card_stands_before_its_tool_starts_and_says_what_it_does(stage: Any) -> None:
    stage.says(LAKE, text="Let me see.")
    stage.turn()
    assert (stage.card().call.label, stage.card().call.doing) == ("Look around", "Looking at lake")


@pytest.mark.parametrize("before", ["", "Let me see."])
def test_a_card_appears_while_its_arguments_still_stream(stage: Any, before: str) -> None:
    stage.bus.add_user_message("Look")
    reply = stage.bus.begin_assistant()
    if before:
        stage.bus.append_delta(reply, before)
        stage.model.flush()
        stage.turn()
    stage.bus.begin_call(reply, "0", "c1", "look")
    stage.model.flush()
    stage.turn()
    card = stage.card()
    assert card.call.stage == "writing"
    assert card._line.isVisible()
    assert stage.timeline.row_of(reply).rect().contains(card.parentWidget().geometry())
    assert card._beat.isActive()
    for piece in ('{"pla', 'ce": "lake"}'):
        stage.bus.append_arguments(reply, "0", piece)
    stage.bus.complete(reply, "tool_use")
    stage.turn()
    assert stage.card() is card
    assert card.call.doing == "Looking at lake"


def test_a_round_shows_all_its_cards_and_each_follows_its_own_call(stage: Any) -> None:
    stage.runs(stage.says(LAKE, WOOD))
    assert [(card.call_id, card.call.stage, card.call.progress) for card in stage.cards()] == [
        ("c1", "running", "half way"),
        ("c2", "running", "half way"),
    ]
    stage.clock_s += 2
    stage.look.finds("wood")
    stage.turn()
    first, second = stage.cards()
    assert (first.call.stage, second.call.stage, second.call.duration_s) == ("running", "success", 2.0)
    stage.look.fails("lake", "It is dark.")
    stage.turn()
    assert [card.call.stage for card in stage.cards()] == ["error", "success"]


def test_a_result_has_no_row_of_its_own_and_nothing_of_it_is_lost(stage: Any) -> None:
    stage.runs(stage.says(LAKE))
    stage.look.finds("lake", "Water.\u202eseirots", parts=(CodePart(code="deep = True"),), details=("Two birds",))
    stage.turn()
    assert stage.timeline.heights[2] == 0
    card = stage.card()
    assert card.details is None
    shown = stage.timeline.row_shown(1)
    assert any("deep = True" in column.plain_text() for column in shown.columns)
    stage.qtbot.mouseClick(card._line, Qt.MouseButton.LeftButton)
    assert texts(card) == ['{\n  "place": "lake"\n}', "Two birds", "Water.⟨U+202E⟩seirots"]
    stage.qtbot.keyClick(card._line, Qt.Key.Key_Return)
    assert card.details is None
    assert "done" in shown.accessible_text()


def test_a_running_card_spins_and_counts_and_ends_with_its_sign_and_how_long_it_took(stage: Any) -> None:
    stage.runs(stage.says(LAKE, WOOD))
    first, second = stage.cards()
    assert all(card._beat.isActive() for card in (first, second))
    stage.clock_s += 61
    first._line.spin()
    assert first._line._ticking == "1 min 1 s"
    running = first._line.grab().toImage()
    stage.look.finds("lake")
    stage.look.fails("wood", "It is dark.")
    stage.turn()
    assert not any(card._beat.isActive() for card in (first, second))
    assert (first._line._ticking, second._line._ticking) == ("1 min 1 s", "1 min 1 s")
    assert len({image_of(first), image_of(second), bytes(running.constBits())}) == 3
    assert (first.details, second.details is not None) == (None, True)


def image_of(card: Any) -> bytes:
    return bytes(card._line.grab().toImage().constBits())


def test_an_error_opens_by_itself_and_stays_closed_where_the_person_closed_it(stage: Any) -> None:
    stage.runs(stage.says(LAKE))
    stage.look.fails("lake", "It is dark there.")
    stage.turn()
    card = stage.card()
    assert texts(card)[-1] == "It is dark there."
    stage.qtbot.mouseClick(card._line, Qt.MouseButton.LeftButton)
    stage.timeline._theme_changed()
    assert stage.card() is not card
    assert stage.card().details is None


def test_a_card_is_never_renamed_by_its_result(stage: Any) -> None:
    stage.runs(stage.says(LAKE))
    before = stage.card().call.label, stage.card().call.doing
    stage.look.finds("lake", "Title: You won a prize")
    stage.turn()
    assert (stage.card().call.label, stage.card().call.doing) == before


def test_a_call_whose_arguments_do_not_fit_shows_them_as_they_are(stage: Any) -> None:
    stage.runs(stage.says(("c1", "look", '{"plaec": "lake"}')))
    assert (stage.card().call.stage, stage.card().call.doing) == ("error", '{"plaec": "lake"}')


def test_a_stopped_round_leaves_a_card_that_says_so(stage: Any) -> None:
    stage.runs(stage.says(LAKE))
    stage.clock_s += 3
    stage.box.runner.halt()
    stage.turn()
    assert (stage.card().call.stage, stage.card()._line._ticking) == ("aborted", "stopped · 3.0 s")


def test_an_error_at_a_result_is_shown_below_the_card(stage: Any) -> None:
    stage.runs(stage.says(LAKE))
    stage.look.finds("lake")
    stage.turn()
    stage.bus.record_error(ErrorOccurred(message_id=stage.bus.tip, code="server", text="It broke."))
    stage.turn()
    row = stage.timeline.row_shown(2)
    assert stage.timeline.heights[2] > 0
    assert row._error.isVisible()
    assert row.blocks == []


def test_a_result_without_its_call_is_a_row_of_its_own(stage: Any) -> None:
    stage.bus.add_user_message("Look")
    gone = ToolResultMessage(call_id="gone", tool_name="look", status="success", output_text="Fog.")
    stage.bus.add(gone.model_copy(update={"parent_id": stage.bus.tip}))
    stage.turn()
    assert stage.timeline.heights[1] > 0
    assert stage.timeline.row_shown(1).columns[0].plain_text() == "Fog."


def test_the_same_card_is_there_after_a_restart(stage: Any) -> None:
    stage.runs(stage.says(LAKE, WOOD))
    stage.clock_s += 1.5
    stage.look.finds("lake")
    stage.turn()
    kept, ledger = list(stage.bus.messages()), dict(stage.bus.ledger)
    bus = MessageBus("talk")
    bus.load(LoadedHistory(messages=[]))
    for message in kept:
        bus.add(message)
    bus.ledger.load(ledger)
    stage.calls.attach(bus)
    part_of = {part.call_id: part for part in kept[1].tool_calls}
    lake = stage.calls.show(part_of["c1"], kept[1].id)
    wood = stage.calls.show(part_of["c2"], kept[1].id)
    assert (lake.stage, lake.duration_s, lake.label, lake.doing) == ("success", 1.5, "Look around", "Looking at lake")
    assert (wood.stage, wood.reason) == ("aborted", ENDED_WITH_THE_PROGRAM)
    stage.calls.attach(stage.bus)


def test_a_long_result_scrolls_in_a_bounded_box_and_the_whole_of_it_opens(stage: Any) -> None:
    stage.runs(stage.says(LAKE))
    stage.look.finds("lake", "\n".join(f"line {number}" for number in range(9_000)))
    stage.turn()
    card = stage.card()
    stage.qtbot.mouseClick(card._line, Qt.MouseButton.LeftButton)
    stage.turn()
    assert card.height() < 700
    box = card.details.findChildren(ToolText)[-1]
    assert box.verticalScrollBar().maximum() > 0
    with stage.qtbot.waitSignal(stage.calls.whole_requested) as asked:
        card.details.whole_requested.emit()
    assert asked.args == ["hash"]


def test_the_keyboard_skips_rows_that_show_nothing(stage: Any) -> None:
    stage.runs(stage.says(LAKE))
    stage.look.finds("lake")
    stage.turn()
    stage.says(text="Nothing there.")
    stage.turn()
    stage.timeline.setFocus()
    stage.timeline.set_current(stage.bus.id_at(3))
    stage.timeline.walk.move(-1)
    assert stage.timeline.current_id == stage.bus.id_at(1)
    stage.timeline.walk.move(1)
    assert stage.timeline.current_id == stage.bus.id_at(3)


def test_who_looks_for_a_result_is_brought_to_its_card(stage: Any) -> None:
    stage.runs(stage.says(LAKE))
    stage.look.finds("lake")
    stage.turn()
    assert stage.timeline.show_message(stage.bus.id_at(2))
    stage.turn()
    assert stage.card().details is not None


def test_what_hides_in_arguments_is_written_out_and_nothing_is_left_out() -> None:
    assert made_visible("a\u200b\u2066b\x00\n\tc") == "a⟨U+200B⟩⟨U+2066⟩b⟨U+0000⟩\n\tc"
    assert pretty_arguments('{"a": 1, "a": 2}') == '{"a": 1, "a": 2}'
    assert pretty_arguments('{"a": "\\u202e"}') == '{\n  "a": "⟨U+202E⟩"\n}'
    assert pretty_arguments("rm -rf /") == "rm -rf /"
    lines = pretty_arguments(json.dumps({"n": [1, 2], "text": 'one\n"n": 3,\n', "path": "a"}))
    assert lines.splitlines()[4:] == [
        "  ],",
        '  "text":',
        "    │ one",
        '    │ \\"n\\": 3,',
        "    │ ",
        '  "path": "a"',
        "}",
    ]
    assert len(pretty_arguments('{"a": "' + "x" * 100_000 + '"}')) > 100_000


def test_below_the_error_of_a_hidden_result_there_is_nothing_to_pin(stage: Any) -> None:
    reply = stage.says(("c1", "look", '{"place": "lake"}'))
    stage.runs(reply)
    stage.look.finds("lake")
    stage.qtbot.waitUntil(lambda: stage.turn() or stage.card().call.stage == "success")
    result = stage.bus.tip
    stage.model.set_idle(True)
    stage.bus.record_error(ErrorOccurred(message_id=result, code="too_many_rounds", text="Enough."))
    stage.turn()
    row = stage.timeline.row_of(result)
    assert (row._error.isVisible(), row._error._retry.text()) == (True, "Go on")
    bar = stage.timeline.actions_on_rows
    bar.show_on(reply.id)
    assert bar.bar.isVisible()
    bar.show_on(result)
    assert not bar.bar.isVisible()
