from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sam_py.errors import SamError
from sam_py.messages.parts import (
    CodePart,
    FilePart,
    ImagePart,
    TextPart,
    ThinkingTextPart,
    ToolCallPart,
    UnknownPart,
)
from sam_py.messages.turn import Limits, ToolResultPart, Turn, TurnPart
from sam_py.providers.base import ChatRequest, ToolSpec
from sam_py.providers.openai_chat.dialect import Dialect
from sam_py.providers.openai_chat.dialects import dialect_of
from sam_py.providers.openai_chat.request import build_body
from sam_py.providers.presets import PRESETS

SEES = Limits(images=True, pdfs=True, tools=True)
PIXEL = b"\x89PNG pixel"


def user(*parts: TurnPart | str) -> Turn:
    return Turn("user", tuple(TextPart(text=part) if isinstance(part, str) else part for part in parts))


def model(*parts: TurnPart | str, provider: str = "p") -> Turn:
    given = tuple(TextPart(text=part) if isinstance(part, str) else part for part in parts)
    return Turn("assistant", given, provider=provider, model="m")


def body(*turns: Turn, dialect: Dialect | None = None, **fields: Any) -> dict[str, Any]:
    fields.setdefault("limits", SEES)
    fields.setdefault("attachments", {"pixel": PIXEL, "paper": b"%PDF", "notes": b"a,b"})
    made = build_body(ChatRequest(model="m", turns=turns, **fields), dialect)
    assert_valid(made)
    return made


def assert_valid(made: dict[str, Any]) -> None:
    """The strict form that every server takes: nothing empty, no null, each call answered next, in order."""
    json.dumps(made).encode("utf-8")
    assert None not in made.values()
    open_calls: list[str] = []
    for message in made["messages"]:
        assert None not in message.values()
        if message["role"] == "tool":
            assert message["tool_call_id"] == open_calls.pop(0)
            assert isinstance(message["content"], str)
        else:
            assert not open_calls, "a call without its result"
        assert message["role"] in ("system", "developer", "user", "assistant", "tool")
        content = message.get("content")
        if message["role"] == "assistant":
            assert content or message.get("tool_calls")
        else:
            assert content
        for part in content if isinstance(content, list) else []:
            assert part["type"] != "text" or part["text"].strip()
        assert message.get("tool_calls") != []
        for call in message.get("tool_calls", []):
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
            assert call["id"]
            assert call["function"]["name"]
            open_calls.append(call["id"])
    assert not open_calls


def test_a_plain_conversation_is_strings() -> None:
    made = body(user("Hi"), model("Hello"), user("Bye"), system="Be kind.", temperature=0.5, max_tokens=10)
    assert made == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hello"},
            {"role": "user", "content": "Bye"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 0.5,
        "max_tokens": 10,
    }


