"""What each service's list says of its models: window, pictures, tools, thinking and price."""

from __future__ import annotations

from typing import Any

import pytest

from sam_py.messages.turn import Limits
from sam_py.providers.base import Price
from sam_py.providers.model_lists import llamacpp_window, read_models

OPENROUTER = {
    "id": "anthropic/claude-x",
    "name": "Anthropic: Claude X",
    "context_length": 200_000,
    "architecture": {"input_modalities": ["text", "image", "file"], "output_modalities": ["text"]},
    "pricing": {"prompt": "0.000003", "completion": "0.000015", "input_cache_read": "0.0000003", "image": "0"},
    "top_provider": {"context_length": 200_000, "max_completion_tokens": 64_000},
    "supported_parameters": ["tools", "reasoning", "max_tokens"],
}
GITHUB = {
    "id": "openai/gpt-4.1",
    "name": "OpenAI GPT-4.1",
    "capabilities": ["streaming", "tool-calling"],
    "limits": {"max_input_tokens": 1_048_576, "max_output_tokens": 32_768},
    "supported_input_modalities": ["text", "image", "audio"],
    "supported_output_modalities": ["text"],
}
HUGGING_FACE = {
    "id": "zai-org/GLM-5",
    "architecture": {"input_modalities": ["text"], "output_modalities": ["text"]},
    "providers": [{"provider": "a", "status": "live", "context_length": 131_072, "supports_tools": True}],
}
LM_STUDIO = {
    "type": "llm",
    "publisher": "google",
    "key": "google/gemma-4",
    "display_name": "Gemma 4",
    "loaded_instances": [{"id": "google/gemma-4", "config": {"context_length": 8_192}}],
    "max_context_length": 131_072,
    "capabilities": {"vision": True, "trained_for_tool_use": False},
}
MOONSHOT = {"id": "kimi-k9", "context_length": 262_144, "supports_image_in": True, "supports_reasoning": True}
XAI = {
    "id": "grok-9",
    "input_modalities": ["text", "image"],
    "output_modalities": ["text"],
    "prompt_text_token_price": 30_000,
    "cached_prompt_text_token_price": 7_500,
    "completion_text_token_price": 150_000,
}
PICTURES = {**OPENROUTER, "architecture": {"input_modalities": ["text"], "output_modalities": ["image", "text"]}}


@pytest.mark.parametrize(
    ("item", "limits"),
    [
        (OPENROUTER, Limits(200_000, 64_000, images=True, pdfs=True, tools=True, thinking=True)),
        (GITHUB, Limits(1_048_576, 32_768, images=True, tools=True)),
        (HUGGING_FACE, Limits(131_072, None, images=False, tools=True)),
        (LM_STUDIO, Limits(8_192, None, images=True, tools=False)),
        (MOONSHOT, Limits(262_144, None, images=True, tools=True, thinking=True)),
        (XAI, Limits(None, None, images=True, tools=True)),
        (PICTURES, Limits(200_000, 64_000, tools=True, thinking=True, draws=True)),
        ({"id": "m", "max_model_len": 32_768}, Limits(32_768, tools=True)),
    ],
    ids=["OpenRouter", "GitHub", "Hugging Face", "LM Studio", "Moonshot", "xAI", "draws", "vLLM"],
)
def test_a_list_says_what_a_model_can_take(item: dict[str, Any], limits: Limits) -> None:
    (found,) = read_models({"models": [item]} if "key" in item else {"data": [item]}, for_chat=True)
    assert found.limits == limits
    assert found.id == item.get("id", "google/gemma-4")


@pytest.mark.parametrize(
    ("item", "price"),
    [
        (OPENROUTER, Price(3.0, 15.0, 0.3)),
        (XAI, Price(3.0, 15.0, 0.75)),
        ({"id": "together", "pricing": {"input": 0.6, "output": 1.7, "hourly": 0}}, Price(0.6, 1.7)),
        (
            {"id": "sonar", "pricing": {"input": 10, "output": 50, "cache_write": 12.5, "cache_read": 1}},
            Price(10.0, 50.0, 1.0, 12.5),
        ),
        ({"id": "free", "pricing": {"prompt": "0", "completion": "0"}}, Price(0.0, 0.0)),
        ({"id": "auto", "pricing": {"prompt": "-1", "completion": "-1"}}, None),
        ({"id": "odd", "pricing": {"prompt": "cheap", "completion": None}}, None),
        ({"id": "odd", "pricing": [1]}, None),
        ({"id": "none"}, None),
    ],
)
def test_a_price_is_read_in_dollars_per_million_tokens(item: dict[str, Any], price: Price | None) -> None:
    (found,) = read_models([item])
    assert found.price == price


def test_what_is_not_for_talking_to_is_left_out() -> None:
    items = [
        {"id": "a", "supports_chat": False},
        {"id": "b", "active": False},
        {"id": "c", "supported_output_modalities": ["embeddings"]},
        {"id": "d", "type": "embeddings"},
        {"id": "e"},
    ]
    assert [model.id for model in read_models(items, for_chat=True)] == ["e"]


def test_llama_cpp_tells_the_window_that_it_was_started_with() -> None:
    assert llamacpp_window({"default_generation_settings": {"n_ctx": 4096}}) == 4096
    assert llamacpp_window({"default_generation_settings": None}) is None
    assert llamacpp_window([]) is None
