"""Progress on the terminal: one line that is written over, only where a person looks on."""

from __future__ import annotations

import logging
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from sam_py.store.exporters.background import Progress

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What a title could steer a terminal with."""


def printable(text: str) -> str:
    """`text` without what steers a terminal.

    >>> printable("a\\x1b[31mb")
    'a[31mb'
    """
    return _CONTROLS.sub("", text)


@contextmanager
def quiet_log() -> Iterator[None]:
    """Warnings of the log are for the window's log file: here the report says what matters."""
    quiet = logging.NullHandler()
    root = logging.getLogger()
    root.addHandler(quiet)
    try:
        yield
    finally:
        root.removeHandler(quiet)


class ProgressLine:
    """Shows how far something is; call `end` before anything else is printed."""

    def __init__(self, verb: str, out: IO[str] | None = None) -> None:
        self._verb = verb
        self._out = out or sys.stderr
        self._shows = self._out.isatty()
        self._length = 0

    def tell(self, progress: Progress) -> None:
        if not self._shows:
            return
        of = f" of {progress.total:,}" if progress.total else ""
        if not of and progress.fraction is not None:
            of = f" ({progress.fraction:.0%})"
        text = f"{self._verb} {progress.unit} {progress.done + 1:,}{of}: {printable(progress.what)}"
        text = text[: shutil.get_terminal_size().columns - 1]
        self._out.write("\r" + text.ljust(self._length))
        self._out.flush()
        self._length = len(text)

    def end(self) -> None:
        if self._length:
            self._out.write("\r" + " " * self._length + "\r")
            self._out.flush()
            self._length = 0
