"""PlacePainter: draws a row of a `PlaceList`: conversation and date, two lines of words, and who said them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from sam_py.ui.library.place_words import title_of, when, who
from sam_py.ui.widgets.icons import Icons

if TYPE_CHECKING:
    from sam_py.ui.library.place_list import PlaceList, PlaceRow

_Index = QModelIndex | QPersistentModelIndex
_PAD_PX = 12
_LINES = 2
_GAP_PX = 3
_KNOWN = 5_000
_LAID = 300


class PlacePainter(QStyledItemDelegate):
    """`ring`: the keyboard came to the list by Tab, so the current row shows that it has it."""

    def __init__(self, icons: Icons, view: PlaceList) -> None:
        super().__init__(view)
        self._icons = icons
        self._view = view
        self._role = view.rows.ROW_ROLE
        self._heights: dict[tuple[int, bool], int] = {}
        self._laid: dict[tuple[int, int], tuple[QTextLayout, float]] = {}
        """The words of rows by width: what is measured is painted soon, and again while one walks through."""
        self._fonts: dict[tuple[float, bool], QFont] = {}
        self._width = 0
        self.ring = False

    def _px(self, length_px: float) -> int:
        return round(length_px * self._icons.themes.current.scale)

    def _font(self, *, small: bool = False, heavy: bool = False) -> QFont:
        theme = self._icons.themes.current
        points = theme.small_pt if small else theme.body_pt
        font = self._fonts.get((points, heavy))
        if font is None:
            font = self._fonts[points, heavy] = QFont()
            font.setPointSizeF(points)
            if heavy:
                font.setWeight(QFont.Weight.DemiBold)
        return font

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        palette = self._icons.themes.current.palette
        state = option.state
        ground = QRectF(option.rect.adjusted(0, 1, 0, -1))
        is_chosen = bool(state & QStyle.StateFlag.State_Selected)
        if is_chosen or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(palette.selected if is_chosen else palette.hover))
            painter.drawRoundedRect(ground, self._px(10), self._px(10))
        if self.ring and state & QStyle.StateFlag.State_HasFocus:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(palette.accent), 2))
            painter.drawRoundedRect(ground.adjusted(1, 1, -1, -1), self._px(10), self._px(10))

    def _paint_head(self, painter: QPainter, row: PlaceRow, place: QRectF, direction: Qt.LayoutDirection) -> None:
        """The conversation, and at the end the date and whether it is pinned."""
        palette = self._icons.themes.current.palette
        side = self._px(15)
        left, right = place.left(), self._paint_ends(painter, row, place, direction)
        if row.icon:
            self._icons.paint(
                painter,
                row.icon,
                "muted",
                _mirrored(direction, place, QRectF(left, place.center().y() - side / 2, side, side)),
            )
            left += side + self._px(8)
        painter.setFont(self._font(heavy=True))
        painter.setPen(QColor(palette.text))
        room = QRectF(left, place.top(), max(0.0, right - left), place.height())
        words = painter.fontMetrics().elidedText(title_of(row.place), Qt.TextElideMode.ElideRight, int(room.width()))
        align = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(_mirrored(direction, place, room), align, words)

    def _paint_ends(self, painter: QPainter, row: PlaceRow, place: QRectF, direction: Qt.LayoutDirection) -> float:
        """The date, and whether it is pinned, at the end of a line; returns where they begin."""
        palette = self._icons.themes.current.palette
        side, right = self._px(15), place.right()
        painter.setFont(self._font(small=True))
        painter.setPen(QColor(palette.text_muted))
        date = when(row.place.at)
        wide = painter.fontMetrics().horizontalAdvance(date) + 2
        painter.drawText(
            _mirrored(direction, place, QRectF(right - wide, place.top(), wide, place.height())),
            Qt.AlignmentFlag.AlignCenter,
            date,
        )
        right -= wide + self._px(8)
        if row.place.is_pinned:
            mark = QRectF(right - side, place.center().y() - side / 2, side, side)
            self._icons.paint(painter, "pin-filled", "accent", _mirrored(direction, place, mark))
            right -= side + self._px(8)
        return right

    def _words(self, row: PlaceRow, width: int) -> tuple[QTextLayout, float]:
        """Two lines of what it says, what was found in it marked; and how high they are."""
        key = id(row), width
        laid = self._laid.get(key)
        if laid is None:
            if len(self._laid) >= _LAID:
                self._laid.clear()
            laid = self._laid[key] = self._lay_out(row, width)
        return laid

    def _lay_out(self, row: PlaceRow, width: int) -> tuple[QTextLayout, float]:
        palette = self._icons.themes.current.palette
        layout = QTextLayout(row.text.replace("\n", " "), self._font())
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        mark = QTextCharFormat()
        mark.setBackground(QColor(palette.spoken))
        mark.setForeground(QColor(palette.text))
        mark.setFontWeight(QFont.Weight.DemiBold)
        ranges = []
        for start, end in row.marks:
            found = QTextLayout.FormatRange()
            before = _utf16(row.text[:start])
            found.start, found.length = before, _utf16(row.text[start:end])
            found.format = mark
            ranges.append(found)
        layout.setFormats(ranges)
        layout.beginLayout()
        y = 0.0
        for _number in range(_LINES):
            line = layout.createLine()
            if not line.isValid():
                break
            line.setLineWidth(width)
            line.setPosition(QPointF(0, y))
            y += line.height() + self._px(2)
        layout.endLayout()
        return layout, y

    def _paint_foot(self, painter: QPainter, row: PlaceRow, place: QRectF, direction: Qt.LayoutDirection) -> None:
        palette = self._icons.themes.current.palette
        painter.setFont(self._font(small=True))
        painter.setPen(QColor(palette.text_muted))
        words = " · ".join(fact for fact in (who(row.place), *row.notes) if fact)
        words = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, int(place.width()))
        painter.setLayoutDirection(direction)
        painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words)

    def forget_heights(self) -> None:
        """Other rows, or other fonts."""
        self._heights.clear()
        self._laid.clear()
        self._fonts.clear()

    # Qt

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        row: PlaceRow | None = index.data(self._role)
        if row is None:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        direction = option.direction
        painter.setLayoutDirection(direction)
        self._paint_ground(painter, option)
        pad = self._px(_PAD_PX)
        inner = QRectF(option.rect).adjusted(pad, pad * 0.75, -pad, -pad * 0.75)
        head = QFontMetrics(self._font(heavy=True)).height()
        small = QFontMetrics(self._font(small=True)).height()
        gap = self._px(_GAP_PX)
        y = inner.top()
        goes_on = self._view.rows.goes_on(index.row())
        if not goes_on:
            self._paint_head(painter, row, QRectF(inner.left(), y, inner.width(), head), direction)
            y += head + gap
        words, high = self._words(row, round(inner.width()))
        painter.setPen(QColor(self._icons.themes.current.palette.text))
        words.draw(painter, QPointF(inner.left(), y))
        y += high + gap
        foot = QRectF(inner.left(), y, inner.width(), small)
        if goes_on:
            foot.setRight(self._paint_ends(painter, row, foot, direction))
        self._paint_foot(painter, row, _mirrored(direction, inner, foot), direction)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        row: PlaceRow | None = index.data(self._role)
        width = self._view.viewport().width()
        if width != self._width or len(self._heights) > _KNOWN:
            self._width = width
            self._heights.clear()
        goes_on = self._view.rows.goes_on(index.row())
        height = self._heights.get((id(row), goes_on))
        if height is None:
            head = QFontMetrics(self._font(heavy=True)).height() + self._px(_GAP_PX) if not goes_on else 0
            small = QFontMetrics(self._font(small=True)).height()
            words = self._words(row, width - 2 * self._px(_PAD_PX))[1] if row is not None else 0.0
            height = round(head + words + small + self._px(_GAP_PX) + 1.5 * self._px(_PAD_PX))
            self._heights[id(row), goes_on] = height
        return QSize(self._px(160), height)


def _utf16(text: str) -> int:
    return len(text) if text.isascii() else len(text) + sum(char > "\uffff" for char in text)


def _mirrored(direction: Qt.LayoutDirection, ground: QRectF, rect: QRectF) -> QRectF:
    """Where `rect` is for who reads from right to left."""
    if direction == Qt.LayoutDirection.LeftToRight:
        return rect
    return rect.translated(ground.left() + ground.right() - rect.left() - rect.right(), 0)
