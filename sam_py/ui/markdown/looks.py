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

    def changed_from(self, before: Looks) -> tuple[int, int]:
        """Return the height from which on this looks different from `before`, and that from which lines differ.

        The first is a line higher than the second: a link that begins there may have become longer.
        """
        same = _common(before.text, self.text)
        number = bisect_right(self.lines, same, key=lambda line: line[3]) - 1
        for at, (old, new) in enumerate(zip(before.lines, self.lines, strict=False)):
            if old != new:
                number = min(number, at)
                break
        number = min(number, len(before.lines))
        if number <= 0:
            return 0, 0
        line_px = self.tops[number] if number < len(self.tops) else self.tops[-1]
        return max(0, round(self.tops[number - 1]) - 2), int(line_px)


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
