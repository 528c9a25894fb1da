"""Calls: the arguments of tool calls as they grow, and ids that tell them apart."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

_GLUED = re.compile(r"\}\s*(?=\{)")
_GLUE_TRIES = 64
"""How often a call's arguments are looked at for a second object: each look reads them all."""


@dataclass(slots=True)
class GrowingCall:
    """One call. `key` tells it apart in the events."""

    key: str
    pieces: list[str] = field(default_factory=list)
    glue_tries: int = _GLUE_TRIES
    ending: str = ""
    """The last character so far that is no white space."""

    def add(self, piece: str) -> None:
        self.ending = piece.rstrip()[-1:] or self.ending
        self.pieces.append(piece)

    def unglued(self, piece: str) -> list[str]:
        """`piece`, cut where one whole JSON object ends and another begins: gateways glue two calls together.

        The first piece goes on with this call, each other one begins a new call.
        """
        is_glued = self.ending == "}" and piece.lstrip().startswith("{")
        if self.glue_tries <= 0 or not (is_glued or _GLUED.search(piece)):
            return [piece]
        before = "".join(self.pieces)
        text, start, cuts = before + piece, 0, []
        for glue in _GLUED.finditer(text, max(0, len(before.rstrip()) - 1)):
            if self.glue_tries <= 0:
                break
            self.glue_tries -= 1
            if is_complete(text[start : glue.end()]):
                cuts.append(glue.end() - len(before))
                start = glue.end()
        return [piece[one:other] for one, other in pairwise([0, *cuts, len(piece)])]


class CallIds:
    """Gives each call of a reply an id of its own: the server's where it gave one and has not given it before."""

    def __init__(self, new_call_id: Callable[[], str]) -> None:
        self._new_call_id = new_call_id
        self._given: set[str] = set()
        self._wanted: Counter[str] = Counter()

    def unique(self, call_id: str) -> str:
        wanted = call_id or self._new_call_id()
        while True:
            self._wanted[wanted] += 1
            number = self._wanted[wanted]
            unique = wanted if number == 1 else f"{wanted}_{number}"
            if unique not in self._given:
                self._given.add(unique)
                return unique


def is_complete(arguments: str) -> bool:
    """Whether the arguments of a call are a JSON object; a call without any takes none."""
    if not arguments.strip():
        return True
    try:
        return isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False
