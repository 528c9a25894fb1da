"""The bus, rule by rule."""

from __future__ import annotations

import logging

import pytest

from sam_py.bus.deltas import Appended, Delta, ErrorShown, Inserted, Recorded, Removed, Updated
from sam_py.bus.message_bus import ROOT, MessageBus
from sam_py.errors import SamError, UnknownMessageError
from sam_py.messages.history import MessageAdded
from sam_py.messages.message import AssistantMessage
from sam_py.messages.parts import CodePart, ImagePart, TextPart, ThinkingSignaturePart
from sam_py.messages.usage import Usage
from tests.bus.conftest import Clock, answer, say

# What the person says


def test_a_user_message_is_stripped(bus: MessageBus) -> None:
    assert bus.add_user_message("  hello \n").text == "hello"


@pytest.mark.parametrize("text", ["", "  \n\t "])
def test_an_empty_user_message_is_refused(bus: MessageBus, text: str) -> None:
    with pytest.raises(SamError, match="Write something"):
        bus.add_user_message(text)
    assert len(bus) == 0


def test_a_message_of_blank_parts_alone_is_refused(bus: MessageBus) -> None:
    with pytest.raises(SamError):
        bus.add_user_message("", [TextPart(text=" ")])


def test_an_attachment_needs_no_text(bus: MessageBus) -> None:
    assert bus.add_user_message("", [ImagePart(attachment="hash")]).parts == (ImagePart(attachment="hash"),)


def test_text_stands_before_what_is_attached(bus: MessageBus) -> None:
    message = bus.add_user_message("see", [CodePart(code="x = 1")])
    assert [part.kind for part in message.parts] == ["text", "code"]


def test_the_first_three_user_messages_are_pinned(bus: MessageBus) -> None:
    ids = []
    for number in range(5):
        ids += say(bus, f"message {number}")
        answer(bus, "reply")
    assert [bus.get(each).pinned for each in ids] == [True, True, True, False, False]


@pytest.mark.parametrize(("auto_pin", "pinned"), [(0, [False, False]), (1, [True, False]), (10, [True, True])])
def test_how_many_are_pinned_is_a_setting(auto_pin: int, pinned: list[bool]) -> None:
    bus = MessageBus(auto_pin=auto_pin)
    assert [bus.get(each).pinned for each in say(bus, "a", "b")] == pinned


def test_pinning_can_be_said_explicitly(bus: MessageBus) -> None:
    assert not bus.add_user_message("a", pinned=False).pinned
    say(bus, "b", "c", "d")
    assert bus.add_user_message("e", pinned=True).pinned


def test_an_edit_counts_the_messages_above_it_not_below(bus: MessageBus) -> None:
    first, *_rest = say(bus, "a", "b", "c", "d", "e")
    assert bus.add_user_message("b, otherwise", parent_id=first).pinned


def test_an_edit_on_a_branch_that_is_not_shown_counts_that_branch(bus: MessageBus) -> None:
    *_, fourth = say(bus, "a", "b", "c", "d")
    bus.add_user_message("another start", parent_id=ROOT)
    assert bus.index_of(fourth) is None
    assert not bus.add_user_message("e", parent_id=fourth).pinned
    assert bus.path[3] == fourth


# Deltas


def test_a_message_is_recorded_before_it_is_shown(bus: MessageBus, heard: list[Delta]) -> None:
    message = bus.add_user_message("hello")
    assert heard == [Recorded(MessageAdded(message=message)), Inserted(0, message)]


def test_a_delta_comes_after_the_change_is_complete(bus: MessageBus) -> None:
    lengths: list[int] = []
    bus.subscribe(lambda delta: lengths.append(len(bus)) if isinstance(delta, Inserted) else None)
    say(bus, "a", "b")
    assert lengths == [1, 2]


def test_subscribers_hear_in_order_of_subscription(bus: MessageBus) -> None:
    order: list[str] = []
    bus.subscribe(lambda _: order.append("first"))
    bus.subscribe(lambda _: order.append("second"))
    bus.change_setting("folder", "work")
    assert order == ["first", "second"] * 2


def test_unsubscribing_ends_the_news_and_twice_is_no_error(bus: MessageBus) -> None:
    heard: list[Delta] = []
    end = bus.subscribe(heard.append)
    end()
    end()
    say(bus, "a")
    assert heard == []


