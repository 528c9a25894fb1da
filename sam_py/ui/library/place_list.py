"""PlaceList: messages of any conversation, each with its conversation, its words, who said them and when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QFocusEvent, QKeyEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QWidget

from sam_py.store.search_index.results import Hit, Place, Span
from sam_py.ui.library.place_painter import PlacePainter
from sam_py.ui.library.place_words import importance, title_of, when, who
from sam_py.ui.widgets.icons import Icons

_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
COLUMN_PX = 780


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """`marks` are ranges of `text`. `notes` stand below it, beside who said it."""

    place: Place
    text: str
    marks: tuple[Span, ...] = ()
    icon: str = ""
    notes: tuple[str, ...] = ()
    hit: Hit | None = None
    """What was found there, where it was looked for."""

    @property
    def key(self) -> tuple[str, str, str]:
        return self.place.conversation_id, self.place.message_id, self.icon

    def spoken(self) -> str:
        """All that it says, for who hears it."""
        place = self.place
        facts = (title_of(place), self.text, who(place), *self.notes, when(place.at))
        return ". ".join(fact for fact in facts if fact)


class PlaceRows(QAbstractListModel):
    """The rows of a list. Whoever fills it hears by `more_wanted` that its end came into view."""

    ROW_ROLE = int(Qt.ItemDataRole.UserRole) + 1
    more_wanted = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[PlaceRow] = []
        self.has_more = False

    @property
    def rows(self) -> Sequence[PlaceRow]:
        return self._rows

    def goes_on(self, row: int) -> bool:
        """Whether a row is of the same conversation as the one above it, whose title stands there."""
        return 0 < row < len(self._rows) and (
            self._rows[row].place.conversation_id == self._rows[row - 1].place.conversation_id
        )

    def show(self, rows: Sequence[PlaceRow], *, has_more: bool = False) -> None:
        """Show these instead of all that were shown."""
        self.beginResetModel()
        self._rows, self.has_more = list(rows), has_more
        self.endResetModel()

    def add(self, rows: Sequence[PlaceRow], *, has_more: bool) -> None:
        """Show these below the others."""
        self.has_more = has_more
        if rows:
            self.beginInsertRows(_ROOT, len(self._rows), len(self._rows) + len(rows) - 1)
            self._rows.extend(rows)
            self.endInsertRows()

    # Qt

    def rowCount(self, parent: _Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row = self._rows[index.row()]
        if role == self.ROW_ROLE:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return row.spoken()
        return None

    def canFetchMore(self, parent: _Index) -> bool:
        return not parent.isValid() and self.has_more

    def fetchMore(self, parent: _Index) -> None:
        if self.has_more:
            self.has_more = False  # until this page is here
            self.more_wanted.emit()


class PlaceList(QListView):
    """Enter, or a click, emits `opened`; Ctrl+Enter `peeked`. `menu_wanted` comes with a row and a place on screen."""

    opened = Signal(object)
    peeked = Signal(object)
    menu_wanted = Signal(object, QPoint)

    def __init__(self, rows: PlaceRows, icons: Icons, label: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = rows
        self._icons = icons
        self._kept: tuple[str, str, str] | None = None
        self.opens_by_click = True
        """Otherwise a click only chooses, and a double click opens."""
        self.setModel(rows)
        self.painter_of_rows = PlacePainter(icons, self)
        self.setItemDelegate(self.painter_of_rows)
        self.setAccessibleName(label)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setMouseTracking(True)
        self.verticalScrollBar().setSingleStep(32)
        rows.modelAboutToBeReset.connect(self.painter_of_rows.forget_heights)
        rows.modelAboutToBeReset.connect(self._keep_current)
        rows.modelReset.connect(self._take_current)
        self.clicked.connect(self._clicked)
        self.doubleClicked.connect(lambda index: self._clicked(index, twice=True))
        icons.changed.connect(self._retheme)
        self._retheme()

    @property
    def current(self) -> PlaceRow | None:
        row = self.currentIndex().data(PlaceRows.ROW_ROLE) if self.currentIndex().isValid() else None
        return row if isinstance(row, PlaceRow) else None

    def choose(self, row: int) -> None:
        """Choose a row and bring it into view; beyond the ends, the last one there is."""
        if self.rows.rowCount():
            self.setCurrentIndex(self.rows.index(max(0, min(row, self.rows.rowCount() - 1))))
            self.scrollTo(self.currentIndex())

    def step(self, step: int) -> None:
        index = self.currentIndex()
        self.choose(index.row() + step if index.isValid() else 0)

    def _keep_current(self) -> None:
        self._kept = self.current.key if self.current is not None else None

    def _take_current(self) -> None:
        for number, row in enumerate(self.rows.rows):
            if row.key == self._kept:
                self.setCurrentIndex(self.rows.index(number))
                return

    def _clicked(self, index: QModelIndex, *, twice: bool = False) -> None:
        row = index.data(PlaceRows.ROW_ROLE)
        if isinstance(row, PlaceRow) and twice != self.opens_by_click:
            self.opened.emit(row)

    def _retheme(self) -> None:
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Base, QColor(Qt.GlobalColor.transparent))
        self.setPalette(palette)
        self.viewport().setAutoFillBackground(False)
        self._set_margins()
        self.painter_of_rows.forget_heights()
        self.scheduleDelayedItemsLayout()

    def _set_margins(self) -> None:
        """The rows stand in the window's middle column; the scroll bar at its edge."""
        column = round(COLUMN_PX * self._icons.themes.current.scale)
        side = max(8, (self.width() - column) // 2)
        self.setViewportMargins(side, 0, side, 0)

    # Qt

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._set_margins()
        super().resizeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        current = self.current
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and current is not None:
            peeks = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            (self.peeked if peeks else self.opened).emit(current)
        elif event.key() == Qt.Key.Key_F10 and event.modifiers() & Qt.KeyboardModifier.ShiftModifier and current:
            place = self.visualRect(self.currentIndex()).center()
            self.menu_wanted.emit(current, self.viewport().mapToGlobal(place))
        elif event.key() == Qt.Key.Key_Escape:
            event.ignore()  # it leads back to the conversation
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index = self.indexAt(event.pos() - QPoint(self.viewport().x(), self.viewport().y()))
        row = index.data(PlaceRows.ROW_ROLE) if index.isValid() else self.current
        if isinstance(row, PlaceRow):
            self.menu_wanted.emit(row, event.globalPos())

    def focusInEvent(self, event: QFocusEvent) -> None:
        by_key = event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        self.painter_of_rows.ring = by_key
        if by_key and not self.currentIndex().isValid():
            self.choose(0)
        super().focusInEvent(event)


def notes_of(place: Place, *more: str) -> tuple[str, ...]:
    """What stands below a row's words."""
    return tuple(note for note in (*more, importance(place)) if note)
