"""The dialects of the services, as a table.

Sources: each service's documentation and recorded traffic, November 2026.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from sam_py.providers.efforts import words_of
from sam_py.providers.openai_chat.dialect import Dialect, EffortRule

_ANY = re.compile("")
_GPT_OSS = re.compile(r"gpt-oss")
_LOW_TO_HIGH = words_of("low", "medium", "high")
_OFF_TO_HIGH = words_of("none", "low", "medium", "high")

_OPENAI_EFFORTS = (
    EffortRule(re.compile(r"chat-latest|gpt-5-chat|o1-(mini|preview)"), "reasoning_effort", {}),
    EffortRule(_GPT_OSS, "reasoning_effort", _LOW_TO_HIGH),
    EffortRule(re.compile(r"gpt-5[\d.]*-pro"), "reasoning_effort", words_of("high")),
    EffortRule(re.compile(r"(^|/)o\d"), "reasoning_effort", _LOW_TO_HIGH),
    EffortRule(
        re.compile(r"gpt-(5\.[6-9]|[6-9]|\d\d)"), "reasoning_effort", {**_OFF_TO_HIGH, **words_of("xhigh", "max")}
    ),
    EffortRule(re.compile(r"gpt-5\.[2-5]"), "reasoning_effort", {**_OFF_TO_HIGH, **words_of("xhigh")}),
    EffortRule(re.compile(r"gpt-5\.1"), "reasoning_effort", _OFF_TO_HIGH),
    EffortRule(re.compile(r"gpt-5"), "reasoning_effort", words_of("minimal", "low", "medium", "high")),
)
_OPENAI = Dialect(
    longest_own_id=40,
    max_tokens_key="max_completion_tokens",
    reasoning_back="",
    efforts=_OPENAI_EFFORTS,
    developer=re.compile(r"^(o[1-9](?!-(mini|preview))|gpt-[5-9]|gpt-\d\d)"),
    pdf="file",
    cache="key",
)
_AZURE = Dialect(
    longest_own_id=40,
    max_tokens_key="max_completion_tokens",
    reasoning_back="",
    efforts=_OPENAI_EFFORTS,
    key_header="api-key",
    # Deployments are what is asked by name; only this old version of the API lists them.
    listings=("/openai/deployments?api-version=2023-03-15-preview",),
)
_DEEPSEEK = Dialect(
    reasoning_back="reasoning_content",
    missing_reasoning="",
    # Low and medium mean high there, xhigh means max.
    efforts=(EffortRule(_ANY, "thinking", {"high": "high", "xhigh": "max", "max": "max"}),),
)
_LLAMACPP = Dialect(
    reasoning_back="reasoning_content", ids="any", efforts=(EffortRule(_ANY, "template", _LOW_TO_HIGH),)
)
_OPENROUTER = Dialect(
    reasoning_back="reasoning_details",
    efforts=(EffortRule(_ANY, "reasoning", words_of("none", "minimal", "low", "medium", "high", "xhigh", "max")),),
    pdf="file",
    cache="marks",
    headers={"HTTP-Referer": "app://sam-py", "X-Title": "SAM for Python"},
)

_DIALECTS: dict[str, Dialect] = {
    "openai": _OPENAI,
    "openai-chat": _OPENAI,
    "azure": _AZURE,
    "openrouter": _OPENROUTER,
    "deepseek": _DEEPSEEK,
    "groq": Dialect(
        reasoning_back="reasoning",
        efforts=(
            EffortRule(_GPT_OSS, "reasoning_effort", _LOW_TO_HIGH),
            EffortRule(re.compile(r"qwen-?3"), "reasoning_effort", {"none": "none", "medium": "default"}),
        ),
        # These write their thinking into the text unless asked not to; others refuse the key.
        extra=((re.compile(r"qwen-?3|qwq|deepseek-r1"), {"reasoning_format": "parsed"}),),
    ),
    "mistral": Dialect(
        reasoning_back="thinking_list",
        efforts=(
            EffortRule(
                re.compile(r"mistral-(small-(latest|2[6-9])|medium-(latest|3[-.][5-9]|2[6-9]))"),
                "reasoning_effort",
                words_of("none", "high"),
            ),
        ),
        ids="mistral",
        stream_usage=False,
        pdf="document_url",
        required_choice="any",
    ),
    "xai": Dialect(
        reasoning_back="reasoning_content",
        efforts=(
            EffortRule(re.compile(r"grok-3-mini"), "reasoning_effort", words_of("low", "high")),
            EffortRule(re.compile(r"grok-(4\.([3-9]|[3-9]\d)(?!\d)|[5-9]|latest)"), "reasoning_effort", _OFF_TO_HIGH),
        ),
        listings=("/v1/language-models",),
    ),
    "together": Dialect(
        reasoning_back="reasoning",
        efforts=(
            EffortRule(_GPT_OSS, "reasoning_effort", _LOW_TO_HIGH),
            EffortRule(re.compile(r"deepseek-v|glm-|kimi-k|qwen3\.|cogito", re.IGNORECASE), "reasoning_enabled"),
        ),
    ),
    "fireworks": Dialect(
        reasoning_back="reasoning_content",
        efforts=(
            EffortRule(re.compile(r"gpt-oss|kimi-k", re.IGNORECASE), "reasoning_effort", _LOW_TO_HIGH),
            EffortRule(re.compile(r"deepseek|glm-|qwen3"), "reasoning_effort", _OFF_TO_HIGH),
        ),
    ),
    "cerebras": Dialect(
        reasoning_back="reasoning",
        efforts=(
            EffortRule(_GPT_OSS, "reasoning_effort", _LOW_TO_HIGH),
            EffortRule(re.compile(r"glm-"), "reasoning_effort", words_of("none")),
        ),
    ),
    "perplexity": Dialect(
        reasoning_back="",
        efforts=(EffortRule(re.compile(r"sonar-(deep|reasoning)"), "reasoning_effort", _LOW_TO_HIGH),),
        stream_usage=False,
    ),
    "zai": Dialect(
        reasoning_back="reasoning_content",
        efforts=(
            EffortRule(re.compile(r"glm-(5\.[3-9]|[6-9])"), "thinking", words_of("low", "high", "max")),
            EffortRule(re.compile(r"glm-5\.2"), "thinking", words_of("low", "medium", "high", "xhigh", "max")),
            EffortRule(re.compile(r"glm-(4\.[5-9]|5)"), "thinking"),
        ),
        required_choice="auto",
    ),
    "minimax": Dialect(
        reasoning_back="reasoning_details",
        # Without it the thinking stands in the text, between tags.
        extra=((re.compile(r"minimax-m\d", re.IGNORECASE), {"reasoning_split": True}),),
    ),
    "moonshot": Dialect(
        reasoning_back="reasoning_content",
        missing_reasoning=" ",
        efforts=(EffortRule(re.compile(r"kimi-k(2\.[5-9]|[3-9])"), "thinking"),),
        fixed_sampling=re.compile(r"kimi-k(2\.[5-9]|[3-9])"),
    ),
    "github": Dialect(efforts=_OPENAI_EFFORTS, reasoning_back="", listings=("/catalog/models",)),
    "huggingface": Dialect(efforts=(EffortRule(_GPT_OSS, "reasoning_effort", _LOW_TO_HIGH),)),
    "lmstudio": Dialect(
        reasoning_back="reasoning_content",
        ids="any",
        efforts=(EffortRule(_ANY, "reasoning_effort", {**_OFF_TO_HIGH, **words_of("xhigh")}),),
        listings=("/api/v1/models", "/api/v0/models"),
    ),
    "ollama": Dialect(
        reasoning_back="reasoning",
        ids="any",
        efforts=(EffortRule(_ANY, "reasoning_effort", _OFF_TO_HIGH),),
    ),
    "llamacpp": _LLAMACPP,
    "jan": _LLAMACPP,
    "vllm": Dialect(reasoning_back="reasoning", ids="any", efforts=(EffortRule(_ANY, "template", _LOW_TO_HIGH),)),
}

# An address tells the service where a person chose “any compatible server” for it.
_HOSTS: tuple[tuple[str, str], ...] = (
    ("api.openai.com", "openai"),
    (".openai.azure.com", "azure"),
    (".services.ai.azure.com", "azure"),
    (".cognitiveservices.azure.com", "azure"),
    ("openrouter.ai", "openrouter"),
    ("api.deepseek.com", "deepseek"),
    ("api.groq.com", "groq"),
    ("api.mistral.ai", "mistral"),
    ("api.x.ai", "xai"),
    ("api.together.xyz", "together"),
    ("api.together.ai", "together"),
    ("api.fireworks.ai", "fireworks"),
    ("api.cerebras.ai", "cerebras"),
    ("api.perplexity.ai", "perplexity"),
    ("api.z.ai", "zai"),
    ("open.bigmodel.cn", "zai"),
    ("api.minimax.io", "minimax"),
    ("api.minimaxi.com", "minimax"),
    ("api.moonshot.ai", "moonshot"),
    ("api.moonshot.cn", "moonshot"),
    ("models.github.ai", "github"),
    ("router.huggingface.co", "huggingface"),
)


def dialect_of(preset: str, base_url: str = "") -> Dialect:
    """The dialect that `preset` speaks; for one that says nothing of it, what the address tells."""
    return _DIALECTS.get(service_of(preset, base_url), Dialect())


def service_of(preset: str, base_url: str = "") -> str:
    """The name of the service in this table, or of the preset.

    >>> service_of("compatible", "https://openrouter.ai/api/v1"), service_of("groq", "https://proxy.example/v1")
    ('openrouter', 'groq')
    """
    if preset in _DIALECTS:
        return preset
    try:
        host = urlsplit(base_url).hostname or ""
    except ValueError:
        host = ""
    return next((name for ending, name in _HOSTS if host == ending or host.endswith("." + ending.lstrip("."))), preset)
