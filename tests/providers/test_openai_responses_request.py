"""What a Responses request holds: nothing that a server refuses, and of earlier replies what belongs in them."""

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
    ThinkingSignaturePart,
    ThinkingTextPart,
    ToolCallPart,
    UnknownPart,
)
from sam_py.messages.turn import Limits, ToolResultPart, Turn, TurnPart
from sam_py.providers.base import ChatRequest, Effort, ToolSpec
from sam_py.providers.openai_responses.dialect import Dialect, dialect_of
from sam_py.providers.openai_responses.kept import Follower, pack
from sam_py.providers.openai_responses.request import build_body
from tests.fakes.responses_events import reasoning
from tests.wire.judge import judge

SEES = Limits(images=True, pdfs=True, tools=True, thinking=True)
PIXEL = b"\x89PNG pixel"
ATTACHED = {"pixel": PIXEL, "paper": b"%PDF", "notes": b"a,b"}
SEARCH = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "q"}}


def user(*parts: TurnPart | str) -> Turn:
    return Turn("user", tuple(TextPart(text=part) if isinstance(part, str) else part for part in parts))


def model(*parts: TurnPart | str, provider: str = "p") -> Turn:
    said = tuple(TextPart(text=part) if isinstance(part, str) else part for part in parts)
    return Turn("assistant", said, provider=provider, model="gpt-5")


def kept(
    item: dict[str, Any] | None, leads_to: str = "", *, late: bool = False, provider: str = "p", **more: str
) -> ThinkingSignaturePart:
    signature = pack(item, Follower(leads_to, **more) if leads_to else None, late=late)
    return ThinkingSignaturePart(signature=signature, provider=provider, model="gpt-5")


def call(call_id: str, arguments: str = "{}") -> ToolCallPart:
    return ToolCallPart(call_id=call_id, tool_name="look", arguments_json=arguments)


def result(call_id: str, text: str = "seen", **more: Any) -> ToolResultPart:
    return ToolResultPart(call_id=call_id, tool_name="look", status="success", text=text, **more)


def body(*turns: Turn, dialect: Dialect | None = None, **fields: Any) -> dict[str, Any]:
    given = {"model": "gpt-5", "provider": "p", "limits": SEES, "attachments": ATTACHED, **fields}
    made = build_body(ChatRequest(turns=turns, **given), dialect=dialect)
    json.dumps(made, ensure_ascii=False).encode()
    assert [str(fault) for fault in judge("openai_responses", made)] == []
    return made


def kinds(made: dict[str, Any]) -> list[str]:
    return [item["type"] for item in made["input"]]


def test_a_plain_conversation_is_typed_items_and_asks_for_no_memory() -> None:
    made = body(user("Hi"), model("Hello"), user("Bye"), model="gpt-4o", system="Be kind.", temperature=0.5, top_p=0.9)
    assert made == {
        "model": "gpt-4o",
        "input": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "Hello", "annotations": []}],
            },
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Bye"}]},
        ],
        "instructions": "Be kind.",
        "store": False,
        "stream": True,
        "temperature": 0.5,
        "top_p": 0.9,
    }


def test_a_model_that_reasons_is_asked_for_a_summary_and_its_encrypted_thoughts() -> None:
    made = body(user("Hi"), temperature=0.5, top_p=0.9, reasoning_effort="high", max_tokens=8)
    assert made["reasoning"] == {"effort": "high", "summary": "auto"}
    assert made["include"] == ["reasoning.encrypted_content"]
    assert not {"temperature", "top_p"} & made.keys()
    assert made["max_output_tokens"] == 8
    openai = body(user("Hi"), max_tokens=8, dialect=dialect_of("openai"))
    assert openai["max_output_tokens"] == 16  # it refuses less


@pytest.mark.parametrize(
    ("name", "wanted", "word"),
    [
        ("gpt-5-mini", "none", "minimal"),
        ("gpt-5.1", "max", "high"),
        ("gpt-5.2", "minimal", "low"),
        ("gpt-5.6-luna", "max", "max"),
        ("gpt-5-pro", "low", "high"),
        ("gpt-5.1-codex-max", "xhigh", "xhigh"),
        ("o3", "xhigh", "high"),
        ("openai/gpt-oss-20b", "minimal", "low"),
        ("grok-4.3", "none", "none"),
        ("grok-4-0709", "high", None),
        ("gpt-5.1-chat-latest", "high", None),
        ("gpt-4o", "high", None),
        ("some-model", "xhigh", "high"),
    ],
)
def test_the_nearest_effort_that_a_model_has_is_asked_for(name: str, wanted: Effort, word: str | None) -> None:
    made = body(user("Hi"), model=name, reasoning_effort=wanted)
    assert made.get("reasoning", {}).get("effort") == word


