"""Slow tools of every temper: side by side and in order, stubborn, asking, failing, long-winded, on a thread."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sam_py.tools.base import BadArguments, Running, ToolError, ToolOutput, Touch

LONG = "a long line of what a tool found out, and then some more of it\n" * 600


@dataclass(frozen=True, slots=True)
class Ended:
    """That a run came to its end by itself: what it gave back, or that it failed."""

    call_id: str
    marker: str
    failed: bool


class SlowTool:
    """One tool by a name that a recorded model calls. What it does is drawn once, by `chance`."""

    icon = "code"
    untrusted = False
    quotes = False
    deadline_s = 20.0
    fingerprint = "slow"
    parameters: Mapping[str, Any] = {"type": "object", "properties": {"city": {"type": "string"}}}

    def __init__(
        self,
        name: str,
        chance: random.Random,
        pace: float,
        *,
        on_event: Callable[[], None],
        begun: Callable[[str], None],
        ended: Callable[[Ended], None],
    ) -> None:
        """`begun` hears the id of each call that is run, `ended` of each that came to its end."""
        self.name = self.label = name
        self.description = f"Does {name}, slowly."
        self.parallel_safe = chance.random() < 0.5
        self._asks = chance.random() < 0.35
        self._lasts_s = chance.choice((0.0, 0.01, 0.05, 0.15)) * pace
        self._temper = chance.choice(("kind", "kind", "kind", "stubborn", "thread", "fails", "breaks", "long"))
        self._stubborn_s = self._lasts_s + 0.05 * pace
        self._on_event = on_event
        self._begun = begun
        self._ended = ended

    def parse(self, arguments_json: str) -> Any:
        try:
            return json.loads(arguments_json or "{}")
        except ValueError as error:
            raise BadArguments("The arguments are not valid JSON.") from error

    def doing(self, arguments: Any) -> str:
        return f"{self.name} of {arguments}"

    def touches(self, arguments: Any) -> tuple[Touch, ...]:
        return (Touch("write", f"/papers/{self.name}"),) if self._asks else ()

    async def run(self, arguments: Any, running: Running) -> ToolOutput:
        self._begun(running.call_id)
        self._on_event()
        marker = f"end-of-{running.call_id}"
        running.report("begun")
        match self._temper:
            case "stubborn":
                await _slept_through(self._stubborn_s)
            case "thread":
                await asyncio.to_thread(time.sleep, self._lasts_s)
            case _:
                await asyncio.sleep(self._lasts_s)
        self._on_event()
        failed = self._temper in ("fails", "breaks")
        self._ended(Ended(running.call_id, marker, failed))
        if self._temper == "fails":
            raise ToolError(f"It could not be done, {marker}.")
        if self._temper == "breaks":
            raise ValueError(f"a bug of the tool, {marker}")
        return ToolOutput(f"{marker}\n{LONG if self._temper == 'long' else 'found'}")


async def _slept_through(seconds: float) -> None:
    """Sleep, and go on sleeping when cancelled."""
    end_s = time.monotonic() + seconds
    while (left := end_s - time.monotonic()) > 0:
        try:
            await asyncio.sleep(left)
        except asyncio.CancelledError:
            continue