def test_a_broken_subscriber_stops_nobody(bus: MessageBus, caplog: pytest.LogCaptureFixture) -> None:
    heard: list[Delta] = []

    def broken(_: Delta) -> None:
        raise RuntimeError("broken")

    bus.subscribe(broken)
    bus.subscribe(heard.append)
    say(bus, "a")
    assert len(heard) == 2
    assert "a subscriber failed on Inserted" in caplog.text


# Streaming


def test_a_chunk_carries_only_itself(bus: MessageBus, heard: list[Delta]) -> None:
    say(bus, "hi")
    reply = bus.begin_assistant()
    bus.append_delta(reply, "Hello ")
    heard.clear()
    bus.append_delta(reply, "world")
    assert heard == [Appended(1, reply, 0, "text", "world")]
    assert bus.get(reply).text == "Hello world"


def test_thinking_and_text_are_parts_in_order_of_arrival(bus: MessageBus) -> None:
    reply = bus.begin_assistant()
    for text, kind in (("hm", "thinking_text"), ("m", "thinking_text"), ("A", "text"), ("no", "thinking_text")):
        bus.append_delta(reply, text, kind)  # type: ignore[arg-type]
    assert [part.kind for part in bus.get(reply).parts] == ["thinking_text", "text", "thinking_text"]
    assert bus.get(reply).thinking == "hmmno"


def test_arguments_of_parallel_calls_may_interleave(bus: MessageBus) -> None:
    reply = bus.begin_assistant()
    bus.begin_call(reply, "0", "call_a", "search")
    bus.begin_call(reply, "1", "", "")
    bus.append_arguments(reply, "0", '{"q":')
    bus.append_arguments(reply, "1", "{}")
    bus.append_arguments(reply, "0", "1}")
    bus.begin_call(reply, "1", "call_b", "read")
    calls = bus.get(reply).tool_calls
    assert [(call.call_id, call.tool_name, call.arguments_json) for call in calls] == [
        ("call_a", "search", '{"q":1}'),
        ("call_b", "read", "{}"),
    ]


def test_a_completed_reply_is_trimmed_scored_and_measured(bus: MessageBus, clock: Clock) -> None:
    say(bus, "hi")
    reply = bus.begin_assistant(provider="p", model="m")
    clock.now += 0.5
    bus.append_delta(reply, "\nHello ")
    clock.now += 2.0
    bus.append_delta(reply, "there  \n")
    message = bus.complete(reply, "length", usage=Usage(output_tokens=40), response_id="r")
    assert message is not None
    assert (message.text, message.stop_reason, message.response_id) == ("Hello there", "length", "r")
    assert (message.provider, message.model) == ("p", "m")
    assert message.metrics is not None
    assert message.metrics.first_token_s == pytest.approx(0.5)
    assert message.metrics.duration_s == pytest.approx(2.5)
    assert message.metrics.tokens_per_second == pytest.approx(20.0)
    assert not message.metrics.estimated
    assert not bus.is_streaming(reply)


def test_without_usage_the_speed_is_an_estimate(bus: MessageBus, clock: Clock) -> None:
    reply = bus.begin_assistant()
    bus.append_delta(reply, "x" * 400)
    clock.now += 2.0
    message = bus.complete(reply)
    assert message is not None
    assert message.metrics is not None
    assert message.metrics.estimated
    assert message.metrics.tokens_per_second == pytest.approx(50.0)


def test_a_stopped_reply_keeps_its_text(bus: MessageBus) -> None:
    reply = bus.begin_assistant()
    bus.append_delta(reply, "half a sent")
    message = bus.abort(reply)
    assert message is not None
    assert (message.text, message.stop_reason) == ("half a sent", "aborted")


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_reply_is_never_kept(bus: MessageBus, heard: list[Delta], text: str) -> None:
    say(bus, "hi")
    reply = bus.begin_assistant()
    bus.append_delta(reply, text)
    assert bus.complete(reply) is None
    assert reply not in bus
    assert heard[-1] == Removed(1, reply)
    with pytest.raises(ValueError, match="empty assistant message"):
        bus.add(AssistantMessage(parent_id=bus.tip, parts=(TextPart(text=" "),)))


def test_a_signature_alone_is_an_empty_reply(bus: MessageBus) -> None:
    reply = bus.begin_assistant()
    bus.append_part(reply, ThinkingSignaturePart(signature="s", provider="p", model="m"))
    assert bus.complete(reply) is None


