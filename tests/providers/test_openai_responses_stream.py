"""Whatever a server leaves out, repeats or invents, a Responses answer is read whole and once."""

from __future__ import annotations

import base64
import json

import pytest

from sam_py.messages.parts import ImagePart
from sam_py.providers.base import ImageProduced, ToolCallStarted
from tests.fakes.fault_server import split_bytes
from tests.fakes.responses_events import (
    Event,
    added,
    body,
    call,
    called,
    created,
    delta,
    done,
    ended,
    message,
    part,
    reasoning,
    said,
)
from tests.fakes.responses_read import read, read_events

PIXEL = b"\x89PNG\r\n\x1a\n pixel"


def without(events: list[Event], *keys: str) -> list[Event]:
    return [{key: value for key, value in event.items() if key not in keys} for event in events]


EVERYTHING: list[Event] = [
    created(),
    added(0, reasoning()),
    delta("reasoning_summary_text", 0, "rs_1", "**Why**", summary_index=0),
    delta("reasoning_summary_text", 0, "rs_1", "Because 🎉", summary_index=1),
    done(0, reasoning(sealed="c2VhbGVk", summary=["**Why**", "Because 🎉"])),
    *said("Let ", "me", " see 🎈.", index=1, phase="commentary"),
    *called("a", '{"n"', ": 1}", index=2),
    *called("b", "{}", index=3, name="list"),
    ended(usage={"input_tokens": 9, "output_tokens": 4, "output_tokens_details": {"reasoning_tokens": 2}}),
]


def test_a_reply_comes_in_its_order_with_what_is_kept_in_its_place() -> None:
    seen = read_events(*EVERYTHING)
    assert seen.kinds == ["thinking_text", "thinking_signature", "text", "tool_call", "tool_call"]
    assert seen.reply.thinking == "**Why**\n\nBecause 🎉"
    assert seen.reply.text == "Let me see 🎈."
    assert seen.calls == [("a", "look", '{"n": 1}'), ("b", "list", "{}")]
    assert seen.kept[0]["item"]["encrypted_content"] == "c2VhbGVk"
    assert seen.kept[0]["leads_to"] == {"type": "message", "phase": "commentary"}
    assert (seen.end.stop_reason, seen.end.word) == ("tool_use", "completed")
    assert seen.reply.usage is not None
    assert (seen.reply.usage.input_tokens, seen.reply.usage.reasoning_tokens) == (9, 2)


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_every_cut_in_two_means_the_same(line_end: str) -> None:
    whole = body([*EVERYTHING, "[DONE]"], line_end=line_end)
    expected = read(whole).events
    for place in range(len(whole) + 1):
        assert read(*split_bytes(whole, [place])).events == expected


def test_single_bytes_mean_the_same() -> None:
    whole = body(EVERYTHING)
    assert read(*(bytes([byte]) for byte in whole)).events == read(whole).events


def test_servers_that_number_nothing_are_understood() -> None:
    """llama.cpp: neither the place in the output nor that in an item."""
    numberless = without(EVERYTHING, "output_index", "content_index", "summary_index", "sequence_number")
    seen = read_events(*numberless)
    assert seen.reply.text == "Let me see 🎈."
    assert seen.calls == [("a", "look", '{"n": 1}'), ("b", "list", "{}")]
    assert len(seen.kept) == 1


def test_two_texts_of_one_unnumbered_message_come_once() -> None:
    parts = [part(0, "msg_1", 0), delta("output_text", 0, "msg_1", "One. ")]
    parts += [part(0, "msg_1", 1), delta("output_text", 0, "msg_1", "Two.")]
    events = [
        created(),
        added(0, message()),
        *parts,
        done(0, message("One. ", "Two.")),
        ended(message("One. ", "Two.")),
    ]
    assert read_events(*without(events, "output_index", "content_index")).reply.text == "One. Two."


def test_ids_may_change_between_beginning_and_end() -> None:
    """GitHub Copilot: only the place and the call's own id are the same."""
    events = json.loads(json.dumps(EVERYTHING))
    for number, event in enumerate(events):
        for holder in (event, event.get("item", {})):
            for key in ("id", "item_id"):
                if key in holder:
                    holder[key] = f"other-{number}"
    seen = read_events(*events)
    assert seen.reply.text == "Let me see 🎈."
    assert seen.calls == [("a", "look", '{"n": 1}'), ("b", "list", "{}")]


