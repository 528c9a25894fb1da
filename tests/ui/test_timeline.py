"""Timeline: it follows the end while the reader is there, and never moves what is being read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from sam_py.bus.message_bus import MessageBus
from sam_py.messages.history import ErrorOccurred
from sam_py.messages.parts import CodePart, FilePart, ImagePart, TextPart, ToolCallPart, UnknownPart
from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.chat.thinking_block import FoldLine
from sam_py.ui.chat.timeline import Timeline
from sam_py.ui.models.message_list_model import MessageListModel
from sam_py.ui.theme import LIGHT, Theme, Themes
from sam_py.ui.widgets.icons import Icons

PARAGRAPH = "A paragraph of some words that wraps once or twice in a column. " * 4


@pytest.fixture
def bus() -> MessageBus:
    return MessageBus("c")


@pytest.fixture
def timeline(bus: MessageBus, qtbot: Any) -> Iterator[Timeline]:
    themes = Themes(Theme(LIGHT, dark=False))
    timeline = Timeline(RowContext(themes, Icons(themes), lambda _hash: None, lambda _provider, model: model))
    qtbot.addWidget(timeline)
    timeline.resize(700, 500)
    model = MessageListModel(bus)
    timeline.set_model(model)
    timeline.show()
    yield timeline
    timeline.set_model(None)
    model.detach()


def talk(bus: MessageBus, rounds: int) -> None:
    for number in range(rounds):
        bus.add_user_message(f"Question {number}")
        reply = bus.begin_assistant(model="tiny")
        bus.append_delta(reply, f"Answer {number}. {PARAGRAPH}")
        bus.complete(reply)


def settle(qtbot: Any, timeline: Timeline) -> None:
    assert timeline.model is not None
    timeline.model.flush()
    qtbot.waitUntil(lambda: not timeline._settle.isActive())


def on_screen(timeline: Timeline) -> dict[str, int]:
    """Message id → top pixel, of the rows that a person sees."""
    height = timeline.viewport().height()
    return {
        row.message_id: row.y()
        for row in timeline.rows_in_order()
        if row.isVisible() and row.y() < height and row.y() + row.height() > 0
    }


def test_the_view_follows_a_reply_while_the_reader_is_at_the_end(
    bus: MessageBus, timeline: Timeline, qtbot: Any
) -> None:
    talk(bus, 6)
    bus.add_user_message("More")
    reply = bus.begin_assistant()
    for _ in range(30):
        bus.append_delta(reply, PARAGRAPH + "\n\n")
        settle(qtbot, timeline)
        row = next(row for row in timeline.rows_in_order() if row.message_id == reply)
        assert row.y() + row.height() == timeline.viewport().height()
    assert timeline.is_at_end


def test_nothing_moves_aside_when_the_scroll_bar_comes(bus: MessageBus, timeline: Timeline, qtbot: Any) -> None:
    timeline.resize(1200, 500)
    talk(bus, 1)
    settle(qtbot, timeline)
    bar, whole = timeline.verticalScrollBar(), timeline.viewport().width()
    (left,) = {row.x() for row in timeline.rows_in_order()}
    talk(bus, 12)
    settle(qtbot, timeline)
    assert bar.isVisible()
    assert timeline.viewport().width() < whole
    assert {row.x() for row in timeline.rows_in_order()} == {left}


def test_what_is_being_read_does_not_move_by_a_pixel(bus: MessageBus, timeline: Timeline, qtbot: Any) -> None:
    talk(bus, 12)
    settle(qtbot, timeline)
    timeline.verticalScrollBar().setValue(timeline.verticalScrollBar().maximum() // 2)
    settle(qtbot, timeline)
    before = on_screen(timeline)
    bus.add_user_message("sent elsewhere")  # brings the end into view …
    settle(qtbot, timeline)
    timeline.verticalScrollBar().setValue(timeline.verticalScrollBar().maximum() // 2)
    settle(qtbot, timeline)
    before = on_screen(timeline)
    reply = bus.begin_assistant()
    for _ in range(40):
        bus.append_delta(reply, PARAGRAPH + "\n\n")
        settle(qtbot, timeline)
        assert on_screen(timeline) == before
    bus.complete(reply)
    settle(qtbot, timeline)
    assert on_screen(timeline) == before
    assert timeline.pill.isVisible()
    QTest.mouseClick(timeline.pill, Qt.MouseButton.LeftButton)
    assert timeline.is_at_end
    assert not timeline.pill.isVisible()


def test_a_deletion_above_leaves_what_is_read_in_place(bus: MessageBus, timeline: Timeline, qtbot: Any) -> None:
    talk(bus, 12)
    settle(qtbot, timeline)
    timeline.verticalScrollBar().setValue(timeline.verticalScrollBar().maximum() * 2 // 3)
    settle(qtbot, timeline)
    before = on_screen(timeline)
    bus.remove(bus.id_at(1))
    settle(qtbot, timeline)
    assert on_screen(timeline) == before


def test_only_rows_near_the_view_are_widgets(bus: MessageBus, timeline: Timeline, qtbot: Any) -> None:
    talk(bus, 400)
    settle(qtbot, timeline)
    for share in range(0, 100, 7):
        timeline.verticalScrollBar().setValue(timeline.verticalScrollBar().maximum() * share // 100)
        assert len(timeline._rows) <= 24
        assert timeline._rows.spare <= 12


@pytest.mark.parametrize("target", [0, 1, 399, 400, 777, 799])
def test_a_jump_lands_on_its_message(bus: MessageBus, timeline: Timeline, qtbot: Any, target: int) -> None:
    talk(bus, 400)
    settle(qtbot, timeline)
    message_id = bus.id_at(target)
    assert timeline.show_message(message_id)
    assert message_id in on_screen(timeline)


def test_a_place_is_found_again(bus: MessageBus, timeline: Timeline, qtbot: Any) -> None:
    talk(bus, 60)
    settle(qtbot, timeline)
    timeline.verticalScrollBar().setValue(timeline.verticalScrollBar().maximum() // 3)
    place, before, model = timeline.place(), on_screen(timeline), timeline.model
    assert place is not None
    timeline.set_model(None)
    timeline.set_model(model, place)
    settle(qtbot, timeline)
    assert on_screen(timeline) == before


def test_at_the_end_there_is_no_place_to_remember(bus: MessageBus, timeline: Timeline, qtbot: Any) -> None:
    talk(bus, 10)
    settle(qtbot, timeline)
    assert timeline.place() is None


def test_a_finished_reply_shows_all_of_its_text(bus: MessageBus, timeline: Timeline, qtbot: Any) -> None:
    bus.add_user_message("go")
    reply = bus.begin_assistant()
    bus.append_delta(reply, "thinking it over", "thinking_text")
    for number in range(200):
        bus.append_delta(reply, f"word{number} ")
    bus.complete(reply)
    settle(qtbot, timeline)
    row = next(row for row in timeline.rows_in_order() if row.message_id == reply)
    shown = " ".join(column.plain_text() for block in row.blocks for column in block.columns)
    assert shown.split() == [f"word{number}" for number in range(200)]


def test_the_reader_at_the_end_is_kept_there_when_the_window_is_resized(
    bus: MessageBus, timeline: Timeline, qtbot: Any
) -> None:
    talk(bus, 30)
    settle(qtbot, timeline)
    for width, height in ((420, 500), (1200, 300), (900, 900)):
        timeline.resize(width, height)
        settle(qtbot, timeline)
        last = timeline.rows_in_order()[-1]
        assert last.message_id == bus.tip
        assert last.y() + last.height() == timeline.viewport().height()


def test_another_branch_shows_its_own_messages(bus: MessageBus, timeline: Timeline, qtbot: Any) -> None:
    talk(bus, 2)
    first = bus.id_at(2)
    bus.add_user_message("Question 1, put otherwise", parent_id=bus.parent_of(first))
    settle(qtbot, timeline)
    assert timeline.rows_in_order()[-1].message_id == bus.tip
    bus.select_branch(first)
    settle(qtbot, timeline)
    assert first in on_screen(timeline)


def test_an_error_stands_at_its_message_with_retry(bus: MessageBus, timeline: Timeline, qtbot: Any) -> None:
    question = bus.add_user_message("go")
    bus.record_error(ErrorOccurred(message_id=question.id, code="unreachable", text="Nothing answers there."))
    settle(qtbot, timeline)
    row = timeline.rows_in_order()[-1]
    assert row._error is not None
    assert row._error.isVisible()
    with qtbot.waitSignal(timeline.action_requested) as asked:
        QTest.mouseClick(row._error._retry, Qt.MouseButton.LeftButton)
    assert asked.args == ["retry", question.id]


def test_the_keyboard_walks_from_message_to_message(bus: MessageBus, timeline: Timeline, qtbot: Any) -> None:
    talk(bus, 30)
    settle(qtbot, timeline)
    timeline.setFocus()
    timeline.set_current(bus.id_at(59))
    for _ in range(40):
        QTest.keyClick(timeline, Qt.Key.Key_Up)
    assert timeline.current_id == bus.id_at(19)
    assert bus.id_at(19) in on_screen(timeline)
    assert timeline.actions_on_rows.bar.isVisible()


def test_hovering_offers_what_fits_the_message(bus: MessageBus, timeline: Timeline, qtbot: Any) -> None:
    question = bus.add_user_message("go")
    reply = bus.begin_assistant()
    bus.append_delta(reply, "half a")
    bus.abort(reply)
    offer, mine = timeline.actions_on_rows.offer_of(reply), timeline.actions_on_rows.offer_of(question.id)
    assert offer is not None
    assert offer.can_continue
    assert mine is not None
    assert mine.role == "user"
    assert not mine.can_continue


@pytest.mark.parametrize(
    "part",
    [
        TextPart(text="plain"),
        CodePart(code="x = 1", language="python", filename="a.py"),
        FilePart(attachment="0" * 64, filename="report.pdf", mime_type="application/pdf", size=12_345),
        ImagePart(attachment="1" * 64, alt="a missing picture"),
        ImagePart(url="https://example.org/x.png", alt="a remote picture"),
    ],
    ids=lambda part: part.kind,
)
def test_every_part_of_a_message_has_a_height(bus: MessageBus, timeline: Timeline, qtbot: Any, part: Any) -> None:
    bus.add_user_message("", [part])
    settle(qtbot, timeline)
    assert timeline.rows_in_order()[0].height() > 40


def test_parts_of_a_newer_version_are_said_not_hidden(bus: MessageBus, timeline: Timeline, qtbot: Any) -> None:
    missing = UnknownPart.model_validate({"kind": "imported_file", "value": {"file_name": "owl.png"}})
    bus.add_user_message("", [UnknownPart(kind="hologram"), missing])
    reply = bus.begin_assistant()
    bus.append_part(reply, ToolCallPart(call_id="1", tool_name="search", arguments_json="{}"))
    bus.complete(reply, "tool_use")
    settle(qtbot, timeline)
    names = [block.accessibleName() for row in timeline.rows_in_order() for block in row.blocks]
    assert "hologram" in names[0]
    assert names[1] == "owl.png: not in the export"
    assert names[2].startswith("search, ")


def test_a_theme_change_keeps_the_conversation(bus: MessageBus, timeline: Timeline, qtbot: Any) -> None:
    talk(bus, 5)
    settle(qtbot, timeline)
    theme = timeline._context.themes.current
    timeline._context.themes.use(theme.scaled(1.5))
    settle(qtbot, timeline)
    assert timeline.rows_in_order()[-1].message_id == bus.tip
    assert timeline.is_at_end


def test_text_that_streams_while_the_reader_is_elsewhere_is_there_on_return(
    bus: MessageBus, timeline: Timeline, qtbot: Any
) -> None:
    talk(bus, 40)
    reply = bus.begin_assistant()
    bus.append_delta(reply, "one ")
    settle(qtbot, timeline)
    timeline.go_to_start()
    for word in ("two ", "three ", "four"):
        bus.append_delta(reply, word)
        settle(qtbot, timeline)
    timeline.go_to_end()
    settle(qtbot, timeline)
    row = next(row for row in timeline.rows_in_order() if row.message_id == reply)
    assert row.blocks[0].source == "one two three four"
    assert row.blocks[0].columns[0].plain_text() == "one two three four"


def test_rows_under_the_mouse_are_found(bus: MessageBus, timeline: Timeline, qtbot: Any) -> None:
    talk(bus, 3)
    settle(qtbot, timeline)
    row = timeline.rows_in_order()[-1]
    assert timeline._rows.row_at(row.geometry().center()) is row
    assert timeline._rows.row_at(QPoint(-5, -5)) is None


def test_signals_of_a_left_conversation_change_nothing(bus: MessageBus, timeline: Timeline, qtbot: Any) -> None:
    talk(bus, 2)
    settle(qtbot, timeline)
    other = MessageBus("other")
    model = MessageListModel(other)
    timeline.set_model(model)
    bus.add_user_message("nobody sees this")
    assert timeline.rows_in_order() == []
    model.detach()
    timeline.set_model(None)


def test_opening_the_thinking_of_a_reply_does_not_move_it(bus: MessageBus, timeline: Timeline, qtbot: Any) -> None:
    talk(bus, 6)
    bus.add_user_message("think")
    reply = bus.begin_assistant()
    bus.append_delta(reply, (PARAGRAPH + "\n\n") * 12, "thinking_text")
    bus.append_delta(reply, "A short answer.")
    bus.complete(reply)
    settle(qtbot, timeline)
    row = timeline.row_of(reply)
    assert row is not None
    before = row.y()
    line = row.blocks[0].findChildren(FoldLine)[0]
    QTest.mouseClick(line, Qt.MouseButton.LeftButton)
    settle(qtbot, timeline)
    assert row.y() == before
    assert not timeline.is_at_end
    assert row.height() > timeline.viewport().height()
    QTest.mouseClick(line, Qt.MouseButton.LeftButton)
    settle(qtbot, timeline)
    assert timeline.is_at_end


def test_a_conversation_that_fits_the_view_is_followed_when_it_grows(
    bus: MessageBus, timeline: Timeline, qtbot: Any
) -> None:
    talk(bus, 1)
    settle(qtbot, timeline)
    timeline.show_message(bus.id_at(0))
    settle(qtbot, timeline)
    reply = bus.begin_assistant()
    for _ in range(12):
        bus.append_delta(reply, PARAGRAPH + "\n\n")
        settle(qtbot, timeline)
    row = timeline.row_of(reply)
    assert row is not None
    assert row.y() + row.height() == timeline.viewport().height()
