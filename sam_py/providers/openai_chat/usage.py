"""Usage as Chat Completions report it."""

from __future__ import annotations

from typing import Any

from sam_py.messages.usage import Usage

_MOST = 10**15


def usage_of(value: Any) -> Usage | None:
    """Read a usage object; None where there is none.

    Where the cached part stands differs: `prompt_tokens_details.cached_tokens` with most, and
    `prompt_cache_hit_tokens` (DeepSeek) or `cached_tokens` (Moonshot) beside it. OpenRouter and Perplexity say
    the cost in US dollars.
    """
    if not isinstance(value, dict):
        return None
    prompt = _object(value.get("prompt_tokens_details"))
    completion = _object(value.get("completion_tokens_details"))
    usage = Usage(
        input_tokens=_count(value.get("prompt_tokens")),
        output_tokens=_count(value.get("completion_tokens")),
        cached_input_tokens=_first(
            prompt.get("cached_tokens"), value.get("prompt_cache_hit_tokens"), value.get("cached_tokens")
        ),
        cache_write_tokens=_first(prompt.get("cache_write_tokens"), prompt.get("cache_creation_tokens")),
        reasoning_tokens=_first(completion.get("reasoning_tokens"), value.get("reasoning_tokens")),
        cost_usd=_cost(value.get("cost")),
    )
    return usage if usage.input_tokens is not None or usage.output_tokens is not None else None


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _first(*values: Any) -> int | None:
    return next((count for count in map(_count, values) if count is not None), None)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST else None


def _cost(value: Any) -> float | None:
    if isinstance(value, dict):  # Perplexity
        value = value.get("total_cost")
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e9 else None
