"""Last things: what works on threads of Qt is ended before the program goes, whatever of it was ever begun."""

from __future__ import annotations

from collections.abc import Callable

_ends: list[Callable[[], object]] = []
_afters: list[Callable[[], object]] = []


def at_the_end(end: Callable[[], object]) -> None:
    """Call `end` when the program ends: a thread that works on while everything goes would take it down."""
    _ends.append(end)


def end_all() -> None:
    """The program ends now."""
    for end in _ends:
        end()


def after_the_end(run: Callable[[], object]) -> None:
    """Call `run` when everything is saved and closed, and another start of the program would find nothing of ours."""
    _afters.append(run)


def run_after_the_end() -> None:
    """The last of all."""
    while _afters:
        _afters.pop()()
