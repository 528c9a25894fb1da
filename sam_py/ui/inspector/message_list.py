"""MessageList: a list of messages, two lines each, drawn only where it is seen."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFont, QFontMetrics, QKeyEvent, QPainter, QPalette, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from sam_py.ui.inspector.rows import MessageRows, RowWords
from sam_py.ui.widgets.icons import Icons, Role

_Index = QModelIndex | QPersistentModelIndex
_SIDE_PX = 10
_MARK_PX = 14
_DIMMED = frozenset(("left_out", "summarised"))


class MessageList(QListView):
    """`current_changed(message id)` follows the selection ("" for none); Enter or a double click emits `opened`."""

    current_changed = Signal(str)
    opened = Signal(str)
    menu_requested = Signal(str, QPoint)
    """message id, and where on the screen"""

    def __init__(self, rows: MessageRows, icons: Icons, label: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = rows
        self._icons = icons
        self._kept = ""
        rows.modelAboutToBeReset.connect(self._keep_current)
        self.setModel(rows)
        rows.modelReset.connect(self._take_current)
        rows.dataChanged.connect(self._tell)
        self._delegate = _RowDelegate(icons, self)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName(label)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setLayoutMode(QListView.LayoutMode.Batched)
        self.setBatchSize(200)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.doubleClicked.connect(self._open)
        icons.changed.connect(self._retheme)
        self._retheme()

    @property
    def current_row(self) -> int | None:
        index = self.currentIndex()
        return index.row() if index.isValid() else None

    def current_id(self) -> str:
        """The chosen message; "" where none is."""
        row = self.current_row
        return self.rows.fate_at(row).message_id if row is not None else ""

    def choose(self, message_id: str) -> None:
        row = self.rows.row_of(message_id)
        if row is not None:
            self.setCurrentIndex(self.rows.index(row))

    def _keep_current(self) -> None:
        self._kept = self.current_id()

    def _take_current(self) -> None:
        if self._kept:
            self.choose(self._kept)
        self._tell()

    def _tell(self, *_changed: Any) -> None:
        self.current_changed.emit(self.current_id())

    def _open(self, index: QModelIndex) -> None:
        self.opened.emit(self.rows.fate_at(index.row()).message_id)

    def _ask_menu(self, index: QModelIndex, place: QPoint | None = None) -> None:
        """A menu for a row, at `place` on the screen or in the middle of the row."""
        self.menu_requested.emit(
            self.rows.fate_at(index.row()).message_id,
            place or self.viewport().mapToGlobal(self.visualRect(index).center()),
        )

    def _retheme(self) -> None:
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Base, QColor(Qt.GlobalColor.transparent))
        self.setPalette(palette)
        self.scheduleDelayedItemsLayout()

    # Qt

    def resizeEvent(self, event: QResizeEvent) -> None:
        """What is chosen stays in view when the strip below comes up."""
        seen = self.visualRect(self.currentIndex()).intersects(self.viewport().rect())
        super().resizeEvent(event)
        if self.currentIndex().isValid() and event.size().height() < event.oldSize().height() and not seen:
            self.scrollTo(self.currentIndex())

    def currentChanged(self, current: _Index, previous: _Index) -> None:
        super().currentChanged(current, previous)
        self._tell()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and index.isValid():
            self._open(index)
            return
        if event.key() == Qt.Key.Key_F10 and event.modifiers() & Qt.KeyboardModifier.ShiftModifier and index.isValid():
            self._ask_menu(index)
            return
        if event.key() == Qt.Key.Key_Escape:  # closes the inspector
            event.ignore()
            return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: Any) -> None:
        index = self.indexAt(event.pos()) if event.reason() == event.Reason.Mouse else self.currentIndex()
        if index.isValid():
            self.setCurrentIndex(index)
            self._ask_menu(index, event.globalPos() if event.reason() == event.Reason.Mouse else None)

    def focusInEvent(self, event: QFocusEvent) -> None:
        if event.reason() not in (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason):
            self._delegate.ring = event.reason() in (
                Qt.FocusReason.TabFocusReason,
                Qt.FocusReason.BacktabFocusReason,
                Qt.FocusReason.ShortcutFocusReason,
            )
        if not self.currentIndex().isValid() and self.rows.rowCount() and self._delegate.ring:
            self.setCurrentIndex(self.rows.index(0))
        super().focusInEvent(event)


class _RowDelegate(QStyledItemDelegate):
    """Title and figures above, author and fate below; what is not sent is drawn more quietly."""

    def __init__(self, icons: Icons, view: MessageList) -> None:
        super().__init__(view)
        self._icons = icons
        self.ring = False

    def px(self, length_px: float) -> int:
        return round(length_px * self._icons.themes.current.scale)

    def _font(self, *, small: bool = False) -> QFont:
        theme = self._icons.themes.current
        font = QFont()
        font.setPointSizeF(theme.small_pt if small else theme.body_pt * 0.97)
        return font

    def _ground(self, rect: QRect) -> QRectF:
        return QRectF(rect.adjusted(self.px(6), 1, -self.px(6), -1))

    def _line(self, painter: QPainter, rect: QRectF, text: str, colour: str) -> None:
        painter.setPen(QColor(colour))
        words = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(rect.width()))
        painter.drawText(rect, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words)

    def _paint_mark(self, painter: QPainter, place: QRectF, words: RowWords) -> None:
        """Told by shape, too: full for what is sent, half for a part of it, a ring for what is not."""
        palette = self._icons.themes.current.palette
        if words.icon:
            role: Role = "accent"
            self._icons.paint(painter, words.icon, role, place)
            return
        radius = self.px(3.5)
        painter.setPen(QPen(QColor(palette.text_muted if words.fate in _DIMMED else palette.accent), self.px(1.5)))
        painter.setBrush(Qt.BrushStyle.NoBrush if words.fate in _DIMMED else QColor(palette.accent))
        if words.fate == "shortened":
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(place.center(), radius, radius)
            half = QRectF(place.center().x() - radius, place.center().y() - radius, 2 * radius, 2 * radius)
            painter.setBrush(QColor(palette.accent))
            painter.drawPie(half, 90 * 16, 180 * 16)
        else:
            painter.drawEllipse(place.center(), radius, radius)

    # Qt

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        words = index.data(MessageRows.WORDS_ROLE)
        if not isinstance(words, RowWords):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self._icons.themes.current.palette
        state, rect = option.state, option.rect
        direction = option.direction
        ground = self._ground(rect)
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(palette.selected if selected else palette.hover))
            painter.drawRoundedRect(ground, self.px(8), self.px(8))
        if self.ring and state & QStyle.StateFlag.State_HasFocus:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(palette.accent), 2))
            painter.drawRoundedRect(ground.adjusted(1, 1, -1, -1), self.px(8), self.px(8))
        left, right = ground.left() + self.px(_SIDE_PX), ground.right() - self.px(_SIDE_PX)
        small = QFontMetrics(self._font(small=True)).height()
        tall = QFontMetrics(self._font()).height()
        top = ground.center().y() - (small + tall + self.px(2)) / 2
        if words.fate is not None:
            side = self.px(_MARK_PX)
            mark = QRectF(left, top + (tall - side) / 2, side, side)
            self._paint_mark(painter, _mirrored(direction, ground, mark), words)
            left += side + self.px(8)
        if words.figures:
            painter.setFont(self._font(small=True))
            wide = painter.fontMetrics().horizontalAdvance(words.figures)
            painter.setPen(QColor(palette.text_muted))
            painter.drawText(
                _mirrored(direction, ground, QRectF(right - wide - 1, top, wide + 1, tall)),
                Qt.AlignmentFlag.AlignCenter,
                words.figures,
            )
            room = right - wide - self.px(10)
        else:
            room = right
        painter.setFont(self._font())
        dimmed = words.fate in _DIMMED
        colour = palette.text_muted if dimmed else palette.text
        painter.setLayoutDirection(direction)  # lines begin where the person begins to read
        self._line(painter, _mirrored(direction, ground, QRectF(left, top, room - left, tall)), words.title, colour)
        painter.setFont(self._font(small=True))
        note = QRectF(left, top + tall + self.px(2), right - left, small)
        self._line(painter, _mirrored(direction, ground, note), words.note, palette.text_muted)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        heights = QFontMetrics(self._font()).height() + QFontMetrics(self._font(small=True)).height()
        return QSize(self.px(160), heights + self.px(16))


def _mirrored(direction: Qt.LayoutDirection, ground: QRectF, rect: QRectF) -> QRectF:
    """Where `rect` is for who reads from right to left."""
    if direction == Qt.LayoutDirection.LeftToRight:
        return rect
    return rect.translated(ground.left() + ground.right() - rect.left() - rect.right(), 0)
