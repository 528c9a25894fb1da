"""ConversationListModel: the library's conversations as rows under headings, filtered, and changed by deltas."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QByteArray,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from sam_py.store.summary import ConversationSummary
from sam_py.ui.sidebar.sections import Row, Section, arrange, key_of
from sam_py.ui.widgets.plain import one_line, tooltip

MIME = "application/x-sam-conversations"
SUMMARY_ROLE = int(Qt.ItemDataRole.UserRole)
"""The row's `ConversationSummary`, or None for a heading."""
SECTION_ROLE = SUMMARY_ROLE + 1
"""The row's `Section`, or None for a conversation."""
STATE_ROLE = SUMMARY_ROLE + 2
"""``asking``, ``busy``, ``unread`` or ""."""

_MOST_RANGES = 64
"""A change that touches more separate places than this is shown by one reset."""

Index = QModelIndex | QPersistentModelIndex


class ConversationListModel(QAbstractListModel):
    """A mirror: `reset` and `apply` take what the library says; commands leave as signals.

    Rows keep their identity through a change, so selection, scroll position and an open editor survive it.
    """

    rename_requested = Signal(str, str)
    """id, title"""
    move_requested = Signal(list, str)
    """ids, folder ("" for none): conversations were dropped on a section"""
    pin_requested = Signal(list)
    """ids: conversations were dropped on "Pinned" """

    def __init__(self, now: Callable[[], datetime], parent: QObject | None = None) -> None:
        """`now` returns an aware datetime in the person's time zone."""
        super().__init__(parent)
        self._now = now
        self._summaries: dict[str, ConversationSummary] = {}
        self._order: list[tuple[float, str]] = []
        self._texts: dict[str, str] = {}
        self._folded: dict[str, bool] = {}
        self._words: tuple[str, ...] = ()
        self._busy: set[str] = set()
        self._asking: frozenset[str] = frozenset()
        self._unread: set[str] = set()
        self._rows: list[Row] = []
        self._places: dict[str, int] | None = None

    # What there is

    def summary(self, id: str) -> ConversationSummary | None:
        return self._summaries.get(id)

    @property
    def folded(self) -> dict[str, bool]:
        """Section → whether the person closed or opened it."""
        return dict(self._folded)

    def folders(self) -> list[str]:
        """All folders' names, sorted."""
        return sorted({each.folder for each in self._summaries.values() if each.folder}, key=str.casefold)

    def ids_shown(self) -> list[str]:
        """The conversations on view, from top to bottom."""
        return [row for row in self._rows if isinstance(row, str)]

    def row_of(self, key: str) -> int | None:
        """Where a conversation (or a section, by its key) stands; None where it is not on view."""
        if self._places is None:
            self._places = {key_of(row): place for place, row in enumerate(self._rows)}
        return self._places.get(key)

    def total(self) -> int:
        return len(self._summaries)

    @property
    def is_filtered(self) -> bool:
        return bool(self._words)

    # What changes

    def reset(self, summaries: Iterable[ConversationSummary], folded: Mapping[str, bool] | None = None) -> None:
        """Show these conversations from now on, their sections as `folded` says if it does. O(n log n)."""
        if folded is not None:
            self._folded = dict(folded)
        self._summaries = {each.id: each for each in summaries}
        self._order = sorted((-each.updated_at.timestamp(), each.id) for each in self._summaries.values())
        self._texts.clear()
        self.beginResetModel()
        self._rows, self._places = self._arranged(), None
        self.endResetModel()

    def apply(self, changes: Mapping[str, ConversationSummary | None]) -> None:
        """Take in conversations that came, changed, or (None) went: together, since each call costs O(n)."""
        moved: set[str] = set()
        for id, new in changes.items():
            old = self._summaries.get(id)
            if old == new:
                continue
            self._texts.pop(id, None)
            if old is not None and new is not None and _place(old) == _place(new):
                self._summaries[id] = new
                if self._words:
                    moved.add(id)
                else:
                    self._repaint(id)
                continue
            moved.add(id)
            if old is not None:
                del self._order[bisect_left(self._order, (-old.updated_at.timestamp(), id))]
                del self._summaries[id]
            if new is not None:
                entry = (-new.updated_at.timestamp(), id)
                self._order.insert(bisect_left(self._order, entry), entry)
                self._summaries[id] = new
        if moved:
            self._show(self._arranged(), moved)
            for id in moved:
                self._repaint(id)

    def set_filter(self, text: str) -> None:
        """Show what has every word of `text` in title, folder or preview; "" shows all."""
        words = tuple(text.casefold().split())
        if words != self._words:
            self._words = words
            self._show(self._arranged())

    def toggle(self, section_key: str) -> None:
        """Close an open section, open a closed one. Nothing happens while the list is filtered."""
        row = self.row_of(section_key)
        section = self._rows[row] if row is not None else None
        if isinstance(section, Section) and not self._words:
            self._folded[section_key] = not section.collapsed
            self._show(self._arranged())

    def regroup(self) -> None:
        """Look at the clock again: after midnight, "Today" is another day."""
        self._show(self._arranged())

    def set_busy(self, id: str, busy: bool, *, seen: bool) -> None:
        """Mark a conversation that is being answered; one that ends while not `seen` is unread."""
        if busy == (id in self._busy):
            return
        if busy:
            self._busy.add(id)
        else:
            self._busy.discard(id)
            if not seen:
                self._unread.add(id)
        self._repaint(id)

    def set_asking(self, ids: frozenset[str]) -> None:
        """Mark those conversations in which the person is asked something."""
        before, self._asking = self._asking, ids
        for id in before ^ ids:
            self._repaint(id)

    def mark_read(self, id: str) -> None:
        if id in self._unread:
            self._unread.discard(id)
            self._repaint(id)

    # Inside

    def _arranged(self) -> list[Row]:
        everything = self._summaries
        ordered = [everything[id] for _age, id in self._order]
        if self._words:
            ordered = [summary for summary in ordered if self._matches(summary)]
        return arrange(ordered, self._now(), self._folded, bool(self._words))

    def _matches(self, summary: ConversationSummary) -> bool:
        text = self._texts.get(summary.id)
        if text is None:
            text = self._texts[summary.id] = f"{summary.title}\n{summary.folder}\n{summary.preview}".casefold()
        return all(word in text for word in self._words)

    def _show(self, rows: list[Row], moved: Iterable[str] = ()) -> None:
        """Turn the rows on view into `rows` by removing and inserting; those in `moved` do both."""
        old_keys, new_keys = [key_of(row) for row in self._rows], [key_of(row) for row in rows]
        kept = set(old_keys) & set(new_keys)
        kept.difference_update(moved)
        gone = _runs([key not in kept for key in old_keys])
        come = _runs([key not in kept for key in new_keys])
        same_order = [key for key in old_keys if key in kept] == [key for key in new_keys if key in kept]
        if len(gone) + len(come) > _MOST_RANGES or not same_order:
            self.beginResetModel()
            self._rows, self._places = rows, None
            self.endResetModel()
            return
        nowhere = QModelIndex()
        for first, end in reversed(gone):
            self.beginRemoveRows(nowhere, first, end - 1)
            del self._rows[first:end]
            self._places = None
            self.endRemoveRows()
        for first, end in come:
            self.beginInsertRows(nowhere, first, end - 1)
            self._rows[first:first] = rows[first:end]
            self._places = None
            self.endInsertRows()
        for row, section in enumerate(rows):
            if isinstance(section, Section) and section != self._rows[row]:
                self._rows[row] = section
                self.dataChanged.emit(self.index(row), self.index(row))

    def _repaint(self, id: str) -> None:
        row = self.row_of(id)
        if row is not None:
            self.dataChanged.emit(self.index(row), self.index(row))

    def _state(self, id: str) -> str:
        if id in self._asking:
            return "asking"
        return "busy" if id in self._busy else "unread" if id in self._unread else ""

    def _spoken(self, row: Row) -> str:
        """What a screen reader says."""
        if isinstance(row, Section):
            state = self.tr("closed") if row.collapsed else self.tr("open")
            return (
                self.tr("%1, %2 conversations, %3")
                .replace("%1", row.label)
                .replace("%2", str(row.count))
                .replace("%3", state)
            )
        summary = self._summaries[row]
        words = [self._title(summary)]
        if summary.pinned:
            words.append(self.tr("pinned"))
        state = self._state(row)
        if state:
            told = {"asking": self.tr("asks you something"), "busy": self.tr("being answered")}
            words.append(told.get(state) or self.tr("new answer"))
        return ", ".join(words)

    def _title(self, summary: ConversationSummary) -> str:
        return one_line(summary.title) or one_line(summary.preview) or self.tr("New chat")

    def _tooltip(self, summary: ConversationSummary) -> str:
        lines = [self._title(summary)]
        if preview := one_line(summary.preview):
            lines.append(preview)
        return tooltip("\n".join(lines))

    # Qt

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row = self._rows[index.row()]
        if role == SECTION_ROLE:
            return row if isinstance(row, Section) else None
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(row)
        if isinstance(row, Section):
            return row.label if role == Qt.ItemDataRole.DisplayRole else None
        summary = self._summaries[row]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._title(summary)
            case Qt.ItemDataRole.EditRole:
                return one_line(summary.title)
            case Qt.ItemDataRole.ToolTipRole:
                return self._tooltip(summary)
            case _ if role == SUMMARY_ROLE:
                return summary
            case _ if role == STATE_ROLE:
                return self._state(row)
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """A new title: asked for here, shown when the library has it."""
        row = self._rows[index.row()] if index.isValid() else None
        title = one_line(value) if isinstance(value, str) else ""
        if role != Qt.ItemDataRole.EditRole or not isinstance(row, str) or not title:
            return False
        if title != self._summaries[row].title:
            self.rename_requested.emit(row, title)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        shared = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsDropEnabled | Qt.ItemFlag.ItemNeverHasChildren
        if isinstance(self._rows[index.row()], Section):
            return shared
        return shared | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable | Qt.ItemFlag.ItemIsDragEnabled

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        return [MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        rows = [self._rows[index.row()] for index in indexes]
        mime = QMimeData()
        mime.setData(MIME, QByteArray(json.dumps([row for row in rows if isinstance(row, str)]).encode()))
        return mime

    def canDropMimeData(self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index) -> bool:
        target = self.section_at(parent)
        return data.hasFormat(MIME) and target is not None and target.kind != "archived"

    def dropMimeData(self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index) -> bool:
        if not self.canDropMimeData(data, action, row, column, parent):
            return False
        section = self.section_at(parent)
        assert section is not None
        dropped = json.loads(bytes(data.data(MIME).data()))
        ids = [id for id in dropped if id in self._summaries]
        if section.kind == "pinned":
            self.pin_requested.emit(ids)
        else:
            self.move_requested.emit(ids, section.folder)
        return True

    def section_at(self, index: Index) -> Section | None:
        """The heading that `index` stands under, or is."""
        if not index.isValid():
            return None
        for row in range(index.row(), -1, -1):
            section = self._rows[row]
            if isinstance(section, Section):
                return section
        return None


def _place(summary: ConversationSummary) -> tuple[object, ...]:
    """What decides where it stands."""
    return summary.updated_at, summary.pinned, summary.archived, summary.folder


def _runs(flags: list[bool]) -> list[tuple[int, int]]:
    """The stretches of True, as (first, end).

    >>> _runs([True, True, False, True])
    [(0, 2), (3, 4)]
    """
    if True not in flags:
        return []
    runs = []
    start = 0
    for flag, stretch in groupby(flags):
        end = start + sum(1 for _each in stretch)
        if flag:
            runs.append((start, end))
        start = end
    return runs
