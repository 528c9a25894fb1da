"""Usage as Responses report it, with the cost where a service says it."""

from __future__ import annotations

from typing import Any

from sam_py.messages.usage import Usage

_TICKS_PER_USD = 10_000_000_000
"""xAI says its price in these (docs.x.ai, "Cost Tracking")."""


def usage_of(value: Any) -> Usage | None:
    """Read a usage object; None where there is none or it says nothing."""
    if not isinstance(value, dict):
        return None
    asked, came = _object(value.get("input_tokens_details")), _object(value.get("output_tokens_details"))
    usage = Usage(
        input_tokens=_count(value.get("input_tokens")),
        output_tokens=_count(value.get("output_tokens")),
        cached_input_tokens=_count(asked.get("cached_tokens")),
        cache_write_tokens=_count(asked.get("cache_write_tokens")),
        reasoning_tokens=_count(came.get("reasoning_tokens")),
        cost_usd=_cost_usd(value),
    )
    return usage if usage.input_tokens is not None or usage.output_tokens is not None else None


def _cost_usd(value: dict[str, Any]) -> float | None:
    cost = value.get("cost")  # OpenRouter
    if isinstance(cost, int | float) and not isinstance(cost, bool) and cost >= 0:
        return float(cost)
    ticks = _count(value.get("cost_in_usd_ticks"))
    return None if ticks is None else ticks / _TICKS_PER_USD


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
