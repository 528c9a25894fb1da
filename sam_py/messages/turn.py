"""Turns: what a model is shown. The transcript builder makes them, a provider's mapper writes them to the wire."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sam_py.messages.message import ToolStatus
from sam_py.messages.parts import Frozen, Part, Parts


class ToolResultPart(Frozen):
    """The result of one call inside a user turn. `parts` hold images and files, never text."""

    kind: Literal["tool_result"] = "tool_result"
    call_id: str
    tool_name: str
    status: ToolStatus
    text: str
    parts: Parts = ()


TurnPart = Part | ToolResultPart


@dataclass(frozen=True, slots=True)
class Turn:
    """One side's say. `provider` and `model` tell who wrote an assistant turn (empty for a user turn)."""

    role: Literal["user", "assistant"]
    parts: tuple[TurnPart, ...]
    provider: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a model can take and do. None for a number: not known.

    `thinking`: it thinks, and its own earlier thinking may be shown to it; `draws`: its replies may hold pictures;
    `own_pictures`: those are taken back inside of its replies, where others are shown them by the user.
    """

    context_tokens: int | None = None
    output_tokens: int | None = None
    images: bool = False
    pdfs: bool = False
    tools: bool = False
    thinking: bool = False
    draws: bool = False
    own_pictures: bool = False


@dataclass(frozen=True, slots=True)
class Transcript:
    """A request's content, valid whatever the history looks like: turns alternate and start with the user.

    `notes` say what was inferred, degraded or left out, in words for a person.
    """

    turns: tuple[Turn, ...]
    system: str = ""
    notes: tuple[str, ...] = ()
