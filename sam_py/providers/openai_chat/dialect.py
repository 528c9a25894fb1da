"""Dialect: what one service wants differently from the others that speak Chat Completions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sam_py.providers.base import Effort
from sam_py.providers.efforts import nearest_word
from sam_py.providers.ids import IdForm

ReasoningField = Literal["", "by_model", "reasoning", "reasoning_content", "reasoning_details", "thinking_list"]
"""How readable reasoning goes back on an assistant message; empty: it does not. ``thinking_list`` is Mistral's list of
content, ``reasoning_details`` means those alone, ``by_model`` the field that models of that name are known to want."""

EffortForm = Literal["reasoning_effort", "reasoning", "reasoning_enabled", "thinking", "template"]
"""Where the effort is said: the key ``reasoning_effort``; OpenRouter's ``reasoning: {effort}``; Together's
``reasoning: {enabled}``; ``thinking: {type}`` with the effort beside it; a local server's ``chat_template_kwargs``."""


@dataclass(frozen=True, slots=True)
class EffortRule:
    """How models whose names match `models` are told how hard to think. `words` empty: on and off is all there is."""

    models: re.Pattern[str]
    form: EffortForm = "reasoning_effort"
    words: Mapping[Effort, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Dialect:
    """The defaults are the strict form that every server takes."""

    max_tokens_key: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    reasoning_back: ReasoningField = "by_model"
    missing_reasoning: str | None = None
    """What stands in that field of a message with calls whose reasoning we do not have (another model wrote it),
    where the service refuses a message without."""
    efforts: tuple[EffortRule, ...] = ()
    fixed_sampling: re.Pattern[str] | None = None
    """Models that refuse temperature and the like."""
    developer: re.Pattern[str] | None = None
    """Models whose system prompt is a developer message."""
    ids: IdForm = "openai"
    longest_own_id: int = 128
    """Ids that the service made itself go back as they came up to this length: gateways hide things in them."""
    stream_usage: bool = True
    """Whether ``stream_options: {include_usage: true}`` is sent; some send usage unasked and refuse the key."""
    pdf: Literal["", "file", "document_url"] = ""
    required_choice: str = "required"
    cache: Literal["", "key", "marks"] = ""
    """``key``: a conversation's requests share ``prompt_cache_key``; ``marks``: ``cache_control`` for Claude models."""
    extra: tuple[tuple[re.Pattern[str], Mapping[str, Any]], ...] = ()
    """What the body holds besides, for models whose names match."""
    headers: Mapping[str, str] = field(default_factory=dict)
    key_header: str = ""
    listings: tuple[str, ...] = ()
    """Addresses, from the server's root, that say more of the models than ``/models``; the first to answer counts."""


def reasoning_field(dialect: Dialect, model: str) -> ReasoningField:
    """The field in which `model` gets its earlier reasoning back, never ``by_model``."""
    if dialect.reasoning_back != "by_model":
        return dialect.reasoning_back
    return "reasoning_content" if _WANTS_REASONING.search(model) else ""


def effort_keys(dialect: Dialect, model: str, effort: Effort) -> dict[str, Any]:
    """What the body says of how hard `model` is to think; empty where the service has no word for it."""
    rule = next((rule for rule in dialect.efforts if rule.models.search(model)), None)
    if rule is None:
        return {}
    word = nearest_word(effort, rule.words)
    match rule.form:
        case "reasoning_effort":
            return {"reasoning_effort": word} if word else {}
        case "reasoning":
            return {"reasoning": {"effort": word}} if word else {}
        case "reasoning_enabled":
            return {"reasoning": {"enabled": effort != "none"}}
        case "thinking":
            switch: dict[str, Any] = {"thinking": {"type": "disabled" if effort == "none" else "enabled"}}
            return {**switch, "reasoning_effort": word} if word and effort != "none" else switch
        case "template":
            said = {"enable_thinking": effort != "none", "thinking": effort != "none"}
            more = {"reasoning_effort": word} if word and effort != "none" else {}
            return {"chat_template_kwargs": {**said, **more}}


# Their own services answer 400 to a message with calls and without its reasoning, and so do others that serve them.
_WANTS_REASONING = re.compile(r"deepseek|kimi-k|\bmimo\b|mimo-v|glm-[4-9]|minimax-m", re.IGNORECASE)
