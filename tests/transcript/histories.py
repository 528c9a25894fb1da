"""Strategies: any history, however broken."""

from __future__ import annotations

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
from sam_py.messages.turn import Limits

texts = st.sampled_from(["", " ", "\n", "hello", "a b", "```", "日本", "x" * 50])
ids = st.sampled_from(["", "call", "call_0", "call_1", "call_0_2", "toolu_9"])
names = st.sampled_from(["", "search", "read"])
hashes = st.sampled_from(["h1", "h2"])

text_parts = st.builds(TextPart, text=texts)
image_parts = st.builds(ImagePart, attachment=st.none() | hashes, url=st.none() | st.just("https://x"), alt=texts)
file_parts = st.builds(
    FilePart,
    attachment=hashes,
    filename=st.sampled_from(["a.txt", "b.pdf", "c.bin"]),
    mime_type=st.sampled_from(["text/plain", "application/pdf", "application/octet-stream"]),
)
code_parts = st.builds(CodePart, code=texts, language=st.sampled_from(["", "python"]))
unknown_parts = st.builds(UnknownPart, kind=st.just("hologram"))
thinking_parts = st.builds(ThinkingTextPart, text=texts) | st.builds(
    ThinkingSignaturePart, signature=st.just("s"), provider=st.just("p"), model=st.just("m")
)
call_parts = st.builds(
    ToolCallPart, call_id=ids, tool_name=names, arguments_json=st.sampled_from(["", "{}", '{"a":', "nonsense"])
)

user_messages = st.builds(
    UserMessage,
    parts=st.lists(text_parts | image_parts | file_parts | code_parts | unknown_parts, max_size=4).map(tuple),
)
assistant_messages = st.builds(
    AssistantMessage,
    parts=st.lists(text_parts | image_parts | code_parts | thinking_parts | call_parts | unknown_parts, max_size=8).map(
        tuple
    ),
    stop_reason=st.sampled_from([None, "stop", "length", "tool_use", "error", "aborted"]),
    provider=st.sampled_from(["", "p", "q"]),
    model=st.sampled_from(["m", "n"]),
)
tool_messages = st.builds(
    ToolResultMessage,
    call_id=ids,
    tool_name=names,
    status=st.sampled_from(["success", "error", "aborted"]),
    output_text=texts,
    parts=st.lists(image_parts | file_parts | code_parts, max_size=2).map(tuple),
)
messages: st.SearchStrategy[Message] = st.one_of(
    user_messages,
    assistant_messages,
    assistant_messages,
    tool_messages,
    tool_messages,
    st.builds(DeveloperMessage, parts=st.lists(text_parts | image_parts, max_size=2).map(tuple)),
    st.builds(SystemMessage, parts=st.lists(text_parts, max_size=2).map(tuple)),
)
histories = st.lists(messages, max_size=40)
limits = st.builds(Limits, images=st.booleans(), pdfs=st.booleans(), tools=st.booleans(), thinking=st.booleans())
