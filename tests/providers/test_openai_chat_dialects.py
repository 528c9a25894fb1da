"""What each service wants differently: its words for effort, its field for reasoning, its ids, marks and addresses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sam_py.messages.parts import TextPart, ThinkingSignaturePart, ThinkingTextPart, ToolCallPart
from sam_py.messages.turn import ToolResultPart, Turn, TurnPart
from sam_py.providers.base import ChatRequest, Effort
from sam_py.providers.openai_chat.dialect import Dialect
from sam_py.providers.openai_chat.dialects import dialect_of
from sam_py.providers.openai_chat.request import build_body

DETAILS = [{"type": "reasoning.encrypted", "data": "x", "index": 0}]


def made(preset: str, model: str, **fields: Any) -> dict[str, Any]:
    fields.setdefault("turns", (Turn("user", (TextPart(text="Hi"),)),))
    return build_body(ChatRequest(model=model, provider="p", **fields), dialect_of(preset))


def reply_of(preset: str, *parts: TurnPart, model: str = "m", wrote: str = "m", by: str = "p") -> dict[str, Any]:
    """The assistant message that `parts` become when `preset` is asked for `model`."""
    results = tuple(
        ToolResultPart(call_id=part.call_id, tool_name=part.tool_name, status="success", text="ok")
        for part in parts
        if isinstance(part, ToolCallPart)
    )
    turns = (
        Turn("user", (TextPart(text="Hi"),)),
        Turn("assistant", parts, provider=by, model=wrote),
        Turn("user", (*results, TextPart(text="And?"))),
    )
    message: dict[str, Any] = made(preset, model, turns=turns)["messages"][1]
    return message


THOUGHT = ThinkingTextPart(text="hm")
SIGNED = ThinkingSignaturePart(signature=json.dumps(DETAILS), provider="p", model="m")
CALL = ToolCallPart(call_id="call_1", tool_name="look", arguments_json="{}")


@pytest.mark.parametrize(
    ("preset", "model", "effort", "said"),
    [
        ("openai", "gpt-5.2", "xhigh", {"reasoning_effort": "xhigh"}),
        ("openai", "gpt-5.2", "max", {"reasoning_effort": "xhigh"}),
        ("openai", "gpt-5-mini", "none", {"reasoning_effort": "minimal"}),
        ("openai", "gpt-5-pro", "low", {"reasoning_effort": "high"}),
        ("openai", "o3", "max", {"reasoning_effort": "high"}),
        ("openai", "gpt-5.6-sol", "max", {"reasoning_effort": "max"}),
        ("openai", "gpt-4o", "high", {}),
        ("openai", "gpt-5-chat-latest", "high", {}),
        ("openrouter", "anthropic/claude-sonnet-4.5", "minimal", {"reasoning": {"effort": "minimal"}}),
        ("deepseek", "deepseek-v4-pro", "low", {"thinking": {"type": "enabled"}, "reasoning_effort": "high"}),
        ("deepseek", "deepseek-v4-pro", "xhigh", {"thinking": {"type": "enabled"}, "reasoning_effort": "max"}),
        ("deepseek", "deepseek-chat", "none", {"thinking": {"type": "disabled"}}),
        ("groq", "openai/gpt-oss-120b", "none", {"reasoning_effort": "low"}),
        ("groq", "qwen/qwen3-32b", "none", {"reasoning_effort": "none", "reasoning_format": "parsed"}),
        ("groq", "qwen/qwen3-32b", "high", {"reasoning_effort": "default", "reasoning_format": "parsed"}),
        ("groq", "llama-3.1-8b-instant", "high", {}),
        ("mistral", "mistral-medium-3.5", "low", {"reasoning_effort": "high"}),
        ("mistral", "magistral-medium-latest", "high", {}),
        ("xai", "grok-4.3", "minimal", {"reasoning_effort": "low"}),
        ("xai", "grok-4-0709", "low", {}),
        ("together", "zai-org/GLM-5", "none", {"reasoning": {"enabled": False}}),
        ("cerebras", "zai-glm-4.7", "high", {}),
        ("cerebras", "zai-glm-4.7", "none", {"reasoning_effort": "none"}),
        ("zai", "glm-4.7", "high", {"thinking": {"type": "enabled"}}),
        ("moonshot", "kimi-k2.6", "none", {"thinking": {"type": "disabled"}}),
        ("minimax", "MiniMax-M2.5", "high", {"reasoning_split": True}),
        ("lmstudio", "qwen3", "minimal", {"reasoning_effort": "low"}),
        ("llamacpp", "any", "none", {"chat_template_kwargs": {"enable_thinking": False, "thinking": False}}),
        ("compatible", "any", "high", {}),
    ],
)
def test_effort_is_said_in_the_nearest_word_that_a_service_has(
    preset: str, model: str, effort: Effort, said: dict[str, Any]
) -> None:
    body = made(preset, model, reasoning_effort=effort)
    assert {key: body[key] for key in body if key not in ("model", "messages", "stream", "stream_options")} == said


@pytest.mark.parametrize(
    ("preset", "field"),
    [
        ("deepseek", "reasoning_content"),
        ("xai", "reasoning_content"),
        ("zai", "reasoning_content"),
        ("moonshot", "reasoning_content"),
        ("llamacpp", "reasoning_content"),
        ("groq", "reasoning"),
        ("vllm", "reasoning"),
    ],
)
def test_readable_reasoning_goes_back_in_the_field_that_it_came_in(preset: str, field: str) -> None:
    assert reply_of(preset, THOUGHT, TextPart(text="Hello"))[field] == "hm"
    assert field not in reply_of(preset, THOUGHT, TextPart(text="Hello"), by="other")
    assert field not in reply_of(preset, THOUGHT, TextPart(text="Hello"), wrote="another")


@pytest.mark.parametrize("preset", ["openai", "azure", "perplexity", "compatible"])
def test_where_no_field_for_reasoning_is_known_it_stays_away(preset: str) -> None:
    assert reply_of(preset, THOUGHT, TextPart(text="Hello")) == {"role": "assistant", "content": "Hello"}


def test_a_model_that_must_have_its_reasoning_gets_it_from_any_server() -> None:
    said = reply_of("compatible", THOUGHT, CALL, model="deepseek-ai/DeepSeek-V4", wrote="deepseek-v4")
    assert said["reasoning_content"] == "hm"


@pytest.mark.parametrize("preset", ["openrouter", "minimax", "compatible"])
def test_opaque_details_go_back_as_they_were_and_to_their_own_model_alone(preset: str) -> None:
    assert reply_of(preset, THOUGHT, TextPart(text="Hello"), SIGNED)["reasoning_details"] == DETAILS
    assert "reasoning_details" not in reply_of(preset, SIGNED, TextPart(text="Hello"), by="other")
    assert "reasoning_details" not in reply_of(preset, SIGNED, TextPart(text="Hello"), wrote="another")


@pytest.mark.parametrize(
    "signature", ["", "abc", "[1]", "[{}]", "{}", "null", '{"call": 7, "extra_content": {}}', "[" * 9999]
)
def test_a_signature_that_cannot_be_read_is_left_out(signature: str) -> None:
    part = ThinkingSignaturePart(signature=signature, provider="p", model="m")
    assert reply_of("openrouter", part, TextPart(text="Hello")) == {"role": "assistant", "content": "Hello"}


def test_what_hung_on_a_call_hangs_on_it_again() -> None:
    extra = {"google": {"thought_signature": "abc"}}
    signed = ThinkingSignaturePart(signature=json.dumps({"call": 0, "extra_content": extra}), provider="p", model="m")
    assert reply_of("compatible", CALL, signed)["tool_calls"][0]["extra_content"] == extra
    assert "extra_content" not in reply_of("compatible", CALL, signed, by="other")["tool_calls"][0]


def test_services_that_insist_on_reasoning_get_some_for_calls_that_another_model_made() -> None:
    assert reply_of("deepseek", CALL, by="other")["reasoning_content"] == ""
    assert reply_of("moonshot", CALL, by="other")["reasoning_content"] == " "
    assert "reasoning_content" not in reply_of("deepseek", TextPart(text="Hello"), by="other")
    assert "reasoning_content" not in reply_of("zai", CALL, by="other")


def test_mistral_gets_thinking_and_text_as_a_list_in_their_order() -> None:
    content = reply_of("mistral", THOUGHT, TextPart(text="Hello"), THOUGHT)["content"]
    assert [part["type"] for part in content] == ["thinking", "text", "thinking"]
    assert content[0]["thinking"] == [{"type": "text", "text": "hm"}]


def test_a_call_s_id_goes_back_as_its_own_model_gave_it_and_translated_to_others() -> None:
    call = ToolCallPart(call_id="functions.look:0", tool_name="look", arguments_json="{}")
    assert reply_of("groq", call)["tool_calls"][0]["id"] == "functions.look:0"
    other = reply_of("groq", call, by="other")["tool_calls"][0]["id"]
    assert other.startswith("call_")
    assert len(reply_of("mistral", call)["tool_calls"][0]["id"]) == 9


def test_tools_have_names_that_every_service_takes() -> None:
    call = ToolCallPart(call_id="a", tool_name="web search!", arguments_json="{}")
    assert reply_of("openai", call)["tool_calls"][0]["function"]["name"].startswith("web_search__")


def test_claude_behind_openrouter_gets_its_prompt_cached() -> None:
    turns = (Turn("user", (TextPart(text="Hi"),)),)
    claude = made("openrouter", "anthropic/claude-sonnet-4.5", system="Be kind.", turns=turns)
    marks = [message["content"][-1].get("cache_control") for message in claude["messages"]]
    assert marks == [{"type": "ephemeral"}] * 2
    assert made("openrouter", "openai/gpt-5", turns=turns)["messages"] == [{"role": "user", "content": "Hi"}]


def test_openai_is_told_which_conversation_it_is_and_speaks_of_developers() -> None:
    body = made("openai", "gpt-5.2", system="Be kind.", conversation_id="abc")
    assert body["prompt_cache_key"] == "abc"
    assert body["messages"][0]["role"] == "developer"
    assert made("openai", "gpt-4o", system="Be kind.")["messages"][0]["role"] == "system"
    strict = made("compatible", "gpt-5.2", system="Be kind.", conversation_id="abc", max_tokens=9, temperature=1.0)
    assert strict["messages"][0]["role"] == "system"
    assert "prompt_cache_key" not in strict
    assert strict["max_completion_tokens"] == 9
    assert "temperature" not in strict


def test_sampling_is_what_the_person_chose_where_the_model_takes_it() -> None:
    assert made("compatible", "m", temperature=0.5, top_p=0.9)["top_p"] == 0.9
    assert "temperature" not in made("moonshot", "kimi-k2.6", temperature=0.5, top_p=0.9)
    assert made("moonshot", "kimi-k2-turbo-preview", temperature=0.5)["temperature"] == 0.5


def test_an_address_tells_the_service_where_the_preset_does_not() -> None:
    assert dialect_of("compatible", "https://api.deepseek.com/v1") == dialect_of("deepseek")
    assert dialect_of("compatible", "https://acme.openai.azure.com/openai/v1").key_header == "api-key"
    assert dialect_of("compatible", "https://evil.example/api.deepseek.com") == Dialect()
    assert dialect_of("compatible", "http://[") == Dialect()
