"""What a model wrote goes back as it wrote it, to itself alone: thinking, server tools, citations."""

from __future__ import annotations

import pytest

from sam_py.messages.parts import (
    ThinkingTextPart,
)
from sam_py.providers.anthropic.opaque import pack
from sam_py.providers.anthropic.request import build_body
from sam_py.providers.base import ChatRequest
from tests.wire.anthropic_turns import (
    NEW,
    OLD,
    SIGNED,
    TOOL,
    blocks,
    body_of,
    call,
    claude,
    opaque,
    result,
    user,
)


def test_thinking_goes_back_first_and_as_it_came() -> None:
    body = body_of(user("Q"), claude(*SIGNED, "Look.", call()), user(result()), reasoning_effort="low", tools=(TOOL,))
    assert blocks(body, 1)[0] == {"type": "thinking", "thinking": "Hm.", "signature": "sig"}
    assert body["thinking"]["type"] == "enabled"


@pytest.mark.parametrize(
    ("turn_model", "provider", "asked"),
    [(NEW, "p", OLD), (OLD, "other", OLD), (OLD, "p", "claude-haiku-4-5")],
)
def test_thinking_of_another_model_or_provider_stays_away(turn_model: str, provider: str, asked: str) -> None:
    said = (
        ThinkingTextPart(text="Hm."),
        opaque("sig", turn_model, provider),
        opaque(pack({"type": "x"}), turn_model, provider),
    )
    body = body_of(user("Q"), claude(*said, "A", model=turn_model, provider=provider), user("Q2"), model=asked)
    assert blocks(body, 1) == [{"type": "text", "text": "A"}]


def test_in_a_tool_round_that_another_model_began_a_budget_is_not_asked_for() -> None:
    round_ = (claude(call(), provider="other"), user(result()))
    assert "thinking" not in body_of(user("Q"), *round_, reasoning_effort="high", tools=(TOOL,))
    later = (*round_, claude("Done."), user("Now this"))
    assert "thinking" in body_of(user("Q"), *later, reasoning_effort="high", tools=(TOOL,))
    assert "thinking" in body_of(user("Q"), *round_, model=NEW, reasoning_effort="high", tools=(TOOL,))


@pytest.mark.parametrize(
    "damaged", ["", "{", '{"type":3}', "[1]", '{"type":"thinking","thinking":"x"}', "line\nbreak", "ä"]
)
def test_a_damaged_signature_is_left_out_with_its_thinking(damaged: str) -> None:
    body = body_of(user("Q"), claude(ThinkingTextPart(text="Hm."), opaque(damaged), "A"), user("Q2"))
    assert blocks(body, 1) == [{"type": "text", "text": "A"}]


def test_thinking_without_a_signature_or_at_the_end_is_not_sent() -> None:
    body = body_of(user("Q"), claude(ThinkingTextPart(text="Hm."), "A", *SIGNED), user("Q2"))
    assert blocks(body, 1) == [{"type": "text", "text": "A"}]


def test_a_reply_of_thinking_alone_is_left_out_and_turns_still_alternate() -> None:
    body = body_of(user("Q"), claude(*SIGNED), user("Q2"))
    assert [message["role"] for message in body["messages"]] == ["user"]
    assert [block["text"] for block in blocks(body)] == ["Q", "Q2"]


def test_calls_stand_behind_thinking_that_came_after_them() -> None:
    body = body_of(user("Q"), claude(call(), *SIGNED, "A"), user(result()), tools=(TOOL,))
    assert [block["type"] for block in blocks(body, 1)] == ["thinking", "text", "tool_use"]


def test_a_model_that_binds_its_thinking_is_told_to_drop_what_no_longer_fits() -> None:
    request = ChatRequest(model="claude-opus-5-5", turns=(user("Hi"),), provider="p")
    assert build_body(request, drops_unbound=True)["thinking"]["block_binding"] == {
        "prefix_mismatch_behavior": "drop_block"
    }
    assert "block_binding" not in build_body(request)["thinking"]


def test_a_model_that_binds_its_thinking_gets_none_back_while_it_may_not_think() -> None:
    model = "claude-haiku-5-5"
    said = (ThinkingTextPart(text="Hm."), opaque("sig", model), "A")
    assert len(blocks(body_of(user("Q"), claude(*said, model=model), user("Q2"), model=model), 1)) == 2
    quiet = body_of(user("Q"), claude(*said, model=model), user("Q2"), model=model, reasoning_effort="none")
    assert blocks(quiet, 1) == [{"type": "text", "text": "A"}]


