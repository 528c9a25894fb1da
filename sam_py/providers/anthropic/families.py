"""Families: what Claude models want differently from one another. A table, to be read and extended.

Sources: the models' pages and migration guides on platform.claude.com (November 2026), and recorded 400s.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from sam_py.messages.family import family as name_of_family
from sam_py.messages.turn import Limits
from sam_py.providers.base import Effort
from sam_py.providers.efforts import words_of
from sam_py.providers.model_names import guessed_limits as limits_of_name

Off = Literal["omit", "disabled", "between_tools", "never"]

_EFFORTS = words_of("low", "medium", "high", "xhigh", "max")


@dataclass(frozen=True, slots=True)
class Family:
    """The defaults are those of the newest models: what a model of tomorrow most likely wants."""

    context_tokens: int | None = 1_000_000
    output_tokens: int | None = 128_000
    """The longest reply, thinking included."""
    thinking: Literal["", "budget", "adaptive"] = "adaptive"
    """How thinking is asked for: with a number of tokens, or left to the model (and its `efforts`)."""
    efforts: Mapping[Effort, str] = field(default_factory=lambda: _EFFORTS)
    thinks_unasked: bool = True
    off: Off = "never"
    """How a model that could think is told not to; ``never``: it cannot be told."""
    samples: bool = False
    """Takes temperature or top-p (not both, and neither while it thinks); others answer 400."""
    prefills: bool = False
    """Goes on from a last message of the assistant; others answer 400."""
    forces_tools: bool = False
    """Takes a forced tool while it thinks."""
    binds: bool = True
    """Refuses its own thinking when anything before it changed, unless told to drop it: D-013."""
    sees: bool = True
    reads_pdfs: bool = True
    calls_tools: bool = True


# From the newest back: what each wants differently from the one that came after it.
_NEWEST = Family()
_HAIKU_5_5 = replace(_NEWEST, off="disabled")
_SONNET_5_5 = replace(_NEWEST, off="between_tools")
_FABLE_5 = replace(_NEWEST, binds=False)
_5 = replace(_FABLE_5, off="disabled", forces_tools=True)
_4_7 = replace(_5, thinks_unasked=False, off="omit")
# 4.6 takes a budget too, but as deprecated, and with it refuses a tool round whose thinking is not there.
_4_6 = replace(_4_7, samples=True, efforts=words_of("low", "medium", "high", "max"))
_4_5 = replace(_4_6, thinking="budget", context_tokens=200_000, output_tokens=64_000, prefills=True, forces_tools=False)
_OPUS_4 = replace(_4_5, output_tokens=32_000)
_3_5 = replace(_4_5, thinking="", output_tokens=8_192)
_3 = replace(_3_5, output_tokens=4_096, reads_pdfs=False)
_2 = replace(_3, context_tokens=100_000, sees=False, calls_tools=False)
# A server that imitates the wire, with a model of its own.
_OTHERS = replace(_4_5, off="disabled", context_tokens=None, output_tokens=None, sees=False, reads_pdfs=False)

_FAMILIES: tuple[tuple[re.Pattern[str], Family], ...] = tuple(
    (re.compile(pattern), rules)
    for pattern, rules in (
        (r"^claude-(instant|v?[12])\b", _2),
        (r"^claude-3-(opus|sonnet|haiku)", _3),
        (r"^claude-3-5", _3_5),
        (r"^claude-3-7|^claude-sonnet-4(-0)?$|^claude-(opus|sonnet|haiku)-4-5", _4_5),
        (r"^claude-opus-4(-[01])?$", _OPUS_4),
        (r"^claude-(opus|sonnet|haiku)-4-6", _4_6),
        (r"^claude-(opus|sonnet|haiku)-4-[7-9]", _4_7),
        (r"^claude-(opus|sonnet|haiku)-5$", _5),
        (r"^claude-(fable|mythos)-(5|preview)$|^claude-mythos$", _FABLE_5),
        (r"^claude-sonnet-5-5", _SONNET_5_5),
        (r"^claude-haiku-5-5", _HAIKU_5_5),
        (r"claude", _NEWEST),
    )
)

_NUMBER_FIRST = re.compile(r"^claude-([4-9](?:-\d)?)-(opus|sonnet|haiku|fable|mythos)")
"""As some gateways write it; since version 4 the number comes last."""


def family_of(model: str) -> Family:
    """The rules for `model`: an unknown Claude has those of the newest, another maker's those that imitators take.

    >>> family_of("claude-sonnet-4-5-20250929").thinking, family_of("us.anthropic.claude-opus-4-7-v1").thinking
    ('budget', 'adaptive')
    >>> family_of("anthropic/claude-opus-4.6").samples, family_of("claude-quartet-9").samples
    (True, False)
    """
    name = _NUMBER_FIRST.sub(r"claude-\2-\1", name_of_family(model).replace(".", "-"))
    return next((rules for pattern, rules in _FAMILIES if pattern.search(name)), _OTHERS)


def guessed_limits(model: str) -> Limits:
    """What the name of a model tells of what it can take.

    >>> guessed_limits("claude-3-5-haiku-20241022").output_tokens, guessed_limits("glm-4.6v").images
    (8192, True)
    """
    rules = family_of(model)
    if rules is _OTHERS:
        return replace(limits_of_name(model), thinking=True)
    return Limits(
        context_tokens=rules.context_tokens,
        output_tokens=rules.output_tokens,
        images=rules.sees,
        pdfs=rules.reads_pdfs,
        tools=rules.calls_tools,
        thinking=bool(rules.thinking),
    )
