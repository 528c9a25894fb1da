"""Where tool histories break (cancelled, summarised, looked at too early, answered twice), told by the ledger."""

from __future__ import annotations

import itertools

import pytest

from sam_py.messages.history import CallState, ToolStateChanged
from sam_py.messages.message import Message
from sam_py.transcript.build import INTERRUPTED, build
from sam_py.transcript.pairing import GONE, LOST, RUNNING
from tests.transcript.said import ALL, call, entries, reply, result, results, said, signed, thought, user
from tests.transcript.validator import faults

THREE = reply(call("a"), call("b"), call("c"), stop_reason="tool_use")


def test_cancelled_while_tools_run_each_call_says_what_became_of_it() -> None:
    history: list[Message] = [user("Go"), THREE, result("a", "done"), user("Stop, do this instead")]
    ledger = entries(a="success", b="aborted", c="aborted")
    ledger["b"] = ToolStateChanged(call_id="b", state="aborted", reason="the person stopped it")
    transcript = build(history, ledger, limits=ALL)
    assert faults(transcript, ALL) == []
    assert said(transcript)[2] == (
        "user",
        [
            "result a (success): done",
            "result b (aborted): The call was cancelled before it was done: the person stopped it.",
            "result c (aborted): The call was cancelled before it was done.",
            "Stop, do this instead",
        ],
    )


def test_cancelled_calls_of_a_stopped_reply_stay_if_they_ran() -> None:
    history: list[Message] = [user("Go"), reply("I will", call("a"), call("b"), stop_reason="aborted"), user("No")]
    turns = said(build(history, entries(a="aborted"), limits=ALL))
    assert turns[1] == ("assistant", ["I will", "call a"])  # b had not arrived whole, and never ran
    assert turns[2][1][1:] == [INTERRUPTED, "No"]


def test_parts_of_a_cancel_in_the_wrong_places_do_no_harm() -> None:
    """Results before their calls, twice, of calls that are gone, and one that came after the cancel."""
    mess = [user("Go"), result("c", "late"), result("x"), THREE, result("b"), result("a", "done"), result("a", "again")]
    for order in itertools.permutations(mess[1:]):
        transcript = build([mess[0], *order, user("Well?")], entries(a="success", b="aborted", c="aborted"), limits=ALL)
        assert faults(transcript, ALL) == []
        words = results(transcript)
        assert words[0].startswith("result a (success): ")
        assert words[1:] == [f"result {each} (aborted): The call was cancelled before it was done." for each in "bc"]


@pytest.mark.parametrize("kept", ["the call", "the result", "both", "neither"])
def test_compression_that_removes_one_side_leaves_no_half(kept: str) -> None:
    history: list[Message] = [user("Go")]
    if kept in ("the call", "both"):
        history.append(reply(call("a"), stop_reason="tool_use"))
    if kept in ("the result", "both"):
        history.append(result("a", "content"))
    history += [reply("Then I"), user("And?")]
    transcript = build(history, entries(a="success"), limits=ALL)
    assert faults(transcript, ALL) == []
    text = "content" if kept == "both" else GONE
    assert results(transcript) == ([f"result a (success): {text}"] if kept in ("the call", "both") else [])


@pytest.mark.parametrize("state", ["scheduled", "awaiting_approval", "running"])
def test_a_snapshot_while_tools_run_does_not_call_them_cancelled(state: CallState) -> None:
    transcript = build([user("Go"), THREE, result("a", "done")], entries(a="success", b=state, c=state), limits=ALL)
    assert faults(transcript, ALL) == []
    assert results(transcript) == [
        "result a (success): done",
        f"result b (error): {RUNNING}",
        f"result c (error): {RUNNING}",
    ]
    assert "aborted" not in str(transcript.turns)


def test_a_snapshot_of_a_reply_that_still_streams_holds_the_calls_that_came() -> None:
    streaming = reply("Let me", call("a", arguments='{"path": "fo')).model_copy(update={"stop_reason": None})
    transcript = build([user("Go"), streaming], limits=ALL)
    assert faults(transcript, ALL) == []
    assert results(transcript) == [f"result a (error): {LOST}"]


