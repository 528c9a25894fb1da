"""A request says to each family of Claude models what it takes, and marks what a cache can keep."""

from __future__ import annotations

from typing import Any

import pytest

from sam_py.messages.turn import Limits
from sam_py.providers.anthropic.opaque import pack
from sam_py.providers.anthropic.request import GO_ON
from sam_py.providers.base import Effort
from tests.wire.anthropic_turns import (
    NEW,
    OLD,
    SIGNED,
    TOOL,
    blocks,
    body_of,
    call,
    claude,
    marked,
    opaque,
    result,
    user,
)

# What families want


@pytest.mark.parametrize(
    ("model", "effort", "thinking", "effort_sent"),
    [
        ("claude-3-5-haiku-20241022", "high", None, None),
        (OLD, None, None, None),
        (OLD, "none", None, None),
        (OLD, "low", {"type": "enabled", "budget_tokens": 4096}, None),
        ("claude-opus-4-6", "xhigh", {"type": "adaptive", "display": "summarized"}, "high"),
        ("claude-opus-4-6", None, None, None),
        (NEW, None, None, None),
        (NEW, "none", None, None),
        (NEW, "minimal", {"type": "adaptive", "display": "summarized"}, "low"),
        ("claude-opus-5", None, {"type": "adaptive", "display": "summarized"}, None),
        ("claude-opus-5", "none", {"type": "disabled"}, None),
        ("claude-sonnet-5-5", "none", {"type": "between_tools"}, None),
        ("claude-haiku-5-5", "none", {"type": "disabled"}, None),
        ("claude-fable-5", "none", {"type": "adaptive", "display": "summarized"}, "low"),
        ("claude-opus-5-5", "max", {"type": "adaptive", "display": "summarized"}, "max"),
        ("claude-of-tomorrow", "none", {"type": "adaptive", "display": "summarized"}, "low"),
        ("glm-5", None, None, None),
        ("glm-5", "none", {"type": "disabled"}, None),
    ],
)
def test_each_family_is_asked_to_think_in_its_own_words(
    model: str, effort: Effort | None, thinking: Any, effort_sent: str | None
) -> None:
    body = body_of(model=model, reasoning_effort=effort)
    assert body.get("thinking") == thinking
    assert body.get("output_config", {}).get("effort") == effort_sent


@pytest.mark.parametrize(
    ("model", "effort", "sent"),
    [
        (OLD, None, {"temperature": 1.0}),
        (OLD, "high", {}),
        ("anthropic/claude-opus-4.6", None, {"temperature": 1.0}),
        ("claude-opus-4-7", None, {}),
        ("claude-sonnet-5", "none", {}),
        ("claude-of-tomorrow", None, {}),
    ],
)
def test_sampling_is_sent_only_where_it_is_taken(model: str, effort: Effort | None, sent: dict[str, float]) -> None:
    body = body_of(model=model, temperature=1.7, top_p=0.9, reasoning_effort=effort)
    assert {key: body[key] for key in ("temperature", "top_p", "top_k") if key in body} == sent


def test_top_p_is_sent_where_no_temperature_is_set() -> None:
    assert body_of(top_p=0.9)["top_p"] == 0.9


@pytest.mark.parametrize(
    ("model", "asked", "limit", "effort", "length"),
    [
        (OLD, None, None, None, 32_000),
        (OLD, 500, None, None, 500),
        (OLD, 1_000_000, None, None, 64_000),
        (OLD, None, 8_000, None, 8_000),
        (NEW, None, None, "high", 64_000),
        ("claude-3-haiku-20240307", None, None, None, 4_096),
        ("some-model", None, None, None, 8_192),
        ("some-model", 20_000, None, None, 20_000),
    ],
)
def test_the_length_of_a_reply_is_within_what_the_model_can_do(
    model: str, asked: int | None, limit: int | None, effort: Effort | None, length: int
) -> None:
    limits = Limits(output_tokens=limit)
    assert body_of(model=model, max_tokens=asked, limits=limits, reasoning_effort=effort)["max_tokens"] == length


@pytest.mark.parametrize("effort", ["minimal", "low", "medium", "high", "xhigh", "max"])
@pytest.mark.parametrize("asked", [None, 1, 1024, 1400, 2000, 10_000])
def test_a_thinking_budget_leaves_room_for_the_reply(effort: Effort, asked: int | None) -> None:
    body = body_of(reasoning_effort=effort, max_tokens=asked)
    if "thinking" in body:
        assert 1024 <= body["thinking"]["budget_tokens"] < body["max_tokens"]
    else:
        assert asked is not None
        assert asked < 1400


