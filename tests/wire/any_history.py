"""Strategies: any conversation that a person, a crash, a sync or an import can leave behind.

`talks` go through a real bus: they stop replies, lose, repeat and shuffle results, delete, edit and branch, with or
without a ledger. `heaps` are messages in any order, as an import may hold them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hypothesis import strategies as st

from sam_py.bus.message_bus import ROOT, MessageBus
from sam_py.messages.adapters.legacy import from_any
from sam_py.messages.history import ToolStateChanged
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
    Part,
    TextPart,
    ThinkingSignaturePart,
    ThinkingTextPart,
    ToolCallPart,
    UnknownPart,
)
from sam_py.messages.turn import Limits
from tests.wire.answers import own_replies

ATTACHMENTS = {"picture": b"\x89PNG data", "words": "grün\n".encode(), "pages": b"%PDF-1.7", "nothing": b""}
"""What is there; of the attachment ``gone`` nothing is."""

PROVIDERS = ("mine", "other", "")
MODELS = ("big-1", "big-1-2026-01-02", "small-1", "")

texts = st.sampled_from(
    ["", " ", "\n\t", "hello", "two\n\nlines", "日本 🎉", "a\ud83c", "\udf89b", "```", "</system-reminder>", "x" * 3000]
)
ids = st.sampled_from(
    [
        "",
        "call",
        "call_0",
        "call_1",
        "call_0_2",
        "toolu_9",
        "a b",
        "ünï",
        "\ud800",
        "x" * 70,
        "x" * 70 + "y",
        "rs_1|fc_1",
    ]
)
names = st.sampled_from(
    ["search", "read_file", "", "read file", "ünï", "9lives", "a.b:c", "x" * 130, "\ud83c", "search"]
)
arguments = st.sampled_from(
    [
        *("{}", '{"a": 1}', '{"path": "fo', "", " ", "null", "[1]", '"text"', "12", "nonsense", '{"a": NaN}', "NaN"),
        *('{"a": -Infinity}', '{"a": 1e999}', '{"a": "\\ud83c"}', '{"\\ud83c": 1}', '{"a": 1, "a": 2}', "{}{}"),
        "[" * 3000,
    ]
)
hashes = st.sampled_from([*ATTACHMENTS, "gone"])
picture_types = st.sampled_from(["image/png", "image/jpeg", "image/bmp", "image/svg+xml", "", "image/PNG; q=1"])
file_types = st.sampled_from(
    ["text/plain", "application/pdf", "application/json", "application/zip", "", "text/x; charset=utf-8", "image/png"]
)
signatures = st.sampled_from(
    [
        *("c2lnbmVk", "", " ", "\ud83c", "{", "[]", "{}", "null", '{"type":"redacted_thinking","data":""}', "[1]"),
        *('{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{}}', '[{"type":"reasoning.text"}]'),
        *('{"on":"call","signature":"QUJD"}', '{"on":"text","length":5,"signed":[[0,2,"QUJD"],[5,5,"QUJD"]]}'),
        *('{"item":{"type":"reasoning","id":"rs_1","encrypted_content":"x"},"leads_to":{"type":"message"}}',),
        *(
            '{"item":{"type":"reasoning","id":"rs_1","summary":null}}',
            '{"type":"thinking","thinking":"","signature":"s"}',
        ),
    ]
)

text_parts = st.builds(TextPart, text=texts)
image_parts = st.builds(
    ImagePart,
    attachment=st.none() | hashes,
    url=st.sampled_from([None, "https://example.org/a.png", "file:///etc/passwd", ""]),
    mime_type=picture_types,
    alt=texts,
)
file_parts = st.builds(
    FilePart,
    attachment=hashes,
    filename=st.sampled_from(["a.txt", "b.pdf", "", 'c".bin', "\ud83c.pdf"]),
    mime_type=file_types,
    size=st.just(9),
)
code_parts = st.builds(
    CodePart, code=texts, language=st.sampled_from(["", "python"]), filename=st.sampled_from(["", "a.py"])
)
unknown_parts = st.just(UnknownPart(kind="hologram"))
thinking_parts = st.builds(ThinkingTextPart, text=texts)
signature_parts = st.builds(
    ThinkingSignaturePart, signature=signatures, provider=st.sampled_from(PROVIDERS), model=st.sampled_from(MODELS)
)
call_parts = st.builds(ToolCallPart, call_id=ids, tool_name=names, arguments_json=arguments)

said_parts = st.lists(text_parts | image_parts | file_parts | code_parts | unknown_parts, max_size=3).map(tuple)
result_parts = st.lists(image_parts | file_parts | code_parts | unknown_parts, max_size=2).map(tuple)
reply_parts = st.lists(
    st.one_of(text_parts, thinking_parts, signature_parts, call_parts, image_parts | code_parts | unknown_parts),
    max_size=5,
)
stop_reasons = st.sampled_from([None, "stop", "length", "tool_use", "content_filter", "refusal", "error", "aborted"])
statuses = st.sampled_from(["success", "success", "error", "aborted"])

users = st.builds(UserMessage, parts=said_parts)
developers = st.builds(DeveloperMessage, parts=st.lists(text_parts | image_parts, max_size=2).map(tuple))
systems = st.builds(SystemMessage, parts=st.lists(text_parts, max_size=2).map(tuple))
tool_results = st.builds(
    ToolResultMessage, call_id=ids, tool_name=names, status=statuses, output_text=texts, parts=result_parts
)


@st.composite
def replies(draw: st.DrawFn, most_calls: int = 8) -> AssistantMessage:
    """A reply: a service's own as its decoder made it, or any parts in any order, with up to eight calls."""
    provider, model = draw(st.sampled_from(PROVIDERS)), draw(st.sampled_from(MODELS))
    stop_reason = draw(stop_reasons)
    own = own_replies()
    parts: tuple[Part, ...]
    if draw(st.booleans()):
        taken = draw(st.sampled_from(own))
        parts = tuple(
            part.model_copy(update={"provider": provider, "model": model})
            if isinstance(part, ThinkingSignaturePart)
            else part
            for part in taken.parts
        )
        if draw(st.booleans()):  # stopped, or edited by a person or another program
            parts = parts[: draw(st.integers(0, len(parts)))] + tuple(draw(reply_parts))
    else:
        calls = draw(st.lists(call_parts, max_size=most_calls)) if draw(st.booleans()) else []
        parts = (*draw(reply_parts), *calls)
    return AssistantMessage(parts=parts, stop_reason=stop_reason, provider=provider, model=model)


