"""Pixels that were moved instead of painted: what is on screen is always what a fresh painting would show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from sam_py.bus.message_bus import MessageBus
from sam_py.messages.message import DeveloperMessage
from sam_py.messages.parts import TextPart
from sam_py.transcript.plan import MessageFate, Plan
from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.chat.timeline import Timeline
from sam_py.ui.models.message_list_model import MessageListModel
from sam_py.ui.theme import DARK, LIGHT, Theme, Themes
from sam_py.ui.theme_style import qpalette
from sam_py.ui.widgets.icons import Icons

PIECES = (
    "Some **bold** words and `code` that wrap once or twice in a column of this width. ",
    "More words of the same paragraph, until the line is full and the next begins.\n\n",
    "- an item of a list with `code`\n- another\n\n",
    "```python\nfor n in range(10):\n    print(n)  # a comment\n```\n\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n",
    "> a quote that goes on\n> for two lines\n\n# A heading\n\n",
)


@pytest.fixture(params=["light", "dark"])
def timeline(request: pytest.FixtureRequest, qtbot: Any) -> Iterator[Timeline]:
    dark = request.param == "dark"
    themes = Themes(Theme(DARK if dark else LIGHT, dark=dark))
    timeline = Timeline(RowContext(themes, Icons(themes), lambda _hash: None, lambda _provider, model: model))
    timeline.setPalette(qpalette(themes.current))
    qtbot.addWidget(timeline)
    timeline.resize(640, 420)
    bus = MessageBus("c")
    model = MessageListModel(bus)
    timeline.set_model(model)
    timeline.show()
    qtbot.waitExposed(timeline)
    yield timeline
    timeline.set_model(None)
    model.detach()


def shown(timeline: Timeline) -> QImage:
    """What the screen holds, pixel by pixel."""
    window = timeline.window()
    pixmap = window.screen().grabWindow(window.winId())
    return pixmap.toImage().convertToFormat(QImage.Format.Format_RGB32)


def painted(timeline: Timeline) -> QImage:
    """The same, painted afresh from nothing."""
    return timeline.window().grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def frame(timeline: Timeline) -> None:
    assert timeline.model is not None
    timeline.model.flush()
    for _ in range(3):
        QApplication.processEvents()


def assert_screen_is_right(timeline: Timeline, when: str) -> None:
    on_screen, fresh = shown(timeline), painted(timeline)
    assert on_screen.size() == fresh.size()
    if on_screen == fresh:
        return
    wrong = [
        (x, y)
        for y in range(fresh.height())
        for x in range(fresh.width())
        if on_screen.pixel(x, y) != fresh.pixel(x, y)
    ]
    raise AssertionError(f"{len(wrong)} pixels are stale {when}, the first at {wrong[0]}, the last at {wrong[-1]}")


def test_every_frame_of_a_reply_is_what_a_fresh_painting_shows(timeline: Timeline) -> None:
    assert timeline.model is not None
    bus = timeline.model.bus
    for _ in range(3):
        bus.add_user_message("A question that stands above. " * 4)
        earlier = bus.begin_assistant(model="tiny")
        bus.append_delta(earlier, "".join(PIECES))
        bus.complete(earlier)
    bus.add_user_message("And now?")
    reply = bus.begin_assistant(model="tiny")
    frame(timeline)
    bus.append_delta(reply, "first a thought, then another\n\n" * 3, "thinking_text")
    frame(timeline)
    assert_screen_is_right(timeline, "after the thinking")
    text = "".join(PIECES) * 3
    for at in range(0, len(text), 13):
        bus.append_delta(reply, text[at : at + 13])
        frame(timeline)
        if at % 5 == 0:
            assert_screen_is_right(timeline, f"after {at} characters")
    bus.complete(reply)
    frame(timeline)
    assert_screen_is_right(timeline, "after the end")


def test_scrolling_by_wheel_page_and_selection_leaves_nothing_stale(timeline: Timeline) -> None:
    assert timeline.model is not None
    bus = timeline.model.bus
    for number in range(12):
        bus.add_user_message(f"Question {number}. " * (number + 1))
        reply = bus.begin_assistant(model="tiny")
        bus.append_delta(reply, "".join(PIECES))
        bus.complete(reply)
    frame(timeline)
    middle = QPointF(timeline.viewport().rect().center())
    for number, delta in enumerate((120, 120, -120, 480, 30, -30, 1200, -600)):
        wheel = QWheelEvent(
            middle,
            timeline.viewport().mapToGlobal(middle),
            QPoint(0, delta),
            QPoint(0, delta),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(timeline.viewport(), wheel)
        frame(timeline)
        assert_screen_is_right(timeline, f"after turn {number} of the wheel")
    timeline.scroll_page(-1)
    frame(timeline)
    assert_screen_is_right(timeline, "after a page")
    in_view = next(row for row in timeline.rows_in_order() if row.y() + row.height() > 0)
    timeline.set_current(in_view.message_id)
    QTest.keySequence(timeline, "Ctrl+A")
    frame(timeline)
    assert timeline.selection.has_selection
    assert_screen_is_right(timeline, "after a message was selected")
    timeline.scroll_page(1)
    frame(timeline)
    assert_screen_is_right(timeline, "after a page of selected text")
    timeline.set_current(bus.id_at(4))
    timeline.show_message(bus.id_at(4))
    frame(timeline)
    assert_screen_is_right(timeline, "on a marked message")
    for delta in (-90, 35):
        timeline.verticalScrollBar().setValue(timeline.verticalScrollBar().value() + delta)
        frame(timeline)
        assert_screen_is_right(timeline, "beside the bar of actions")


def test_what_is_dimmed_and_folded_scrolls_with_nothing_stale(timeline: Timeline) -> None:
    assert timeline.model is not None
    bus = timeline.model.bus
    for number in range(6):
        bus.add_user_message(f"Question {number}. " * (number + 1))
        reply = bus.begin_assistant(model="tiny")
        bus.append_delta(reply, "".join(PIECES))
        bus.complete(reply)
    words = TextPart(text="Summary of 4 earlier messages:\n\n" + "They spoke of pumps and of valves. " * 30)
    bus.insert(DeveloperMessage(parent_id=bus.id_at(7), parts=(words,), covers=bus.path[:4]))
    left_out = [MessageFate(each, "left_out", "least_important", 0, 9) for each in bus.path[::3]]
    timeline._context.fates.show_plan(Plan(tuple(left_out)))
    frame(timeline)
    assert_screen_is_right(timeline, "at the end")
    bar = timeline.verticalScrollBar()
    for number, pixels in enumerate((-60, -240, -11, 90, -400, -400, 35)):
        bar.setValue(bar.value() + pixels)
        frame(timeline)
        assert_screen_is_right(timeline, f"after step {number}")
    timeline.set_current(bus.id_at(3))
    frame(timeline)
    assert_screen_is_right(timeline, "without its veil")
    timeline._context.fates.show_plan(None)
    frame(timeline)
    assert_screen_is_right(timeline, "when all is sent")


def test_a_column_that_forgets_to_repaint_is_found(timeline: Timeline, monkeypatch: pytest.MonkeyPatch) -> None:
    assert timeline.model is not None
    bus = timeline.model.bus
    bus.add_user_message("Hello")
    reply = bus.begin_assistant(model="tiny")
    bus.append_delta(reply, "some words ")
    frame(timeline)
    monkeypatch.setattr("sam_py.ui.chat.parts.parts_view.PartsView.repaint_from", lambda *_: None)
    bus.append_delta(reply, "and more words")
    frame(timeline)
    with pytest.raises(AssertionError, match="pixels are stale"):
        assert_screen_is_right(timeline, "on purpose")
