"""Embedder: who turns texts into vectors. Passed in: this package speaks to nobody."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Embedder(Protocol):
    @property
    def identity(self) -> str:
        """What makes the vectors. Those of another one are thrown away."""

    async def texts(self, texts: Sequence[str]) -> list[list[float] | None]:
        """A vector of length 1 for each text; None for one that the model cannot take. Raises SamError."""

    async def question(self, text: str) -> list[float]:
        """The vector of what is looked for. Raises SamError."""
