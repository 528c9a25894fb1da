"""OptionButton: one answer to choose, in as many lines as its words need."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.widgets.buttons import FlatButton

_LEFT_PX, _RIGHT_PX, _PAD_PX = 38, 12, 8
_WRAPPED = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap)


class OptionButton(FlatButton):
    """A ring for one of them, with `several` a box that is checked. Pressed by click, Space or Enter."""

    def __init__(self, context: RowContext, words: str, *, several: bool, parent: QWidget) -> None:
        super().__init__(context.icons, words, parent=parent)
        self._several = several
        self.setText(words)
        self.setToolTip("")
        self.setCheckable(several)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def heightForWidth(self, width_px: int) -> int:
        room = QRect(0, 0, max(40, width_px - self.px(_LEFT_PX) - self.px(_RIGHT_PX)), 10_000)
        words = QFontMetrics(self._font()).boundingRect(room, _WRAPPED, self.text())
        return max(self.px(36), words.height() + 2 * self.px(_PAD_PX))

    def _font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(self._themes.current.body_pt)
        return font

    # Qt

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette_now
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect, radius = QRectF(self.rect()), self.px(8)
        painter.setPen(QPen(QColor(palette.accent if self.isChecked() else palette.border), 1))
        lively = self._hovered or self.isDown()
        painter.setBrush(QColor(palette.hover) if lively else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        self._paint_mark(painter)
        painter.setFont(self._font())
        painter.setPen(QColor(palette.text))
        room = self.rect().adjusted(self.px(_LEFT_PX), self.px(_PAD_PX), -self.px(_RIGHT_PX), -self.px(_PAD_PX))
        painter.drawText(room, _WRAPPED, self.text())
        self._paint_ring(painter, rect, radius)

    def _paint_mark(self, painter: QPainter) -> None:
        palette, side = self.palette_now, self.px(16)
        mark = QRectF(self.px(12), round((self.height() - side) / 2), side, side)
        painter.setPen(QPen(QColor(palette.accent if self.isChecked() else palette.text_muted), 1.5))
        painter.setBrush(QColor(palette.accent) if self.isChecked() else Qt.BrushStyle.NoBrush)
        inner = mark.adjusted(0.75, 0.75, -0.75, -0.75)
        if not self._several:
            painter.drawEllipse(inner)
            return
        painter.drawRoundedRect(inner, self.px(4), self.px(4))
        if self.isChecked():
            self._icons.paint(painter, "check", "on_accent", mark.adjusted(2, 2, -2, -2))
