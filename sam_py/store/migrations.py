"""Schema versions of journal lines: what an older line lacks is brought up here; a newer one is only read.

A change of the schema adds one step ``n: from_n`` that turns the fields of a version-n line into those of n + 1,
and a file written by the version before it under ``tests/upgrade/vN/``. Files are never rewritten for it: a line is
brought up when it is read, and written in today's form when it changes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

SCHEMA = 1

Step = Callable[[dict[str, Any]], dict[str, Any]]
_STEPS: dict[int, Step] = {}


def migrated(fields: dict[str, Any], version: int) -> dict[str, Any]:
    """The fields of a line of `version` as today's version has them. A newer line comes back as it is."""
    for number in range(version, SCHEMA):
        step = _STEPS.get(number)
        if step is not None:
            fields = step(fields)
    return fields
