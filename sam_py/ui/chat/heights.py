"""Heights: the rows' heights in a Fenwick tree, so that row ↔ pixel is O(log n)."""

from __future__ import annotations

from array import array
from collections.abc import Iterable


class Heights:
    """A growing list of pixel heights with prefix sums.

    >>> heights = Heights([10, 20, 30])
    >>> heights.total, heights.top(2), heights.row_at(29)
    (60, 30, 1)
    """

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self._heights = array("q", heights)
        self._tree = array("q")
        self._build()

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, row: int) -> int:
        return self._heights[row]

    @property
    def total(self) -> int:
        return self.top(len(self._heights))

    def top(self, row: int) -> int:
        """The sum of the heights above `row`. O(log n)."""
        tree, total = self._tree, 0
        while row > 0:
            total += tree[row]
            row -= row & -row
        return total

    def row_at(self, y: int) -> int:
        """The row that covers pixel `y`; the last row below the end, 0 above the start. O(log n)."""
        count = len(self._heights)
        if not count or y < 0:
            return 0
        tree, row, bit = self._tree, 0, 1 << count.bit_length()
        while bit:
            step = row + bit
            if step <= count and tree[step] <= y:
                row = step
                y -= tree[step]
            bit >>= 1
        return min(row, count - 1)

    def set(self, row: int, height: int) -> int:
        """Set one height and return by how much it changed. O(log n)."""
        change = height - self._heights[row]
        if change:
            self._heights[row] = height
            tree, place, count = self._tree, row + 1, len(self._heights)
            while place <= count:
                tree[place] += change
                place += place & -place
        return change

    def append(self, height: int) -> None:
        """Add a row at the end. O(log n)."""
        self._heights.append(height)
        tree, place = self._tree, len(self._heights)
        low, total, below = place - (place & -place), height, place - 1
        while below > low:
            total += tree[below]
            below -= below & -below
        tree.append(total)

    def insert(self, row: int, height: int) -> None:
        """Insert before `row`. O(1) amortised at the end, O(n) elsewhere."""
        if row == len(self._heights):
            self.append(height)
            return
        self._heights.insert(row, height)
        self._build()

    def remove(self, first: int, last: int) -> None:
        """Remove the rows `first` to `last`, both included. O(removed) at the end, O(n) elsewhere."""
        at_end = last == len(self._heights) - 1
        del self._heights[first : last + 1]
        if at_end:
            del self._tree[first + 1 :]
        else:
            self._build()

    def _build(self) -> None:
        count = len(self._heights)
        tree = array("q", [0])
        tree.extend(self._heights)
        for place in range(1, count + 1):
            above = place + (place & -place)
            if above <= count:
                tree[above] += tree[place]
        self._tree = tree


def estimated_heights(sizes: Iterable[int | None], width_px: int, scale: float) -> list[int]:
    """About how high messages of so many characters will be in a column of `width_px`; 0 for None."""
    characters_per_line = max(20, width_px // max(1, round(6.6 * scale)))
    line_px, rest_px = 21 * scale, 85 * scale
    return [0 if size is None else int(rest_px + line_px * (size // characters_per_line)) for size in sizes]
