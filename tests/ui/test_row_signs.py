"""What rows say of their place in requests: the plan is read once, rows say it, nothing moves by it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtGui import QColor

from sam_py.bus.message_bus import MessageBus
from sam_py.messages.message import AssistantMessage, ToolResultMessage
from sam_py.messages.parts import TextPart, ToolCallPart
from sam_py.transcript.plan import Fate, MessageFate, Plan, Reason
from sam_py.ui.chat.row import MessageRow
from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.chat.row_painting import veil_of
from sam_py.ui.chat.timeline import Timeline
from sam_py.ui.models.message_list_model import MessageListModel
from sam_py.ui.theme import DARK, HIGH_CONTRAST_DARK, HIGH_CONTRAST_LIGHT, LIGHT, Palette, Theme, Themes
from sam_py.ui.theme_style import contrast
from sam_py.ui.widgets.icons import Icons


@pytest.fixture
def bus() -> MessageBus:
    return MessageBus("c")


@pytest.fixture
def context(qtbot: Any) -> RowContext:
    themes = Themes(Theme(LIGHT, dark=False))
    return RowContext(themes, Icons(themes), lambda _hash: None, lambda _provider, model: model)


@pytest.fixture
def timeline(bus: MessageBus, context: RowContext, qtbot: Any) -> Iterator[Timeline]:
    timeline = Timeline(context)
    qtbot.addWidget(timeline)
    timeline.resize(700, 900)
    context.calls.attach(bus)
    for number in range(3):
        bus.add_user_message(f"Question {number}", pinned=False)
        parts = (TextPart(text=f"Answer {number}"),)
        bus.add(AssistantMessage(parent_id=bus.tip, model="tiny", parts=parts, stop_reason="stop"))
    model = MessageListModel(bus)
    timeline.set_model(model)
    timeline.show()
    qtbot.waitExposed(timeline)
    yield timeline
    timeline.set_model(None)
    context.calls.detach()
    model.detach()


def planned(bus: MessageBus, *fates: tuple[int, Fate, Reason]) -> Plan:
    """A plan in which all is sent but what `fates` names by its place."""
    rows = {index: (fate, reason) for index, fate, reason in fates}
    return Plan(
        tuple(
            MessageFate(each, *rows.get(index, ("sent", "fits")), 0 if index in rows else 9, 9)
            for index, each in enumerate(bus.path)
        )
    )


def row_at(timeline: Timeline, index: int) -> MessageRow:
    row = timeline.row_shown(index)
    assert row is not None
    return row


def is_dimmed(row: MessageRow) -> bool:
    return row._veil is not None and row._veil.isVisible()


def test_what_is_left_out_is_dimmed_with_its_reason_and_no_row_moves(
    bus: MessageBus, context: RowContext, timeline: Timeline
) -> None:
    timeline.set_current(None)  # the window came up, and with it the keyboard
    before = [row.geometry() for row in timeline.rows_in_order()]
    assert not any(is_dimmed(row) for row in timeline.rows_in_order())
    context.fates.show_plan(
        planned(bus, (0, "left_out", "least_important"), (1, "summarised", "covered"), (2, "shortened", "too_large"))
    )
    assert [is_dimmed(row_at(timeline, index)) for index in range(6)] == [True, True, False, False, False, False]
    said = [row_at(timeline, index).accessible_text() for index in range(4)]
    assert said[0] == "You: Question 0 Not sent: least important."
    assert said[1] == "tiny: Answer 0 Not sent: it stands in the summary."
    assert said[2] == "You: Question 1 Sent shortened."
    assert said[3] == "tiny: Answer 1"
    assert row_at(timeline, 0).accessibleName() == said[0]
    assert [row.geometry() for row in timeline.rows_in_order()] == before
    context.fates.show_plan(planned(bus))
    assert not any(is_dimmed(row) for row in timeline.rows_in_order())
    assert row_at(timeline, 0).accessibleName() == "You: Question 0"


def test_the_keyboard_takes_the_veil_off_and_the_sign_stays(
    bus: MessageBus, context: RowContext, timeline: Timeline
) -> None:
    context.fates.show_plan(planned(bus, (0, "left_out", "least_important")))
    row = row_at(timeline, 0)
    timeline.set_current(row.message_id)
    assert not is_dimmed(row)
    assert row.foot.sign is not None
    timeline.set_current(None)
    assert is_dimmed(row)


def test_what_the_person_said_of_a_message_shows_at_once_whatever_the_plan_says(
    bus: MessageBus, context: RowContext, timeline: Timeline
) -> None:
    timeline.set_current(None)  # the window came up, and with it the keyboard
    first, second = bus.path[:2]
    bus.annotate(first, context="never")
    bus.annotate(second, context="keep")
    assert is_dimmed(row_at(timeline, 0))
    assert row_at(timeline, 0).accessible_text().endswith("Not sent: your choice.")
    assert not is_dimmed(row_at(timeline, 1))
    assert row_at(timeline, 1).accessible_text().endswith("Always sent.")
    context.fates.show_plan(planned(bus, (0, "left_out", "never_send")))
    bus.annotate(first, context="")
    assert not is_dimmed(row_at(timeline, 0))


def test_a_shortened_result_is_named_on_the_row_that_shows_its_card(
    bus: MessageBus, context: RowContext, timeline: Timeline, qtbot: Any
) -> None:
    call = ToolCallPart(call_id="a", tool_name="look", arguments_json="{}")
    bus.add(AssistantMessage(parent_id=bus.tip, parts=(call,), stop_reason="tool_use"))
    bus.add(ToolResultMessage(parent_id=bus.tip, call_id="a", tool_name="look", status="success", output_text="x"))
    qtbot.waitUntil(lambda: timeline.row_shown(6) is not None)
    context.fates.show_plan(planned(bus, (7, "shortened", "too_large")))
    assert row_at(timeline, 6).accessible_text().endswith("A result is sent shortened.")
    assert not is_dimmed(row_at(timeline, 6))


def test_rows_are_asked_anew_only_where_the_plan_is_another(bus: MessageBus, context: RowContext, qtbot: Any) -> None:
    bus.add_user_message("Hello", pinned=False)
    plan = planned(bus, (0, "left_out", "least_important"))
    with qtbot.waitSignal(context.fates.changed, timeout=100):
        context.fates.show_plan(plan)
    with qtbot.assertNotEmitted(context.fates.changed):
        context.fates.show_plan(planned(bus, (0, "left_out", "least_important")))


@pytest.mark.parametrize("palette", [LIGHT, DARK, HIGH_CONTRAST_LIGHT, HIGH_CONTRAST_DARK])
def test_dimmed_words_can_be_read(palette: Palette) -> None:
    least = 7.0 if palette in (HIGH_CONTRAST_LIGHT, HIGH_CONTRAST_DARK) else 4.5
    share = veil_of(palette)
    for text, ground in ((palette.text, palette.window), (palette.on_bubble, palette.bubble)):
        assert contrast(mixed(text, palette.window, share), mixed(ground, palette.window, share)) >= least


def mixed(colour: str, over: str, share: float) -> str:
    """`colour` with so much of `over` laid on it, as a painter does."""
    one, other = QColor(colour), QColor(over)
    pairs = zip(one.getRgb()[:3], other.getRgb()[:3], strict=True)
    return QColor(*(round(a * (1 - share) + b * share) for a, b in pairs)).name()
