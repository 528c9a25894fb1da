"""A picture on a line of its own. Ours (``attach:``) is shown, a remote one is a card that says where it lies."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from sam_py.ui.chat.parts.base import Part, Surroundings, Target
from sam_py.ui.links import describe_target
from sam_py.ui.markdown.segments import Segment

CARD_PX = 64


class PicturePart(Part):
    kind = "image"

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self._url = ""
        self._alt = ""

    def show(self, segment: Segment, provisional: str = "") -> None:
        self._url, self._alt = segment.url, segment.info
        self.depth = segment.depth
        self.gap_above = self.gap_below = self.style.paragraph_px

    def layout_for(self, width: int) -> int:
        self.width = width
        self.height = CARD_PX
        return self.height

    def paint(self, painter: QPainter, clip: QRectF) -> None:
        style = self.style
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(style.colour("border"), 1))
        painter.setBrush(style.colour("code"))
        painter.drawRoundedRect(QRectF(0.5, 0.5, self.width - 1, self.height - 1), 10, 10)
        painter.setPen(style.colour("text"))
        painter.setFont(style.body)
        painter.drawText(QRectF(14, 10, self.width - 140, 22), Qt.AlignmentFlag.AlignVCenter, self._alt)
        painter.setPen(style.colour("text_muted"))
        painter.setFont(style.small)
        painter.drawText(
            QRectF(14, 34, self.width - 140, 20), Qt.AlignmentFlag.AlignVCenter, describe_target(self._url)
        )

    def clear(self) -> None:
        self._url = self._alt = ""
        self.selection = None
        self.width = -1

    def length(self) -> int:
        return len(self._alt)

    def hit(self, point: QPointF) -> int:
        return 0 if point.x() < self.width / 2 else self.length()

    def text(self, start: int, end: int) -> str:
        return self._alt[start:end]

    def targets(self) -> list[Target]:
        label = QCoreApplication.translate("PicturePart", "Load image")
        return [Target("load_image", QRectF(self.width - 120, 0, 120, self.height), self._url, label)]