def test_a_call_s_last_word_on_its_id_and_name_counts() -> None:
    seen = read_events(
        created(),
        added(0, {"type": "function_call", "id": "fc_1", "name": "", "arguments": ""}),
        delta("function_call_arguments", 0, "fc_1", "{}"),
        done(0, call("right", "{}", name="look", item_id="fc_2")),
        ended(),
    )
    assert seen.calls == [("right", "look", "{}")]


@pytest.mark.parametrize(
    "only",
    ["response.output_text.done", "response.content_part.done", "response.output_item.done", "response.completed"],
)
def test_a_text_that_one_event_alone_says_is_not_lost(only: str) -> None:
    events = [*said("Hello"), ended(message("Hello"))]
    events = [event for event in events if event["type"] == only]
    if only != "response.completed":
        events.append(ended())
    assert read_events(created(), *events).reply.text == "Hello"


@pytest.mark.parametrize(
    "only", ["response.function_call_arguments.done", "response.output_item.done", "response.completed"]
)
def test_arguments_that_one_event_alone_says_are_not_lost(only: str) -> None:
    beginning = added(0, call("a"))
    events = [event for event in [*called("a", '{"n": 1}'), ended(call("a", '{"n": 1}'))] if event["type"] == only]
    seen = read_events(created(), beginning, *events, *([] if only == "response.completed" else [ended()]))
    assert seen.calls == [("a", "look", '{"n": 1}')]
    assert seen.end.stop_reason == "tool_use"


def test_a_text_in_place_of_a_list_is_read() -> None:
    assert read_events(created(), ended({**message(), "content": "Hello"})).reply.text == "Hello"


def test_pieces_that_were_lost_come_with_the_whole() -> None:
    events = [event for event in said("Hel", "lo", " you") if event.get("delta") != " you"]
    assert read_events(created(), *events, ended()).reply.text == "Hello you"


def test_interleaved_arguments_find_their_calls() -> None:
    seen = read_events(
        created(),
        added(0, call("a")),
        added(1, call("b")),
        delta("function_call_arguments", 1, "fc_b", '{"b"'),
        delta("function_call_arguments", 0, "fc_a", '{"a"'),
        delta("function_call_arguments", 1, "fc_b", ": 2}"),
        delta("function_call_arguments", 0, "fc_a", ": 1}"),
        done(1, call("b", '{"b": 2}')),
        done(0, call("a", '{"a": 1}')),
        ended(call("a", '{"a": 1}'), call("b", '{"b": 2}')),
    )
    assert seen.calls == [("a", "look", '{"a": 1}'), ("b", "look", '{"b": 2}')]


def test_equal_and_missing_call_ids_are_told_apart() -> None:
    seen = read_events(created(), *called("a", "{}"), *called("a", "{}", index=1), *called("", "{}", index=2), ended())
    assert [call_id for call_id, _, _ in seen.calls] == ["a", "made-0", "made-1"]


def test_reasoning_that_names_itself_alike_is_kept_twice() -> None:
    """xAI gives all reasoning of a reply one id."""
    first, second = reasoning(sealed="one"), reasoning(sealed="two")
    seen = read_events(
        created(), done(0, first), *called("a", "{}", index=1), done(2, second), *said("Hi", index=3), ended()
    )
    assert [kept["item"]["encrypted_content"] for kept in seen.kept] == ["one", "two"]
    assert [kept["leads_to"] for kept in seen.kept] == [{"type": "function_call", "name": "look"}, {"type": "message"}]


def test_reasoning_that_ends_late_replaces_what_was_kept_of_it() -> None:
    """OpenRouter ends a reasoning item after the message that it led to."""
    seen = read_events(
        created(),
        added(0, reasoning()),
        delta("reasoning_text", 0, "rs_1", "Hm.", content_index=0),
        *said("Hi", index=1),
        done(0, reasoning(sealed="late", content=["Hm."])),
        ended(message("Hi")),
    )
    early, late = seen.kept
    assert early["item"]["content"] == [{"type": "reasoning_text", "text": "Hm."}]
    assert late["late"]
    assert late["item"]["encrypted_content"] == "late"
    assert seen.reply.thinking == "Hm."


def test_reasoning_that_stands_in_two_lists_is_shown_once() -> None:
    both = reasoning(summary=["Short."], content=["Short."])
    assert read_events(created(), done(0, both), *said("Hi", index=1), ended()).reply.thinking == "Short."