def test_a_forced_tool_and_thinking_are_not_asked_for_together() -> None:
    old = body_of(tools=(TOOL,), tool_choice="required", reasoning_effort="high")
    assert (old["tool_choice"], old.get("thinking")) == ({"type": "any"}, None)
    newest = body_of(model="claude-opus-5-5", tools=(TOOL,), tool_choice="required")
    assert "tool_choice" not in newest
    assert body_of(model=NEW, tools=(TOOL,), tool_choice="required", reasoning_effort="low")["tool_choice"]


# The end of the messages


@pytest.mark.parametrize("effort", [None, "high"])
def test_older_models_go_on_from_their_own_words_without_thinking(effort: Effort | None) -> None:
    body = body_of(user("Q"), claude("The best answer is ( \n"), reasoning_effort=effort)
    assert blocks(body) == [{"type": "text", "text": "The best answer is ("}]
    assert "thinking" not in body


@pytest.mark.parametrize("model", [NEW, "claude-opus-4-6", "claude-of-tomorrow"])
def test_a_model_that_does_not_go_on_by_itself_is_asked_to(model: str) -> None:
    body = body_of(user("Q"), claude("Half a", model=model), model=model)
    assert blocks(body) == [{"type": "text", "text": GO_ON}]


# Caches


def test_tools_system_and_the_last_stable_places_are_marked() -> None:
    turns = (user("Q1"), claude("A1"), user("Q2"), claude("A2"), user("Q3"))
    body = body_of(*turns, system="Be brief.", tools=(TOOL,))
    assert marked(body) == ["tools", "system", "2.0", "4.0"]


def test_the_marker_stands_before_reminders() -> None:
    reminder = "<system-reminder>\ntodo\n</system-reminder>"
    body = body_of(user("Q1"), claude("A1"), user(reminder, "Q2"))
    assert marked(body) == ["0.0", "1.0"]
    body = body_of(user("Q1"), claude(call()), user(result(), reminder, "Q2"), tools=(TOOL,))
    assert marked(body)[-1] == "2.0"
    assert marked(body_of(user(reminder, "Q1"))) == []


def test_in_a_tool_round_the_last_result_is_marked() -> None:
    reminder = "<system-reminder>\ntodo\n</system-reminder>"
    turns = (
        user("Q1"),
        claude("A1"),
        user(reminder, "Q2"),
        claude(call("a"), call("b")),
        user(result("a"), result("b")),
    )
    assert marked(body_of(*turns, tools=(TOOL,))) == ["tools", "1.0", "4.1"]


def test_no_marker_stands_on_thinking_or_on_what_is_opaque() -> None:
    reminder = "<system-reminder>\ntodo\n</system-reminder>"
    body = body_of(
        user("Q"),
        claude("A", opaque(pack({"type": "a_use", "id": "s"})), opaque(pack({"type": "b", "tool_use_id": "s"}))),
        user(reminder, "Q2"),
    )
    assert marked(body) == ["0.0", "1.0"]


def test_a_person_s_own_cache_marker_is_the_only_one() -> None:
    body = body_of(user("Q1"), claude("A1"), user("Q2"), system="S", extra={"cache_control": {"type": "ephemeral"}})
    assert marked(body) == []


def test_a_longer_conversation_begins_with_the_same_bytes() -> None:
    reminder = "<system-reminder>\ntodo\n</system-reminder>"
    turns = [user("Q1"), claude(*SIGNED, "A1", call()), user(result()), claude("A2"), user("Q2")]
    short = body_of(*turns[:-1], user(reminder, "Q2"), system="S", tools=(TOOL,))
    long = body_of(*turns, claude("A3"), user(reminder, "Q3"), system="S", tools=(TOOL,))
    assert [blocks(short, n) for n in range(4)] == [blocks(long, n) for n in range(4)]
    assert short["tools"] == long["tools"]
    assert short["system"] == long["system"]


# The rest


def test_what_a_person_set_has_the_last_word() -> None:
    extra = {"output_config": {"format": {"type": "json_schema"}}, "service_tier": "auto", "max_tokens": 9, "x": None}
    body = body_of(model=NEW, reasoning_effort="high", extra=extra)
    assert body["output_config"] == {"effort": "high", "format": {"type": "json_schema"}}
    assert (body["service_tier"], body["max_tokens"], "x" in body) == ("auto", 9, False)


def test_tools_of_the_server_join_ours() -> None:
    search = {"type": "web_search_20260318", "name": "web_search"}
    names = [tool["name"] for tool in body_of(tools=(TOOL,), extra={"tools": [search]})["tools"]]
    assert names == ["read", "web_search"]
    assert body_of(extra={"tools": [search]})["tools"] == [search]


def test_a_request_that_does_not_stream_says_nothing_of_it() -> None:
    assert body_of()["stream"] is True
    assert "stream" not in body_of(stream=False)
