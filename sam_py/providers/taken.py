"""Which settings a model takes: those that change the body of a request to it. Asked of the mapper itself. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, get_args

from sam_py.messages.parts import TextPart
from sam_py.messages.turn import Limits, Turn
from sam_py.providers.base import ChatRequest, Effort

BuildBody = Callable[[ChatRequest], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Taken:
    """`efforts` are the words of `Effort` that make a difference, from the least; empty: its thinking is not set."""

    temperature: bool = True
    top_p: bool = True
    max_tokens: bool = True
    efforts: tuple[Effort, ...] = get_args(Effort)


NOTHING = Taken(temperature=False, top_p=False, max_tokens=False, efforts=())


def taken_by(build: BuildBody, model: str, *, provider: str = "", limits: Limits | None = None) -> Taken:
    """What of a request's settings arrives in the body that `build` makes for `model`. Builds a dozen small bodies."""
    plain = ChatRequest(
        model=model,
        turns=(Turn("user", (TextPart(text="?"),)),),
        provider=provider,
        limits=limits or Limits(),
    )
    bare = build(plain)
    efforts: list[Effort] = []
    seen = [bare]
    for effort in get_args(Effort):
        body = build(replace(plain, reasoning_effort=effort))
        if body not in seen:  # a service that has fewer words takes the nearest one
            seen.append(body)
            efforts.append(effort)
    return Taken(
        temperature=build(replace(plain, temperature=0.123)) != bare,
        top_p=build(replace(plain, top_p=0.123)) != bare,
        max_tokens=build(replace(plain, max_tokens=1234)) != bare,
        efforts=tuple(efforts),
    )
