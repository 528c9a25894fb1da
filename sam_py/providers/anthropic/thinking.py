"""How hard a model is asked to think, in the words of its family, and how long its reply may be. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sam_py.providers.anthropic.families import Family
from sam_py.providers.anthropic.opaque import THINKING, Block
from sam_py.providers.base import ChatRequest, Effort
from sam_py.providers.efforts import nearest_word

_REPLY_TOKENS = 32_000
_UNKNOWN_REPLY_TOKENS = 8_192
"""For a model whose limit nobody knows: what all of them take."""
_LEAST_BUDGET = 1_024
_BUDGETS: dict[Effort, int] = {
    "minimal": 1_024,
    "low": 4_096,
    "medium": 10_240,
    "high": 24_576,
    "xhigh": 32_768,
    "max": 65_536,
}


@dataclass(frozen=True, slots=True)
class Thinking:
    """`config` and `effort` go into the body where they are set; `is_on` says whether the model may think."""

    max_tokens: int
    is_on: bool = False
    config: dict[str, Any] | None = None
    effort: str | None = None


def plan_thinking(request: ChatRequest, rules: Family, messages: Sequence[Block]) -> Thinking:
    """What to ask for. `messages` are those of the body: a tool round in it may forbid thinking.

    Thinking counts against the reply's length, so that the one is chosen with the other.
    """
    limit = request.limits.output_tokens or rules.output_tokens
    effort = request.reasoning_effort
    is_wanted = effort != "none" if effort is not None else rules.thinks_unasked
    match rules.thinking:
        case "adaptive":
            return _adaptive(request, rules, limit, is_wanted)
        case "budget" if is_wanted and effort is not None and not _is_forbidden(request, messages):
            return _budgeted(request, limit, _BUDGETS[effort])
        case _:
            off = {"type": "disabled"} if rules.off == "disabled" and effort == "none" else None
            return Thinking(_length(request, limit, _REPLY_TOKENS), config=off)


def _adaptive(request: ChatRequest, rules: Family, limit: int | None, is_wanted: bool) -> Thinking:
    effort = request.reasoning_effort
    if is_wanted or rules.off == "never":
        return Thinking(
            _length(request, limit, 2 * _REPLY_TOKENS),
            is_on=True,
            # Newer models say nothing of their thinking unless they are asked to.
            config={"type": "adaptive", "display": "summarized"},
            effort=None if effort is None else nearest_word(effort, rules.efforts),
        )
    config = None if rules.off == "omit" else {"type": rules.off}
    return Thinking(_length(request, limit, _REPLY_TOKENS), config=config)


def _budgeted(request: ChatRequest, limit: int | None, budget: int) -> Thinking:
    length = _length(request, limit, budget + _REPLY_TOKENS // 2)
    budget = min(budget, length * 3 // 4)
    if budget < _LEAST_BUDGET:
        return Thinking(length)
    return Thinking(length, is_on=True, config={"type": "enabled", "budget_tokens": budget})


def _length(request: ChatRequest, limit: int | None, otherwise: int) -> int:
    """The most tokens of the reply: what the person set, or `otherwise`, within what the model can do."""
    wanted = request.max_tokens or (otherwise if limit else _UNKNOWN_REPLY_TOKENS)
    return max(1, min(wanted, limit) if limit else wanted)


def _is_forbidden(request: ChatRequest, messages: Sequence[Block]) -> bool:
    """Whether a budget would be refused: with a forced tool, with a reply to go on from, or in the middle of
    tool rounds whose own thinking is not there (another model began them, or it did not think)."""
    if request.tools and request.tool_choice == "required":
        return True
    if messages and messages[-1]["role"] == "assistant":
        return True
    for message in reversed(messages):
        kinds = [block["type"] for block in message["content"]]
        if message["role"] == "user" and "tool_result" not in kinds:
            return False
        if "tool_use" in kinds and kinds[0] not in THINKING:
            return True
    return False
