"""DrawnTabs: what tab bars that draw themselves share: the tab under the mouse, the ring of the keyboard, the line."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QColor, QEnterEvent, QFocusEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QTabBar, QWidget

from sam_py.ui.widgets.icons import Icons

_BY_KEYBOARD = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)


class DrawnTabs(QTabBar):
    """The arrow keys go from one tab to the next. `_hovered` is the tab under the mouse, -1 for none."""

    def __init__(self, icons: Icons, label: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._ring = False
        self._hovered = -1
        self.setAccessibleName(label)
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setUsesScrollButtons(False)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def _px(self, length_px: float) -> int:
        return round(length_px * self._icons.themes.current.scale)

    def _underline(self, painter: QPainter, line: QRectF) -> None:
        """Mark the chosen tab."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._icons.themes.current.palette.accent))
        painter.drawRoundedRect(line, line.height() / 2, line.height() / 2)

    def _draw_ring(self, painter: QPainter, ring: QRectF) -> None:
        """Show where the keyboard is, where it came by the keyboard."""
        if self._ring and self.hasFocus():
            painter.setPen(QPen(QColor(self._icons.themes.current.palette.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(ring, self._px(6), self._px(6))

    def _hover(self, place: int) -> None:
        if place != self._hovered:
            self._hovered = place
            self.update()

    # Qt

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
        self._ring = event.reason() in _BY_KEYBOARD
        super().focusInEvent(event)