# What only Anthropic understands


USE = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}}
FOUND = {"type": "web_search_result", "page_age": None, "url": "u"}
ANSWER = {"type": "web_search_tool_result", "tool_use_id": "s", "content": [FOUND]}


def test_what_a_server_tool_did_goes_back_in_place_without_nulls() -> None:
    body = body_of(user("Q"), claude("Let me look.", opaque(pack(USE)), opaque(pack(ANSWER)), "Found."), user("Q2"))
    answer = {**ANSWER, "content": [{"type": "web_search_result", "url": "u"}]}
    texts = [{"type": "text", "text": text} for text in ("Let me look.", "Found.")]
    assert blocks(body, 1) == [texts[0], USE, answer, texts[1]]


def test_half_of_a_server_tool_s_pair_is_left_out() -> None:
    body = body_of(user("Q"), claude(opaque(pack(USE)), "A"), user("Q2"), claude("B"), user("Q3"))
    assert blocks(body, 1) == [{"type": "text", "text": "A"}]
    body = body_of(user("Q"), claude("A", opaque(pack(USE))), user("Q2"), claude(opaque(pack(ANSWER)), "B"), user("Q3"))
    assert blocks(body, 1) == [{"type": "text", "text": "A"}]
    assert blocks(body, 3) == [{"type": "text", "text": "B"}]


def test_a_server_tool_that_called_one_of_ours_is_answered_in_the_next_reply() -> None:
    called = (user("Q"), claude(opaque(pack(USE)), call()), user(result()))
    assert [block["type"] for block in blocks(body_of(*called, tools=(TOOL,)), 1)] == ["server_tool_use", "tool_use"]
    body = body_of(*called, claude(opaque(pack(ANSWER)), "Found."), user("Q2"), tools=(TOOL,))
    assert [block["type"] for block in blocks(body, 1)] == ["server_tool_use", "tool_use"]
    assert [block["type"] for block in blocks(body, 3)] == ["web_search_tool_result", "text"]


def test_a_reply_that_paused_for_a_server_tool_is_sent_back_as_it_is() -> None:
    body = body_of(user("Q"), claude("Wait.", opaque(pack(USE), NEW), model=NEW), model=NEW)
    assert body["messages"][-1]["role"] == "assistant"
    assert blocks(body)[-1] == USE


CITATION = {"type": "char_location", "document_title": None}
CITED = [
    {"type": "text", "length": 6},
    {"type": "text", "text": "Quack", "citations": [{**CITATION, "file_id": None}]},
    {"type": "text", "length": 2},
    {"type": "text", "text": "Indeed."},
]


def test_cited_text_goes_back_in_the_blocks_it_came_in() -> None:
    body = body_of(user("Q"), claude("It is Quack\n\nIndeed.", opaque(pack(CITED))), user("Q2"))
    assert blocks(body, 1) == [
        {"type": "text", "text": "It is "},
        {"type": "text", "text": "Quack\n\n", "citations": [CITATION]},
        {"type": "text", "text": "Indeed."},
    ]


def test_cited_text_is_found_again_after_it_was_trimmed() -> None:
    cuts = [{"type": "text", "length": 4}, CITED[1], {"type": "text", "length": 3}]
    body = body_of(user("Q"), claude("a Quack", opaque(pack(cuts))), user("Q2"))
    assert [block["text"] for block in blocks(body, 1)] == ["a ", "Quack"]


def test_text_that_was_changed_since_goes_back_without_citations() -> None:
    body = body_of(user("Q"), claude("It is Duck", opaque(pack(CITED))), user("Q2"))
    assert blocks(body, 1) == [{"type": "text", "text": "It is Duck"}]


def test_what_a_call_has_beyond_its_arguments_goes_back_with_it() -> None:
    beyond = {"type": "tool_use", "caller": {"type": "code_execution_20260120", "tool_id": "s"}}
    body = body_of(user("Q"), claude(opaque(pack(beyond)), call()), user(result()), tools=(TOOL,))
    assert blocks(body, 1) == [{**beyond, "id": "a", "name": "read", "input": {}}]
