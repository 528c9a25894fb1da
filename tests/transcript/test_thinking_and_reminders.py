"""Rule 4 and §7: whose thinking goes back, which signatures stay, and where reminders stand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sam_py.messages.message import Message
from sam_py.messages.parts import ImagePart
from sam_py.messages.turn import Turn
from sam_py.transcript.build import BROKE_OFF, INTERRUPTED, build
from tests.transcript import histories
from tests.transcript.said import ALL, call, entries, reply, result, said, signed, thought, told, user, words, wrapped
from tests.transcript.validator import faults

NOTES = ["<miniPromptReminder>Be brief.</miniPromptReminder>", "<todoList>2 of 3</todoList>"]


def test_signatures_behind_the_last_word_stay() -> None:
    turns = said(build([user("a"), reply(thought("Hm"), "b", signed("end")), user("c")], limits=ALL))
    assert turns[1] == ("assistant", ["thinks Hm", "b", "signed end"])


def test_thinking_text_behind_the_last_word_goes() -> None:
    turns = said(build([user("a"), reply("b", thought("Hm"), stop_reason="aborted"), user("c")], limits=ALL))
    assert turns[1] == ("assistant", ["b"])


def test_thinking_alone_is_no_reply() -> None:
    stopped = reply(thought("Hm"), signed(), call("x"), stop_reason="aborted")  # the call never ran
    assert said(build([user("a"), stopped, user("b")], limits=ALL)) == [("user", ["a", "b"])]


def test_a_model_said_to_take_no_thinking_still_gets_what_it_signed() -> None:
    """A gateway's listing need not know that the model thinks, and the service refuses its calls unsigned."""
    limits = replace(ALL, thinking=False)
    own = [user("a"), reply(thought("Hm"), signed(), call("1")), result("1"), reply(thought("So"), "b"), user("c")]
    turns = said(build(own, limits=limits, provider="p", model="m"))
    assert turns[1] == ("assistant", ["thinks Hm", "signed s", "call 1"])
    assert turns[3] == ("assistant", ["b"])  # nobody signed it
    assert said(build(own, limits=limits, provider="q", model="m"))[1] == ("assistant", ["call 1"])


def test_signatures_are_judged_one_by_one_and_thinking_text_by_who_wrote_the_reply() -> None:
    mixed = reply(thought("Hm"), signed("mine"), signed("theirs", provider="q"), signed("old", model="n"), "b")
    assert words(build([user("a"), mixed], limits=ALL, provider="p", model="m").turns[1]) == [
        "thinks Hm",
        "signed mine",
        "b",
    ]
    assert words(build([user("a"), mixed], limits=ALL, provider="q", model="m").turns[1]) == ["signed theirs", "b"]


def test_a_developers_message_joins_what_the_user_or_a_tool_said_before_it() -> None:
    (note,) = wrapped(["The file changed."])
    changed = told("The file changed.")
    after_reply = [user("a"), reply("b"), changed, user("c")]
    assert said(build(after_reply, limits=ALL)) == [("user", ["a", note]), ("assistant", ["b"]), ("user", ["c"])]
    after_result = [user("a"), reply(call("1")), result("1"), reply("b"), changed]
    assert said(build(after_result, limits=ALL))[2] == ("user", ["result 1 (success): found", note])
    alone = [reply("Welcome"), changed, user("c")]
    assert said(build(alone, limits=ALL))[2] == ("user", [note, "c"])


def test_reminders_open_the_last_turn_of_the_user_each_a_text_of_its_own() -> None:
    turns = said(build([user("a"), reply("b"), user("c")], None, NOTES, ALL))
    assert turns == [("user", ["a"]), ("assistant", ["b"]), ("user", [*wrapped(NOTES), "c"])]


def test_in_a_tool_loop_reminders_stand_before_what_the_user_wrote_last() -> None:
    history: list[Message] = [
        user("a"),
        reply("b"),
        user("c"),
        reply(call("1"), call("2")),
        result("1"),
        result("2"),
        reply(call("3")),
        result("3"),
    ]
    turns = said(build(history, None, NOTES, ALL))
    assert turns[2] == ("user", [*wrapped(NOTES), "c"])
    assert [turn for turn in turns if turn != turns[2]] == [
        turn for turn in said(build(history, limits=ALL)) if turn != ("user", ["c"])
    ]


@pytest.mark.parametrize("tools", [True, False])
def test_reminders_never_come_between_a_call_and_its_result(tools: bool) -> None:
    history: list[Message] = [user("a"), reply(call("1"), stop_reason="tool_use"), result("1"), user("b")]
    turn = said(build(history, None, NOTES, replace(ALL, tools=tools)))[2][1]
    assert turn[1:] == [*wrapped(NOTES), "b"]
    assert "found" in turn[0]


@pytest.mark.parametrize(("stop_reason", "mark"), [("aborted", INTERRUPTED), ("error", BROKE_OFF)])
def test_reminders_stand_before_the_mark_of_a_broken_reply(stop_reason: str, mark: str) -> None:
    turn = said(build([user("a"), reply("b", stop_reason=stop_reason), user("c")], None, NOTES, ALL))[2][1]
    assert turn == [*wrapped(NOTES), mark, "c"]


def test_a_reminder_that_is_wrapped_stays_so_and_a_blank_one_is_none() -> None:
    ready = wrapped(["Be brief."])
    assert words(build([user("a")], None, [*ready, " \n"], ALL).turns[0]) == [*ready, "a"]
    assert build([], None, NOTES, ALL).turns == ()


@settings(max_examples=100, deadline=None)
@given(histories.histories, histories.limits)
def test_reminders_change_nothing_but_the_turn_that_they_open(history: list[Message], limits: object) -> None:
    plain = build(history, limits=limits)  # type: ignore[arg-type]
    reminded = build(history, None, NOTES, limits)  # type: ignore[arg-type]
    assert faults(reminded, limits) == []  # type: ignore[arg-type]
    changed = [place for place, turn in enumerate(reminded.turns) if turn != plain.turns[place]]
    assert len(changed) == (1 if plain.turns else 0)
    for place in changed:
        texts = [word for word in words(reminded.turns[place]) if word not in wrapped(NOTES)]
        assert texts == words(plain.turns[place])


@settings(max_examples=100, deadline=None)
@given(histories.histories, st.sampled_from([("p", "m"), ("q", "n"), ("z", "z")]))
def test_no_foreign_thinking_is_sent_whatever_the_history(history: list[Message], asked: tuple[str, str]) -> None:
    transcript = build(history, limits=ALL, provider=asked[0], model=asked[1])
    assert faults(transcript, ALL) == []
    for turn in transcript.turns:
        for part in turn.parts:
            if part.kind == "thinking_signature":
                assert (part.provider, part.model) == asked
            if part.kind == "thinking_text":
                assert (turn.provider, turn.model) == asked


def test_a_picture_of_the_assistant_does_not_come_between_a_call_and_its_result() -> None:
    drawn = reply(ImagePart(attachment="h"), call("1"))
    turn: Turn = build([user("a"), drawn, result("1"), user("b")], entries(**{"1": "success"}), limits=ALL).turns[2]
    assert words(turn) == ["result 1 (success): found", "image", "b"]
