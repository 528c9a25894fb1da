"""What the blocks of Markdown are told to."""

from __future__ import annotations

from typing import Protocol

from sam_py.speech.base import Kind


class Reader(Protocol):
    """Takes what the blocks are made of. Places are characters of the source."""

    def begin(self, kind: Kind) -> None:
        """A block begins; the one before has ended."""

    def text(self, text: str, start: int) -> None:
        """Go on with the block; a line ends at each line break."""

    def end(self) -> None:
        """The block has ended."""

    def is_heading(self) -> None:
        """The block that goes on was a heading all the time: it is underlined."""

    def take_back(self, start: int) -> None:
        """What was handed on from `start` is a table's header instead."""

    def code(self, info: str, start: int, end: int) -> None:
        """A block of code begins; its opening line stands from `start` to `end`."""

    def formula(self, latex: str, start: int, end: int) -> None:
        """A formula of its own."""

    def header(self, row: str, start: int) -> None:
        """A table begins, with the names of its columns."""

    def row(self, row: str, start: int) -> None:
        """The next row of the table."""
