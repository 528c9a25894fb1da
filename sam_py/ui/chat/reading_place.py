"""ReadingPlace: what a reader has before the eyes, kept there while the conversation changes around it."""

from __future__ import annotations

from sam_py.messages.parts import Frozen
from sam_py.ui.chat.heights import Heights


class Place(Frozen):
    """Where a reader is: a message and how many pixels of it are above the view. None: at the end."""

    message_id: str
    offset_px: int


class ReadingPlace:
    """At the end (`sticks`), or at a row with so many of its pixels above the view.

    >>> place = ReadingPlace()
    >>> heights = Heights([100, 100, 100])
    >>> place.top_px(heights, 120)
    180
    >>> place.scrolled_to(150, 180, heights)
    >>> place.inserted(0, 1)
    >>> place.top_px(Heights([40, 100, 100, 100]), 120)
    190
    """

    __slots__ = ("px", "row", "sticks")

    def __init__(self) -> None:
        self.sticks = True
        self.row = 0
        self.px = 0

    def go_to_end(self) -> None:
        self.sticks = True

    def go_to(self, row: int, px: int) -> None:
        """`px` of the row are above the view; negative: so many pixels of room."""
        self.sticks, self.row, self.px = False, row, px

    def top_px(self, heights: Heights, view_px: int) -> int:
        """The pixel of the conversation at the top of the view."""
        end = max(0, heights.total - view_px)
        return end if self.sticks else max(0, min(end, heights.top(self.row) + self.px))

    def hold(self, top_px: int, end_px: int, heights: Heights) -> None:
        """What stands at the top now is what is held from now on: rows above it may be measured without moving it.

        Who has the end in view is at the end, however they came there.
        """
        self.sticks = self.sticks or top_px >= end_px
        if not self.sticks:
            self.row = heights.row_at(top_px)
            self.px = top_px - heights.top(self.row)

    def let_go(self, top_px: int, heights: Heights) -> None:
        """Follow the end no more: something that the person looks at is about to grow."""
        self.sticks = False
        self.row = heights.row_at(top_px)
        self.px = top_px - heights.top(self.row)

    def scrolled_to(self, value_px: int, maximum_px: int, heights: Heights) -> None:
        """The person scrolled."""
        self.sticks = value_px >= maximum_px
        self.row = heights.row_at(value_px)
        self.px = value_px - heights.top(self.row)

    def inserted(self, first: int, count: int) -> None:
        if not self.sticks and first <= self.row:
            self.row += count

    def removed(self, first: int, last: int, left: int) -> None:
        """Rows `first` to `last` went; `left` remain."""
        if self.row > last:
            self.row -= last - first + 1
        elif self.row >= first:
            self.row, self.px = max(0, min(first, left - 1)), 0
