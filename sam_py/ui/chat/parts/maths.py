"""A formula on lines of its own: a picture, or its source where it cannot be drawn."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from sam_py.ui.chat.parts.base import Part, Surroundings
from sam_py.ui.markdown.segments import Segment


class MathsPart(Part):
    kind = "math"

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self._latex = ""
        self._ready = False

    def show(self, segment: Segment, provisional: str = "") -> None:
        latex = segment.body.strip()
        if latex != self._latex or segment.terminated != self._ready:
            self._latex, self._ready = latex, segment.terminated
            self.width = -1
        self.depth = segment.depth
        self.gap_above = self.gap_below = self.style.paragraph_px

    def layout_for(self, width: int) -> int:
        if width != self.width:
            self.width = width
            lines = max(1, self._latex.count("\n") + 1)
            self.height = round(lines * self.style.mono_line_px)
        return self.height

    def paint(self, painter: QPainter, clip: QRectF) -> None:
        painter.setFont(self.style.mono)
        painter.setPen(self.style.colour("text_muted"))
        painter.drawText(QRectF(0, 0, self.width, self.height), Qt.AlignmentFlag.AlignLeft, self._latex)

    def clear(self) -> None:
        self._latex = ""
        self._ready = False
        self.selection = None
        self.width = -1

    def length(self) -> int:
        return len(self._latex)

    def hit(self, point: QPointF) -> int:
        return 0 if point.x() < self.width / 2 and point.y() < self.height else self.length()

    def text(self, start: int, end: int) -> str:
        return self._latex[start:end]

    def word_at(self, position: int) -> tuple[int, int]:
        return 0, self.length()

    @staticmethod
    def metrics() -> type[QFontMetricsF]:
        return QFontMetricsF