def test_images_go_as_data_urls_and_pdfs_as_files() -> None:
    parts = [ImagePart(attachment="pixel"), FilePart(attachment="paper", filename="p.pdf", mime_type="application/pdf")]
    content = body(user("Look", *parts), dialect=Dialect(pdf="file"))["messages"][0]["content"]
    pixel = base64.b64encode(PIXEL).decode()
    assert content[1] == {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{pixel}"}}
    assert content[2]["file"]["filename"] == "p.pdf"
    assert content[2]["file"]["file_data"].startswith("data:application/pdf;base64,")


def test_a_model_that_does_not_see_is_told_what_was_there() -> None:
    parts = [
        ImagePart(attachment="pixel", alt="a red square"),
        FilePart(attachment="paper", filename="p.pdf", mime_type="application/pdf", size=4),
    ]
    content = body(user("Look", *parts), limits=Limits())["messages"][0]["content"]
    assert "[Image: a red square]" in content
    assert "p.pdf" in content


def test_text_files_and_code_go_as_fenced_text() -> None:
    code = CodePart(code="print('```')\n", language="python", filename="a.py")
    content = body(user(code, FilePart(attachment="notes", filename="n.csv", mime_type="text/csv")))["messages"][0][
        "content"
    ]
    assert content == "a.py:\n````python\nprint('```')\n````\n\n\nn.csv:\n```\na,b\n```\n"


def test_results_follow_their_calls_one_message_each_and_their_images_after_them() -> None:
    calls = [ToolCallPart(call_id=name, tool_name="look", arguments_json='{"n": 1}') for name in "ab"]
    results = [
        ToolResultPart(
            call_id="a", tool_name="look", status="success", text="", parts=(ImagePart(attachment="pixel"),)
        ),
        ToolResultPart(call_id="b", tool_name="look", status="error", text="broke", parts=(CodePart(code="x"),)),
    ]
    messages = body(user("Go"), model("On it.", *calls), user(*results, "And now?"))["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "tool", "user"]
    assert messages[2]["content"] == "(no output)"
    assert "```\nx\n```" in messages[3]["content"]
    assert [part["type"] for part in messages[4]["content"]] == ["text", "image_url", "text"]


def test_tools_are_written_as_functions() -> None:
    tool = ToolSpec("look", "Looks.", {"type": "object", "properties": {"n": {"type": "integer"}}})
    made = body(user("Go"), tools=(tool,), tool_choice="required")
    assert made["tools"][0]["function"]["parameters"]["properties"] == {"n": {"type": "integer"}}
    assert made["tool_choice"] == "required"
    assert "tool_choice" not in body(user("Go"), tools=(tool,))
    assert "tools" not in body(user("Go"), tool_choice="required")


@pytest.mark.parametrize(
    ("streamed", "sent"),
    [
        ("", {}),
        ("null", {}),
        ('{"n": 1}', {"n": 1}),
        ('{"n": ', {"invalid_arguments": '{"n": '}),
        ("[1]", {"invalid_arguments": [1]}),
    ],
)
def test_arguments_are_always_sent_as_an_object(streamed: str, sent: dict[str, Any]) -> None:
    call = ToolCallPart(call_id="a", tool_name="f", arguments_json=streamed)
    result = ToolResultPart(call_id="a", tool_name="f", status="success", text="ok")
    made = body(user("Go"), model(call), user(result))
    assert json.loads(made["messages"][1]["tool_calls"][0]["function"]["arguments"]) == sent


def test_thinking_alone_is_no_message() -> None:
    messages = body(user("Hi"), model(ThinkingTextPart(text="hm")), user("Still there?"))["messages"]
    assert [message["role"] for message in messages] == ["user", "user"]


def test_mistral_gets_ids_of_nine_characters_on_both_ends() -> None:
    call = ToolCallPart(call_id="call_abcdefghijkl", tool_name="f", arguments_json="{}")
    result = ToolResultPart(call_id="call_abcdefghijkl", tool_name="f", status="success", text="ok")
    messages = body(user("Go"), model(call), user(result), dialect=dialect_of("mistral"))["messages"]
    assert len(messages[1]["tool_calls"][0]["id"]) == 9
    assert messages[2]["tool_call_id"] == messages[1]["tool_calls"][0]["id"]


def test_openai_s_reasoning_models_get_no_temperature_and_the_new_name_of_max_tokens() -> None:
    request = ChatRequest(model="gpt-5.2", turns=(user("Hi"),), temperature=0.5, max_tokens=9, reasoning_effort="low")
    made = build_body(request, dialect_of("openai"))
    assert "temperature" not in made
    assert (made["max_completion_tokens"], made["reasoning_effort"]) == (9, "low")


def test_what_a_person_set_for_the_provider_is_merged_last_and_null_sets_nothing() -> None:
    made = body(user("Hi"), temperature=0.5, extra={"temperature": 1.0, "top_k": 4, "stop": None})
    assert (made["temperature"], made["top_k"]) == (1.0, 4)
    assert "stop" not in made


def test_a_missing_attachment_is_said_by_its_name() -> None:
    with pytest.raises(SamError, match="holiday"):
        body(user(ImagePart(attachment="gone", alt="holiday")))


def test_an_unknown_part_is_refused_not_dropped() -> None:
    with pytest.raises(ValueError, match="hologram"):
        body(user(UnknownPart(kind="hologram")))


_texts = st.text(st.characters(exclude_categories=[]), max_size=20)
_said = st.one_of(
    st.builds(TextPart, text=_texts),
    st.builds(CodePart, code=_texts.map(lambda text: text.encode("utf-8", "replace").decode())),
    st.builds(ImagePart, attachment=st.just("pixel"), alt=st.just("alt")),
)


@given(
    said=st.lists(_said, min_size=1, max_size=4),
    reply=_texts,
    arguments=_texts,
    output=_texts,
    preset=st.sampled_from([preset.preset for preset in PRESETS]),
    sees=st.booleans(),
)
def test_every_body_is_one_that_strict_servers_take(
    said: list[TurnPart], reply: str, arguments: str, output: str, preset: str, sees: bool
) -> None:
    call = ToolCallPart(call_id="c", tool_name="f", arguments_json=arguments)
    result = ToolResultPart(call_id="c", tool_name="f", status="success", text=output)
    turns = (Turn("user", (*said, TextPart(text="go"))), model(reply, call), user(result))
    body(*turns, dialect=dialect_of(preset), limits=SEES if sees else Limits())
