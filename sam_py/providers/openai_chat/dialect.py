"""Dialect: what one service wants differently from the others that speak Chat Completions, and the table of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sam_py.providers.ids import IdForm

ReasoningField = Literal["", "reasoning", "reasoning_content", "reasoning_details", "thinking_list"]
"""How reasoning goes back on an assistant message; empty: it does not. ``thinking_list`` is Mistral's content list."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The defaults are the strict form that every service takes."""

    provider_id: str = ""
    """Whose reasoning may go back: that of turns which this provider wrote."""
    max_tokens_key: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    reasoning_back: ReasoningField = ""
    reasoning_request: Literal["", "effort", "openrouter"] = ""
    """How `reasoning_effort` is asked for: not at all, as the key of that name, or as OpenRouter's object."""
    ids: IdForm = "any"
    stream_usage: bool = True
    """Whether ``stream_options: {include_usage: true}`` is sent; Mistral sends usage unasked."""
    pdf: Literal["", "file", "document_url"] = ""
    system_role: Literal["system", "developer"] = "system"
    required_choice: str = "required"
    listing: str = ""
    """An address, from the server's root, that says more of the models than ``/models``."""


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
    "lmstudio": Dialect(listing="/api/v0/models"),
}


def dialect_of(preset: str) -> Dialect:
    """The dialect that `preset` speaks."""
    return _DIALECTS.get(preset, Dialect())
