"""Presets: the services and servers that a person can choose from a list. A table, to be read and extended.

Addresses and key pages as documented by each service.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Group = Literal["service", "local", "other"]
Wire = Literal["openai_chat", "openai_responses", "anthropic", "gemini", "ollama"]
"""The protocol that is spoken; each has a package of its name."""


@dataclass(frozen=True, slots=True)
class Preset:
    """`base_url` ends before what the wire adds (``/chat/completions``, ``/messages``, ``/models/…``, ``/api/chat``).

    `key_page` is where a person gets a key.
    """

    preset: str
    label: str
    base_url: str = ""
    needs_key: bool = False
    key_page: str = ""
    group: Group = "service"
    hint: str = ""
    """What a person should know before choosing it, in one sentence."""
    wire: Wire = "openai_chat"


PRESETS: tuple[Preset, ...] = (
    Preset("openai", "OpenAI", "https://api.openai.com/v1", True, "https://platform.openai.com/api-keys"),
    Preset(
        "openrouter",
        "OpenRouter",
        "https://openrouter.ai/api/v1",
        True,
        "https://openrouter.ai/settings/keys",
        hint="One key for the models of many makers.",
    ),
    Preset("deepseek", "DeepSeek", "https://api.deepseek.com", True, "https://platform.deepseek.com/api_keys"),
    Preset("groq", "Groq", "https://api.groq.com/openai/v1", True, "https://console.groq.com/keys"),
    Preset("mistral", "Mistral", "https://api.mistral.ai/v1", True, "https://console.mistral.ai/api-keys"),
    Preset("xai", "xAI", "https://api.x.ai/v1", True, "https://console.x.ai"),
    Preset("together", "Together", "https://api.together.xyz/v1", True, "https://api.together.ai/settings/api-keys"),
    Preset(
        "fireworks",
        "Fireworks",
        "https://api.fireworks.ai/inference/v1",
        True,
        "https://app.fireworks.ai/settings/users/api-keys",
    ),
    Preset("cerebras", "Cerebras", "https://api.cerebras.ai/v1", True, "https://cloud.cerebras.ai"),
    Preset("perplexity", "Perplexity", "https://api.perplexity.ai", True, "https://www.perplexity.ai/settings/api"),
    Preset(
        "lmstudio",
        "LM Studio",
        "http://127.0.0.1:1234/v1",
        group="local",
        hint="Start its server in the Developer tab.",
    ),
    Preset("ollama", "Ollama", "http://127.0.0.1:11434/v1", group="local", hint="Runs while Ollama is open."),
    Preset("llamacpp", "llama.cpp", "http://127.0.0.1:8080/v1", group="local", hint="Start llama-server with a model."),
    Preset("jan", "Jan", "http://127.0.0.1:1337/v1", group="local", hint="Switch its local API server on in settings."),
    Preset("vllm", "vLLM", "http://127.0.0.1:8000/v1", group="local", hint="Start it with “vllm serve” and a model."),
    Preset(
        "compatible",
        "Any compatible server",
        group="other",
        hint="Whatever speaks OpenAI's Chat Completions: enter the address that ends before /chat/completions.",
    ),
)

_BY_NAME = {preset.preset: preset for preset in PRESETS}


def preset_of(name: str) -> Preset:
    """The preset of that name; an unknown one (of a newer version) is a compatible server."""
    return _BY_NAME.get(name, _BY_NAME["compatible"])
