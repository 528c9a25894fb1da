"""Foreign forms in and out: exact where they are ours, sensible where they are not."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given, settings

from sam_py.messages.adapters.legacy import from_any, from_legacy, to_legacy
from sam_py.messages.adapters.pydantic_ai import from_pydantic_ai, to_pydantic_ai
from sam_py.messages.message import AssistantMessage, Message, SystemMessage, ToolResultMessage, UserMessage
from sam_py.messages.parts import (
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


def through_json(form: Any) -> Any:
    return json.loads(json.dumps(form))


@settings(max_examples=400, deadline=None)
@given(with_extras)
def test_every_message_comes_back_from_the_legacy_form(message: Message) -> None:
    assert from_legacy(through_json(to_legacy(message))) == message


@settings(max_examples=400, deadline=None)
@given(with_extras)
def test_every_message_comes_back_from_pydantic_ai(message: Message) -> None:
    assert from_pydantic_ai(through_json(to_pydantic_ai([message]))) == [message]


@settings(max_examples=150, deadline=None)
@given(with_extras)
def test_every_message_comes_back_with_the_bytes_of_what_is_attached(message: Message) -> None:
    kept: dict[str, bytes] = {}

    def keep(data: bytes, mime: str) -> str:
        kept[data.decode()] = data
        return data.decode()

    forms = through_json(to_pydantic_ai([message], read=lambda attachment: attachment.encode()))
    assert from_pydantic_ai(forms, keep) == [message]
    attached = [part.attachment for part in (*message.images, *message.files) if part.attachment]
    if message.role in ("user", "assistant"):
        assert set(kept) == set(attached)


def test_a_plain_text_stands_only_once_in_a_form() -> None:
    message = UserMessage(parts=(TextPart(text="only once"),))
    for form in (to_legacy(message), to_pydantic_ai([message])[0]):
        assert json.dumps(form).count("only once") == 1


# Legacy dictionaries


def test_bare_content_is_the_users() -> None:
    message = from_legacy({"content": "Hello world"})
    assert isinstance(message, UserMessage)
    assert message.text == "Hello world"


def test_a_bare_thought_is_the_assistants() -> None:
    message = from_legacy({"thought": "I should think about this"})
    assert isinstance(message, AssistantMessage)
    assert message.parts == (ThinkingTextPart(text="I should think about this"),)


def test_a_thought_with_content_thinks_first() -> None:
    message = from_legacy({"thought": "Hm", "content": "Yes"})
    assert [part.kind for part in message.parts] == ["thinking_text", "text"]


@pytest.mark.parametrize(
    ("role", "kind"), [("user", "user"), ("human", "user"), ("ai", "assistant"), ("system", "system"), ("odd", "user")]
)
def test_a_role_is_understood(role: str, kind: str) -> None:
    assert from_legacy({"role": role, "content": "x"}).role == kind


def test_a_list_of_content_keeps_what_it_does_not_know() -> None:
    content = [
        {"type": "text", "text": "See"},
        {"type": "image_url", "image_url": {"url": "https://x/a.png"}},
        {"a": 1},
    ]
    message = from_legacy({"role": "user", "content": content})
    assert message.text == "See"
    assert message.images[0].url == "https://x/a.png"
    unknown = message.parts[2]
    assert isinstance(unknown, UnknownPart)
    assert unknown.model_extra == {"value": {"a": 1}}


def test_calls_and_results_of_the_chat_form_are_read() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"a":1}'}}
    reply, result = from_any(
        [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "content": "done", "tool_call_id": "c1", "name": "read"},
        ]
    )
    assert reply.tool_calls == (ToolCallPart(call_id="c1", tool_name="read", arguments_json='{"a":1}'),)
    assert isinstance(result, ToolResultMessage)
    assert (result.call_id, result.output_text, result.parent_id) == ("c1", "done", reply.id)


@pytest.mark.parametrize("form", [{}, {"role": "user"}, {"text": "x"}, {"content": None}])
def test_a_form_that_says_nothing_is_refused(form: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="neither content nor thought"):
        from_legacy(form)


def test_a_legacy_form_that_somebody_changed_holds_over_the_side_field() -> None:
    message = UserMessage(parts=(TextPart(text="old"), ImagePart(attachment="h")), pinned=True)
    form = {**to_legacy(message), "content": "new"}
    changed = from_legacy(form)
    assert (changed.id, changed.text, changed.pinned) == (message.id, "new", True)


def test_an_unusable_side_field_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    message = from_legacy({"content": "x", "sam": {"importance": "high"}})
    assert (message.text, message.importance) == ("x", 0.5)
    assert "unusable" in caplog.text


# pydantic-ai


def test_a_request_becomes_a_message_for_each_of_its_parts() -> None:
    form = {
        "kind": "request",
        "parts": [
            {"part_kind": "system-prompt", "content": "Be kind.", "timestamp": "2026-01-02T03:04:05Z"},
            {"part_kind": "user-prompt", "content": "Hello", "timestamp": "2026-01-02T03:04:05.5+00:00"},
            {"part_kind": "tool-return", "tool_name": "bash", "tool_call_id": "tc_1", "content": {"code": 0}},
            {"part_kind": "retry-prompt", "tool_name": "bash", "tool_call_id": "tc_2", "content": "wrong arguments"},
            {"part_kind": "retry-prompt", "content": "Answer in JSON."},
        ],
        "instructions": "Short.",
    }
    system, user, result, failed, again = messages = from_pydantic_ai([form])
    assert isinstance(system, SystemMessage)
    assert system.model_extra == {"pydantic_ai": {"instructions": "Short."}}
    assert isinstance(user, UserMessage)
    assert (user.text, user.created_at.microsecond) == ("Hello", 500_000)
    assert isinstance(result, ToolResultMessage)
    assert (result.status, result.output_text) == ("success", '{"code": 0}')
    assert isinstance(failed, ToolResultMessage)
    assert (failed.status, failed.call_id) == ("error", "tc_2")
    assert again.text == "Answer in JSON."
    assert [message.parent_id for message in messages] == [None, *(message.id for message in messages[:-1])]


def test_a_response_is_a_reply_with_all_that_it_reports() -> None:
    form = {
        "kind": "response",
        "parts": [
            {"part_kind": "thinking", "content": "Hm", "signature": "sig", "provider_name": "anthropic"},
            {"part_kind": "text", "content": "Let me help"},
            {"part_kind": "tool-call", "tool_call_id": "tc_1", "tool_name": "bash", "args": {"command": "ls"}},
            {"part_kind": "tool-call", "tool_call_id": "tc_2", "tool_name": "bash", "args": '{"command":'},
            {"part_kind": "builtin-tool-call", "tool_name": "web_search", "args": {}},
        ],
        "usage": {"request_tokens": 5, "output_tokens": 7, "details": {"reasoning_tokens": 2}},
        "model_name": "claude",
        "provider_name": "anthropic",
        "provider_response_id": "r1",
        "finish_reason": "tool_call",
        "timestamp": "2026-01-02T03:04:05Z",
        "provider_details": {"a": 1},
    }
    (reply,) = from_pydantic_ai([form])
    assert isinstance(reply, AssistantMessage)
    assert reply.parts[:4] == (
        ThinkingTextPart(text="Hm"),
        ThinkingSignaturePart(signature="sig", provider="anthropic", model="claude"),
        TextPart(text="Let me help"),
        ToolCallPart(call_id="tc_1", tool_name="bash", arguments_json='{"command": "ls"}'),
    )
    assert reply.usage == Usage(input_tokens=5, output_tokens=7, reasoning_tokens=2)
    assert (reply.model, reply.response_id, reply.stop_reason) == ("claude", "r1", "tool_use")
    (written,) = to_pydantic_ai([reply])
    assert written["provider_details"] == {"a": 1}
    assert written["parts"][-1] == form["parts"][-1]
    assert written["parts"][0] == form["parts"][0]


def test_a_prompt_with_pictures_and_files_keeps_their_bytes() -> None:
    kept: list[tuple[bytes, str]] = []

    def keep(data: bytes, mime: str) -> str:
        kept.append((data, mime))
        return f"hash{len(kept)}"

    binary = {"kind": "binary", "data": base64.b64encode(b"png").decode(), "media_type": "image/png"}
    pdf = {**binary, "media_type": "application/pdf", "identifier": "a.pdf"}
    content = ["Look", binary, pdf, {"kind": "image-url", "url": "https://x/a.png"}, {"kind": "video-url", "url": "v"}]
    (user,) = from_pydantic_ai([{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": content}]}], keep)
    assert user.parts[:4] == (
        TextPart(text="Look"),
        ImagePart(attachment="hash1"),
        FilePart(attachment="hash2", filename="a.pdf", mime_type="application/pdf", size=3),
        ImagePart(url="https://x/a.png"),
    )
    assert isinstance(user.parts[4], UnknownPart)
    assert kept == [(b"png", "image/png"), (b"png", "application/pdf")]


def test_bytes_that_are_none_are_kept_as_they_are() -> None:
    broken = {"kind": "binary", "data": "@@@", "media_type": "image/png"}
    form = {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": [broken]}]}
    (user,) = from_pydantic_ai([form], lambda data, mime: "hash")
    assert isinstance(user.parts[0], UnknownPart)
    assert to_pydantic_ai([user])[0]["parts"][0]["content"] == [broken]


@pytest.mark.parametrize("form", [{}, {"kind": "request"}, {"kind": "letter", "parts": []}, {"parts": []}])
def test_what_is_no_message_is_refused(form: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="not a message of pydantic-ai"):
        from_pydantic_ai([form])


def test_a_form_that_somebody_changed_holds_over_the_side_field() -> None:
    message = UserMessage(parts=(TextPart(text="old"), ImagePart(attachment="h", alt="cat")), pinned=True)
    (form,) = to_pydantic_ai([message])
    form["parts"][0]["content"][0] = "new"
    (changed,) = from_pydantic_ai([form])
    assert (changed.id, changed.text, changed.pinned) == (message.id, "new", True)
    assert changed.images[0].attachment == "h"


def test_mixed_lists_are_read_in_order() -> None:
    forms = [
        {"content": "Hello"},
        {"kind": "response", "parts": [{"part_kind": "text", "content": "Hi"}]},
        {"thought": "Hm"},
    ]
    messages = from_any(forms)
    assert [message.role for message in messages] == ["user", "assistant", "assistant"]
    assert [message.parent_id for message in messages] == [None, messages[0].id, messages[1].id]
