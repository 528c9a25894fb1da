"""Reading: the parts of one message, in order, however they come, and where they stand in the end."""

from __future__ import annotations

from sam_py.bus.message_bus import MessageBus
from sam_py.messages.message import AssistantMessage
from sam_py.messages.parts import TextPart
from sam_py.speech.base import Utterance
from sam_py.speech.reading import SLICE, Reading
from tests.fakes.speech import FakeSpoken


def texts(utterances: list[Utterance]) -> list[str]:
    return [each.text for each in utterances]


def test_arguments_of_an_earlier_call_do_not_end_the_text_after_it() -> None:
    reading = Reading("id", FakeSpoken)
    assert texts(reading.take(0, "text", "Before")) == []
    assert texts(reading.take(1, "tool_call", "")) == ["Before"]
    assert texts(reading.take(2, "text", "Between. And")) == ["Between."]
    assert reading.take(1, "tool_call", "{}") == []
    found = reading.take(2, "text", " after. Next")
    assert texts(found) == ["And after."]
    assert (found[0].start, found[0].end, found[0].part_index) == (9, 19, 2)


def test_what_comes_while_a_long_beginning_still_waits_comes_after_it_where_it_stands_then() -> None:
    bus = MessageBus()
    bus.add_user_message("Go.")
    reply = bus.begin_assistant()
    bus.append_delta(reply, "\n\n")
    bus.append_delta(reply, "Long. " * SLICE)
    reading = Reading(reply, FakeSpoken)
    reading.begin(bus.get(reply))
    found = reading.more()
    assert reading.has_more
    assert reading.take(0, "text", "Last. \n") == []
    bus.append_delta(reply, "Last. \n")
    message = bus.complete(reply)
    assert message is not None
    moves = reading.moves_to(message)
    assert moves == {0: (0, 2)}
    assert reading.settle(message, moves) == []
    assert not reading.is_over
    late = []
    while reading.has_more:
        late += reading.more()
    assert reading.is_over
    assert texts(found + late) == ["Long."] * SLICE + ["Last."]
    part = message.parts[0]
    assert isinstance(part, TextPart)
    assert all(part.text[each.start : each.end] == each.text for each in late)


def test_other_words_are_no_trimming() -> None:
    reading = Reading("id", FakeSpoken)
    reading.take(0, "text", "\n\nOne. Two. ")

    def as_now(*parts: str) -> dict[int, tuple[int, int]] | None:
        return reading.moves_to(AssistantMessage(parts=tuple(TextPart(text=text) for text in parts)))

    assert as_now("One. Two.") == {0: (0, 2)}
    assert as_now("\n\nOne. Two. ") == {}
    assert as_now("One. Too.") is None
    assert as_now("One. Two.", "Three.") is None
    assert as_now() is None


def test_a_long_beginning_that_is_joined_is_looked_through_and_its_open_sentence_read() -> None:
    bus = MessageBus()
    bus.add_user_message("Go.")
    reply = bus.begin_assistant()
    bus.append_delta(reply, "Long. " * SLICE + "Open")
    reading = Reading(reply, FakeSpoken)
    reading.begin(bus.get(reply), joins=True)
    assert reading.take(0, "text", " here. And") == []
    found = []
    while reading.has_more:
        found += reading.more()
    assert texts(found) == ["Open here."]
