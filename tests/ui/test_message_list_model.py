"""MessageListModel: rows follow the bus, streamed text is joined to one update per frame."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt

from sam_py.bus.message_bus import MessageBus
from sam_py.ui.models.message_list_model import Growth, MessageListModel


@pytest.fixture
def bus() -> MessageBus:
    return MessageBus("c")


@pytest.fixture
def model(bus: MessageBus, qapp: Any, qtmodeltester: Any) -> MessageListModel:
    model = MessageListModel(bus)
    qtmodeltester.check(model)
    return model


def texts(model: MessageListModel) -> list[str]:
    return [model.data(model.index(row)) for row in range(model.rowCount())]


def test_rows_follow_the_bus(bus: MessageBus, model: MessageListModel) -> None:
    question = bus.add_user_message("a question")
    reply = bus.begin_assistant()
    bus.append_delta(reply, "an answer")
    bus.complete(reply)
    assert texts(model) == ["a question", "an answer"]
    bus.remove(question.id)
    assert texts(model) == ["an answer"]


def test_a_streaming_answer_is_handed_over_once_per_frame(bus: MessageBus, model: MessageListModel, qtbot: Any) -> None:
    bus.add_user_message("go")
    reply = bus.begin_assistant()
    frames: list[list[Growth]] = []
    model.grown.connect(lambda _row, _id, growth: frames.append(growth))
    with qtbot.waitSignal(model.grown):
        for number in range(100):
            bus.append_delta(reply, f"{number} ")
    assert len(frames) == 1
    assert "".join(piece.text for piece in frames[0]) == "".join(f"{number} " for number in range(100))
    assert frames[0][0].part_index == 0


def test_the_last_chunk_is_never_left_behind(bus: MessageBus, model: MessageListModel) -> None:
    bus.add_user_message("go")
    reply = bus.begin_assistant()
    seen: list[str] = []
    model.grown.connect(lambda _row, _id, growth: seen.extend(piece.text for piece in growth))
    model.dataChanged.connect(lambda _a, _b, roles: seen.append("done") if not roles else None)
    bus.append_delta(reply, "last words")
    bus.complete(reply)
    assert seen == ["last words", "done"]


def test_text_and_thinking_keep_their_order_within_a_frame(bus: MessageBus, model: MessageListModel) -> None:
    bus.add_user_message("go")
    reply = bus.begin_assistant()
    seen: list[tuple[str, str]] = []
    model.grown.connect(lambda _row, _id, growth: seen.extend((piece.kind, piece.text) for piece in growth))
    bus.append_delta(reply, "hm", "thinking_text")
    bus.append_delta(reply, "m", "thinking_text")
    bus.append_delta(reply, "yes")
    model.flush()
    assert seen == [("thinking_text", "hmm"), ("text", "yes")]


def test_another_branch_replaces_the_rows_from_where_it_forks(bus: MessageBus, model: MessageListModel) -> None:
    bus.add_user_message("first")
    fork = bus.add_user_message("old second")
    bus.add_user_message("old third")
    removed: list[tuple[int, int]] = []
    model.rowsRemoved.connect(lambda _parent, first, last: removed.append((first, last)))
    bus.add_user_message("new second", parent_id=fork.parent_id)
    assert texts(model) == ["first", "new second"]
    bus.select_branch(fork.id)
    assert texts(model) == ["first", "old second", "old third"]
    assert removed[0] == (1, 2)


def test_a_detached_model_hears_nothing(bus: MessageBus, model: MessageListModel) -> None:
    model.detach()
    bus.add_user_message("nobody listens")
    assert model.rowCount() == 0


def test_roles_tell_id_message_and_streaming(bus: MessageBus, model: MessageListModel) -> None:
    question = bus.add_user_message("q")
    reply = bus.begin_assistant()
    assert model.data(model.index(0), MessageListModel.ID_ROLE) == question.id
    assert model.data(model.index(0), MessageListModel.MESSAGE_ROLE) == question
    assert model.data(model.index(1), MessageListModel.STREAMING_ROLE) is True
    assert model.data(model.index(0), Qt.ItemDataRole.DecorationRole) is None
    assert model.bus.is_streaming(reply)