def test_of_duplicate_results_the_one_that_the_ledger_names_is_real() -> None:
    first, second, third = result("a", "one"), result("a", "two"), result("a", "three")
    ledger = {"a": ToolStateChanged(call_id="a", state="success", result_id=second.id)}
    for order in itertools.permutations([first, second, third]):
        transcript = build([user("Go"), reply(call("a")), *order, user("?")], ledger, limits=ALL)
        assert results(transcript) == ["result a (success): two"]


@pytest.mark.parametrize(("state", "text"), [("success", "found"), ("error", "broke"), ("aborted", "stopped")])
def test_of_duplicate_results_the_one_that_agrees_with_the_ledger_is_real(state: CallState, text: str) -> None:
    all_three = [result("a", "stopped", "aborted"), result("a", "found"), result("a", "broke", "error")]
    for order in itertools.permutations(all_three):
        transcript = build([user("Go"), reply(call("a")), *order], entries(a=state), limits=ALL)
        assert results(transcript) == [f"result a ({state}): {text}"]


def test_a_failure_without_a_result_says_why() -> None:
    ledger = {"a": ToolStateChanged(call_id="a", state="error", reason="It took longer than 60 s.")}
    transcript = build([user("Go"), reply(call("a"))], ledger, limits=ALL)
    assert results(transcript) == ["result a (error): The tool failed: It took longer than 60 s."]


def test_a_result_that_was_kept_before_the_program_died_is_a_result() -> None:
    entry = ToolStateChanged(call_id="a", state="aborted", inferred=True, reason="the program ended")
    kept = build([user("Go"), reply(call("a")), result("a", "done")], {"a": entry}, limits=ALL)
    assert results(kept) == ["result a (success): done"]


def test_of_calls_with_one_id_the_last_is_the_ledgers() -> None:
    history: list[Message] = [user("Go"), reply(call("0")), result("0", "one"), reply(call("0")), user("Well?")]
    transcript = build(history, entries(**{"0": "aborted"}), limits=ALL)
    assert results(transcript) == [
        "result 0 (success): one",
        "result 0_2 (aborted): The call was cancelled before it was done.",
    ]


def test_what_was_inferred_is_said() -> None:
    history: list[Message] = [user("Go"), reply(call("a"), call("b")), result("a"), result("b"), reply("Done")]
    assert build(history, entries(a="success", b="success"), limits=ALL).notes == ()
    (note,) = build(history, entries(a="success"), limits=ALL).notes
    assert note.startswith("What became of 1 tool calls was inferred")


def test_after_a_switch_of_provider_the_new_one_gets_the_talk_and_none_of_the_thinking() -> None:
    history: list[Message] = [
        user("Go"),
        reply(
            thought("Hm"),
            signed("own", "one", "big-4"),
            call("a"),
            provider="one",
            model="big-4",
            stop_reason="tool_use",
        ),
        result("a", "content"),
        reply(
            thought("So"),
            signed("own too", "one", "big-4"),
            "Done.",
            signed("end", "one", "big-4"),
            provider="one",
            model="big-4",
        ),
        user("And now you"),
    ]
    ledger = entries(a="success")
    other = build(history, ledger, limits=ALL, provider="two", model="large-1")
    assert faults(other, ALL) == []
    assert said(other) == [
        ("user", ["Go"]),
        ("assistant", ["call a"]),
        ("user", ["result a (success): content"]),
        ("assistant", ["Done."]),
        ("user", ["And now you"]),
    ]
    assert any("thinking" in note for note in other.notes)
    for model in ("big-4", "big-4-2026-01-31"):
        same = said(build(history, ledger, limits=ALL, provider="one", model=model))
        assert same[1] == ("assistant", ["thinks Hm", "signed own", "call a"])
        assert same[3] == ("assistant", ["thinks So", "signed own too", "Done.", "signed end"])
    smaller = said(build(history, ledger, limits=ALL, provider="one", model="small-4"))
    assert smaller == said(other)
