"""The tool ledger: what becomes of each call, written by one, kept by the store, there again after a restart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sam_py.bus.deltas import Delta, Recorded
from sam_py.bus.message_bus import MessageBus
from sam_py.bus.tool_ledger import ENDED_WITH_THE_PROGRAM, ToolLedger, is_terminal
from sam_py.messages.history import CallState, ToolStateChanged
from tests.bus.replayed import history_of

STATES: tuple[CallState, ...] = ("scheduled", "awaiting_approval", "running", "success", "error", "aborted")


def test_a_call_moves_on_and_each_move_is_announced_once(bus: MessageBus, heard: list[Delta]) -> None:
    writer = bus.ledger.writer()
    for state in ("scheduled", "awaiting_approval", "running", "success"):
        assert writer.record("c", state, tool_name="search" if state == "scheduled" else "")
        assert not writer.record("c", state)
        assert bus.ledger["c"].state == state
    events = [delta.event for delta in heard if isinstance(delta, Recorded)]
    assert [event.state for event in events] == ["scheduled", "awaiting_approval", "running", "success"]
    assert {event.tool_name for event in events} == {"search"}  # the last line about a call stands alone


@pytest.mark.parametrize("last", ["success", "error", "aborted"])
@pytest.mark.parametrize("later", STATES)
def test_a_terminal_state_never_changes(bus: MessageBus, last: CallState, later: CallState) -> None:
    writer = bus.ledger.writer()
    writer.record("c", last, reason="first", result_id="r")
    assert not writer.record("c", later, reason="second", result_id="other")
    entry = bus.ledger["c"]
    assert (entry.state, entry.reason, entry.result_id) == (last, "first", "r")


def test_a_state_that_comes_late_changes_nothing(bus: MessageBus) -> None:
    writer = bus.ledger.writer()
    writer.record("c", "running")
    assert not writer.record("c", "scheduled")
    assert bus.ledger["c"].state == "running"


def test_the_ledger_has_one_writer(bus: MessageBus) -> None:
    bus.ledger.writer()
    with pytest.raises(RuntimeError, match="only one may write"):
        bus.ledger.writer()


def test_a_call_without_an_id_is_refused(bus: MessageBus) -> None:
    with pytest.raises(ValueError, match="without an id"):
        bus.ledger.writer().record("", "running")


def test_a_stop_aborts_what_is_open_and_nothing_else(bus: MessageBus) -> None:
    writer = bus.ledger.writer()
    writer.record("done", "success")
    writer.record("runs", "running")
    writer.record("asks", "awaiting_approval")
    assert bus.ledger.open_calls == ("runs", "asks")
    assert writer.abort_open("the person stopped it") == ("runs", "asks")
    assert {call: entry.state for call, entry in bus.ledger.items()} == {
        "done": "success",
        "runs": "aborted",
        "asks": "aborted",
    }
    assert bus.ledger["runs"].reason == "the person stopped it"


def test_what_was_not_over_when_the_program_died_is_aborted_when_it_is_loaded(
    bus: MessageBus, heard: list[Delta]
) -> None:
    writer = bus.ledger.writer()
    writer.record("done", "success", tool_name="read", result_id="r")
    writer.record("runs", "running", tool_name="write")
    events = [delta.event for delta in heard if isinstance(delta, Recorded)]
    after = MessageBus("conversation")
    said: list[Delta] = []
    after.subscribe(said.append)
    after.load(history_of(events))
    assert after.ledger["done"] == bus.ledger["done"]
    runs = after.ledger["runs"]
    assert (runs.state, runs.reason, runs.inferred) == ("aborted", ENDED_WITH_THE_PROGRAM, True)
    assert not any(isinstance(delta, Recorded) for delta in said)  # to open is not to write
    assert not after.ledger.writer().record("runs", "success")


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(STATES)), max_size=30),
    st.lists(st.integers(0, 29), max_size=30),
)
def test_the_same_writes_again_in_any_place_change_nothing(
    writes: list[tuple[str, CallState]], again: list[int]
) -> None:
    events: list[ToolStateChanged] = []
    ledger = ToolLedger(events.append)
    writer = ledger.writer()
    for place, (call_id, state) in enumerate(writes):
        writer.record(call_id, state)
        for earlier in again:
            if earlier <= place:
                assert not writer.record(*writes[earlier])
    for call_id, entry in ledger.items():
        moves = [event.state for event in events if event.call_id == call_id]
        assert moves == sorted(set(moves), key=STATES.index)
        assert entry.state == moves[-1]
        assert sum(map(is_terminal, moves)) <= 1