def test_what_the_service_ran_itself_is_kept_whole_and_in_place() -> None:
    search = {
        "type": "web_search_call",
        "id": "ws_1",
        "status": "completed",
        "action": {"type": "search", "query": "q"},
    }
    seen = read_events(
        created(),
        added(0, {**search, "status": "in_progress", "action": None}),
        {"type": "response.web_search_call.searching", "output_index": 0, "item_id": "ws_1"},
        done(0, search),
        *said("Found.", index=1),
        ended(search, message("Found.")),
    )
    assert seen.kinds == ["thinking_signature", "text"]
    assert seen.kept == [{"item": search}]


def test_a_picture_that_the_service_drew_is_a_picture() -> None:
    drawn = {
        "type": "image_generation_call",
        "id": "ig_1",
        "status": "completed",
        "result": base64.b64encode(PIXEL).decode(),
    }
    seen = read_events(
        created(),
        added(0, {**drawn, "result": None}),
        {"type": "response.image_generation_call.partial_image", "output_index": 0, "partial_image_b64": "AAAA"},
        done(0, drawn),
        *said("There.", index=1),
        ended(drawn, message("There.")),
    )
    assert [event.data for event in seen.events if isinstance(event, ImageProduced)] == [PIXEL]
    assert isinstance(seen.reply.parts[0], ImagePart)
    assert seen.reply.parts[0].mime_type == "image/png"


def test_free_text_for_a_custom_tool_is_a_call() -> None:
    item = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "c", "name": "sql", "input": ""}
    seen = read_events(
        created(),
        added(0, item),
        delta("custom_tool_call_input", 0, "ctc_1", "SELECT "),
        delta("custom_tool_call_input", 0, "ctc_1", "1"),
        done(0, {**item, "input": "SELECT 1"}),
        ended(),
    )
    assert seen.calls == [("c", "sql", "SELECT 1")]
    assert seen.end.stop_reason == "tool_use"


def test_a_refusal_is_text_and_said_to_be_one() -> None:
    seen = read_events(
        created(),
        added(0, message()),
        part(0, "msg_1", 0, "refusal"),
        delta("refusal", 0, "msg_1", "I cannot", content_index=0),
        delta("refusal", 0, "msg_1", " do that.", content_index=0),
        done(0, {**message(), "content": [{"type": "refusal", "refusal": "I cannot do that."}]}),
        ended(),
    )
    assert seen.reply.text == "I cannot do that."
    assert (seen.end.stop_reason, seen.end.detail) == ("refusal", "I cannot do that.")


def test_what_nobody_knows_is_passed_over() -> None:
    strange: list[Event | str] = [
        {"type": "response.hologram.delta", "delta": "x", "output_index": 0},
        {"type": "keepalive", "sequence_number": 3},
        {"type": "response.output_text.annotation.added", "output_index": 1, "annotation": {"type": "url_citation"}},
        {"type": "response.output_item.added", "output_index": 7, "item": {"type": "hologram_call", "id": "h"}},
        {"type": "response.output_item.done", "output_index": 7, "item": {"type": "hologram_call", "id": "h"}},
        "null",
        "[]",
        "3",
    ]
    seen = read_events(created(), *strange, *said("Hi", index=1), ended())
    assert seen.error is None
    assert seen.kinds == ["text"]


def test_one_whole_answer_is_read_like_a_stream() -> None:
    answer = {
        "id": "resp_1",
        "object": "response",
        "status": "completed",
        "model": "m",
        "error": None,
        "output": [reasoning(sealed="x", summary=["Hm."]), message("Hello"), call("a", "{}")],
        "usage": {"input_tokens": 1, "output_tokens": 2},
    }
    seen = read(json.dumps(answer, indent=1).encode())
    assert seen.kinds == ["thinking_text", "thinking_signature", "text", "tool_call"]
    assert seen.reply.response_id == "resp_1"
    assert seen.end.stop_reason == "tool_use"
    half = read(json.dumps(answer).encode()[:-30])
    assert half.error is not None
    assert half.error.code == "cut_off"


def test_halves_of_a_character_are_joined() -> None:
    text = body([created(), *said("A", "B")[:2], *said("A", "B")[2:4], ended()]).decode()
    halved = text.replace('"delta": "A"', '"delta": "\\ud83c"').replace('"delta": "B"', '"delta": "\\udf89"')
    assert read(halved.encode()).reply.text == "🎉"


def test_a_call_is_begun_before_its_arguments() -> None:
    events = [delta("function_call_arguments", 0, "fc_a", "{}"), done(0, call("a", "{}")), ended()]
    seen = read_events(created(), *events)
    assert isinstance(seen.events[1], ToolCallStarted)
    assert seen.calls == [("a", "look", "{}")]
