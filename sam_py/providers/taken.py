"""Which settings a model takes: those that change the body of a request to it. Asked of the mapper itself. Pure."""

from __future__ import annotations

import json
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
    return Taken(
        temperature=build(replace(plain, temperature=0.123)) != bare,
        top_p=build(replace(plain, top_p=0.123)) != bare,
        max_tokens=build(replace(plain, max_tokens=1234)) != bare,
        efforts=_efforts(build, plain, bare),
    )


def _efforts(build: BuildBody, plain: ChatRequest, bare: dict[str, Any]) -> tuple[Effort, ...]:
    """One effort for each body that differs: a service with fewer words than ours takes the nearest one of its own."""
    alike: list[tuple[dict[str, Any], list[Effort]]] = []
    for effort in get_args(Effort):
        body = build(replace(plain, reasoning_effort=effort))
        same = next((efforts for known, efforts in alike if known == body), None)
        if same is not None:
            same.append(effort)
        elif body != bare:
            alike.append((body, [effort]))
    return tuple(_spoken(body, efforts) for body, efforts in alike)


def _spoken(body: dict[str, Any], efforts: list[Effort]) -> Effort:
    """Of efforts that make the same body, the one that it names; else the middle one."""
    text = json.dumps(body, default=str)
    return next((each for each in efforts if f'"{each}"' in text), efforts[len(efforts) // 2])
