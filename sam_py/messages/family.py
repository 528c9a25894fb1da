"""Model families: whether two model names mean the same model, so that opaque thinking of one may go to the other."""

from __future__ import annotations

import re

_DATE = re.compile(r"[-@:](20\d{2}-?\d{2}-?\d{2}|\d{2}-\d{2}|\d{4})(?=$|[-@:])|[-:](v\d+(:\d+)?|\d{3})$")
_VARIANT = re.compile(r"[-:](latest|preview|exp|experimental|free|nitro|floor|online|beta|extended|thinking)$")
_REGION = re.compile(r"^(us|eu|apac|global|jp|au)\.")


def family(model: str) -> str:
    """The name of `model` without maker, date, release stage and service tier.

    >>> family("anthropic/claude-sonnet-4-5-20250929"), family("claude-sonnet-4-5")
    ('claude-sonnet-4-5', 'claude-sonnet-4-5')
    >>> family("models/gemini-2.5-flash-preview-05-20"), family("us.anthropic.claude-x-v1:0")
    ('gemini-2.5-flash', 'claude-x')
    """
    name = model.strip().lower().rpartition("/")[2]
    name = _REGION.sub("", name).removeprefix("anthropic.")
    while True:
        shorter = _VARIANT.sub("", _DATE.sub("", name))
        if not shorter or shorter == name:
            return name
        name = shorter


def same_family(one: str, other: str) -> bool:
    """True where both name the same model, perhaps another release of it. An unknown name ("") is no model's kin.

    >>> same_family("claude-opus-4-5-20251101", "claude-opus-4-5"), same_family("gpt-5", "gpt-5-mini")
    (True, False)
    """
    return bool(one and other) and family(one) == family(other)
