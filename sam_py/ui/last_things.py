"""Last things: what works on threads of Qt is ended before the program goes, whatever of it was ever begun."""

from __future__ import annotations

from collections.abc import Callable

_ends: list[Callable[[], object]] = []


def at_the_end(end: Callable[[], object]) -> None:
    """Call `end` when the program ends: a thread that works on while everything goes would take it down."""
    _ends.append(end)


def end_all() -> None:
    """The program ends now."""
    for end in _ends:
        end()
