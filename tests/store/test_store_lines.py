"""The line format: what is written is read; what is damaged is survived."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sam_py.messages.history import (
    BranchSelected,
    ErrorOccurred,
    HistoryEvent,
    MessageAdded,
    MessageAnnotated,
    MessageRemoved,
    SettingsChanged,
    TaskRecorded,
    ToolStateChanged,
    UnknownEvent,
    event_adapter,
)
from sam_py.messages.message import AssistantMessage, ToolResultMessage, UserMessage
from sam_py.messages.parts import TextPart, ToolCallPart
from sam_py.messages.usage import Usage
from sam_py.store.lines import MessageRecord, read_line, read_lines, write_line
from tests.store.kit import START, said

EVENTS: list[HistoryEvent] = [
    said("a", 'héllo\n\u2028 \x00 \\ " 你好 🎉'),
    MessageAdded(
        message=AssistantMessage(
            id="b", parent_id="a", parts=(ToolCallPart(call_id="c", tool_name="t", arguments_json='{"v":'),)
        )
    ),
    MessageAdded(message=ToolResultMessage(id="r", call_id="c", tool_name="t", status="success", output_text="ok")),
    MessageRemoved(message_id="a", parent_id=None),
    MessageAnnotated(message_id="a", pinned=True, importance=0.9),
    BranchSelected(parent_id=None, message_id="a"),
    BranchSelected(parent_id='odd "id" \\', message_id="b"),
    ToolStateChanged(call_id="c", state="running", tool_name="t"),
    ErrorOccurred(message_id="a", code="server", text="It broke."),
    TaskRecorded(provider="p", model="m", usage=Usage(input_tokens=3), cost_usd=0.5),
    SettingsChanged(key="mini_prompts", value=["a", {"crc": "b"}]),
    UnknownEvent(event="moved_to_mars"),
    event_adapter.validate_python({"event": "moved_to_mars", "rocket": {"v": 1}, "list": [1, None]}),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.event)
def test_an_event_comes_back_as_it_was(event: HistoryEvent) -> None:
    line = write_line(event, 7, "3fa9c1d2")
    assert line.count(b"\n") == 1
    record = read_line(line[:-1])
    assert record is not None
    assert (record.rev, record.dev, record.sure, record.v) == (7, "3fa9c1d2", True, 1)
    assert record.event() == event
    if not isinstance(event, UnknownEvent):
        assert record.subject == event.subject


def test_a_message_line_of_ours_is_read_without_parsing_it(monkeypatch: pytest.MonkeyPatch) -> None:
    line = write_line(said("a", "hello", "up"), 3, "aa")
    monkeypatch.setattr("sam_py.store.lines._read_slowly", lambda *_: pytest.fail("parsed"))
    record = read_line(line[:-1])
    assert isinstance(record, MessageRecord)
    assert (record.id, record.parent_id, record.role, record.size) == ("a", "up", "user", len(line) - 1)


def test_a_lone_surrogate_does_not_stop_a_save() -> None:
    event = MessageAdded(message=UserMessage(id="a", created_at=START, parts=(TextPart(text="x\ud83c"),)))
    record = read_line(write_line(event, 1, "aa")[:-1])
    assert isinstance(record, MessageRecord)
    assert record.load().text == "x\N{REPLACEMENT CHARACTER}"


def test_an_edited_line_counts_but_not_against_a_verified_one_of_its_revision() -> None:
    line = write_line(said("a", "first"), 1, "aa")
    edited = line.replace(b"first", b"typed")
    ours, theirs = read_line(line[:-1]), read_line(edited[:-1])
    assert ours is not None
    assert theirs is not None
    assert ours.beats(theirs)
    later = read_line(edited[:-1].replace(b'"rev":1', b'"rev":2'))
    assert later is not None
    assert later.beats(ours)


def test_a_line_without_head_fields_is_read_with_their_defaults() -> None:
    record = read_line(b'{"event":"settings_changed","key":"title","value":"x"}', "cc")
    assert record is not None
    assert (record.v, record.rev, record.dev, record.subject) == (1, 0, "cc", "setting:title")


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"<<<<<<< HEAD",
        b'{"event":7}',
        b'{"event":"message_added"}',
        b'{"v":1,"event":"x","rev":-1}',
        b'{"event":"message_removed"}',
        b"[" * 100_000,
        b'{"event":"x","rev":true}',
        b'{"event":"x","rev":' + b"9" * 5000 + b"}",
    ],
)
def test_what_is_no_event_is_no_record(line: bytes) -> None:
    assert read_line(line) is None


def test_whole_records_inside_a_damaged_line_are_saved() -> None:
    one, two = write_line(said("a", 'with {"v":1} in it'), 1, "aa")[:-1], write_line(said("b", "two"), 2, "aa")[:-1]
    reading = read_lines(b"\xff\x00{]" + one + b"rubbish" + two + b"\n" + write_line(said("c", "c"), 3, "aa"))
    assert [record.subject for record in reading.records] == ["message:a", "message:b", "message:c"]
    assert all(record.sure for record in reading.records)
    assert len(reading.bad) == 1


def test_the_text_of_a_message_cannot_pass_for_a_record() -> None:
    forged = write_line(said("a", "forged"), 9, "zz").decode()
    line = write_line(said("b", f"look: {forged}"), 1, "aa")
    reading = read_lines(b"rubbish" + line)
    assert [record.subject for record in reading.records] == ["message:b"]


def test_a_file_cut_at_any_byte_keeps_all_complete_lines() -> None:
    lines = [write_line(event, number, "aa") for number, event in enumerate(EVENTS[:8])]
    raw = b"".join(lines)
    ends = [sum(map(len, lines[: n + 1])) for n in range(len(lines))]
    for cut in range(len(raw) + 1):
        reading = read_lines(raw[:cut])
        whole = sum(end - 1 <= cut for end in ends)  # the line break itself may be missing
        assert len(reading.records) == whole
        assert reading.bad == []
        assert (reading.torn_at is None) == (cut in (0, *ends, *(end - 1 for end in ends)))


@given(st.binary(max_size=400), st.integers(0, 10**6))
def test_rubbish_anywhere_raises_nothing(rubbish: bytes, at: int) -> None:
    raw = b"".join(write_line(event, number, "aa") for number, event in enumerate(EVENTS[:4]))
    at %= len(raw)
    reading = read_lines(raw[:at] + rubbish + raw[at:])
    assert len(reading.records) >= 3
    for record in reading.records:
        if isinstance(record, MessageRecord):
            record.load()


def test_a_message_that_does_not_fit_is_shown_as_far_as_it_can_be_read() -> None:
    line = json.loads(write_line(said("a", "kept text"), 1, "aa"))
    line["message"]["parts"].append({"kind": "image", "width": "wide"})
    record = read_line(json.dumps(line).encode())
    assert isinstance(record, MessageRecord)
    assert record.load().text == "kept text"
    line["message"]["importance"] = "very"
    record = read_line(json.dumps(line).encode())
    assert isinstance(record, MessageRecord)
    message = record.load()
    assert message.role == "system"
    assert "kept text" in message.text
    assert message.id == "a"


def test_unknown_parts_and_fields_survive_being_read() -> None:
    line = json.loads(write_line(said("a", "x"), 1, "aa"))
    line["message"]["parts"].append({"kind": "hologram", "depth": 3})
    line["message"]["mood"] = "calm"
    record = read_line(json.dumps(line).encode())
    assert isinstance(record, MessageRecord)
    dumped = record.load().model_dump(mode="json")
    assert dumped["mood"] == "calm"
    assert dumped["parts"][1] == {"kind": "hologram", "depth": 3}
