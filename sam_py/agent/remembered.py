"""Remembered: what requests taught, kept across restarts: how models count, and what each conversation left out.

It lies in the state folder, not in the journals: it says nothing of what was said, holds for this machine's accounts
alone, and may be lost: then the first request of a conversation is estimated anew, and a provider's cache misses once.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sam_py.store.disk import Disk, replace_durably
from sam_py.transcript.calibration import Calibrations
from sam_py.transcript.plan import Plan

log = logging.getLogger(__name__)

_PLANS, _IDS = 50, 20_000
"""Plans of so many conversations are kept, the last used ones, with so many ids of messages in all."""
_QUIET_S = 5.0


class Remembered:
    """`load` it once the window stands, and close it last. Without a path nothing is kept."""

    def __init__(self, path: Path | None = None, disk: Disk | None = None) -> None:
        self.calibrations = Calibrations()
        self._path = path
        self._disk = disk or Disk()
        self._plans: dict[str, Plan] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._writing: asyncio.Task[None] | None = None

    async def load(self) -> None:
        """Take what the file says, before what was learned meanwhile. A damaged one is as none."""
        if self._path is None:
            return
        try:
            data = await asyncio.to_thread(self._disk.read, str(self._path))
            value = json.loads(data)
            plans = {str(each): _plan(kept) for each, kept in value["plans"].items()}
            self.calibrations.read(value["calibrations"])
        except FileNotFoundError:
            return
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            log.warning("what was learned of models in %s cannot be read, it is learned anew: %r", self._path, error)
            return
        self._plans = {**plans, **self._plans}

    def plan_of(self, conversation_id: str) -> Plan | None:
        """What the conversation's last request left out and shortened, for the next one to begin as it did."""
        return self._plans.get(conversation_id)

    def keep(self, conversation_id: str, plan: Plan) -> None:
        """This plan's request went out."""
        before = self._plans.pop(conversation_id, None)
        if plan.dropped or plan.shortened:
            self._plans[conversation_id] = Plan(limit=plan.limit, dropped=plan.dropped, shortened=plan.shortened)
            self._forget_the_oldest()
        if before != self._plans.get(conversation_id):
            self.changed()

    def _forget_the_oldest(self) -> None:
        ids = sum(len(plan.dropped) + len(plan.shortened) for plan in self._plans.values())
        while len(self._plans) > 1 and (len(self._plans) > _PLANS or ids > _IDS):
            oldest = self._plans.pop(next(iter(self._plans)))
            ids -= len(oldest.dropped) + len(oldest.shortened)

    def changed(self) -> None:
        """Something was learned: it is written when nothing more was for a while."""
        if self._path is None:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(_QUIET_S, self._due)

    async def aclose(self) -> None:
        """Write what is not written yet."""
        if self._timer is not None:
            self._due()
        if self._writing is not None:
            await self._writing

    def _due(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        value = {
            "version": 1,
            "calibrations": self.calibrations.written(),
            "plans": {
                each: {"limit": plan.limit, "dropped": sorted(plan.dropped), "shortened": dict(plan.shortened)}
                for each, plan in self._plans.items()
            },
        }
        write = self._write(value, self._writing)
        self._writing = asyncio.get_running_loop().create_task(write, name="keep what models count")

    async def _write(self, value: Mapping[str, Any], before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await before
        assert self._path is not None
        try:
            await asyncio.to_thread(lambda: replace_durably(self._disk, str(self._path), json.dumps(value).encode()))
        except OSError as error:  # nothing of a person's is lost by it
            log.warning("what was learned of models cannot be kept: %s", error)


def _plan(kept: Mapping[str, Any]) -> Plan:
    shortened = {str(each): int(characters) for each, characters in kept["shortened"].items()}
    limit = kept["limit"]
    return Plan(
        limit=None if limit is None else int(limit), dropped=frozenset(map(str, kept["dropped"])), shortened=shortened
    )
