"""PromptPainter: a line of the panel: grip, tick, name and text of a mini prompt, and its button for more."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from sam_py.reminders.mini_prompts import MiniPrompt
from sam_py.ui.mini_prompts.rows import Index, PromptRows, excerpt
from sam_py.ui.theme import Theme
from sam_py.ui.widgets.icons import Icons
from sam_py.ui.widgets.plain import one_line

_ROW_PX = 50
_GRIP_PX = 16
_TICK_PX = 18
_MORE_PX = 30
_GAP_PX = 10


class PromptPainter(QStyledItemDelegate):
    """Draws only: what a press means is the list's business, which asks where the button stands."""

    def __init__(self, icons: Icons, view: QListView) -> None:
        super().__init__(view)
        self._icons = icons
        self._view = view

    def more_rect(self, rect: QRect) -> QRect:
        """Where the button for more stands in a row."""
        side = self._px(_MORE_PX)
        place = QRect(rect.right() - self._px(4) - side, rect.center().y() - side // 2, side, side)
        return self._mirrored(place, rect)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rows = index.model()
        assert isinstance(rows, PromptRows)
        prompt = rows.prompt(index.row())
        if prompt is None:
            return
        theme = self._icons.themes.current
        rect = QRect(option.rect)
        current = bool(option.state & QStyle.StateFlag.State_Selected) and self._view.hasFocus()
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)  # each text reads in its own direction
        if current or hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.palette.selected if current else theme.palette.hover))
            painter.drawRoundedRect(QRectF(rect).adjusted(0, 1, 0, -1), 8 * theme.scale, 8 * theme.scale)
        if (current or hovered) and not rows.is_searched and rows.rowCount() > 1:
            self._paint_grip(painter, rect, theme)
        left = rect.left() + self._px(_GRIP_PX)
        self._paint_tick(painter, self._mirrored(self._tick(rect, left), rect), theme, on=rows.is_on(index.row()))
        left += self._px(_TICK_PX + _GAP_PX)
        right = rect.right() - self._px(_MORE_PX + 8)
        self._paint_words(painter, prompt, QRect(left, rect.top(), right - left, rect.height()), rect, theme)
        if current or hovered:
            side = self._px(16)
            place = QRectF(0, 0, side, side)
            place.moveCenter(QRectF(self.more_rect(rect)).center())
            self._icons.paint(painter, "more", "muted", place)
        painter.restore()

    def _tick(self, rect: QRect, left: int) -> QRect:
        side = self._px(_TICK_PX)
        return QRect(left, rect.center().y() - side // 2, side, side)

    def _paint_grip(self, painter: QPainter, rect: QRect, theme: Theme) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.palette.text_muted))
        radius, step = 1.1 * theme.scale, 4.5 * theme.scale
        middle = QPointF(rect.left() + self._px(_GRIP_PX) / 2 + 0.5, rect.center().y() + 0.5)
        if self._reads_from_right:
            middle.setX(rect.right() - self._px(_GRIP_PX) / 2)
        for column in (-0.5, 0.5):
            for line in (-1, 0, 1):
                painter.drawEllipse(middle + QPointF(column * step, line * step), radius, radius)

    def _paint_tick(self, painter: QPainter, place: QRect, theme: Theme, *, on: bool) -> None:
        box = QRectF(place).adjusted(0.75, 0.75, -0.75, -0.75)
        radius = 5 * theme.scale
        if on:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.palette.accent))
            painter.drawRoundedRect(box, radius, radius)
            self._icons.paint(painter, "check", "on_accent", box.adjusted(1, 1, -1, -1))
        else:
            painter.setPen(QPen(QColor(theme.palette.text_muted), 1.25))
            painter.setBrush(QColor(theme.palette.raised))
            painter.drawRoundedRect(box, radius, radius)

    def _paint_words(self, painter: QPainter, prompt: MiniPrompt, room: QRect, rect: QRect, theme: Theme) -> None:
        name, small = QFont(painter.font()), QFont(painter.font())
        name.setPointSizeF(theme.body_pt)
        small.setPointSizeF(theme.small_pt)
        upper = room.adjusted(0, self._px(6), 0, -room.height() // 2)
        lower = room.adjusted(0, room.height() // 2, 0, -self._px(6))
        badge = self.tr("This conversation") if prompt.conversations is not None else ""
        badge_px = QFontMetrics(small).horizontalAdvance(badge) + self._px(12) if badge else 0
        words = one_line(prompt.name)
        space = upper.width() - (badge_px + self._px(8) if badge else 0)
        shown = QFontMetrics(name).elidedText(words, Qt.TextElideMode.ElideRight, space)
        painter.setFont(name)
        painter.setPen(QColor(theme.palette.text))
        side = Qt.AlignmentFlag.AlignRight if self._reads_from_right else Qt.AlignmentFlag.AlignLeft
        align = side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(self._mirrored(upper, rect), align, shown)
        painter.setFont(small)
        if badge:
            left = upper.left() + QFontMetrics(name).horizontalAdvance(shown) + self._px(8)
            height = QFontMetrics(small).height() + self._px(2)
            place = QRect(left, upper.center().y() - height // 2 + 1, badge_px, height)
            self._paint_badge(painter, badge, self._mirrored(place, rect), theme)
        text = QFontMetrics(small).elidedText(one_line(excerpt(prompt)), Qt.TextElideMode.ElideRight, lower.width())
        painter.setPen(QColor(theme.palette.text_muted))
        painter.drawText(self._mirrored(lower, rect), align, text)

    def _paint_badge(self, painter: QPainter, words: str, place: QRect, theme: Theme) -> None:
        painter.setPen(QPen(QColor(theme.palette.border), 1))
        painter.setBrush(QColor(theme.palette.bubble))
        painter.drawRoundedRect(QRectF(place).adjusted(0.5, 0.5, -0.5, -0.5), place.height() / 2, place.height() / 2)
        painter.setPen(QColor(theme.palette.on_bubble))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, words)

    def _mirrored(self, place: QRect, rect: QRect) -> QRect:
        """Where `place` in a row is for who reads from right to left."""
        if self._reads_from_right:
            return place.translated(rect.left() + rect.right() - place.left() - place.right(), 0)
        return place

    @property
    def _reads_from_right(self) -> bool:
        return self._view.layoutDirection() == Qt.LayoutDirection.RightToLeft

    def _px(self, length_px: float) -> int:
        return round(length_px * self._icons.themes.current.scale)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(self._px(120), self._px(_ROW_PX))

    def editorEvent(self, event: QEvent, model: QObject, option: QStyleOptionViewItem, index: Index) -> bool:
        return False
