"""Keys and values that a service takes and the wire owner's types do not know: so each preset is judged as itself."""

from __future__ import annotations

import re

_REASONING_CONTENT = {
    *("deepseek", "openrouter", "llamacpp", "vllm", "lmstudio", "zai", "moonshot", "xai", "alibaba", "gpustack"),
    *("ollama", "xiaomi", "avian", "fireworks", "minimax", "other:localhost:8080", "compatible", "jan"),
    "huggingface",
}
_REASONING = {
    *("openrouter", "groq", "cerebras", "ollama", "vllm", "gpustack", "together", "crusoe", "vercelgw", "compatible"),
}
_ANY = None

# (path, services) of keys that may stand there
_KEYS: dict[str, tuple[tuple[str, set[str] | None], ...]] = {
    "openai_chat": (
        (r"messages\.\d+\.reasoning_content", _REASONING_CONTENT),
        (r"messages\.\d+\.reasoning", _REASONING),
        (r"messages\.\d+\.reasoning_details", _ANY),  # who sent such takes it back
        (r"messages\.\d+\.prefix", {"deepseek", "mistral"}),
        (r"messages\.\d+\.name", _ANY),
        (
            r"messages\.\d+\.tool_calls\.\d+\.index",
            {"together", "deepseek", "mistral", "llamacpp", "groq", "openrouter"},
        ),
        (r"messages\.\d+\.content\.\d+\.(document_url|thinking)", {"mistral"}),
        (r".*cache_control", {"openrouter"}),
        (r"(provider|plugins|transforms|models|usage|top_k|min_p)", {"openrouter"}),
        (r"reasoning", {"openrouter", "snowflake", "vercelgw", "together"}),
        (r"(reasoning_format|include_reasoning)", {"groq"}),
        (r"(safe_prompt|random_seed|prompt_mode)", {"mistral"}),
        (r"thinking", {"deepseek", "zai", "moonshot"}),
        (r"reasoning_split", {"minimax"}),
        (r"chat_template_kwargs", {"llamacpp", "jan", "vllm", "lmstudio", "compatible"}),
        (r"(top_k|min_p|repeat_penalty|grammar|cache_prompt|reasoning_format)", {"llamacpp", "vllm", "lmstudio"}),
        (r"enable_thinking|thinking_budget", {"alibaba", "gpustack"}),
    ),
    "openai_responses": ((r"provider", {"openrouter"}),),
    # Dropped from the SDK's types with the models that refuse them; older models take them.
    "anthropic": ((r"temperature|top_p|top_k", _ANY),),
}
# (path, services) of values that differ from the owner's
_VALUES: dict[str, tuple[tuple[str, set[str] | None], ...]] = {
    "openai_chat": (
        (r"tool_choice", {"mistral"}),
        (r"messages\.\d+\.content\.\d+\.type", {"mistral"}),
        (r"messages\.\d+\.content\.\d+\.text", {"mistral"}),
        (r"reasoning_effort", {"groq"}),
        (r"model", _ANY),
    ),
    "openai_responses": (
        (r"model", _ANY),
        (r"tools\.\d+\.strict", _ANY),  # required by the types alone
        (r"input\.\d+\.id", _ANY),  # as stateless requests leave it out
    ),
    "anthropic": ((r"model", _ANY),),
}
# What every server takes though the types say otherwise, and our bodies do not need
_FORGIVEN: dict[str, tuple[str, ...]] = {
    "openai_chat": (),
    "openai_responses": (
        r"input\.\d+\.(status|summary|action)",
        r"input\.\d+\.content\.\d+\.(annotations|detail|logprobs)",
    ),
    "anthropic": (),
}


def is_extension(wire: str, kind: str, path: str, dialect: str) -> bool:
    """Whether the service `dialect` takes at `path` what the types of the wire's owner refuse."""
    table = _KEYS[wire] if kind == "unknown_key" else _VALUES[wire]
    return any(re.fullmatch(pattern, path) and (services is None or dialect in services) for pattern, services in table)


def forgiven(wire: str, kind: str, path: str) -> bool:
    return kind != "unknown_key" and any(re.fullmatch(pattern, path) for pattern in _FORGIVEN[wire])
