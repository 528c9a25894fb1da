"""What every part of a message can do. A part is no widget: its column paints it and passes it the mouse."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from sam_py.ui.markdown.segments import Segment
from sam_py.ui.markdown.typography import Typography

TextSpan = tuple[int, int]
"""From a character of a text to before another."""


@dataclass(frozen=True, slots=True)
class Target:
    """Something that can be pressed: by the mouse, or by Enter after Tab."""

    kind: Literal["link", "copy", "image", "load_image", "file"]
    rect: QRectF
    """In the part's coordinates."""
    value: object
    label: str
    """What a screen reader says."""


@dataclass(slots=True)
class Surroundings:
    """What parts get from the column that they stand in."""

    style: Typography
    attachment_path: Callable[[str], Path | None]
    changed: Callable[[Part, bool], None]
    """(part, height may differ): something came later than the text, as a decoded picture does."""
    references: Mapping[str, str]
    pixel_ratio: Callable[[], float]


class Part(ABC):
    """One segment, laid out and painted. A MarkdownColumn owns and places it, and uses it again for another segment."""

    kind: ClassVar[str]
    has_ground: ClassVar[bool] = False
    """It is painted on a ground of its own: what is marked in it cannot be painted behind it."""

    def __init__(self, around: Surroundings) -> None:
        self.around = around
        self.x = 0
        self.top = 0
        self.height = 0
        self.width = -1
        self.changed_px = 0
        """From here down the last `layout_for` changed what is seen; `height` where nothing did."""
        self.gap_above = 0
        self.gap_below = 0
        self.depth = 0
        self.continues = False
        self.hovered = False
        self.selection: tuple[int, int] | None = None

    @property
    def style(self) -> Typography:
        return self.around.style

    @abstractmethod
    def show(self, segment: Segment, provisional: str = "") -> None:
        """Take the segment's text, and what is still unfinished of it. Cheap: the work is done by `layout_for`."""

    @abstractmethod
    def layout_for(self, width: int) -> int:
        """Lay out for `width` and return the height. Nothing is done where neither text nor width has changed."""

    def estimate(self, width: int) -> int | None:
        """Return about how high it will be where laying it out takes time; None where `layout_for` is quick."""
        return None

    @abstractmethod
    def paint(self, painter: QPainter, clip: QRectF) -> None:
        """Paint what lies in `clip`, in the part's own coordinates."""

    @abstractmethod
    def clear(self) -> None:
        """Forget the segment; keep what is expensive to make."""

    def restyle(self) -> None:
        """The theme has changed."""
        self.width = -1

    # Text: positions are characters of the part's own plain text

    @abstractmethod
    def length(self) -> int: ...

    @abstractmethod
    def hit(self, point: QPointF) -> int:
        """Return the text position that is nearest to `point`."""

    @abstractmethod
    def text(self, start: int, end: int) -> str:
        """Return the plain text between two positions, as it is put on the clipboard."""

    def word_at(self, position: int) -> tuple[int, int]:
        return position, position

    def paragraph_at(self, position: int) -> tuple[int, int]:
        return 0, self.length()

    def found(self, find: Callable[[str], list[TextSpan]]) -> list[list[QRectF]]:
        """The places that `find` names in its text, in reading order, each as rectangles. Call it laid out."""
        return []

    def found_key(self) -> object:
        """Equal to what it was before where `found` would say the same."""
        return None

    # Mouse and keyboard

    def targets(self) -> list[Target]:
        """Everything that can be pressed, in reading order."""
        return []

    def target_at(self, point: QPointF) -> Target | None:
        return next((target for target in self.targets() if target.rect.contains(point)), None)

    def scroll_by(self, dx: float) -> bool:
        """Scroll sideways; return whether it moved."""
        return False

    def is_text_at(self, point: QPointF) -> bool:
        return True


def word_bounds(text: str, position: int) -> tuple[int, int]:
    """Return where the word around `position` begins and ends.

    >>> word_bounds("one two_2 three", 6)
    (4, 9)
    """

    def inside(char: str) -> bool:
        return char.isalnum() or char == "_"

    if position >= len(text) or not inside(text[position]):
        if position and inside(text[position - 1]):
            position -= 1
        else:
            return position, min(position + 1, len(text))
    start = end = position
    while start > 0 and inside(text[start - 1]):
        start -= 1
    while end < len(text) and inside(text[end]):
        end += 1
    return start, end
