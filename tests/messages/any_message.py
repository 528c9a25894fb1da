"""Strategies: every message that our types allow."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import strategies as st

from sam_py.messages.message import (
    AssistantMessage,
    DeveloperMessage,
    Message,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
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
from sam_py.messages.usage import Metrics, Usage

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
times = st.datetimes(min_value=datetime(2000, 1, 1), max_value=datetime(2100, 1, 1), timezones=st.just(UTC))
counts = st.none() | st.integers(0, 10**6)
hashes = st.text("0123456789abcdef", min_size=4, max_size=4)
mimes = st.sampled_from(["image/png", "image/webp", "application/pdf", "text/plain"])

text_parts = st.builds(TextPart, text=texts)
image_parts = st.builds(
    ImagePart,
    attachment=st.none() | hashes,
    url=st.none() | st.just("https://example.org/a.png"),
    mime_type=mimes,
    width=counts,
    alt=texts,
)
file_parts = st.builds(FilePart, attachment=hashes, filename=texts, mime_type=mimes, size=st.integers(0, 99))
code_parts = st.builds(CodePart, code=texts, language=st.sampled_from(["", "python"]), filename=texts)
thinking_parts = st.builds(ThinkingTextPart, text=texts) | st.builds(
    ThinkingSignaturePart, signature=texts, provider=texts, model=texts
)
call_parts = st.builds(ToolCallPart, call_id=texts, tool_name=texts, arguments_json=texts)
values = st.none() | st.booleans() | texts | st.lists(texts, max_size=2) | st.dictionaries(texts, texts, max_size=2)
unknown_parts = st.builds(
    lambda kind, value: UnknownPart.model_validate({"kind": kind, "value": value}),
    st.sampled_from(["hologram", "legacy", "pydantic_ai"]),
    values,
)


def parts(*kinds: st.SearchStrategy) -> st.SearchStrategy:  # type: ignore[type-arg]
    return st.lists(st.one_of(*kinds, unknown_parts), max_size=4).map(tuple)


common = {
    "parent_id": st.none() | hashes,
    "created_at": times,
    "pinned": st.booleans(),
    "importance": st.sampled_from([0.0, 0.3, 0.5, 0.85, 1.0]),
}
usages = st.none() | st.builds(
    Usage, input_tokens=counts, output_tokens=counts, cached_input_tokens=counts, reasoning_tokens=counts
)
metrics = st.none() | st.builds(Metrics, first_token_s=st.none() | st.floats(0, 9), estimated=st.booleans())

messages: st.SearchStrategy[Message] = st.one_of(
    st.builds(SystemMessage, parts=parts(text_parts), **common),
    st.builds(DeveloperMessage, parts=parts(text_parts, image_parts), **common),
    st.builds(UserMessage, parts=parts(text_parts, image_parts, file_parts, code_parts), **common),
    st.builds(
        AssistantMessage,
        parts=parts(text_parts, image_parts, code_parts, thinking_parts, call_parts),
        stop_reason=st.sampled_from(
            [None, "stop", "length", "tool_use", "content_filter", "refusal", "error", "aborted"]
        ),
        usage=usages,
        metrics=metrics,
        provider=texts,
        model=texts,
        response_id=st.none() | texts,
        **common,
    ),
    st.builds(
        ToolResultMessage,
        parts=parts(image_parts, file_parts, code_parts),
        call_id=texts,
        tool_name=texts,
        status=st.sampled_from(["success", "error", "aborted"]),
        output_text=texts,
        details=st.lists(texts, max_size=2).map(tuple),
        duration_s=st.none() | st.floats(0, 9),
        **common,
    ),
)
with_extras: st.SearchStrategy[Message] = st.builds(
    lambda message, extra: message.model_copy(update=extra),
    messages,
    st.just({}) | st.just({"of_a_newer_version": {"a": [1]}}),
)
