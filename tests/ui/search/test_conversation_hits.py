"""Words that are looked for in one conversation: counted a slice at a time, while it changes."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sam_py.bus.message_bus import MessageBus
from sam_py.messages.message import AssistantMessage, UserMessage
from sam_py.messages.parts import TextPart
from sam_py.ui.chat.tool_calls import ToolCalls
from sam_py.ui.library.conversation_hits import ConversationHits
from sam_py.ui.library.seen_words import pattern_of_phrase


def say(bus: MessageBus, *texts: str) -> list[str]:
    for text in texts:
        bus.add(UserMessage(parent_id=bus.tip, parts=(TextPart(text=text),)))
    return list(bus.path)


def looked(qtbot: Any, bus: MessageBus, words: str, start: str = "") -> ConversationHits:
    calls = ToolCalls()
    calls.attach(bus)
    hits = ConversationHits(calls)
    hits.attach(bus)
    hits.look_for(pattern_of_phrase(words), start)
    qtbot.waitUntil(lambda: hits.is_whole)
    return hits


def test_every_place_of_a_conversation_is_counted_and_numbered(qtbot: Any) -> None:
    bus = MessageBus(auto_pin=0)
    first, _second, third = say(bus, "Rice and RICE.", "Beans.", "More rice")
    hits = looked(qtbot, bus, "rice")
    assert hits.total == 3
    assert [hits.number_of(hit) for hit in ((first, 0), (first, 1), (third, 0))] == [1, 2, 3]
    hits.detach()


def test_stepping_goes_through_all_places_and_round(qtbot: Any) -> None:
    bus = MessageBus(auto_pin=0)
    first, second, third = say(bus, "rice rice", "nothing", "rice")
    hits = looked(qtbot, bus, "rice", second)
    assert hits.nearest(second) == (third, 0)
    walked = [(third, 0)]
    for _step in range(3):
        found = hits.step(walked[-1], 1)
        assert found is not None
        walked.append(found)
    assert walked == [(third, 0), (first, 0), (first, 1), (third, 0)]
    assert hits.step((first, 0), -1) == (third, 0)
    hits.detach()


def test_a_reply_that_streams_is_counted_while_it_grows(qtbot: Any) -> None:
    bus = MessageBus(auto_pin=0)
    say(bus, "Tell me of rice")
    hits = looked(qtbot, bus, "rice")
    reply = bus.begin_assistant(provider="guide", model="guide")
    for piece in ("Some **ri", "ce** and", " more rice."):
        bus.append_delta(reply, piece)
    qtbot.waitUntil(lambda: hits.total == 3)
    bus.complete(reply, "stop")
    qtbot.waitUntil(lambda: hits.total == 3 and hits.count_in(reply) == 2)
    bus.remove(reply)
    qtbot.waitUntil(lambda: hits.total == 1)
    hits.detach()


def test_markup_is_not_found_and_does_not_hide_words(qtbot: Any) -> None:
    bus = MessageBus(auto_pin=0)
    text = "A **bold**, said [word](http://example.org/hidden).\n\n```py\nx = [1, 2]\n```"
    bus.add(AssistantMessage(parent_id=bus.tip, stop_reason="stop", parts=(TextPart(text=text),)))
    for words, count in (("bold, said word", 1), ("hidden", 0), ("x = [1, 2]", 1)):
        hits = looked(qtbot, bus, words)
        assert hits.total == count, words
        hits.detach()


@given(st.lists(st.text("aб 中é.", max_size=12), min_size=1, max_size=12), st.text("aб 中é", min_size=1, max_size=3))
def test_any_words_are_counted_as_a_reader_would(texts: list[str], words: str) -> None:
    from sam_py.store.search_index.words import fold

    bus = MessageBus(auto_pin=0)
    say(bus, *texts)
    calls = ToolCalls()
    calls.attach(bus)
    hits = ConversationHits(calls)
    hits.attach(bus)
    pattern = pattern_of_phrase(words)
    hits.look_for(pattern)
    while not hits.is_whole:
        hits._look()
    expected = sum(len(pattern.findall(fold(text))) for text in texts) if pattern is not None else 0
    assert hits.total == expected
    hits.detach()
