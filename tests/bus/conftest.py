"""What the tests of the bus share: a clock that a test moves, a bus, and what it says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sam_py.bus.deltas import Delta
from sam_py.bus.message_bus import MessageBus


class Clock:
    """Seconds that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def bus(clock: Clock) -> MessageBus:
    return MessageBus("conversation", monotonic=clock)


@pytest.fixture
def heard(bus: MessageBus) -> Iterator[list[Delta]]:
    deltas: list[Delta] = []
    end = bus.subscribe(deltas.append)
    yield deltas
    end()


def say(bus: MessageBus, *texts: str) -> list[str]:
    return [bus.add_user_message(text).id for text in texts]


def answer(bus: MessageBus, text: str, parent_id: str | None = None) -> str:
    reply = bus.begin_assistant(provider="p", model="m", parent_id=parent_id)
    bus.append_delta(reply, text)
    bus.complete(reply)
    return reply
