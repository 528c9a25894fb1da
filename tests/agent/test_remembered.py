"""What requests taught outlives the program: how models count, and with which words a conversation's requests begin."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from sam_py.agent.context import Context
from sam_py.agent.remembered import Remembered
from sam_py.bus.message_bus import MessageBus
from sam_py.messages.turn import Limits
from sam_py.transcript.budget import plan
from sam_py.transcript.plan import Plan, Room
from tests.transcript.said import reply

pytestmark = pytest.mark.anyio


def go_on(bus: MessageBus, turns: int) -> None:
    for number in range(turns):
        bus.add_user_message(f"Question {number}")
        bus.add(reply("An answer that goes on for a while. " * 8).model_copy(update={"parent_id": bus.tip}))


async def test_after_a_restart_a_conversation_goes_on_with_the_same_beginning(tmp_path: Path) -> None:
    bus = MessageBus("talk", auto_pin=0)
    go_on(bus, 40)
    room, path = Room(1500), tmp_path / "learned.json"
    first = plan(list(bus.messages()), room)
    assert first.dropped
    remembered = Remembered(path)
    remembered.keep("talk", first)
    remembered.calibrations.learn("p", "m", 1_000, 1_300)
    await remembered.aclose()

    again = Remembered(path)
    await again.load()
    go_on(bus, 3)
    messages = list(bus.messages())
    planned = Context(bus, remembered=again).plan_in(messages, room, Limits())
    assert planned.dropped == first.dropped
    assert plan(messages, room).dropped != first.dropped  # what a plan from nothing would leave out
    assert again.calibrations.measure_of("p", "m").tokens(1_000) == 1_300


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"plans": 3}', '{"plans": {"a": []}, "calibrations": {}}'])
async def test_a_damaged_file_is_as_none_and_is_named_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: str
) -> None:
    path = tmp_path / "learned.json"
    path.write_text(damage)
    remembered = Remembered(path)
    with caplog.at_level(logging.WARNING):
        await remembered.load()
    assert str(path) in caplog.text
    remembered.calibrations.learn("p", "m", 100, 150)
    remembered.changed()
    await remembered.aclose()
    assert json.loads(path.read_bytes())["calibrations"]["seen"]


async def test_no_more_than_the_last_plans_are_kept(tmp_path: Path) -> None:
    remembered = Remembered(tmp_path / "learned.json")
    for number in range(300):
        dropped = frozenset(f"{number}-{each}" for each in range(900))
        remembered.keep(f"talk {number}", Plan(limit=1, dropped=dropped))
    await remembered.aclose()
    kept = json.loads((tmp_path / "learned.json").read_bytes())["plans"]
    assert "talk 299" in kept
    assert sum(len(each["dropped"]) for each in kept.values()) <= 20_000


async def test_nothing_is_written_where_nothing_was_learned(tmp_path: Path) -> None:
    remembered = Remembered(tmp_path / "learned.json")
    await remembered.load()
    remembered.keep("talk", Plan())
    await remembered.aclose()
    assert not list(tmp_path.iterdir())
