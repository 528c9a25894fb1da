"""Messages, parts, events and the growing reply."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from sam_py.messages.builder import PartsBuilder, mend_surrogates
from sam_py.messages.history import (
    BranchSelected,
    ErrorOccurred,
    MessageAdded,
    MessageAnnotated,
    MessageRemoved,
    SettingsChanged,
    TaskRecorded,
    ToolStateChanged,
    UnknownEvent,
    event_adapter,
)
from sam_py.messages.message import (
    AssistantMessage,
    DeveloperMessage,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
    display_kind,
    message_adapter,
)
from sam_py.messages.parts import (
    CodePart,
    FilePart,
    ImagePart,
    TextPart,
    ThinkingSignaturePart,
    ThinkingTextPart,
    ToolCallPart,
    UnknownPart,
)
from sam_py.messages.usage import Usage
from tests.messages.any_message import with_extras

CALL = ToolCallPart(call_id="c", tool_name="search", arguments_json="{}")


@settings(max_examples=200, deadline=None)
@given(with_extras)
def test_every_message_comes_back_from_json(message: object) -> None:
    json = message_adapter.dump_json(message)  # type: ignore[arg-type]
    assert message_adapter.validate_json(json) == message


def test_a_message_is_frozen() -> None:
    message = UserMessage(parts=(TextPart(text="a"),))
    with pytest.raises(ValidationError, match="frozen"):
        message.pinned = True  # type: ignore[misc]


@pytest.mark.parametrize(
    ("kind", "part"),
    [
        (UserMessage, CALL),
        (UserMessage, ThinkingTextPart(text="a")),
        (SystemMessage, ImagePart()),
        (DeveloperMessage, CodePart(code="a")),
        (AssistantMessage, FilePart(attachment="h", filename="a")),
    ],
)
def test_a_part_that_does_not_belong_is_refused(kind: type, part: object) -> None:
    with pytest.raises(ValidationError, match="cannot hold"):
        kind(parts=(part,))


def test_a_tool_result_never_has_text_among_its_parts() -> None:
    with pytest.raises(ValidationError, match="cannot hold a text part"):
        ToolResultMessage(call_id="c", tool_name="t", status="success", parts=(TextPart(text="a"),))


def test_importance_stays_between_nought_and_one() -> None:
    with pytest.raises(ValidationError):
        UserMessage(importance=1.1)


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValidationError):
        UserMessage.model_validate({"created_at": "2026-01-01T00:00:00"})


def test_what_is_unknown_is_kept_and_written_back() -> None:
    raw = {
        "role": "user",
        "mood": "merry",
        "parts": [{"kind": "hologram", "depth": 3}, {"kind": "text", "text": "a", "colour": "red"}],
    }
    written = message_adapter.dump_python(message_adapter.validate_python(raw), mode="json")
    assert written["mood"] == "merry"
    assert written["parts"] == raw["parts"]


def test_everything_else_is_computed_from_parts() -> None:
    reply = AssistantMessage(
        parts=(
            ThinkingTextPart(text="Hm"),
            TextPart(text="One. "),
            CodePart(code="x = 1"),
            ImagePart(attachment="h"),
            TextPart(text="Two."),
            CALL,
        )
    )
    assert (reply.text, reply.thinking, reply.tool_calls, reply.has_images) == ("One. Two.", "Hm", (CALL,), True)
    assert reply.plain_text == "One. \n\nx = 1\n\nTwo."


@pytest.mark.parametrize(
    ("parts", "is_empty"),
    [
        ((), True),
        ((TextPart(text=" \n"),), True),
        ((ThinkingTextPart(text=""), ThinkingSignaturePart(signature="s", provider="p", model="m")), True),
        ((TextPart(text="a"),), False),
        ((ThinkingTextPart(text="a"),), False),
        ((ImagePart(attachment="h"),), False),
        ((CALL,), False),
        ((UnknownPart(kind="hologram"),), False),
    ],
)
def test_empty_is_what_nobody_would_see(parts: tuple[object, ...], is_empty: bool) -> None:
    assert AssistantMessage(parts=parts).is_empty is is_empty  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (UserMessage(), "user"),
        (SystemMessage(), "system"),
        (DeveloperMessage(), "system"),
        (ToolResultMessage(call_id="c", tool_name="t", status="success"), "tool_execution"),
        (AssistantMessage(parts=(TextPart(text="a"), CALL)), "assistant"),
        (AssistantMessage(parts=(CALL,)), "tool_execution"),
        (AssistantMessage(parts=(ThinkingTextPart(text="a"),)), "thinking"),
        (AssistantMessage(), "assistant"),
    ],
)
def test_how_a_message_is_drawn_follows_from_role_and_parts(message: object, kind: str) -> None:
    assert display_kind(message) == kind  # type: ignore[arg-type]


# History events


@pytest.mark.parametrize(
    ("event", "subject"),
    [
        (MessageAdded(message=UserMessage(id="m")), "message:m"),
        (MessageRemoved(message_id="m"), "message:m"),
        (MessageAnnotated(message_id="m", pinned=True), "annotation:m"),
        (BranchSelected(parent_id=None, message_id="m"), "branch:"),
        (BranchSelected(parent_id="p", message_id="m"), "branch:p"),
        (ToolStateChanged(call_id="c", state="running"), "call:c"),
        (ErrorOccurred(id="e", message_id=None, code="server", text="No."), "error:e"),
        (TaskRecorded(id="t"), "task:t"),
        (SettingsChanged(key="title", value="A"), "setting:title"),
    ],
)
def test_every_event_comes_back_and_knows_its_subject(event: object, subject: str) -> None:
    assert event.subject == subject  # type: ignore[attr-defined]
    json = event_adapter.dump_json(event)  # type: ignore[arg-type]
    assert event_adapter.validate_json(json) == event


def test_an_event_of_a_newer_version_is_kept_under_a_steady_subject() -> None:
    event = event_adapter.validate_python({"event": "mood_changed", "mood": "merry"})
    assert isinstance(event, UnknownEvent)
    assert event_adapter.dump_python(event, mode="json") == {"event": "mood_changed", "mood": "merry"}
    assert event.subject == "unknown:mood_changed:0532da3f"


# Usage


def test_usage_of_a_reply_that_went_on_adds_its_output() -> None:
    first = Usage(input_tokens=10, output_tokens=5, reasoning_tokens=None)
    then = first.and_then(Usage(input_tokens=16, cached_input_tokens=8))
    assert then == Usage(input_tokens=16, output_tokens=5, cached_input_tokens=8)


# The growing reply


@given(st.lists(st.tuples(st.sampled_from(["text", "thinking_text"]), st.text(max_size=4)), max_size=20))
def test_the_builder_joins_runs_of_one_kind(pieces: list[tuple[str, str]]) -> None:
    builder = PartsBuilder()
    expected: list[list[str]] = []
    for kind, text in pieces:
        place = builder.append(kind, text)  # type: ignore[arg-type]
        if expected and expected[-1][0] == kind:
            expected[-1][1] += text
        else:
            expected.append([kind, text])
        assert place == len(expected) - 1
    frozen = [(part.kind, part.text) for part in builder.freeze()]  # type: ignore[union-attr]
    assert frozen == [(kind, mend_surrogates(text)) for kind, text in expected]


def test_a_finished_text_is_opened_again_without_losing_fields() -> None:
    builder = PartsBuilder((TextPart(text="One, "),))
    assert builder.append("text", "two") == 0
    assert builder.text_of(0) == "One, two"
    assert builder.freeze() == (TextPart(text="One, two"),)


def test_trimming_leaves_the_middle_alone() -> None:
    builder = PartsBuilder()
    for part in (
        TextPart(text="\n"),
        TextPart(text="\n  a \n"),
        ThinkingTextPart(text=" "),
        CALL,
        TextPart(text=" b \n"),
    ):
        builder.add(part)
    assert builder.freeze(trim=True) == (TextPart(text="  a \n"), CALL, TextPart(text=" b"))
    assert len(builder.freeze()) == 5


def test_arguments_for_a_call_that_never_began_are_a_mistake() -> None:
    with pytest.raises(KeyError):
        PartsBuilder().append_arguments("0", "{}")


@given(st.text(st.characters(min_codepoint=0, max_codepoint=0x10FFFF), max_size=8), st.data())
def test_text_cut_anywhere_is_mended(text: str, data: st.DataObject) -> None:
    halves = text.encode("utf-16-le", "surrogatepass")
    units = [halves[i : i + 2].decode("utf-16-le", "surrogatepass") for i in range(0, len(halves), 2)]
    mended = mend_surrogates("".join(units))
    mended.encode()
    assert mended == halves.decode("utf-16-le", "replace")
