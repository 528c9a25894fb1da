"""ModelRowPainter: a line of the model picker: name, what the model takes and costs, what it can do, and its star."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QMouseEvent, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from sam_py.ui.chat.model_facts import capabilities, context_words, price_words
from sam_py.ui.chat.model_names import GUIDE
from sam_py.ui.chat.model_rows import Index, ModelRows, PickerRow
from sam_py.ui.widgets.icons import Icons, Role

_ROW_PX = 34
_TALL_ROW_PX = 50
_HEADER_PX = 28
_SIDE_PX = 12
_ICON_PX = 15
_STAR_PX = 16


class ModelRowPainter(QStyledItemDelegate):
    star_clicked = Signal(object)
    """`ModelChoice`"""

    def __init__(self, icons: Icons, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self.took_click = False
        """Whether the last click was on a star."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row = row_of(index)
        height = _HEADER_PX if row.kind == "header" else _TALL_ROW_PX if row.has_facts else _ROW_PX
        return QSize(10, self._px(height))

    def star_rect(self, rect: QRect) -> QRect:
        """Where the star of a row stands and takes clicks."""
        side = self._px(32)
        return QRect(rect.right() - self._px(_SIDE_PX // 2) - side, rect.center().y() - side // 2, side, side)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme = self._icons.themes.current
        row = row_of(index)
        rect = QRect(option.rect)
        lively = option.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.choice is not None and lively:
            painter.setPen(Qt.PenStyle.NoPen)
            chosen = option.state & QStyle.StateFlag.State_Selected
            painter.setBrush(QColor(theme.palette.selected if chosen else theme.palette.hover))
            painter.drawRoundedRect(QRectF(rect).adjusted(2, 1, -2, -1), 8 * theme.scale, 8 * theme.scale)
        left = rect.left() + self._px(_SIDE_PX)
        right = rect.right() - self._px(_SIDE_PX)
        if row.has_facts:
            right = self._paint_star(painter, row, rect, bool(lively))
            self._paint_model(painter, row, rect, left, right)
        else:
            if row.current:
                right = self._icon(painter, "check", "accent", right, rect.center().y(), 16)
            if row.detail:
                right = self._words(painter, row.detail, left, right, rect, small=True, at_right=True)
            self._words(painter, row.label, left, right, rect, small=row.kind != "model", at_right=False)
        painter.restore()

    def _paint_star(self, painter: QPainter, row: PickerRow, rect: QRect, lively: bool) -> int:
        """Returns where the rest has to end."""
        place = self.star_rect(rect)
        if row.favourite or lively:
            side = self._px(_STAR_PX)
            star = QRectF(0, 0, side, side)
            star.moveCenter(QRectF(place).center())
            name, role = ("star-filled", "accent") if row.favourite else ("star", "muted")
            self._icons.paint(painter, name, _role(role), star)
        return place.left() - self._px(2)

    def _paint_model(self, painter: QPainter, row: PickerRow, rect: QRect, left: int, right: int) -> None:
        facts = row.facts
        assert facts is not None
        half = rect.height() // 2
        upper = QRect(rect.left(), rect.top() + self._px(5), rect.width(), half - self._px(4))
        lower = QRect(rect.left(), rect.top() + half - self._px(1), rect.width(), half - self._px(4))
        end = right
        if row.current:
            end = self._icon(painter, "check", "accent", end, upper.center().y(), 16)
        if row.detail:
            end = self._words(painter, row.detail, left, end, upper, small=True, at_right=True)
        self._words(painter, row.label, left, end, upper, small=False, at_right=False)
        end = right
        for icon, _name in reversed(capabilities(facts.limits)):
            end = self._icon(painter, icon, "muted", end, lower.center().y(), _ICON_PX)
        words = f"{context_words(facts.limits)} · {price_words(facts.price)}"
        self._words(painter, words, left, end, lower, small=True, at_right=False, heavy=False)

    def _icon(self, painter: QPainter, name: str, role: str, right: int, middle: int, size: int) -> int:
        """Draw an icon that ends at `right`, and return where what stands before it has to end."""
        side = self._px(size)
        self._icons.paint(painter, name, _role(role), QRectF(right - side, middle - side // 2, side, side))
        return right - side - self._px(6)

    def _words(
        self,
        painter: QPainter,
        words: str,
        left: int,
        right: int,
        rect: QRect,
        *,
        small: bool,
        at_right: bool,
        heavy: bool = True,
    ) -> int:
        """Draw `words`, and return where what stands before them has to end."""
        theme = self._icons.themes.current
        font = QFont(painter.font())
        font.setPointSizeF(theme.small_pt if small else theme.body_pt)
        font.setWeight(QFont.Weight.Medium if small and heavy and not at_right else QFont.Weight.Normal)
        metrics = QFontMetrics(font)
        room = (right - left) // 2 if at_right else right - left
        mode = Qt.TextElideMode.ElideRight if small else Qt.TextElideMode.ElideMiddle
        shown = metrics.elidedText(words, mode, room)
        width = metrics.horizontalAdvance(shown)
        painter.setFont(font)
        painter.setPen(QColor(theme.palette.text_muted if small else theme.palette.text))
        x = right - width if at_right else left
        align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(QRect(x, rect.top(), width + 2, rect.height()), align, shown)
        return x - self._px(8)

    def _px(self, length_px: float) -> int:
        return round(length_px * self._icons.themes.current.scale)

    def editorEvent(self, event: QEvent, model: QObject, option: QStyleOptionViewItem, index: Index) -> bool:
        """A click on the star chooses nothing: it makes a favourite."""
        presses = (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease, QEvent.Type.MouseButtonDblClick)
        if not isinstance(event, QMouseEvent) or event.type() not in presses:
            return False
        row = row_of(index)
        has_star = row.has_facts and row.choice is not None and row.choice.provider != GUIDE
        self.took_click = has_star and self.star_rect(option.rect).contains(event.position().toPoint())
        if self.took_click and event.type() == QEvent.Type.MouseButtonRelease:
            self.star_clicked.emit(row.choice)
        return self.took_click


def row_of(index: Index) -> PickerRow:
    model = index.model()
    assert isinstance(model, ModelRows)
    return model.row(index)


def _role(name: str) -> Role:
    return "accent" if name == "accent" else "muted"
