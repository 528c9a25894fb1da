"""FilterPill: a button that says what is narrowed by it, filled while it narrows."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from sam_py.ui.library.words import filled, tr
from sam_py.ui.widgets.buttons import FlatButton
from sam_py.ui.widgets.icons import Icons, Role, colour_of
from sam_py.ui.widgets.plain import one_line

_HEIGHT_PX = 30
_MOST_TEXT_PX = 190


class FilterPill(FlatButton):
    """`name` stands on it until something is chosen."""

    def __init__(self, icons: Icons, icon: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(icons, name, parent=parent)
        self._icon = icon
        self._name = name
        self._choice = ""
        self.setText(name)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    @property
    def choice(self) -> str:
        return self._choice

    def show_choice(self, choice: str) -> None:
        """What is chosen; "" for nothing."""
        choice = one_line(choice)
        if choice == self._choice:
            return
        self._choice = choice
        self.setText(choice or self._name)
        self.set_label(filled(tr("%1: %2"), self._name, choice) if choice else self._name)
        self.updateGeometry()
        self.update()

    def _font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(self._themes.current.small_pt * 1.05)
        return font

    # Qt

    def sizeHint(self) -> QSize:
        words = min(QFontMetrics(self._font()).horizontalAdvance(self.text()) + 2, self.px(_MOST_TEXT_PX))
        return QSize(words + self.px(12 + 20 + 20 + 8), self.px(_HEIGHT_PX))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self.palette_now
        rect = QRectF(self.rect())
        radius = rect.height() / 2
        lively = self._hovered or self.isDown()
        if self._choice:
            painter.setPen(QPen(QColor(palette.accent), 1))
            painter.setBrush(QColor(palette.selected))
        else:
            painter.setPen(QPen(QColor(palette.border), 1))
            painter.setBrush(QColor(palette.hover) if lively else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        role: Role = "text" if self._choice or lively else "muted"
        side, small = self.px(15), self.px(12)
        top = round((self.height() - side) / 2)
        sign = self._turned(QRectF(self.px(10), top, side, side))
        self._icons.paint(painter, self._icon, "accent" if self._choice else role, sign)
        right = self.width() - self.px(9)
        below = QRectF(right - small, round((self.height() - small) / 2) + 1, small, small)
        self._icons.paint(painter, "chevron-down", role, self._turned(below))
        painter.setFont(self._font())
        painter.setPen(QColor(colour_of(palette, role)))
        left = self.px(31)
        room = QRectF(left, 0, right - small - self.px(5) - left, self.height())
        words = painter.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, round(room.width()) + 1)
        painter.setLayoutDirection(self.layoutDirection())
        painter.drawText(self._turned(room), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
        self._paint_ring(painter, rect, radius)

    def _turned(self, rect: QRectF) -> QRectF:
        """Where `rect` stands for who reads from right to left."""
        if not self.isRightToLeft():
            return rect
        return rect.translated(self.width() - rect.left() - rect.right(), 0)