legacy = st.sampled_from(
    [
        {"content": "Hello"},
        {"thought": "I should think"},
        {"role": "user", "content": [{"type": "text", "text": "a"}]},
        {
            "kind": "response",
            "parts": [{"part_kind": "tool-call", "tool_call_id": "t", "tool_name": "bash", "args": {}}],
        },
        {"kind": "request", "parts": [{"part_kind": "tool-return", "tool_call_id": "t", "content": "done"}]},
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "a"}]},
    ]
).map(lambda form: from_any([form])[0])
heap_messages: st.SearchStrategy[Message] = st.one_of(
    users, replies(), replies(most_calls=2), tool_results, tool_results, developers, systems, legacy
)


@dataclass
class Case:
    """What a request is built from."""

    messages: list[Message]
    ledger: Mapping[str, ToolStateChanged] | None = None
    reminders: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)


states = st.sampled_from(["scheduled", "awaiting_approval", "running", "success", "error", "aborted"])


@st.composite
def heaps(draw: st.DrawFn) -> tuple[list[Message], Mapping[str, ToolStateChanged] | None]:
    messages = draw(st.lists(heap_messages, max_size=40))
    called = sorted({part.call_id for message in messages for part in message.tool_calls})
    if not called or draw(st.booleans()):
        return messages, None
    chosen = draw(st.lists(st.tuples(st.sampled_from(called), states, st.booleans()), max_size=8))
    return messages, {
        call_id: ToolStateChanged(call_id=call_id, state=state, inferred=inferred, reason="because")  # type: ignore[arg-type]
        for call_id, state, inferred in chosen
    }


@st.composite
def talks(draw: st.DrawFn) -> tuple[list[Message], Mapping[str, ToolStateChanged] | None]:
    """A conversation on a real bus, step by step, with what goes wrong in one."""
    bus = MessageBus("talk")
    writer = bus.ledger.writer()
    late: list[ToolResultMessage] = []

    def under_tip(message: Message) -> Message:
        return message.model_copy(update={"parent_id": bus.tip})

    def add(message: Message) -> None:
        if not (isinstance(message, AssistantMessage) and message.is_empty) and message.id not in bus:
            bus.add(under_tip(message))

    for _ in range(draw(st.integers(1, 14))):
        match draw(st.sampled_from(["say", "reply", "reply", "reply", "tell", "delete", "edit", "branch", "late"])):
            case "say":
                add(draw(users))
            case "tell":
                add(draw(developers | systems))
            case "reply":
                reply = draw(replies())
                add(reply)
                known = draw(st.booleans())
                results = []
                for call in reply.tool_calls:
                    fate = draw(
                        st.sampled_from(["success", "success", "success", "error", "aborted", "lost", "twice", "late"])
                    )
                    if known and call.call_id and call.call_id not in bus.ledger:
                        writer.record(call.call_id, "running", tool_name=call.tool_name)
                        if fate in ("success", "error", "aborted"):
                            writer.record(call.call_id, fate, reason=draw(texts))
                    if fate == "lost":
                        continue
                    status = fate if fate in ("error", "aborted") else "success"
                    result = ToolResultMessage(
                        call_id=call.call_id,
                        tool_name=call.tool_name,
                        status=status,
                        output_text=draw(texts),  # type: ignore[arg-type]
                    )
                    (late if fate == "late" else results).append(result)
                    if fate == "twice":
                        results.append(result.model_copy(update={"id": f"{result.id}2", "output_text": "again"}))
                for result in draw(st.permutations(results)) if results else ():
                    add(result)
            case "late" if late:
                add(late.pop(draw(st.integers(0, len(late) - 1))))
            case "delete" if bus.tip is not None:
                bus.remove(draw(st.sampled_from(bus.path)))
            case "edit" if bus.tip is not None:
                parent = bus.parent_of(draw(st.sampled_from(bus.path)))
                bus.add_user_message("edited", parent_id=ROOT if parent is None else parent)
            case "branch" if bus.tip is not None:
                bus.select_branch(draw(st.sampled_from([message.id for message in bus.tree()])))
    ledger: Mapping[str, ToolStateChanged] | None = bus.ledger
    match draw(st.sampled_from(["as it is", "crashed", "imported"])):
        case "crashed":
            bus.ledger.load(dict(bus.ledger))
        case "imported":
            ledger = None
    return list(bus.messages()), ledger


limits = st.builds(
    Limits,
    images=st.booleans(),
    pdfs=st.booleans(),
    tools=st.sampled_from([True, True, True, False]),
    thinking=st.booleans(),
    own_pictures=st.booleans(),
    output_tokens=st.sampled_from([None, 8_000]),
)
reminders = st.lists(st.sampled_from(["<todoList>1 of 2</todoList>", " ", "a\ud83c"]), max_size=2).map(tuple)
cases = st.builds(
    lambda talk, reminders, limits: Case(talk[0], talk[1], reminders, limits), talks() | heaps(), reminders, limits
)
