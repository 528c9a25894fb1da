"""FootLine: the look of a slim line above the composer: an icon, words that end in an ellipsis, buttons."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QToolTip, QWidget

from sam_py.ui.widgets.buttons import FlatButton
from sam_py.ui.widgets.icons import Icons
from sam_py.ui.widgets.plain import tooltip

_GUTTER_PX = 16
_HEIGHT_PX = 38
_BELOW_PX = 6
_ICON_ROOM_PX = 38


class FootLine(QWidget):
    """Stands in the column of messages and composer. `add_buttons` once; `words` are painted before them."""

    def __init__(self, icons: Icons, icon: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._icons = icons
        self._icon = icon
        self._side = _GUTTER_PX
        self.words = ""
        self.placeholder = ""
        self.share = 0.0
        """So much of the line is filled, of 1: how far something has come."""
        self._buttons: tuple[FlatButton, ...] = ()
        self._row = QHBoxLayout(self)
        self._row.setSpacing(2)
        self._row.addStretch(1)
        icons.changed.connect(self._take_theme)
        self._take_theme()
        self.hide()

    def add_buttons(self, *buttons: FlatButton) -> None:
        self._buttons = buttons
        for button in buttons:
            self._row.addWidget(button)

    @property
    def has_keyboard(self) -> bool:
        focus = self.window().focusWidget()
        return focus is not None and self.isAncestorOf(focus)

    # Inside

    def _px(self, length_px: float) -> int:
        return round(length_px * self._icons.themes.current.scale)

    def _take_theme(self) -> None:
        self.setFixedHeight(self._px(_HEIGHT_PX) + self._px(_BELOW_PX))
        self._centre()
        self.update()

    def _centre(self) -> None:
        self._side = max(_GUTTER_PX, (self.width() - self._icons.themes.current.column_px) // 2)
        end = self._side + self._px(6)
        self._row.setContentsMargins(self._side + self._px(_ICON_ROOM_PX), 0, end, self._px(_BELOW_PX))

    def _box(self) -> QRectF:
        return QRectF(self._side, 0, self.width() - 2 * self._side, self.height() - self._px(_BELOW_PX))

    def _mirrored(self, rect: QRectF) -> QRectF:
        """Where `rect` is for who reads from right to left."""
        if self.layoutDirection() == Qt.LayoutDirection.LeftToRight:
            return rect
        return rect.translated(self.width() - rect.left() - rect.right(), 0)

    def _words_place(self) -> QRectF:
        box = self._box()
        shown = sum(button.width() + self._row.spacing() for button in self._buttons if not button.isHidden())
        room = box.width() - self._px(_ICON_ROOM_PX) - shown - self._px(16)
        return self._mirrored(QRectF(box.left() + self._px(_ICON_ROOM_PX), box.top(), max(0.0, room), box.height()))

    # Qt

    def event(self, event: QEvent) -> bool:
        """All the words, where the line shows only their beginning."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), tooltip(self.words), self)
            return True
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._centre()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._icons.themes.current
        painter = QPainter(self)
        painter.setLayoutDirection(self.layoutDirection())  # else it is the application's
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.palette.code))
        box = self._box()
        painter.drawRoundedRect(box, self._px(10), self._px(10))
        if self.share > 0:
            track = QRectF(box.left() + self._px(10), box.bottom() - 3, (box.width() - self._px(20)) * self.share, 2)
            painter.setBrush(QColor(theme.palette.accent))
            painter.drawRoundedRect(self._mirrored(track), 1, 1)
        side = self._px(17)
        place = QRectF(box.left() + self._px(13), box.center().y() - side / 2, side, side)
        self._icons.paint(painter, self._icon, "accent", self._mirrored(place))
        font = QFont(self.font())
        font.setPointSizeF(theme.body_pt * 0.95)
        painter.setFont(font)
        room = self._words_place()
        painter.setPen(QColor(theme.palette.text if self.words else theme.palette.text_muted))
        words = self.words or self.placeholder
        cut = QFontMetricsF(font).elidedText(words, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, cut)
        painter.end()
