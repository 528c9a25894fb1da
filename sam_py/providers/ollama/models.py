"""What the server tells of its models (``/api/tags``, ``/api/show``). Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sam_py.messages.turn import Limits
from sam_py.providers.model_names import guessed_limits, thinks

_NUM_CTX = re.compile(r"^num_ctx\s+(\d{1,9})\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Told:
    """What the server said of one model."""

    limits: Limits
    answers: bool = True
    """Whether one can talk to it; embedding models cannot be talked to."""
    think: tuple[bool | str, ...] = ()
    """What ``think`` may be, where the server says so."""
    num_ctx: int | None = None
    """The context that the model's own parameters ask for."""


def read_tags(value: Any) -> list[tuple[str, str]]:
    """Name and digest of every model of ``/api/tags``, in its order; the digest is "" where there is none."""
    listed = value.get("models") if isinstance(value, dict) else None
    found = []
    for item in listed if isinstance(listed, list) else ():
        name = (item.get("model") or item.get("name")) if isinstance(item, dict) else None
        if isinstance(name, str) and name:
            digest = item.get("digest")
            found.append((name, digest if isinstance(digest, str) else ""))
    return found


def read_show(value: Any) -> Told:
    """What ``/api/show`` says. Servers before 0.6.4 list no capabilities: then its template and projector tell."""
    if not isinstance(value, dict):
        return Told(Limits())
    capabilities = value.get("capabilities")
    if isinstance(capabilities, list):
        images, tools = "vision" in capabilities, "tools" in capabilities
        thinking = "thinking" in capabilities
        answers = "completion" in capabilities or not capabilities
    else:
        images = bool(value.get("projector_info"))
        tools = ".Tools" in str(value.get("template") or "")
        thinking, answers = False, True
    found = _NUM_CTX.search(str(value.get("parameters") or ""))
    limits = Limits(context_tokens=_context(value.get("model_info")), images=images, tools=tools, thinking=thinking)
    return Told(limits, answers, tuple(_think_values(value.get("thinking"))), int(found[1]) if found else None)


def guessed(model: str) -> Limits:
    """What a name tells of a model that the server was not asked about yet.

    >>> guessed("qwen3:14b").thinking, guessed("gemma3:4b").images, guessed("llama3").thinking
    (True, True, False)
    """
    limits = guessed_limits(model.replace(":", "-"))
    return Limits(images=limits.images, tools=True, thinking=thinks(model))


def _context(info: Any) -> int | None:
    """``<architecture>.context_length``."""
    if not isinstance(info, dict):
        return None
    own = info.get(f"{info.get('general.architecture')}.context_length")
    others = (value for key, value in info.items() if str(key).endswith(".context_length"))
    return next((value for value in (own, *others) if isinstance(value, int) and value > 0), None)


def _think_values(thinking: Any) -> Iterator[bool | str]:
    values = thinking.get("values") if isinstance(thinking, dict) else None
    for value in values if isinstance(values, list) else ():
        if isinstance(value, bool | str):
            yield value