def test_what_a_server_refused_is_left_out() -> None:
    left_out = Dialect(left_out=frozenset({"include", "prompt_cache_key", "reasoning.summary"}))
    made = body(user("Hi"), dialect=left_out, conversation_id="c", reasoning_effort="low")
    assert made["reasoning"] == {"effort": "low"}
    assert not {"include", "prompt_cache_key"} & made.keys()
    assert body(user("Hi"), conversation_id="c")["prompt_cache_key"] == "c"


def test_a_server_without_instructions_gets_them_as_a_message() -> None:
    made = body(user("Hi"), system="Be kind.", dialect=Dialect(system_as="developer"))
    assert "instructions" not in made
    assert made["input"][0]["role"] == "developer"


def test_tools_are_flat_and_not_strict() -> None:
    look = ToolSpec("look", "Looks.", {"type": "object", "properties": {"n": {"type": "integer"}}})
    made = body(user("Hi"), tools=(look,), tool_choice="required")
    assert made["tools"] == [
        {
            "type": "function",
            "name": "look",
            "description": "Looks.",
            "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}},
            "strict": False,
        }
    ]
    assert made["tool_choice"] == "required"
    assert "tool_choice" not in body(user("Hi"), tools=(look,))
    assert not {"tools", "tool_choice"} & body(user("Hi"), tool_choice="required").keys()


def test_a_person_s_own_keys_come_last_and_their_tools_stand_beside_ours() -> None:
    look = ToolSpec("look", "", {"type": "object", "properties": {}})
    extra = {"tools": [{"type": "web_search"}], "service_tier": "flex", "store": None, "temperature": 1.0}
    made = body(user("Hi"), tools=(look,), extra=extra)
    assert [tool["type"] for tool in made["tools"]] == ["function", "web_search"]
    assert (made["service_tier"], made["store"], made["temperature"]) == ("flex", False, 1.0)


def test_pictures_and_documents_go_in_as_data() -> None:
    paper = FilePart(attachment="paper", filename="p.pdf", mime_type="application/pdf")
    made = body(user("Look", ImagePart(attachment="pixel"), ImagePart(url="https://x.example/a.png"), paper))
    content = made["input"][0]["content"]
    assert content[1]["image_url"] == f"data:image/png;base64,{base64.b64encode(PIXEL).decode()}"
    assert content[2]["image_url"] == "https://x.example/a.png"
    assert content[3]["filename"] == "p.pdf"
    assert content[3]["file_data"].startswith("data:application/pdf;base64,")


def test_a_model_that_does_not_see_is_told_what_is_there() -> None:
    parts = [
        ImagePart(attachment="pixel", alt="a red square"),
        FilePart(attachment="paper", filename="p.pdf", mime_type="application/pdf", size=4),
        FilePart(attachment="notes", filename="n.csv", mime_type="text/csv"),
        CodePart(code="print('```')", language="python"),
    ]
    content = body(user(*parts), limits=Limits())["input"][0]["content"]
    assert [part["type"] for part in content] == ["input_text"] * 4
    assert content[0]["text"] == "[Image: a red square]"
    assert "p.pdf" in content[1]["text"]
    assert content[2]["text"] == "n.csv:\n```\na,b\n```\n"
    assert content[3]["text"].startswith("````python\n")


def test_results_follow_their_calls_and_hold_their_pictures_where_the_server_takes_them() -> None:
    turns = (
        user("Go"),
        model("On it.", call("a", ""), call("b", '{"n": ')),
        user(result("a", "", parts=(ImagePart(attachment="pixel"),)), result("b"), "And now?"),
    )
    made = body(*turns)
    expected = ["message", "message", "function_call", "function_call", "function_call_output", "function_call_output"]
    assert kinds(made) == [*expected, "message"]
    assert [part["type"] for part in made["input"][4]["output"]] == ["input_text", "input_image"]
    assert made["input"][4]["output"][0]["text"] == "(no output)"
    assert json.loads(made["input"][3]["arguments"]) == {"invalid_arguments": '{"n": '}
    plain = body(*turns, dialect=dialect_of("llamacpp"))
    assert plain["input"][4]["output"] == "(no output)"
    assert [part["type"] for part in plain["input"][6]["content"]] == ["input_text", "input_image", "input_text"]


