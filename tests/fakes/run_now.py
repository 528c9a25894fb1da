"""RunNow: tasks that are over when `spawn` returns, for widgets that are tested without a loop."""

from __future__ import annotations

import asyncio
from typing import Any


class RunNow:
    """Runs what is spawned to its end before going on."""

    def spawn(self, work: Any, name: str = "") -> None:
        asyncio.run(work)
