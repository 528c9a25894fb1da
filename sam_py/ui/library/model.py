"""LibraryModel: the things of one kind as a Qt model, as many of them as were asked for so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QAbstractListModel, QMimeData, QModelIndex, QObject, QPersistentModelIndex, Qt

from sam_py.store.search_index.results import Item
from sam_py.ui.library.words import described, month_of, shown_name, tip

Index = QModelIndex | QPersistentModelIndex
Month = tuple[int, int]
Key = tuple[str, str, int, int, str]

ITEM_ROLE = Qt.ItemDataRole.UserRole + 1
_SHOWN_TEXT = 600
_NOWHERE = QModelIndex()


class LibraryModel(QAbstractListModel):
    """The newest first. `total` is how many there are; those beyond `rowCount` were not fetched yet."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._items: list[Item] = []
        self._months: list[tuple[int, Month]] = []
        self._missing: frozenset[str] = frozenset()
        self.total = 0
        self.drag: Callable[[list[Item]], QMimeData | None] = lambda _items: None
        """What is dragged out of the window with these things."""

    @property
    def months(self) -> list[tuple[int, Month]]:
        """The row with which each month begins, and which month that is."""
        return self._months

    @property
    def items(self) -> Sequence[Item]:
        return self._items

    def item(self, row: int) -> Item | None:
        return self._items[row] if 0 <= row < len(self._items) else None

    def clear(self) -> None:
        self.beginResetModel()
        self._items, self._months, self.total = [], [], 0
        self.endResetModel()

    def add(self, items: Iterable[Item]) -> None:
        """Put these behind the others."""
        new = [_short(item) for item in items]
        if not new:
            return
        first = len(self._items)
        self.beginInsertRows(_NOWHERE, first, first + len(new) - 1)
        self._items += new
        self._find_months(first)
        self.endInsertRows()

    def show(self, items: Iterable[Item]) -> None:
        """Show these instead of those before. Rows that are the same stay: selection and place are kept."""
        new = [_short(item) for item in items]
        old = self._items
        same = 0
        while same < min(len(old), len(new)) and key_of(old[same]) == key_of(new[same]):
            same += 1
        ends = 0
        while ends < min(len(old), len(new)) - same and key_of(old[-1 - ends]) == key_of(new[-1 - ends]):
            ends += 1
        if len(old) - ends > same:
            self.beginRemoveRows(_NOWHERE, same, len(old) - ends - 1)
            self._items = old[:same] + old[len(old) - ends :]
            self._find_months(0)
            self.endRemoveRows()
        if len(new) - ends > same:
            self.beginInsertRows(_NOWHERE, same, len(new) - ends - 1)
            self._items = new
            self._find_months(0)
            self.endInsertRows()
        else:
            self._items = new
        if new:
            self.dataChanged.emit(self.index(0), self.index(len(new) - 1))

    # Files that are not here

    @property
    def missing(self) -> frozenset[str]:
        """The hashes of files that are not on this computer (yet)."""
        return self._missing

    def set_missing(self, missing: frozenset[str]) -> None:
        if missing != self._missing:
            self._missing = missing
            if self._items:
                self.dataChanged.emit(self.index(0), self.index(len(self._items) - 1))

    def is_missing(self, item: Item) -> bool:
        return bool(item.attachment) and item.attachment in self._missing

    def _find_months(self, first: int) -> None:
        """Note where months begin from row `first` on."""
        while self._months and self._months[-1][0] >= first:
            self._months.pop()
        month = self._months[-1][1] if self._months else None
        for row in range(first, len(self._items)):
            here = month_of(self._items[row].place.at)
            if here != month:
                self._months.append((row, here))
                month = here

    # Qt

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._items)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        item = self.item(index.row()) if index.isValid() else None
        if item is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return shown_name(item)
            case Qt.ItemDataRole.AccessibleTextRole:
                return described(item, is_missing=self.is_missing(item))
            case Qt.ItemDataRole.ToolTipRole:
                return tip(item, is_missing=self.is_missing(item))
        return item if role == ITEM_ROLE else None

    def mimeTypes(self) -> list[str]:
        return ["text/uri-list", "text/plain"]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        rows = sorted({index.row() for index in indexes})
        return self.drag([self._items[row] for row in rows])  # type: ignore[return-value]  # None: nothing to drag

    def supportedDragActions(self) -> Qt.DropAction:
        return Qt.DropAction.CopyAction

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        return (
            Qt.ItemFlag.ItemIsEnabled
            | Qt.ItemFlag.ItemIsSelectable
            | Qt.ItemFlag.ItemIsDragEnabled
            | Qt.ItemFlag.ItemNeverHasChildren
        )


def key_of(item: Item) -> Key:
    """What makes a thing the same one when it is listed again."""
    return item.place.conversation_id, item.place.message_id, item.part_index, item.offset, item.kind


def _short(item: Item) -> Item:
    """Ten thousand are held: of code and results a few lines are, the rest is read when it is wanted."""
    if item.kind == "image" or len(item.text) <= _SHOWN_TEXT:
        return item
    return replace(item, text=item.text[:_SHOWN_TEXT])
