"""Tabs: the names of the inspector's pages, the chosen one underlined."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QTabBar, QWidget

from sam_py.ui.widgets.icons import Icons

_PAD_PX = 9


class Tabs(QTabBar):
    """A tab bar with words alone; the arrow keys go from one to the next."""

    def __init__(self, icons: Icons, label: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._ring = False
        self._hovered = -1
        self.setAccessibleName(label)
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setUsesScrollButtons(False)
        self.setElideMode(Qt.TextElideMode.ElideRight)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        icons.changed.connect(self._retheme)
        self._retheme()

    def _retheme(self) -> None:
        font = QFont(self.font())
        font.setPointSizeF(self._icons.themes.current.body_pt * 0.95)
        self.setFont(font)
        self.updateGeometry()
        self.update()

    def _px(self, length_px: float) -> int:
        return round(length_px * self._icons.themes.current.scale)

    def _hover(self, place: int) -> None:
        if place != self._hovered:
            self._hovered = place
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
                self._underline(painter, rect)
                if self._ring and self.hasFocus():
                    painter.setPen(QPen(QColor(palette.accent), 2))
                    painter.setBrush(Qt.BrushStyle.NoBrush)
                    ring = QRectF(rect).adjusted(2, 4, -2, -4)
                    painter.drawRoundedRect(ring, self._px(6), self._px(6))

    def _underline(self, painter: QPainter, rect: QRect) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._icons.themes.current.palette.accent))
        pad, thick = self._px(_PAD_PX), max(2, self._px(2))
        line = QRectF(rect.left() + pad, rect.bottom() - thick - 1, rect.width() - 2 * pad, thick)
        painter.drawRoundedRect(line, thick / 2, thick / 2)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self.tabAt(event.position().toPoint()))
        super().mouseMoveEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        self._hover(self.tabAt(event.position().toPoint()))
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(-1)
        super().leaveEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._ring = event.reason() in (
            Qt.FocusReason.TabFocusReason,
            Qt.FocusReason.BacktabFocusReason,
            Qt.FocusReason.ShortcutFocusReason,
        )
        super().focusInEvent(event)
