"""Presets: the services and servers that a person can choose from a list. A table, to be read and extended.

Addresses and key pages as documented by each service.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

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
    Preset(
        "openai",
        "OpenAI",
        "https://api.openai.com/v1",
        True,
        "https://platform.openai.com/api-keys",
        wire="openai_responses",
    ),
    Preset(
        "anthropic",
        "Anthropic",
        "https://api.anthropic.com/v1",
        True,
        "https://console.anthropic.com/settings/keys",
        wire="anthropic",
    ),
    Preset(
        "gemini",
        "Google Gemini",
        "https://generativelanguage.googleapis.com/v1beta",
        True,
        "https://aistudio.google.com/apikey",
        wire="gemini",
    ),
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
        "zai",
        "Z.AI",
        "https://api.z.ai/api/paas/v4",
        True,
        "https://z.ai/manage-apikey/apikey-list",
        hint="For a coding plan, the address is https://api.z.ai/api/coding/paas/v4.",
    ),
    Preset(
        "minimax",
        "MiniMax",
        "https://api.minimax.io/v1",
        True,
        "https://platform.minimax.io/user-center/basic-information/interface-key",
        hint="In mainland China, the address is https://api.minimaxi.com/v1.",
    ),
    Preset(
        "moonshot",
        "Moonshot",
        "https://api.moonshot.ai/v1",
        True,
        "https://platform.moonshot.ai/console/api-keys",
        hint="In mainland China, the address is https://api.moonshot.cn/v1.",
    ),
    Preset(
        "azure",
        "Azure OpenAI",
        "",
        True,
        "https://portal.azure.com/#browse/Microsoft.CognitiveServices%2Faccounts",
        hint="Enter your resource's address, like https://NAME.openai.azure.com/openai/v1. "
        "Models are called by the names of your deployments.",
    ),
    Preset(
        "github",
        "GitHub Models",
        "https://models.github.ai/inference",
        True,
        "https://github.com/settings/personal-access-tokens/new",
        hint="The key is a personal access token with the permission “Models: read”.",
    ),
    Preset(
        "huggingface",
        "Hugging Face",
        "https://router.huggingface.co/v1",
        True,
        "https://huggingface.co/settings/tokens",
        hint="The key is a token with the permission to call inference providers.",
    ),
    Preset(
        "openai-chat",
        "OpenAI (Chat Completions)",
        "https://api.openai.com/v1",
        True,
        "https://platform.openai.com/api-keys",
        hint="OpenAI's older protocol. Its newest models use no tools here: prefer OpenAI.",
    ),
    Preset(
        "lmstudio",
        "LM Studio",
        "http://127.0.0.1:1234/v1",
        group="local",
        hint="Start its server in the Developer tab.",
    ),
    Preset(
        "ollama",
        "Ollama",
        "http://127.0.0.1:11434",
        group="local",
        hint="Runs while Ollama is open. Its cloud is at https://ollama.com, with a key.",
        wire="ollama",
    ),
    Preset("llamacpp", "llama.cpp", "http://127.0.0.1:8080/v1", group="local", hint="Start llama-server with a model."),
    Preset("jan", "Jan", "http://127.0.0.1:1337/v1", group="local", hint="Switch its local API server on in settings."),
    Preset("vllm", "vLLM", "http://127.0.0.1:8000/v1", group="local", hint="Start it with “vllm serve” and a model."),
    Preset(
        "compatible",
        "Any compatible server",
        group="other",
        hint="Whatever speaks OpenAI's Chat Completions: enter the address that ends before /chat/completions.",
    ),
    Preset(
        "anthropic-compatible",
        "Any server that speaks Anthropic's Messages",
        group="other",
        hint="Enter the address that ends before /messages.",
        wire="anthropic",
    ),
    Preset(
        "responses-compatible",
        "Any server that speaks OpenAI's Responses",
        group="other",
        hint="Enter the address that ends before /responses.",
        wire="openai_responses",
    ),
)

_BY_NAME = {preset.preset: preset for preset in PRESETS}


def wire_at(preset: Preset, base_url: str) -> Wire:
    """The protocol that is spoken at an address.

    OpenAI's accounts were stored for Chat Completions once. At its own address both protocols are there; whoever
    stands at another one was chosen for the older.

    >>> wire_at(preset_of("openai"), "https://api.openai.com/v1"), wire_at(preset_of("openai"), "https://proxy.example")
    ('openai_responses', 'openai_chat')
    """
    if preset.preset == "openai" and base_url and not is_host(base_url, "openai.com"):
        return "openai_chat"
    return preset.wire


def is_host(address: str, name: str) -> bool:
    """Whether an address is on the host `name` or one below it."""
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return False
    return host == name or host.endswith(f".{name}")


def preset_of(name: str) -> Preset:
    """The preset of that name; an unknown one (of a newer version) is a compatible server."""
    return _BY_NAME.get(name, _BY_NAME["compatible"])
