"""The dialect of each preset. What is not here speaks the strict form that all take."""

from __future__ import annotations

from sam_py.providers.openai_chat.dialect import Dialect

_DIALECTS: dict[str, Dialect] = {
    "openai": Dialect(
        max_tokens_key="max_completion_tokens",
        reasoning_request="effort",
        ids="openai",
        pdf="file",
    ),
    "openrouter": Dialect(reasoning_back="reasoning_details", reasoning_request="openrouter", ids="openai", pdf="file"),
    # In thinking mode a message with calls and without its reasoning answers 400; elsewhere it does no harm.
    "deepseek": Dialect(reasoning_back="reasoning_content"),
    "groq": Dialect(reasoning_request="effort"),
    "mistral": Dialect(
        reasoning_back="thinking_list", ids="mistral", stream_usage=False, pdf="document_url", required_choice="any"
    ),
    "xai": Dialect(reasoning_request="effort"),
    "perplexity": Dialect(stream_usage=False),
    "cerebras": Dialect(reasoning_request="effort"),
}


def dialect_of(preset: str) -> Dialect:
    """The dialect that `preset` speaks."""
    return _DIALECTS.get(preset, Dialect())
