"""What a model takes of the settings is read off the bodies that its mapper builds."""

from __future__ import annotations

from typing import Any

import pytest

from sam_py.providers.base import ChatRequest
from sam_py.providers.registry import Registry
from sam_py.providers.taken import Taken, taken_by
from sam_py.providers.wire import WireProvider
from sam_py.settings.model import ProviderSettings


def taken(preset: str, model: str, base_url: str = "") -> Taken:
    async def no_key(_provider_id: str) -> None:
        return None

    registry = Registry(no_key)
    registry.configure([ProviderSettings(id="a", preset=preset, label="A", base_url=base_url)])
    provider = registry.get("a")
    assert isinstance(provider, WireProvider)
    return provider.takes(model)


def test_a_plain_server_takes_temperature_top_p_and_length() -> None:
    said = taken("llamacpp", "some-model")
    assert (said.temperature, said.top_p, said.max_tokens) == (True, True, True)


def test_a_reasoning_model_of_openai_takes_an_effort_and_no_temperature() -> None:
    said = taken("openai", "gpt-5")
    assert not said.temperature
    assert not said.top_p
    assert said.max_tokens
    assert {"low", "medium", "high"} <= set(said.efforts)


def test_a_model_that_does_not_think_takes_no_effort() -> None:
    said = taken("mistral", "open-mistral-nemo")
    assert said.temperature
    assert said.efforts == ()


def test_a_service_with_fewer_words_offers_those_that_it_has() -> None:
    def build(request: ChatRequest) -> dict[str, Any]:
        match request.reasoning_effort:
            case None:
                return {}
            case "none":
                return {"effort": "none"}
            case _:
                return {"effort": "high"}

    assert taken_by(build, "m").efforts == ("none", "high")


@pytest.mark.parametrize("preset", ["anthropic", "gemini", "openrouter", "deepseek", "groq", "xai", "compatible"])
def test_every_wire_can_be_asked(preset: str) -> None:
    assert taken(preset, "some-model", "https://example.com/v1").max_tokens
