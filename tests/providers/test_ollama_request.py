"""What Ollama is sent: results in the order of their calls, a context that holds everything, words that it knows."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from sam_py.errors import SamError
from sam_py.messages.parts import FilePart, ImagePart, TextPart, ThinkingTextPart, ToolCallPart, UnknownPart
from sam_py.messages.turn import Limits, ToolResultPart, Turn, TurnPart
from sam_py.providers.base import ChatRequest, ToolSpec
from sam_py.providers.ids import new_own_id
from sam_py.providers.ollama.models import Told, guessed, read_show
from sam_py.providers.ollama.request import build_body
from tests.providers.body_rules import problems_of
from tests.providers.ollama_bodies import TAKES_ALL

PIXEL = b"\x89PNG pixel"


def user(*parts: TurnPart | str) -> Turn:
    return Turn("user", tuple(TextPart(text=part) if isinstance(part, str) else part for part in parts))


def model(*parts: TurnPart | str, name: str = "qwen3:8b", provider: str = "o") -> Turn:
    said = tuple(TextPart(text=part) if isinstance(part, str) else part for part in parts)
    return Turn("assistant", said, provider=provider, model=name)


def call(call_id: str, arguments: str = "{}") -> ToolCallPart:
    return ToolCallPart(call_id=call_id, tool_name="look", arguments_json=arguments)


def result(call_id: str, text: str = "seen", **fields: Any) -> ToolResultPart:
    return ToolResultPart(call_id=call_id, tool_name="look", status="success", text=text, **fields)


def body(*turns: Turn, told: Told | None = None, **fields: Any) -> dict[str, Any]:
    given: dict[str, Any] = {"model": "qwen3:8b", "provider": "o", "limits": TAKES_ALL}
    given["attachments"] = {"pixel": PIXEL, "notes": b"a,b"}
    made = build_body(ChatRequest(turns=turns, **{**given, **fields}), told)
    json.dumps(made)
    return made


def test_a_plain_ollama_conversation() -> None:
    made = body(user("Hi"), model("Hello"), user("Bye", "now"), system="Be kind.", temperature=0.5, max_tokens=10)
    assert made == {
        "model": "qwen3:8b",
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hello"},
            {"role": "user", "content": "Bye\n\nnow"},
        ],
        "stream": True,
        "think": True,
        "options": {"num_ctx": 8192, "temperature": 0.5, "num_predict": 10},
    }


def test_pictures_are_bare_base64_and_what_the_server_cannot_read_is_named() -> None:
    [message] = body(
        user(
            "Look",
            ImagePart(attachment="pixel"),
            ImagePart(attachment="pixel", mime_type="image/gif", alt="a dance"),
            ImagePart(url="https://a.example/b.png"),
            FilePart(attachment="notes", filename="n.csv", mime_type="text/csv"),
            FilePart(attachment="x", filename="p.pdf", mime_type="application/pdf"),
        )
    )["messages"]
    assert message["images"] == [base64.b64encode(PIXEL).decode()]
    for words in ("[Image: a dance]", "https://a.example/b.png", "a,b", "p.pdf"):
        assert words in message["content"]


def test_a_model_that_does_not_see_gets_no_picture() -> None:
    [message] = body(user("Look", ImagePart(attachment="pixel", alt="a cat")), limits=Limits())["messages"]
    assert message == {"role": "user", "content": "Look\n\n[Image: a cat]"}


def test_ollama_s_results_follow_in_the_order_of_the_calls_and_their_pictures_after_them() -> None:
    own = new_own_id()
    shown = result(own, "", parts=(ImagePart(attachment="pixel"),))
    messages = body(user("Go"), model(call("call_1", '{"n": 1}'), call(own)), user(result("call_1"), shown, "And?"))
    assert messages["messages"][1:] == [
        {
            "role": "assistant",
            "tool_calls": [
                {"id": "call_1", "function": {"name": "look", "arguments": {"n": 1}}},
                {"function": {"name": "look", "arguments": {}}},
            ],
        },
        {"role": "tool", "content": "seen", "tool_name": "look", "tool_call_id": "call_1"},
        {"role": "tool", "content": "(no output)", "tool_name": "look"},
        {
            "role": "user",
            "content": "The pictures are from the result of look.\n\nAnd?",
            "images": [base64.b64encode(PIXEL).decode()],
        },
    ]


def test_thinking_goes_back_to_its_own_model_alone() -> None:
    turns = (user("Go"), model(ThinkingTextPart(text="Hm."), "Done."), user("?"))
    assert body(*turns)["messages"][1] == {"role": "assistant", "content": "Done.", "thinking": "Hm."}
    assert "thinking" not in body(*turns, model="llama3")["messages"][1]
    assert "thinking" not in body(*turns, provider="other")["messages"][1]
    assert "thinking" not in body(*turns, limits=Limits(tools=True))["messages"][1]


@pytest.mark.parametrize(
    ("name", "told", "effort", "think"),
    [
        ("qwen3", (), None, True),
        ("qwen3", (), "none", False),
        ("qwen3", (), "high", True),
        ("gpt-oss:20b", (), None, None),
        ("gpt-oss:20b", (), "none", "low"),
        ("gpt-oss:20b", (), "minimal", "low"),
        ("gpt-oss:20b", (), "max", "high"),
        ("deepseek-v4", (False, True, "high", "max"), "xhigh", "high"),
        ("deepseek-v4", (False, True, "high", "max"), "max", "max"),
        ("deepseek-v4", (False, True, "high", "max"), "none", False),
        ("always", (True,), "none", True),
    ],
)
def test_how_hard_to_think_is_said_in_words_that_the_model_has(name: str, told: Any, effort: Any, think: Any) -> None:
    made = body(user("Go"), model=name, reasoning_effort=effort, told=Told(TAKES_ALL, think=told))
    assert made.get("think") == think


def test_a_model_that_cannot_think_is_not_told_to() -> None:
    assert "think" not in body(user("Go"), reasoning_effort="high", limits=Limits(tools=True))


def test_the_context_grows_in_steps_and_never_beyond_the_model_s() -> None:
    def asked(characters: int, **fields: Any) -> int:
        size: int = body(user("x" * characters), **fields)["options"]["num_ctx"]
        return size

    assert [asked(n) for n in (10, 1_000, 40_000, 200_000)] == [8_192, 8_192, 32_768, 131_072]
    assert asked(40_000, limits=Limits(context_tokens=12_000)) == 12_000
    assert asked(10, limits=Limits(context_tokens=2_048)) == 2_048
    assert asked(10, max_tokens=20_000) == 32_768
    assert asked(10, told=Told(TAKES_ALL, num_ctx=30_000)) == 32_768
    assert asked(10, extra={"options": {"num_ctx": 4096}}) == 4096
    assert "options" not in body(user("x"), model="gpt-oss:120b-cloud")


def test_tools_are_functions_and_are_left_out_where_none_is_wanted() -> None:
    tools = (
        ToolSpec("look", "Looks.", {"type": "object", "properties": {"n": {"type": "integer"}}}),
        ToolSpec("r", "", {}),
    )
    made = body(user("Go"), tools=tools)
    assert made["tools"][0]["function"]["parameters"]["properties"] == {"n": {"type": "integer"}}
    assert made["tools"][1] == {
        "type": "function",
        "function": {"name": "r", "parameters": {"type": "object", "properties": {}}},
    }
    assert "tools" not in body(user("Go"), tools=tools, tool_choice="none")


def test_ollama_s_mapper_refuses_what_it_cannot_say() -> None:
    with pytest.raises(SamError, match="red square"):
        body(user(ImagePart(attachment="gone", alt="red square")))
    with pytest.raises(ValueError, match="hologram"):
        body(user(UnknownPart(kind="hologram")))


def test_a_server_s_words_of_a_model_are_read() -> None:
    told = read_show(
        {
            "capabilities": ["completion", "tools", "thinking"],
            "thinking": {"values": [False, True, "max"], "default": True},
            "model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40960, "x.context_length": 7},
            "parameters": 'stop "<x>"\nnum_ctx                        16384\n',
        }
    )
    assert told == Told(Limits(40960, None, tools=True, thinking=True), True, (False, True, "max"), 16384)
    assert not read_show({"capabilities": ["embedding"]}).answers
    old = read_show({"template": "{{ if .Tools }}", "projector_info": {"a": 1}})
    assert old.limits == Limits(images=True, tools=True)
    assert read_show("nonsense").limits == Limits()
    assert read_show({"model_info": {"a.context_length": "many"}, "thinking": {"values": 3}}).think == ()
    assert guessed("llava:13b").images


def test_ollama_bodies_of_every_kind_are_found_without_fault(recordings: Path) -> None:
    made = body(
        user("Go", ImagePart(attachment="pixel")),
        model(ThinkingTextPart(text="Hm."), "I look.", call("a"), call("b")),
        user(result("a"), result("b", parts=(ImagePart(attachment="pixel"),)), "And?"),
        system="Be kind.",
        tools=(ToolSpec("look", "Looks.", {"type": "object", "properties": {"n": {"type": "integer"}}}),),
        reasoning_effort="low",
        max_tokens=100,
        top_p=0.9,
    )
    assert problems_of(recordings, "ollama", made) == []
