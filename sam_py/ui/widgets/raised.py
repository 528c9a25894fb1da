"""paint_raised: the ground of what floats over the window, with its soft shadow."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from sam_py.ui.theme import Theme

SHADOW_PX = 6
"""So much of a raised widget's rectangle is left to its shadow on each side."""


def paint_raised(painter: QPainter, widget: QRect, theme: Theme, *, ground: str = "") -> QRectF:
    """Paint into the rectangle of a `widget`, with the colour `ground` or the theme's own; return what it covers."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    edge = SHADOW_PX
    rect = QRectF(widget).adjusted(edge + 0.5, edge - 1.5, -edge - 0.5, -edge - 2.5)
    radius = theme.radius_px * theme.scale
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(0, 0, 0, 28 if theme.dark else 8))
    for spread in range(edge, 0, -1):
        painter.drawRoundedRect(
            rect.adjusted(-spread + 1, -spread + 3, spread - 1, spread + 1), radius + spread, radius + spread
        )
    painter.setBrush(QColor(ground or theme.palette.raised))
    painter.setPen(QPen(QColor(theme.palette.border), 1))
    painter.drawRoundedRect(rect, radius, radius)
    return rect