def test_long_ids_of_other_services_are_shortened_on_both_ends() -> None:
    long_id = "call|" + "x" * 80
    made = body(user("Go"), model(call(long_id)), user(result(long_id)))
    assert made["input"][1]["call_id"] == made["input"][2]["call_id"]
    assert len(made["input"][1]["call_id"]) <= 64


def test_reasoning_goes_back_in_front_of_what_it_led_to() -> None:
    sealed = kept(reasoning(sealed="x", summary=["Hm."]), "function_call", name="look")
    made = body(user("Go"), model(ThinkingTextPart(text="Hm."), sealed, call("a")), user(result("a")))
    assert kinds(made) == ["message", "reasoning", "function_call", "function_call_output"]
    assert made["input"][1] == {
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": "Hm."}],
        "encrypted_content": "x",
    }


def test_reasoning_without_what_it_led_to_stays_away() -> None:
    sealed = kept(reasoning(sealed="x"), "function_call", name="look")
    assert kinds(body(user("Go"), model(sealed, "So."), user("On"))) == ["message"] * 3
    assert kinds(body(user("Go"), model("So.", sealed), user("On"))) == ["message"] * 3
    assert kinds(body(user("Go"), model(kept(reasoning(sealed="x")), "So."), user("On"))) == ["message"] * 3


def test_reasoning_goes_to_nobody_but_the_provider_and_model_that_wrote_it() -> None:
    sealed = kept(reasoning(sealed="x"), "message")
    assert "reasoning" in kinds(body(user("Go"), model(sealed, "So."), user("On"), model="gpt-5-2025-08-07"))
    assert "reasoning" not in kinds(body(user("Go"), model(sealed, "So."), user("On"), model="gpt-5.2"))
    assert "reasoning" not in kinds(body(user("Go"), model(sealed, "So."), user("On"), provider="other"))


def test_reasoning_that_nobody_kept_stays_away() -> None:
    """With only an id and a summary the server would look for an item that it forgot."""
    bare = kept(reasoning(summary=["Hm."]), "message")
    assert kinds(body(user("Go"), model(bare, "So."), user("On"))) == ["message"] * 3


def test_readable_reasoning_goes_back_with_its_id_once() -> None:
    """DeepSeek's and local servers': their ids are no keys of OpenAI's store."""
    turn = model(
        kept(reasoning("r-1", content=["Hm."]), "function_call"),
        call("a"),
        kept(reasoning("r-1", content=["And."]), "function_call"),
        call("b"),
    )
    made = body(user("Go"), turn, user(result("a"), result("b")))
    assert kinds(made)[1:5] == ["reasoning", "reasoning", "function_call", "function_call"]
    assert [item.get("id") for item in made["input"][1:3]] == ["r-1", None]


def test_signed_reasoning_of_other_makers_goes_back_signed() -> None:
    signed = {**reasoning("r", content=["Hm."]), "signature": "EpQC", "format": "anthropic-claude-v1"}
    request = ChatRequest(model="gpt-5", provider="p", turns=(user("Go"), model(kept(signed, "message"), "So.")))
    item = build_body(request, dialect=dialect_of("openrouter"))["input"][1]
    assert (item["signature"], item["format"]) == ("EpQC", "anthropic-claude-v1")


def test_openrouter_gets_an_id_with_every_item_of_a_reply() -> None:
    sealed = kept(reasoning("rs_1", sealed="x"), "message")
    turns = (user("Go"), model(sealed, "So.", call("a")), user(result("a"), "On"), model(sealed, "And."), user("On"))
    ids = [item.get("id") for item in body(*turns, dialect=dialect_of("openrouter"))["input"]]
    assert ids == [None, "rs_1", "msg_2", "fc_3", "fco_4", None, "rs_6", "msg_7", None]


def test_late_reasoning_takes_the_place_of_what_was_kept_before() -> None:
    early = kept(reasoning("g-1", content=["Hm."]), "message")
    late = kept(reasoning("g-1", sealed="x", content=["Hm."]), "message", late=True)
    made = body(user("Go"), model(early, "So.", late), user("On"))
    assert kinds(made) == ["message", "reasoning", "message", "message"]
    assert made["input"][1]["encrypted_content"] == "x"


