"""What a person reads while the bootstrap works: one line for each step with its time, one sentence when it fails."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

LAST_LINES = 25


class Stop(Exception):
    """A step failed. `str()` is one sentence that says what to do; `code` is the exit code."""

    def __init__(self, sentence: str, code: int = 1) -> None:
        super().__init__(sentence)
        self.code = code


class WrongPackage(Stop):
    """What was downloaded is not what is pinned: nothing may go on with it."""


@contextmanager
def step(title: str) -> Iterator[None]:
    """Say what begins, and how long it took."""
    say(f"→ {title}")
    start_s = time.monotonic()
    yield
    say(f"  {time.monotonic() - start_s:.1f} s")


def say(text: str) -> None:
    _print(text, sys.stdout)


def complain(text: str) -> None:
    _print(text, sys.stderr)


def say_end_of(output: str) -> None:
    """The last lines of a program that was run unheard and failed."""
    say("\n".join(output.splitlines()[-LAST_LINES:]))


def speak_any_alphabet() -> None:
    """A console that has no arrow shows a question mark; it does not end the program."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def _print(text: str, stream: TextIO) -> None:
    print(text, file=stream, flush=True)
