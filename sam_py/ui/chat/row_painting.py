"""What a row paints besides its blocks: the dots of a reply that is awaited, and the notes on how it ended."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter

from sam_py.ui.chat.row_context import RowContext

_LEFT = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)


def paint_dots(painter: QPainter, context: RowContext, place: QRectF, lit: int | None, words: str, font: QFont) -> None:
    """Three dots, one of them `lit`, and beside them why nothing comes yet."""
    theme = context.themes.current
    px = theme.scale
    painter.setPen(Qt.PenStyle.NoPen)
    for number in range(3):
        colour = QColor(theme.palette.text_muted)
        colour.setAlphaF(0.9 if lit == number else 0.35)
        painter.setBrush(colour)
        painter.drawEllipse(QRectF(place.x() + (2 + number * 13) * px, place.y() + 8 * px, 7 * px, 7 * px))
    if words:
        painter.setFont(font)
        painter.setPen(QColor(theme.palette.text_muted))
        rect = place.adjusted(50 * px, 0, 0, 0)
        painter.drawText(
            rect, _LEFT, painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, int(rect.width()))
        )


def paint_note(painter: QPainter, context: RowContext, place: QRectF, note: str, font: QFont) -> None:
    """One muted line with a sign before it."""
    theme = context.themes.current
    size = round(14 * theme.scale)
    painter.setFont(font)
    painter.setPen(QColor(theme.palette.text_muted))
    context.icons.paint(painter, "stop", "muted", QRectF(place.x(), place.y() + 8 * theme.scale, size, size))
    painter.drawText(place.adjusted(size + 8, 4 * theme.scale, 0, 0), _LEFT, note)
