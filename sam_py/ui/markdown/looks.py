"""Where the look of a growing document changed, so that only that is painted again."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from PySide6.QtGui import QTextDocument


@dataclass(frozen=True, slots=True)
class Looks:
    """A laid out document's text, and of each line its top, left edge, width and first character."""

    text: str
    tops: list[float]
    lines: list[tuple[float, float, float, int]]

    @classmethod
    def of(cls, document: QTextDocument) -> Looks:
        tops: list[float] = []
        lines: list[tuple[float, float, float, int]] = []
        block = document.begin()
        while block.isValid():
            layout, at = block.layout(), block.position()
            origin = layout.position()
            top, left = origin.y(), origin.x()
            for number in range(layout.lineCount()):
                line = layout.lineAt(number)
                tops.append(top + line.y())
                lines.append((tops[-1], left + line.x(), line.naturalTextWidth(), at + line.textStart()))
            block = block.next()
        return cls(document.toRawText(), tops, lines)

    def first_change_px(self, before: Looks) -> int:
        """Return the height from which on this looks different from `before`, at a line's top.

        A line above the first that differs counts as changed too: a link may begin there.
        """
        same = _common(before.text, self.text)
        number = bisect_right(self.lines, same, key=lambda line: line[3]) - 1
        for at, (old, new) in enumerate(zip(before.lines, self.lines, strict=False)):
            if old != new:
                number = min(number, at)
                break
        number = min(number, len(before.lines))
        return round(self.tops[number - 1]) - 2 if number > 0 else 0


def _common(one: str, other: str) -> int:
    """Return how many characters both begin with.

    >>> _common("abcd", "abX")
    2
    """
    if other.startswith(one):
        return len(one)
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
