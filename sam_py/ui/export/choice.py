"""What is to be exported, and how it was last chosen to be. Imports nothing that writes it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["html", "pdf", "markdown", "text", "json", "zip"]


@dataclass(frozen=True, slots=True)
class Exported:
    """What is to be saved: conversations, or messages of one. `title` names it, and the file."""

    conversations: tuple[str, ...]
    title: str
    messages: tuple[str, ...] = ()


@dataclass(slots=True)
class LastChoice:
    """What the person chose last: the next export begins with it."""

    kind: Kind = "html"
    folder: Path | None = None
    branches: bool = False
    details: bool = True
