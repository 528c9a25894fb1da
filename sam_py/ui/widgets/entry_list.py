"""EntryList: entries of two lines each, with a word at their right; found by their first line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from sam_py.ui.widgets.icons import Icons, Role, colour_of
from sam_py.ui.widgets.plain import one_line

_KEY = Qt.ItemDataRole.UserRole + 1
_DETAIL = Qt.ItemDataRole.UserRole + 2
_WORD = Qt.ItemDataRole.UserRole + 3
_WORD_ROLE = Qt.ItemDataRole.UserRole + 4
_ROW_PX = 48

_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class ListEntry:
    """`word` stands at the right, in the colour of `role`."""

    key: str
    title: str
    detail: str = ""
    word: str = ""
    role: Role = "muted"


class EntryList(QListView):
    """`chosen` comes with Enter and a double click; `picked` whenever the selection changes."""

    chosen = Signal(str)
    picked = Signal()

    def __init__(self, icons: Icons, label: str, *, several: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._entries = QStandardItemModel(self)
        self._found = QSortFilterProxyModel(self)
        self._found.setSourceModel(self._entries)
        self._found.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setModel(self._found)
        self.setItemDelegate(_Painter(icons, self))
        self.setAccessibleName(label)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        modes = QAbstractItemView.SelectionMode
        self.setSelectionMode(modes.ExtendedSelection if several else modes.SingleSelection)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setTabKeyNavigation(False)
        self.doubleClicked.connect(lambda index: self.chosen.emit(str(index.data(_KEY))))
        self.selectionModel().selectionChanged.connect(lambda _now, _before: self.picked.emit())
        icons.changed.connect(self._retheme)
        self._retheme()

    def show_entries(self, entries: Iterable[ListEntry]) -> None:
        """Show these; the first one has the keyboard's mark."""
        self._entries.clear()
        for entry in entries:
            item = QStandardItem(one_line(entry.title))
            item.setData(entry.key, _KEY)
            item.setData(one_line(entry.detail), _DETAIL)
            item.setData(entry.word, _WORD)
            item.setData(entry.role, _WORD_ROLE)
            said = ", ".join(filter(None, (one_line(entry.title), one_line(entry.detail), entry.word)))
            item.setData(said, Qt.ItemDataRole.AccessibleTextRole)
            self._entries.appendRow(item)
        self.picked.emit()

    def narrow(self, words: str) -> None:
        """Show the entries that have `words` in their first line."""
        self._found.setFilterFixedString(words.strip())

    def select_all(self) -> None:
        self.selectAll()

    def pick(self, key: str) -> None:
        for row in range(self._found.rowCount()):
            index = self._found.index(row, 0)
            if index.data(_KEY) == key:
                self.setCurrentIndex(index)

    @property
    def shown(self) -> list[str]:
        """The keys that the search leaves, from top to bottom."""
        return [str(self._found.index(row, 0).data(_KEY)) for row in range(self._found.rowCount())]

    @property
    def selected(self) -> list[str]:
        """The keys of what is selected, from top to bottom."""
        indexes = sorted(self.selectionModel().selectedIndexes(), key=lambda index: index.row())
        return [str(index.data(_KEY)) for index in indexes]

    def _retheme(self) -> None:
        theme = self._icons.themes.current
        colours = theme.palette
        self.setStyleSheet(
            f"EntryList {{ background: {colours.raised}; border: 1px solid {colours.border};"
            f" border-radius: {round(8 * theme.scale)}px; padding: 4px; }}"
            f"EntryList:focus {{ border-color: {colours.accent}; }}"
        )
        self.scheduleDelayedItemsLayout()

    # Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and index.isValid():
            self.chosen.emit(str(index.data(_KEY)))
            return
        super().keyPressEvent(event)


class _Painter(QStyledItemDelegate):
    def __init__(self, icons: Icons, parent: QWidget) -> None:
        super().__init__(parent)
        self._icons = icons

    def _px(self, length_px: float) -> int:
        return round(length_px * self._icons.themes.current.scale)

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(self._px(120), self._px(_ROW_PX))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        theme = self._icons.themes.current
        palette = theme.palette
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        is_selected = bool(state & QStyle.StateFlag.State_Selected)
        if is_selected or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(palette.selected if is_selected else palette.hover))
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), self._px(6), self._px(6))
        large, small = QFont(option.font), QFont(option.font)
        large.setPointSizeF(theme.body_pt)
        small.setPointSizeF(theme.small_pt)
        inner = rect.adjusted(self._px(10), self._px(5), -self._px(10), -self._px(5))
        word = str(index.data(_WORD) or "")
        word_px = QFontMetrics(small).horizontalAdvance(word) + 4 if word else 0
        left = inner.adjusted(0, 0, -(word_px + self._px(10) if word else 0), 0)
        detail = str(index.data(_DETAIL) or "")
        upper = left.adjusted(0, 0, 0, -left.height() // 2) if detail else left
        lower = left.adjusted(0, left.height() // 2, 0, 0)
        side, middle = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignVCenter
        role: Role = index.data(_WORD_ROLE) or "muted"
        for text, place, font, colour, align in (
            (str(index.data() or ""), upper, large, palette.text, side),
            (detail, lower, small, palette.text_muted, side),
            (word, inner, small, colour_of(palette, role), Qt.AlignmentFlag.AlignRight),
        ):
            painter.setFont(font)
            painter.setPen(QColor(colour))
            cut = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, place.width())
            painter.drawText(place, align | middle, cut)
        painter.restore()
