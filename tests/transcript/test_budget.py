"""§8: what is left out when a conversation is longer than the model's window."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sam_py.agent.summaries import summary_message
from sam_py.messages.message import DeveloperMessage, Message
from sam_py.messages.parts import TextPart
from sam_py.transcript.budget import STEP, plan
from sam_py.transcript.build import build
from sam_py.transcript.pairing import owners_of
from sam_py.transcript.plan import Plan, Room
from sam_py.transcript.tokens import message_tokens
from tests.transcript import histories
from tests.transcript.said import ALL, call, reply, result, said, user
from tests.transcript.validator import faults

EXAMPLES = int(os.environ.get("SAM_EXAMPLES", "60"))
"""``SAM_EXAMPLES=5000`` for a long run by hand."""
WORDS = "some plain words that go on for a while "


def talk(turns: int, *, long: int = 5) -> list[Message]:
    """Question and answer, so many times; each answer about 40 tokens."""
    history: list[Message] = []
    for number in range(turns):
        question = user(f"Question {number}").model_copy(update={"importance": 0.7})
        history += [question, reply(f"Answer {number}. {WORDS * long}")]
    return [*history, user("And now?")]


def sent(planned: Plan) -> list[int]:
    """The places of what is sent."""
    return [index for index, fate in enumerate(planned.fates) if fate.tokens or fate.fate == "sent"]


def marked(message: Message, **fields: object) -> Message:
    return message.model_copy(update=fields)


def test_all_is_sent_where_the_window_is_not_known_or_wide_enough() -> None:
    history = talk(20)
    for room in (Room(), Room(100_000)):
        planned = plan(history, room)
        assert (planned.left_out, planned.warning) == (frozenset(), "")
        assert {fate.fate for fate in planned.fates} == {"sent"}


def test_the_least_important_goes_first_and_the_oldest_of_equals() -> None:
    history = talk(20)
    history[5] = marked(history[5], importance=0.9)
    whole = plan(history, Room()).tokens
    planned = plan(history, Room(whole - 1))
    left_out = [index for index, fate in enumerate(planned.fates) if fate.fate == "left_out"]
    answers = [index for index in range(1, 40, 2) if index != 5]
    assert left_out == answers[: len(left_out)]
    assert planned.tokens <= STEP * (whole - 1)


def test_pins_marks_system_messages_and_the_last_turns_stay() -> None:
    history = talk(30)
    history[1] = marked(history[1], pinned=True, importance=0.0)
    history[3] = marked(history[3], context="keep", importance=0.0)
    history[40] = marked(history[40], context="never")
    planned = plan(history, Room(700))
    reasons = [fate.reason for fate in planned.fates]
    assert (reasons[1], reasons[3], reasons[40]) == ("pinned", "always_keep", "never_send")
    assert reasons[-5:] == ["last_turns"] * 5
    assert planned.tokens <= 700


def test_a_reply_goes_with_all_results_of_its_calls() -> None:
    history: list[Message] = []
    for number in range(20):
        ids = (f"a{number}", f"b{number}")
        history += [user(f"Question {number}"), reply(call(ids[0]), call(ids[1])), *(result(each) for each in ids)]
        history.append(reply(WORDS))
    planned = plan(history, Room(900))
    for index in range(0, 100, 5):
        fates = {planned.fates[index + place].fate for place in (1, 2, 3)}
        assert len(fates) == 1
    assert "left_out" in {fate.fate for fate in planned.fates}
    assert faults(build(history, limits=ALL, plan=planned), ALL) == []


def test_very_long_results_are_shortened_before_messages_go() -> None:
    history = [user("Read it"), reply(call("1")), result("1", WORDS * 1000), *talk(5)]
    planned = plan(history, Room(3000))
    assert planned.fates[2].fate == "shortened"
    assert not planned.left_out
    shown = said(build(history, limits=ALL, plan=planned))[2]
    assert "characters are left out here" in shown[1][0]
    assert len(shown[1][0]) < 2300


def test_the_result_of_the_last_round_is_shortened_when_nothing_else_can_go() -> None:
    history = [user("Read it"), reply(call("1")), result("1", WORDS * 1000)]
    planned = plan(history, Room(3000))
    assert (planned.fates[2].fate, planned.warning) == ("shortened", "")
    assert planned.tokens <= 3000


def test_what_is_left_out_is_said() -> None:
    history = [marked(message, importance=0.3 if message.role == "user" else 0.9) for message in talk(12)]
    planned = plan(history, Room(550))
    transcript = build(history, limits=ALL, plan=planned)
    assert history[0].id in planned.dropped
    assert said(transcript)[0][1][0].startswith("[Earlier messages of this conversation are left out")
    assert f"{len(planned.dropped)} messages are left out" in transcript.notes[0]


def test_pins_alone_over_the_window_are_a_warning() -> None:
    history = [marked(message, pinned=True) for message in talk(20)]
    planned = plan(history, Room(300))
    assert not planned.left_out
    assert "Unpin" in planned.warning


def test_a_plan_continues_the_one_before_until_the_next_step() -> None:
    history = talk(40)
    first = plan(history, Room(1500))
    grown = [*history, reply(WORDS), user("More?")]
    second = plan(grown, Room(1500), previous=first)
    assert second.dropped == first.dropped != frozenset()
    before = build(history, limits=ALL, plan=first).turns
    assert build(grown, limits=ALL, plan=second).turns[: len(before)] == before
    assert plan(grown, Room(100_000), previous=first).left_out == frozenset()


def test_over_200_turns_nine_of_ten_requests_begin_as_the_one_before() -> None:
    history: list[Message] = []
    previous: Plan | None = None
    before: tuple[object, ...] = ()
    shared = 0
    for number in range(200):
        history.append(user(f"Question {number}. {WORDS}"))
        previous = plan(history, Room(4000), previous=previous)
        assert previous.tokens <= 4000
        turns = build(history, limits=ALL, plan=previous).turns
        shared += turns[: len(before)] == before
        before = turns
        history.append(reply(f"Answer {number}. {WORDS * 8}"))
    assert previous is not None
    assert len(previous.dropped) > 100
    assert shared >= 180


def test_a_summary_is_sent_where_what_it_covers_stood() -> None:
    history = talk(4)
    covers = tuple(message.id for message in history[2:6])
    summary = DeveloperMessage(parts=(TextPart(text="They spoke of words."),), covers=covers)
    history.insert(-1, summary)
    planned = plan(history, Room(5000))
    assert [fate.fate for fate in planned.fates[2:6]] == ["summarised"] * 4
    assert planned.fates[-2].reason == "summary"
    shown = said(build(history, limits=ALL, plan=planned))
    assert shown[2] == ("user", ["<system-reminder>\nThey spoke of words.\n</system-reminder>", "Question 3"])
    assert len(shown) == 5


@pytest.mark.parametrize(
    ("gone", "never", "told"),
    [
        ((), (), ["second"]),
        (("first",), (), ["second"]),
        ((), ("first",), ["second"]),
        (("second",), (), ["first", 2, 3]),
        ((), ("second",), ["first", 2, 3]),
        (("first", "second"), (), [0, 1, 2, 3]),
        ((), ("second", "first"), [0, 1, 2, 3]),
        (("second",), ("first",), [0, 1, 2, 3]),
    ],
)
def test_what_a_summary_of_a_summary_tells_is_told_once(
    gone: tuple[str, ...], never: tuple[str, ...], told: list[str | int]
) -> None:
    history = talk(3)
    first = summary_message("They met.", history[:2], None)
    second = summary_message("They met and spoke.", [first, *history[2:4]], None)
    assert second.covers == (history[0].id, history[1].id, first.id, history[2].id, history[3].id)
    assert second.text.startswith("Summary of 4 earlier messages:")
    names: dict[str, str | int] = {first.id: "first", second.id: "second"}
    names.update({message.id: index for index, message in enumerate(history)})
    path: list[Message] = [
        message.model_copy(update={"context": "never"}) if names[message.id] in never else message
        for message in (*history[:2], first, *history[2:4], second, *history[4:])
        if names[message.id] not in gone
    ]
    made = plan(path, Room())
    assert [names[fate.message_id] for fate in made.fates if fate.fate == "sent"] == [*told, 4, 5, 6]
    assert [names[each] for each in made.stand_ins.values()] == [each for each in told if isinstance(each, str)]
    again = summary_message("Anew.", [first, *history[2:4]], None)
    names[again.id] = "again"
    anew = plan([*path[:-3], again, *path[-3:]], Room())
    assert [names[fate.message_id] for fate in anew.fates if fate.fate == "sent"] == ["again", 4, 5, 6]


def test_what_is_pinned_is_sent_although_a_summary_covers_it() -> None:
    history = talk(3)
    history[2] = marked(history[2], pinned=True)
    summary = DeveloperMessage(parts=(TextPart(text="S"),), covers=tuple(message.id for message in history[:4]))
    planned = plan([*history[:-1], summary, history[-1]], Room(5000))
    assert [fate.fate for fate in planned.fates[:4]] == ["summarised", "summarised", "sent", "summarised"]


budgeted = st.lists(
    st.builds(
        lambda message, fields: message.model_copy(update=fields),
        histories.messages,
        st.fixed_dictionaries(
            {
                "pinned": st.sampled_from([False, False, False, True]),
                "context": st.sampled_from(["", "", "", "", "keep", "never"]),
                "importance": st.sampled_from([0.3, 0.5, 0.7, 0.9]),
            }
        ),
    ),
    max_size=16,
)


@settings(max_examples=EXAMPLES, deadline=None)
@given(budgeted, st.integers(20, 900), st.integers(0, 16))
def test_whatever_the_room_what_is_kept_is_sent_pairs_stay_and_the_plan_is_the_same_bytes(
    history: list[Message], window: int, known: int
) -> None:
    room = Room(window)
    before = plan(history[:known], room)
    planned = plan(history, room, previous=before)
    assert repr(planned) == repr(plan(history, room, previous=before))
    places = {message.id: place for place, message in enumerate(history)}
    fates = [fate.fate for fate in planned.fates]
    never = {place for place, message in enumerate(history) if message.context == "never"}
    for result_id, reply_at in owners_of(history).items():
        result_at = places[result_id]
        assert (fates[reply_at] == "left_out") == (fates[result_at] == "left_out")
        if never & {reply_at, result_at}:
            never |= {reply_at, result_at}
    for result_id, reply_at in owners_of(history).items():  # of a pair that is never sent nothing is
        if reply_at in never:
            never.add(places[result_id])
    for place, message in enumerate(history):
        if (message.pinned or message.context == "keep") and place not in never:
            assert fates[place] == "sent" or planned.fates[place].reason == "without_call"


@settings(max_examples=EXAMPLES, deadline=None)
@given(budgeted, st.integers(20, 900), st.floats(0.5, 2.0), st.floats(0, 100))
def test_never_over_the_limit_unless_what_must_stay_is(
    history: list[Message], window: int, factor: float, offset: float
) -> None:
    room = Room(window, reserve=window // 5, fixed=10, factor=factor, offset=offset)
    planned = plan(history, room)
    assert room.limit is not None
    assert (planned.tokens > room.limit + 1) <= bool(planned.warning)
    if planned.warning:  # then all that may go is gone
        turns = [
            index for index, message in enumerate(history) if message.role == "user" and message.context != "never"
        ]
        last = turns[-1] if turns else 0
        removable = [
            fate
            for message, fate in zip(history[:last], planned.fates, strict=False)
            if fate.fate == "sent" and fate.reason in ("fits", "last_turns") and message.role == "user"
        ]
        assert len(removable) <= _questions_in_a_row(history, last)
    assert plan(history, room) == planned
    assert repr(plan(history, room).fates) == repr(planned.fates)


def _questions_in_a_row(history: list[Message], last: int) -> int:
    """How many messages of the user make the last question, besides the last."""
    count = 0
    for message in reversed(history[:last]):
        if message.role == "assistant":
            break
        count += message.role == "user"
    return count


@settings(max_examples=EXAMPLES, deadline=None)
@given(budgeted, st.integers(20, 600))
def test_what_a_plan_leaves_makes_a_valid_transcript(history: list[Message], window: int) -> None:
    planned = plan(history, Room(window))
    assert faults(build(history, limits=ALL, plan=planned), ALL) == []


@settings(max_examples=30, deadline=None)
@given(budgeted, st.integers(60, 600))
def test_steps_only_ever_leave_out_more(history: list[Message], window: int) -> None:
    previous: Plan | None = None
    for length in range(1, len(history) + 1):
        planned = plan(history[:length], Room(window), previous=previous)
        limit = planned.limit or 0
        fits = sum(map(message_tokens, history[:length])) <= STEP * limit
        if previous is not None and not fits:
            for each in previous.dropped - planned.dropped:  # only what must be sent by now comes back
                fate = planned.fate_of(each)
                assert fate is not None
                assert fate.reason != "fits" or not planned.dropped
        previous = planned
