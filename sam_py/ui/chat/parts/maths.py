"""A formula on lines of its own: a picture, or its source where it cannot be drawn."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from sam_py.ui.chat.parts.base import Part, Surroundings, TextSpan
from sam_py.ui.markdown.maths import Key, Picture, readable_maths, shared_formulas
from sam_py.ui.markdown.segments import Segment

SCALE = 1.25
"""A displayed formula is so much larger than the text."""


class MathsPart(Part):
    kind = "math"

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self._latex = ""
        self._whole = False
        self._picture: Picture | None = None
        self._listening = False
        self.scroll_x = 0.0

    def show(self, segment: Segment, provisional: str = "") -> None:
        latex = segment.body.strip()
        if latex != self._latex or segment.terminated != self._whole:
            self._latex, self._whole = latex, segment.terminated
            self._picture = None
            self.width = -1
        self.depth = segment.depth
        self.gap_above = self.gap_below = self.style.paragraph_px

    def restyle(self) -> None:
        super().restyle()
        self._picture = None

    @property
    def _key(self) -> Key:
        return self._latex, round(self.style.em_px * SCALE, 1), self.style.theme.palette.text, False

    def layout_for(self, width: int) -> int:
        if width == self.width:
            return self.height
        self.width = width
        if self._whole and self._picture is None and self._latex:
            self._picture = shared_formulas().picture(self._key)
            if self._picture is None and shared_formulas().is_pending(self._key):
                self._listen()
        if self._picture is not None:
            self.height = round(self._picture.size.height() + 8)
        else:
            self.height = round(len(self._lines()) * self.style.mono_line_px + 8)
        return self.height

    def _lines(self) -> list[str]:
        """The source, wrapped to the width."""
        columns = max(10, int(self.width / QFontMetricsF(self.style.mono).averageCharWidth()))
        lines = []
        for line in self._latex.split("\n"):
            lines += [line[at : at + columns] for at in range(0, max(1, len(line)), columns)]
        return lines

    def paint(self, painter: QPainter, clip: QRectF) -> None:
        if self.selection is not None:
            painter.fillRect(QRectF(0, 0, self.width, self.height), self.style.colour("selection"))
        if self._picture is not None:
            room = self.width - self._picture.size.width()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setClipRect(QRectF(0, 0, self.width, self.height), Qt.ClipOperation.IntersectClip)
            self._picture.paint(painter, QPointF(max(0.0, room / 2) - self.scroll_x, 4))
            return
        painter.setFont(self.style.mono)
        painter.setPen(self.style.colour("text_muted"))
        painter.drawText(QRectF(0, 4, self.width, self.height), Qt.AlignmentFlag.AlignLeft, "\n".join(self._lines()))

    def scroll_by(self, dx: float) -> bool:
        most = max(0.0, self._picture.size.width() - self.width) if self._picture is not None else 0.0
        before, self.scroll_x = self.scroll_x, min(max(0.0, self.scroll_x + dx), most)
        return self.scroll_x != before

    def _listen(self) -> None:
        if not self._listening:
            self._listening = True
            shared_formulas().ready.connect(self._formula_ready)

    def _unlisten(self) -> None:
        if self._listening:
            self._listening = False
            shared_formulas().ready.disconnect(self._formula_ready)

    def _formula_ready(self, key: Key) -> None:
        if key == self._key:
            self._unlisten()
            self.width = -1
            self.around.changed(self, True)

    def clear(self) -> None:
        self._unlisten()
        self._latex = ""
        self._whole = False
        self._picture = None
        self.selection = None
        self.scroll_x = 0.0
        self.width = -1

    def length(self) -> int:
        return max(1, len(self._latex))

    def hit(self, point: QPointF) -> int:
        return 0 if point.x() < self.width / 2 else self.length()

    def text(self, start: int, end: int) -> str:
        return self._latex[start:end]

    def found(self, find: Callable[[str], list[TextSpan]]) -> list[list[QRectF]]:
        """The formula as a whole: its signs are drawn, not written."""
        return [[QRectF(0, 0, self.width, self.height)] for _span in find(self._latex)]

    def found_key(self) -> object:
        return self._latex, self.width, self.height

    def word_at(self, position: int) -> tuple[int, int]:
        return 0, self.length()

    def described(self) -> str:
        """Return the formula as a line of text, for a screen reader."""
        return readable_maths(self._latex)