def test_a_second_answer_that_never_came_leaves_the_first(bus: MessageBus) -> None:
    (question,) = say(bus, "hi")
    first = answer(bus, "hello")
    second = bus.begin_assistant(parent_id=question)
    assert bus.path == (question, second)
    bus.complete(second)
    assert bus.path == (question, first)


def test_a_character_cut_in_two_between_chunks_is_whole_again(bus: MessageBus, heard: list[Delta]) -> None:
    reply = bus.begin_assistant()
    bus.append_delta(reply, "party \ud83c")
    bus.append_delta(reply, "\udf89!")
    assert [delta.text for delta in heard if isinstance(delta, Appended)] == ["party ", "🎉!"]
    message = bus.complete(reply)
    assert message is not None
    assert message.text == "party 🎉!"


def test_a_lone_half_character_becomes_a_replacement(bus: MessageBus) -> None:
    reply = bus.begin_assistant()
    bus.append_delta(reply, "a\udf89b")
    assert bus.get(reply).text == "a\ufffdb"


def test_a_reply_streams_on_while_another_branch_is_shown(bus: MessageBus, heard: list[Delta]) -> None:
    (question,) = say(bus, "hi")
    first = answer(bus, "hello")
    second = bus.begin_assistant(parent_id=question)
    bus.select_branch(first)
    heard.clear()
    bus.append_delta(second, "Good day")
    assert heard == [Appended(None, second, 0, "text", "Good day")]
    bus.complete(second)
    assert not [delta for delta in heard if isinstance(delta, Updated)]
    assert bus.path == (question, first)
    bus.select_branch(second)
    assert bus.get(second).text == "Good day"


def test_a_resumed_reply_goes_on_in_its_own_text(bus: MessageBus, heard: list[Delta]) -> None:
    reply = bus.begin_assistant()
    bus.append_delta(reply, "One, ")
    bus.complete(reply, "length", usage=Usage(input_tokens=10, output_tokens=5), response_id="first")
    bus.resume_assistant(reply)
    assert bus.is_streaming(reply)
    heard.clear()
    bus.append_delta(reply, " two")
    assert heard == [Appended(0, reply, 0, "text", " two")]
    message = bus.complete(reply, usage=Usage(input_tokens=16, output_tokens=3))
    assert message is not None
    assert message.text == "One, two"
    assert message.usage == Usage(input_tokens=16, output_tokens=8)
    assert message.response_id == "first"


def test_only_a_reply_can_be_resumed(bus: MessageBus) -> None:
    (question,) = say(bus, "hi")
    with pytest.raises(ValueError, match="only a reply"):
        bus.resume_assistant(question)


def test_streaming_to_an_unknown_message_is_logged_counted_and_shown(
    bus: MessageBus, heard: list[Delta], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR), pytest.raises(UnknownMessageError, match="nobody"):
        bus.append_delta("nobody", "text")
    assert bus.metrics.lookup_misses == 1
    assert "rebuilding the lookup" in caplog.text
    assert isinstance(heard[-1], ErrorShown)
    assert heard[-1].error.code == "internal"
    assert say(bus, "still works")


def test_a_reply_whose_stream_state_was_lost_is_found_again(bus: MessageBus, caplog: pytest.LogCaptureFixture) -> None:
    reply = bus.begin_assistant()
    bus._live.clear()
    bus.append_delta(reply, "found")
    assert bus.get(reply).text == "found"
    assert bus.metrics.lookup_misses == 1


def test_a_chunk_after_the_end_is_refused(bus: MessageBus) -> None:
    reply = answer(bus, "done")
    with pytest.raises(UnknownMessageError):
        bus.append_delta(reply, "late")
    assert bus.get(reply).text == "done"


def test_a_slow_update_is_logged(bus: MessageBus, clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    reply = bus.begin_assistant()

    def slow(delta: Delta) -> None:
        clock.now += 0.020

    bus.subscribe(slow)
    bus.append_delta(reply, "x")
    assert "took 20.0 ms" in caplog.text
    assert bus.metrics.peak_update_s == pytest.approx(0.020)


def test_metrics_count_what_happens(bus: MessageBus) -> None:
    (question,) = say(bus, "hi")
    answer(bus, "hello")
    bus.annotate(question, pinned=False)
    assert (bus.metrics.messages_added, bus.metrics.messages_updated, bus.metrics.streaming_updates) == (2, 2, 1)
