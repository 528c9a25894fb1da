"""What the ledger says of tool calls is on the disk, and is there again after a restart."""

from __future__ import annotations

from sam_py.messages.message import ToolResultMessage
from sam_py.messages.parts import ToolCallPart
from sam_py.messages.turn import Limits
from sam_py.paths import Paths
from sam_py.transcript.build import build
from tests.store.house import House, at_home


def test_states_of_calls_survive_a_restart_and_open_ones_are_aborted(paths: Paths) -> None:
    async def story(house: House) -> None:
        bus = await house.talk("Go")
        writer = bus.ledger.writer()
        for call_id, states in (
            ("one", ("scheduled", "running", "success")),
            ("two", ("scheduled", "awaiting_approval")),
            ("three", ("scheduled", "running", "error")),
        ):
            for state in states:
                writer.record(call_id, state, tool_name="read", reason="no such file" if state == "error" else "")  # type: ignore[arg-type]
        await house.library.flush()
        again = await house.reopen(bus.conversation_id)
        assert {call: entry.state for call, entry in again.ledger.items()} == {
            "one": "success",
            "two": "aborted",
            "three": "error",
        }
        assert again.ledger["one"] == bus.ledger["one"]
        assert again.ledger["three"].reason == "no such file"
        copy = await house.reopen(await house.library.duplicate(bus.conversation_id))
        assert dict(copy.ledger) == dict(again.ledger)

    at_home(paths, story)


def test_a_crash_while_a_tool_runs_leaves_a_conversation_that_can_go_on(paths: Paths) -> None:
    async def story(house: House) -> None:
        bus = await house.talk("Go")
        reply = bus.begin_assistant(provider="p", model="m")
        for key in ("0", "1"):
            bus.begin_call(reply, key, f"call_{key}", "read")
        bus.complete(reply, "tool_use")
        writer = bus.ledger.writer()
        for key in ("0", "1"):
            writer.record(f"call_{key}", "running", tool_name="read")
        # One result was kept, the program died before the ledger heard of it.
        bus.add(
            ToolResultMessage(
                parent_id=bus.tip, call_id="call_0", tool_name="read", status="success", output_text="words"
            )
        )
        await house.library.flush()
        again = await house.reopen(bus.conversation_id)
        transcript = build(list(again.messages()), again.ledger, limits=Limits(tools=True))
        assert isinstance(transcript.turns[1].parts[0], ToolCallPart)
        first, second = transcript.turns[2].parts
        assert (first.status, first.text) == ("success", "words")  # type: ignore[union-attr]
        assert second.status == "aborted"  # type: ignore[union-attr]
        assert "the program ended" in second.text  # type: ignore[union-attr]

    at_home(paths, story)
