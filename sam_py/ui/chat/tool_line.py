"""ToolLine: the one line of a tool card: icon, name, what it is doing, how long, and what became of it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget

from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.chat.tool_calls import ShownCall
from sam_py.ui.chat.tool_words import duration_words, ended_words, made_visible, spoken_call, ticking_words
from sam_py.ui.widgets.icons import Role

HEIGHT_PX = 36
_SPIN_STEP = 30
_LIVE = ("writing", "running")


class ToolLine(QAbstractButton):
    """Pressed by click, Enter or Space; the card opens and closes with it."""

    def __init__(self, context: RowContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._call: ShownCall | None = None
        self._angle = 0
        self._ticking = ""
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def show_call(self, call: ShownCall) -> None:
        self._call = call
        self._ticking = self._time_words()
        self.setAccessibleName(spoken_call(call))
        self.update()

    def spin(self) -> None:
        """One step of the spinner; the time is painted anew where it has changed."""
        self._angle = (self._angle - _SPIN_STEP) % 360
        words = self._time_words()
        if words != self._ticking:
            self._ticking = words
            self.update()
        else:
            self.update(self._glyph_rect().toAlignedRect().adjusted(-1, -1, 1, 1))

    def _px(self, length_px: float) -> int:
        return round(length_px * self._context.themes.current.scale)

    def _glyph_rect(self) -> QRectF:
        side = self._px(14)
        return QRectF(self.width() - self._px(38) - side / 2, (self.height() - side) / 2, side, side)

    def _time_words(self) -> str:
        call = self._call
        if call is None:
            return ""
        if call.started_s is not None:
            return ticking_words(max(0.0, self._context.calls.now_s() - call.started_s))
        words = [ended_words(call)] if call.stage == "aborted" else []
        return " · ".join(words + ([duration_words(call.duration_s)] if call.duration_s is not None else []))

    # Qt

    def sizeHint(self) -> QSize:
        return QSize(self._px(320), self._px(HEIGHT_PX))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        call = self._call
        if call is None:
            return
        theme = self._context.themes.current
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.underMouse() or self.hasFocus():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.palette.hover))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), self._px(9), self._px(9))
        side = self._px(16)
        left, right = self._px(12), self.width() - self._px(52)
        role: Role = "error" if call.stage == "error" else "muted"
        place = QRectF(left, (self.height() - side) / 2, side, side)
        self._context.icons.paint(painter, self._icon(call), role, place)
        left += side + self._px(10)
        time = self._ticking
        painter.setFont(self._font())
        painter.setPen(QColor(theme.palette.text_muted))
        if time:
            wide = min(painter.fontMetrics().horizontalAdvance(time) + 2, self.width() // 3)
            painter.drawText(
                QRectF(right - wide, 0, wide, self.height()),
                int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight),
                painter.fontMetrics().elidedText(time, Qt.TextElideMode.ElideRight, wide),
            )
            right -= wide + self._px(12)
        left = self._paint_words(painter, left, right, call.label, heavy=True)
        # How far it is comes first: behind long arguments nobody would see it move.
        more = " · ".join(filter(None, (made_visible(call.progress), call.doing, made_visible(call.outcome))))
        more = " ".join(more.split())
        self._paint_words(painter, left + self._px(8), right, "" if more == call.label else more, heavy=False)
        self._paint_glyph(painter, call)
        chevron = "chevron-down" if self.isChecked() else "chevron-right"
        small = self._px(13)
        place = QRectF(self.width() - self._px(10) - small, (self.height() - small) / 2, small, small)
        self._context.icons.paint(painter, chevron, "muted", place)
        painter.end()

    def _icon(self, call: ShownCall) -> str:
        try:
            self._context.icons.icon(call.icon)
        except FileNotFoundError:  # a tool of others names what it likes
            return "tool"
        return call.icon

    def _font(self, *, heavy: bool = False) -> QFont:
        theme = self._context.themes.current
        font = QFont(self.font())
        font.setPointSizeF(theme.body_pt * 0.95 if heavy else theme.small_pt)
        if heavy:
            font.setWeight(QFont.Weight.DemiBold)
        return font

    def _paint_words(self, painter: QPainter, left: int, right: int, words: str, *, heavy: bool) -> int:
        """One text, cut with an ellipsis; returns where it ends."""
        if right - left < self._px(24) or not words:
            return left
        font = self._font(heavy=heavy)
        metrics = QFontMetrics(font)
        room = round((right - left) * 0.6) if heavy else right - left
        shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, max(room, self._px(24)))
        palette = self._context.themes.current.palette
        painter.setFont(font)
        painter.setPen(QColor(palette.text if heavy else palette.text_muted))
        wide = metrics.horizontalAdvance(shown) + 2
        painter.drawText(
            QRectF(left, 0, wide, self.height()),
            int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft),
            shown,
        )
        return left + wide

    def _paint_glyph(self, painter: QPainter, call: ShownCall) -> None:
        palette = self._context.themes.current.palette
        rect = self._glyph_rect()
        if call.stage == "success":
            self._context.icons.paint(painter, "check", "success", rect.adjusted(-1, -1, 1, 1))
        elif call.stage == "error":
            self._context.icons.paint(painter, "close", "error", rect.adjusted(-1, -1, 1, 1))
        elif call.stage == "awaiting_approval":
            self._context.icons.paint(painter, "warning", "warning", rect.adjusted(-1, -1, 1, 1))
        else:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            ring = rect.adjusted(1, 1, -1, -1)
            painter.setPen(QPen(QColor(palette.text_muted if call.stage == "aborted" else palette.border), 1.6))
            painter.drawEllipse(ring)
            if call.stage == "aborted":
                away = ring.width() / 2 * 0.7
                centre = ring.center()
                painter.drawLine(centre + QPointF(-away, away), centre + QPointF(away, -away))
            elif call.stage in _LIVE:
                painter.setPen(QPen(QColor(palette.accent), 1.8, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
                painter.drawArc(ring, self._angle * 16, 100 * 16)
