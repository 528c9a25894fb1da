"""An attached file: its name, kind and size on a small card."""

from __future__ import annotations

from pathlib import PurePath

from PySide6.QtCore import QCoreApplication, QLocale, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from sam_py.ui.chat.parts.base import Part, Surroundings, Target
from sam_py.ui.markdown.segments import Segment

CHIP_PX = 52
MAX_PX = 340
BADGE_PX = 36


class FileChipPart(Part):
    kind = "file"

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self._attachment = ""
        self._name = ""
        self._size = 0

    def show(self, segment: Segment, provisional: str = "") -> None:
        self._attachment, self._name, self._size = segment.url, segment.info, segment.size
        self.gap_above = self.gap_below = self.style.theme.gap_px

    def layout_for(self, width: int) -> int:
        self.width = width
        self.height = CHIP_PX
        return self.height

    def paint(self, painter: QPainter, clip: QRectF) -> None:
        style = self.style
        box = self._box()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(style.colour("border"), 1))
        painter.setBrush(style.colour("hover" if self.hovered else "raised"))
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 10, 10)
        badge = QRectF(8, (CHIP_PX - BADGE_PX) / 2, BADGE_PX, BADGE_PX)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(style.colour("accent"))
        painter.drawRoundedRect(badge, 7, 7)
        painter.setFont(style.small)
        painter.setPen(style.colour("on_accent"))
        kind = PurePath(self._name).suffix.lstrip(".").upper()[:4]
        painter.drawText(badge, Qt.AlignmentFlag.AlignCenter, kind or "?")
        left = badge.right() + 10
        room = box.width() - left - 12
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        painter.setFont(style.body)
        painter.setPen(style.colour("text"))
        name = QFontMetricsF(style.body).elidedText(self._name, Qt.TextElideMode.ElideMiddle, room)
        painter.drawText(QRectF(left, 6, room, 22), middle, name)
        painter.setFont(style.small)
        painter.setPen(style.colour("text_muted"))
        painter.drawText(QRectF(left, 27, room, 18), middle, QLocale().formattedDataSize(self._size))

    def _box(self) -> QRectF:
        return QRectF(0, 0, min(self.width, MAX_PX), CHIP_PX)

    def clear(self) -> None:
        self._attachment = self._name = ""
        self.selection = None
        self.width = -1

    def length(self) -> int:
        return len(self._name)

    def hit(self, point: QPointF) -> int:
        return 0 if point.x() < self._box().width() / 2 else self.length()

    def text(self, start: int, end: int) -> str:
        return self._name[start:end]

    def targets(self) -> list[Target]:
        label = QCoreApplication.translate("FileChipPart", "Open the file {name}").format(name=self._name)
        return [Target("file", self._box(), self._attachment, label)]

    def is_text_at(self, point: QPointF) -> bool:
        return False
