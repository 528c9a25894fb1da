"""Tabs: the names of the inspector's pages, the chosen one underlined."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from sam_py.ui.widgets.icons import Icons
from sam_py.ui.widgets.tab_bar import DrawnTabs

_PAD_PX = 9


class Tabs(DrawnTabs):
    """A tab bar with words alone."""

    def __init__(self, icons: Icons, label: str, parent: QWidget | None = None) -> None:
        super().__init__(icons, label, parent)
        self.setElideMode(Qt.TextElideMode.ElideRight)
        icons.changed.connect(self._retheme)
        self._retheme()

    def _retheme(self) -> None:
        font = QFont(self.font())
        font.setPointSizeF(self._icons.themes.current.body_pt * 0.95)
        self.setFont(font)
        self.updateGeometry()
        self.update()

    # Qt

    def tabSizeHint(self, index: int) -> QSize:
        metrics = QFontMetrics(self.font())
        return QSize(metrics.horizontalAdvance(self.tabText(index)) + 2 * self._px(_PAD_PX), self._px(36))

    def minimumTabSizeHint(self, index: int) -> QSize:
        return QSize(self._px(36), self._px(36))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self._icons.themes.current.palette
        for place in range(self.count()):
            rect = self.tabRect(place)
            chosen = place == self.currentIndex()
            painter.setPen(QColor(palette.text if chosen or place == self._hovered else palette.text_muted))
            room = rect.width() - self._px(8)
            words = painter.fontMetrics().elidedText(self.tabText(place), Qt.TextElideMode.ElideRight, room)
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, words)
            if chosen:
                pad, thick = self._px(_PAD_PX), max(2, self._px(2))
                line = QRectF(rect.left() + pad, rect.bottom() - thick - 1, rect.width() - 2 * pad, thick)
                self._underline(painter, line)
                self._draw_ring(painter, QRectF(rect).adjusted(2, 4, -2, -4))
