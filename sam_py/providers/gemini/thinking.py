"""Which Gemini thinks, how much it can be told to, and which wants its thought signatures back.

Levels and budgets: https://ai.google.dev/gemini-api/docs/thinking and Vertex's page on thinking, November 2026.
"""

from __future__ import annotations

import re
from typing import Any

from sam_py.messages.turn import Limits
from sam_py.providers.base import Effort
from sam_py.providers.efforts import nearest_word

_VERSION = re.compile(r"gemini-(\d+)(?:\.(\d+))?(?=-|$)")
_ALIAS = re.compile(r"gemini-(flash|flash-lite|pro)-latest$|nano-banana")

# The levels that a model takes: of the first pattern that fits. Of others all that think take low to high.
_LEVELS: tuple[tuple[re.Pattern[str], tuple[Effort, ...]], ...] = (
    (re.compile(r"pro-image|nano-banana-pro"), ("high",)),
    (re.compile(r"-image|nano-banana"), ("minimal", "high")),
    (re.compile(r"gemini-3-pro"), ("low", "high")),
    (re.compile(r"flash-lite|gemini-3(\.[0-6])?-flash"), ("minimal", "low", "medium", "high")),
)
_MOST_TAKE: tuple[Effort, ...] = ("low", "medium", "high")

_BUDGETS: dict[Effort, int] = {
    "none": 0,
    "minimal": 512,
    "low": 2_048,
    "medium": 8_192,
    "high": 24_576,
    "xhigh": 32_768,
    "max": 32_768,
}


def version_of(model: str) -> tuple[int, int] | None:
    """The generation of a Gemini; that of an alias is the newest; None for other models.

    >>> version_of("gemini-2.5-flash"), version_of("models/gemini-3-pro-preview"), version_of("gemma-4-31b-it")
    ((2, 5), (3, 0), None)
    """
    found = _VERSION.search(model)
    if found:
        return int(found[1]), int(found[2] or 0)
    return (9, 0) if _ALIAS.search(model) else None


def thinks(model: str) -> bool:
    """Whether the model thinks, as far as its name tells."""
    version = version_of(model)
    return version is not None and version >= (2, 5) and "2.5-flash-image" not in model and "-tts" not in model


def checks_signatures(model: str) -> bool:
    """Whether the model refuses calls of the running turn that come back without their signature (Gemini 3 on)."""
    version = version_of(model)
    return version is not None and version >= (3, 0)


def thinking_config(model: str, effort: Effort | None, limits: Limits) -> dict[str, Any]:
    """The ``thinkingConfig`` for a request: thoughts are always asked for where there are any; empty: none.

    >>> thinking_config("gemini-2.5-pro", "none", Limits())
    {'includeThoughts': True, 'thinkingBudget': 128}
    >>> thinking_config("gemini-3.1-pro-preview", "none", Limits())
    {'includeThoughts': True, 'thinkingLevel': 'LOW'}
    """
    if not (limits.thinking if limits != Limits() else thinks(model)):
        return {}
    config: dict[str, Any] = {"includeThoughts": True}
    version = version_of(model)
    if effort is None or version is None:
        return config
    if version >= (3, 0):
        levels = next((levels for name, levels in _LEVELS if name.search(model)), _MOST_TAKE)
        config["thinkingLevel"] = nearest_word(effort, {level: level.upper() for level in levels})
    elif version >= (2, 5):
        config["thinkingBudget"] = _budget(model, effort)
    return config


def _budget(model: str, effort: Effort) -> int:
    """Tokens to think with: Pro cannot go without (128 to 32,768), Flash goes to 24,576."""
    if "-pro" in model:
        return max(128, _BUDGETS[effort])
    return min(24_576, _BUDGETS[effort])
