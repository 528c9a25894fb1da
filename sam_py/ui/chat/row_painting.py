"""What a row paints besides its blocks: the dots of an awaited reply, notes on how it ended, and a veil over all."""

from __future__ import annotations

from PySide6.QtCore import QObject, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.theme import HIGH_CONTRAST_DARK, HIGH_CONTRAST_LIGHT, Palette

DOTS_PX = 28
_PULSE_MS = 120
_VEIL, _VEIL_IN_HIGH_CONTRAST = 0.35, 0.2
_LEFT = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)


class WaitingDots(QObject):
    """Three dots of a reply that is awaited, one of them lit in turn, and beside them why nothing comes yet.

    `beat`: another one is lit. They stand still where the person wants little motion.
    """

    beat = Signal()

    def __init__(self, context: RowContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._beats = 0
        self._pulse = QTimer(self)
        self._pulse.setInterval(_PULSE_MS)
        self._pulse.timeout.connect(self._pulsed)
        self.words = ""
        self.is_waiting = False

    def set_waiting(self, waiting: bool) -> None:
        """Whether they are to be seen."""
        self.is_waiting = waiting
        if not waiting:
            self._pulse.stop()
        elif not self._pulse.isActive() and not self._context.themes.current.reduced_motion:
            self._pulse.start()

    def paint(self, painter: QPainter, place: QRectF, font: QFont) -> None:
        theme = self._context.themes.current
        px = theme.scale
        lit = (self._beats // 2) % 3 if self._pulse.isActive() else None
        painter.setPen(Qt.PenStyle.NoPen)
        for number in range(3):
            colour = QColor(theme.palette.text_muted)
            colour.setAlphaF(0.9 if lit == number else 0.35)
            painter.setBrush(colour)
            painter.drawEllipse(QRectF(place.x() + (2 + number * 13) * px, place.y() + 8 * px, 7 * px, 7 * px))
        if self.words:
            painter.setFont(font)
            painter.setPen(QColor(theme.palette.text_muted))
            rect = place.adjusted(50 * px, 0, 0, 0)
            words = painter.fontMetrics().elidedText(self.words, Qt.TextElideMode.ElideRight, int(rect.width()))
            painter.drawText(rect, _LEFT, words)

    def _pulsed(self) -> None:
        self._beats += 1
        self.beat.emit()


def paint_note(painter: QPainter, context: RowContext, place: QRectF, note: str, font: QFont) -> None:
    """One muted line with a sign before it."""
    theme = context.themes.current
    size = round(14 * theme.scale)
    painter.setFont(font)
    painter.setPen(QColor(theme.palette.text_muted))
    context.icons.paint(painter, "stop", "muted", QRectF(place.x(), place.y() + 8 * theme.scale, size, size))
    painter.drawText(place.adjusted(size + 8, 4 * theme.scale, 0, 0), _LEFT, note)


def veil_of(palette: Palette) -> float:
    """How much of the ground lies over what is dimmed: text keeps 4.5:1 below it, in high contrast 7:1."""
    return _VEIL_IN_HIGH_CONTRAST if palette in (HIGH_CONTRAST_LIGHT, HIGH_CONTRAST_DARK) else _VEIL


class Veil(QWidget):
    """Lies over a row and takes some of its contrast; the mouse does not notice it."""

    def __init__(self, context: RowContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    # Qt

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self._context.themes.current.palette
        ground = QColor(palette.window)
        ground.setAlphaF(veil_of(palette))
        painter = QPainter(self)
        painter.fillRect(event.rect(), ground)
        painter.end()
