"""WindowBar: the model's window as a bar, by what its tokens are for, with the numbers and their names below it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QHelpEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from sam_py.agent.outlook import Shares
from sam_py.ui.inspector.words import filled, number
from sam_py.ui.theme import Theme
from sam_py.ui.theme_style import mixed
from sam_py.ui.widgets.icons import Icons

_BAR_PX = 12
_LINE_PX = 20
_SWATCH_PX = 9
_TWO_COLUMNS_PX = 300
_HUES = {
    "system": ("#6a5fb0", "#a79dea"),
    "tools": ("#a8702a", "#dca65c"),
    "reminders": ("#a84f86", "#dd8fc0"),
}
"""Light, dark; the other colours are the theme's own."""


@dataclass(frozen=True, slots=True)
class _Piece:
    name: str
    label: str
    tokens: int
    in_window: bool = True


class WindowBar(QWidget):
    """Shows `Shares`; each piece also stands in the accessible description, and in a tooltip."""

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._pieces: tuple[_Piece, ...] = ()
        self._whole = 0
        self._legend = True
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("The model's window"))
        icons.changed.connect(self._retheme)

    def show_shares(self, shares: Shares) -> None:
        known = shares.window is not None
        pieces = [
            _Piece("system", self.tr("Instructions"), shares.system),
            _Piece("tools", self.tr("Tools"), shares.tools),
            _Piece("reminders", self.tr("Reminders"), shares.reminders),
            _Piece("pinned", self.tr("Pinned"), shares.pinned),
            _Piece("kept", self.tr("Other messages"), shares.kept),
        ]
        if known:
            pieces.append(_Piece("free", self.tr("Free"), shares.free))
            pieces.append(_Piece("reserve", self.tr("For the reply"), shares.reserve))
        pieces.append(_Piece("left_out", self.tr("Left out"), shares.left_out, in_window=False))
        self._pieces = tuple(pieces)
        self._whole = max(shares.window or 0, shares.sent + shares.reserve, 1)
        told = [filled(self.tr("%1: %2 tokens"), piece.label, number(piece.tokens)) for piece in pieces]
        self.setAccessibleDescription(". ".join(told))
        self.updateGeometry()
        self.update()

    def show_legend(self, shown: bool) -> None:
        """The names and numbers below the bar; they are in its description all the same."""
        if shown != self._legend:
            self._legend = shown
            self.updateGeometry()
            self.update()

    def _retheme(self) -> None:
        self.updateGeometry()
        self.update()

    @property
    def _theme(self) -> Theme:
        return self._icons.themes.current

    def _px(self, length_px: float) -> int:
        return round(length_px * self._theme.scale)

    def _font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(self._theme.small_pt)
        return font

    def _line_px(self) -> int:
        return max(self._px(_LINE_PX), QFontMetrics(self._font()).height() + self._px(4))

    def _columns(self) -> int:
        return 2 if self.width() >= self._px(_TWO_COLUMNS_PX) else 1

    def _colour(self, name: str) -> str:
        palette = self._theme.palette
        match name:
            case "pinned":
                return palette.accent
            case "kept":
                return mixed(palette.accent, palette.window, 0.5)
            case "free":
                return palette.hover
            case "reserve" | "left_out":
                return palette.text_muted
            case _:
                return _HUES[name][1 if self._theme.dark else 0]

    def _spans(self) -> list[tuple[_Piece, QRectF]]:
        """Where each piece is in the bar; what is there at all is at least two pixels wide."""
        inside = [piece for piece in self._pieces if piece.in_window and piece.tokens]
        gaps = self._px(2) * max(0, len(inside) - 1)
        room = max(1.0, self.width() - gaps - 2.0 * len(inside))
        whole = sum(piece.tokens for piece in inside) or 1
        x, spans = 0.0, []
        for piece in inside:
            width = 2.0 + room * piece.tokens / whole
            spans.append((piece, QRectF(x, 0, width, self._px(_BAR_PX))))
            x += width + self._px(2)
        return spans

    def _fill(self, painter: QPainter, name: str, rect: QRectF) -> None:
        """Hatched for the reply's room, an outline for what is not sent: told without colour, too."""
        colour = QColor(self._colour(name))
        if name == "left_out":
            painter.setPen(QPen(colour, 1.25))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(0.75, 0.75, -0.75, -0.75), 2, 2)
            return
        painter.setPen(Qt.PenStyle.NoPen)
        if name == "reserve":
            painter.fillRect(rect, QColor(self._theme.palette.hover))
            painter.fillRect(rect, QColor(mixed(colour.name(), self._theme.palette.window, 0.55)))
            painter.setPen(QPen(QColor(self._theme.palette.window), 1.25))
            painter.setClipRect(rect, Qt.ClipOperation.IntersectClip)
            step, x = self._px(5), rect.left() - rect.height()
            while x < rect.right():
                painter.drawLine(QPointF(x, rect.bottom()), QPointF(x + rect.height(), rect.top()))
                x += step
            return
        painter.fillRect(rect, colour)

    # Qt

    def sizeHint(self) -> QSize:
        columns = self._columns()
        lines = -(-len(self._pieces) // columns) if self._legend else 0
        return QSize(self._px(200), self._px(_BAR_PX) + (self._px(8) + lines * self._line_px() if lines else 0))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def resizeEvent(self, event: object) -> None:
        self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        bar = QRectF(0, 0, self.width(), self._px(_BAR_PX))
        shape = QPainterPath()
        shape.addRoundedRect(bar, bar.height() / 2, bar.height() / 2)
        backwards = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        painter.save()
        painter.setClipPath(shape)
        for piece, rect in self._spans():
            if backwards:
                rect.moveLeft(self.width() - rect.right())
            painter.save()
            self._fill(painter, piece.name, rect)
            painter.restore()
        painter.restore()
        if self._legend:
            self._paint_legend(painter, backwards)

    def _paint_legend(self, painter: QPainter, backwards: bool) -> None:
        painter.setFont(self._font())
        metrics, line, columns = painter.fontMetrics(), self._line_px(), self._columns()
        gap = self._px(20)
        width = (self.width() - gap * (columns - 1)) / columns
        lines = -(-len(self._pieces) // columns)
        for place, piece in enumerate(self._pieces):
            column, row = divmod(place, lines)
            left = column * (width + gap)
            if backwards:
                left = self.width() - left - width
            box = QRectF(left, self._px(_BAR_PX) + self._px(8) + row * line, width, line)
            side = self._px(_SWATCH_PX)
            swatch = QRectF(box.left(), box.center().y() - side / 2, side, side)
            if backwards:
                swatch.moveRight(box.right())
            painter.save()
            round_ = QPainterPath()
            round_.addRoundedRect(swatch, 2, 2)
            painter.setClipPath(round_)
            self._fill(painter, piece.name, swatch)
            painter.restore()
            figures = number(piece.tokens)
            wide = metrics.horizontalAdvance(figures) + 1
            words = box.adjusted(side + self._px(7), 0, -wide - self._px(6), 0)
            if backwards:
                words = box.adjusted(wide + self._px(6), 0, -side - self._px(7), 0)
            painter.setPen(QColor(self._theme.palette.text_muted))
            label = metrics.elidedText(piece.label, Qt.TextElideMode.ElideRight, int(words.width()))
            start = Qt.AlignmentFlag.AlignRight if backwards else Qt.AlignmentFlag.AlignLeft
            end = Qt.AlignmentFlag.AlignLeft if backwards else Qt.AlignmentFlag.AlignRight
            painter.drawText(words, start | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute, label)
            painter.setPen(QColor(self._theme.palette.text if piece.tokens else self._theme.palette.text_muted))
            painter.drawText(box, end | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute, figures)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            at = QPointF(event.pos())
            for piece, rect in self._spans():
                if rect.contains(at):
                    share = filled(self.tr("%1 %"), number(round(100 * piece.tokens / self._whole)))
                    words = filled(self.tr("%1: %2 tokens (%3)"), piece.label, number(piece.tokens), share)
                    QToolTip.showText(event.globalPos(), words, self)
                    return True
            QToolTip.hideText()
        return super().event(event)
