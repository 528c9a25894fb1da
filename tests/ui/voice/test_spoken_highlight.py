"""The sentence that is read is in view while the person goes along with it, and never takes their place from them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sam_py.bus.message_bus import MessageBus
from sam_py.speech.base import Utterance
from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.chat.timeline import Timeline
from sam_py.ui.models.message_list_model import MessageListModel
from sam_py.ui.theme import LIGHT, Theme, Themes
from sam_py.ui.voice.highlight import SpokenHighlight
from sam_py.ui.widgets.icons import Icons

SENTENCES = [f"Sentence {n} has a few words in it, so that it fills most of one line." for n in range(60)]


class Room:
    """A timeline with a long reply above a short talk, and the mark on it."""

    def __init__(self, qtbot: Any) -> None:
        self.qtbot = qtbot
        self.bus = MessageBus("c")
        themes = Themes(Theme(LIGHT, dark=False))
        context = RowContext(themes, Icons(themes), lambda _hash: None, lambda _provider, model: model)
        self.timeline = Timeline(context)
        qtbot.addWidget(self.timeline)
        self.timeline.resize(700, 420)
        self.model = MessageListModel(self.bus)
        self.timeline.set_model(self.model)
        self.timeline.show()
        self.highlight = SpokenHighlight(self.timeline)
        context.voice = self
        self.bar = self.timeline.verticalScrollBar()

    # What rows ask

    def is_read(self, message_id: str) -> bool:
        return False

    def show_in(self, row: Any) -> None:
        self.highlight.show_in(row)

    def stop(self) -> bool:
        return False

    # What tests do

    def add_reply(self, text: str, *, done: bool = True) -> str:
        self.bus.add_user_message("Tell me")
        reply = self.bus.begin_assistant(model="tiny")
        self.bus.append_delta(reply, text)
        if done:
            self.bus.complete(reply)
        self.settle()
        return reply

    def settle(self) -> None:
        self.model.flush()
        self.qtbot.waitUntil(lambda: not self.timeline._settle.isActive())

    def read(self, message_id: str, number: int, *, asked: bool = False) -> None:
        text = "\n\n".join(SENTENCES)
        start = text.index(SENTENCES[number])
        utterance = Utterance(SENTENCES[number], start, start + len(SENTENCES[number]), "prose", message_id)
        self.highlight.show(utterance, asked=asked)

    def marks(self) -> list[Any]:
        """Every column on screen with a mark."""
        columns = [column for row in self.timeline.rows_in_order() for column in row.columns]
        return [column for column in columns if column.spoken is not None]


@pytest.fixture
def room(qtbot: Any) -> Iterator[Room]:
    room = Room(qtbot)
    yield room
    room.highlight.show(None)
    room.timeline.set_model(None)
    room.model.detach()


def test_each_sentence_is_brought_into_view_while_nobody_scrolls(room: Room) -> None:
    reply = room.add_reply("\n\n".join(SENTENCES))
    for number in (0, 1, 2, 12, 13, 40, 59):
        room.read(reply, number, asked=True)
        assert room.highlight.is_in_view()
        assert len(room.marks()) == 1
    assert room.highlight.follows


def test_who_scrolls_away_keeps_their_place_until_they_come_back(room: Room) -> None:
    reply = room.add_reply("\n\n".join(SENTENCES))
    room.read(reply, 2, asked=True)
    room.bar.setValue(room.bar.maximum() - 300)
    assert not room.highlight.follows
    place = room.bar.value()
    for number in (3, 4, 20):
        room.read(reply, number)
        assert room.bar.value() == place
    room.highlight.go_there()
    assert room.highlight.is_in_view()
    assert room.highlight.follows
    room.bar.setValue(0)
    assert not room.highlight.follows
    room.read(reply, 0)
    assert room.bar.value() == 0
    assert room.highlight.is_in_view()
    room.bar.setValue(5)  # scrolling with the sentence in view is going along with it
    assert room.highlight.follows


def test_a_reply_that_streams_below_does_not_pull_the_sentence_out_of_sight(room: Room) -> None:
    reply = room.add_reply("\n\n".join(SENTENCES[:3]), done=False)
    room.read(reply, 0)
    assert room.timeline.is_at_end
    for number in range(3, 60):
        room.bus.append_delta(reply, "\n\n" + SENTENCES[number])
        room.settle()
        room.read(reply, number // 10)
        assert room.highlight.is_in_view()
    room.bus.complete(reply)
    room.settle()
    room.read(reply, 6)
    assert room.highlight.is_in_view()


def test_who_goes_to_the_end_is_left_there(room: Room) -> None:
    reply = room.add_reply("\n\n".join(SENTENCES))
    room.read(reply, 0, asked=True)
    room.timeline.go_to_end()
    room.read(reply, 1)
    assert not room.highlight.follows
    assert room.timeline.is_at_end


def test_a_reply_elsewhere_is_not_come_to_unasked(room: Room) -> None:
    first = room.add_reply("\n\n".join(SENTENCES))
    last = room.add_reply("\n\n".join(SENTENCES))
    room.bar.setValue(0)
    room.read(last, 0)
    assert room.bar.value() == 0
    assert not room.highlight.follows
    room.read(first, 0)
    assert room.highlight.follows
    room.read(last, 0, asked=True)
    assert room.highlight.is_in_view()


def test_the_mark_goes_with_its_row_when_that_comes_back(room: Room) -> None:
    reply = room.add_reply("\n\n".join(SENTENCES))
    for _ in range(12):
        room.add_reply("\n\n".join(SENTENCES))
    room.read(reply, 30, asked=True)
    assert room.marks()
    room.timeline.go_to_end()
    assert room.timeline.row_of(reply) is None
    assert not room.marks()
    room.timeline.show_message(reply)
    assert len(room.marks()) == 1
    room.highlight.go_there()
    assert room.highlight.is_in_view()
    room.highlight.show(None)
    assert not room.marks()


def test_what_is_heard_before_it_is_drawn_is_marked_when_it_is(room: Room) -> None:
    reply = room.add_reply(SENTENCES[0], done=False)
    room.bus.append_delta(reply, "\n\n" + SENTENCES[1])
    room.read(reply, 1)  # the timeline draws it with its next frame
    room.settle()
    room.qtbot.waitUntil(lambda: room.highlight.is_in_view())


def test_a_selection_that_is_read_has_no_mark(room: Room) -> None:
    room.add_reply("\n\n".join(SENTENCES))
    room.highlight.show(Utterance("Some words.", 0, 11, "text"))
    assert not room.marks()
    assert not room.highlight.is_somewhere