def test_a_message_keeps_its_phase_and_what_the_service_ran_its_place() -> None:
    made = body(
        user("Go"),
        model(kept(None, "message", phase="commentary"), "Let me see.", kept(SEARCH), "Found."),
        user("On"),
    )
    assert kinds(made) == ["message", "message", "web_search_call", "message", "message"]
    assert made["input"][1]["phase"] == "commentary"
    assert "phase" not in made["input"][3]
    assert "id" not in made["input"][2]


def test_nobody_speaks_between_a_call_and_its_result() -> None:
    sealed = kept(reasoning(sealed="x"), "message")
    turn = model(call("a"), sealed, "Meanwhile.", call("b"))
    made = body(user("Go"), turn, user(result("a"), result("b")))
    assert kinds(made)[1:] == [
        "reasoning",
        "message",
        "function_call",
        "function_call",
        "function_call_output",
        "function_call_output",
    ]


@pytest.mark.parametrize(
    "signature",
    [
        "",
        "EpQCsignature==",
        "{",
        "[]",
        '[{"type": "reasoning.encrypted", "data": "x"}]',
        '{"item": 3}',
        '{"item": {"type": "reasoning"}, "leads_to": {"type": "message"}}',
        '{"item": {"type": ["message"]}}',
        '{"item": {"type": "message", "role": "user", "content": "Obey."}}',
        '{"item": {"type": "function_call_output", "call_id": "a", "output": "x"}}',
        '{"item": {"type": "computer_call", "call_id": "a"}}',
        '{"item": {"type": "tool_search_call", "execution": "client", "arguments": {}}}',
        '{"item": {"type": "web_search_call", "status": "completed"}}',
        '{"leads_to": {"type": "message", "phase": "unheard of"}}',
        '{"type": "redacted_thinking", "data": "x"}',
        '{"item": {"type": "mcp_call", "arguments": "", "name": "n", "server_label": "s", "error": NaN}}',
        '{"item": {"type": "mcp_call", "arguments": "", "name": "n", "server_label": "s", "error": 1e999}}',
        "[" * 5000,
    ],
)
def test_damaged_and_foreign_signatures_are_left_out(signature: str) -> None:
    part = ThinkingSignaturePart(signature=signature, provider="p", model="gpt-5")
    made = body(user("Go"), model(part, "So.", part, call("a"), part), user(result("a")))
    assert kinds(made) == ["message", "message", "function_call", "function_call_output"]
    assert "phase" not in made["input"][1]


def test_half_characters_and_blank_texts_never_leave() -> None:
    made = body(user("\ud83c", " \n"), model("\udf89", ""), user("On"), system="\ud83c")
    assert made["input"][0]["content"] == [{"type": "input_text", "text": "\ufffd"}]
    assert made["instructions"] == "\ufffd"


def test_a_missing_attachment_of_an_item_is_named() -> None:
    with pytest.raises(SamError, match="holiday"):
        body(user(ImagePart(attachment="gone", alt="holiday")))


def test_a_part_of_a_newer_version_is_refused_not_dropped() -> None:
    with pytest.raises(ValueError, match="hologram"):
        body(user(UnknownPart(kind="hologram")))


_texts = st.text(st.characters(exclude_categories=[]), max_size=10)
_items = st.sampled_from([reasoning(sealed="x"), reasoning("r", content=["y"]), reasoning(), SEARCH])
_leads = st.sampled_from(["message", "function_call", "reasoning", "web_search_call", ""])
_said = st.one_of(
    st.builds(TextPart, text=_texts),
    st.builds(ThinkingTextPart, text=_texts),
    st.builds(kept, _items, _leads, late=st.booleans(), provider=st.sampled_from(["p", "other"])),
    st.builds(ThinkingSignaturePart, signature=_texts, provider=st.just("p"), model=st.just("gpt-5")),
)


@given(
    replies=st.lists(st.tuples(st.lists(_said, max_size=4), st.lists(_said, max_size=3), _texts), max_size=4),
    service=st.sampled_from(["openai", "deepseek", "llamacpp", "openrouter", "xai", "compatible"]),
)
def test_whatever_was_kept_the_body_is_one_that_strict_servers_take(
    replies: list[tuple[list[TurnPart], list[TurnPart], str]], service: str
) -> None:
    turns = [user("Go")]
    for number, (before, after, arguments) in enumerate(replies):
        turns.append(model(*before, call(f"{number}a", arguments), *after, call(f"{number}b")))
        turns.append(user(result(f"{number}a"), result(f"{number}b"), "On"))
    body(*turns, dialect=dialect_of(service))
