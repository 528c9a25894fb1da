"""MessageListModel: the active path of one bus for Qt, growing text joined to one update per frame."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer, Signal

from sam_py.bus.deltas import Appended, Delta, ErrorShown, Inserted, Removed, Reset, Updated
from sam_py.bus.message_bus import MessageBus
from sam_py.bus.unfinished import is_unfinished

FRAME_MS = 30
"""Streamed text reaches the screen at most this often, and at the latest this long after it came; the first at once."""

_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class Growth:
    """What was appended to one part since the last frame."""

    __slots__ = ("kind", "part_index", "pieces")

    def __init__(self, part_index: int, kind: str) -> None:
        self.part_index = part_index
        self.kind = kind
        self.pieces: list[str] = []

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class MessageListModel(QAbstractListModel):
    """One row per message of the active path.

    Structural changes go out at once; appended text waits for the frame (`grown`), with a trailing
    flush, so the last chunk is never left behind. Before any other change to a row its growth is
    flushed, so that a view sees changes in the order in which they happened. `_ids` is what views
    know of: the bus may be ahead of it while a change is announced.
    """

    ID_ROLE = int(Qt.ItemDataRole.UserRole) + 1
    MESSAGE_ROLE = int(Qt.ItemDataRole.UserRole) + 2
    STREAMING_ROLE = int(Qt.ItemDataRole.UserRole) + 3

    grown = Signal(int, str, object)
    """row, message id, list[Growth]: text that came since the last frame"""

    def __init__(self, bus: MessageBus, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.bus = bus
        self._ids = list(bus.path)
        self._idle = False
        self._growth: dict[str, list[Growth]] = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self.flush)
        self._flushed_s = 0.0
        self._unsubscribe: Callable[[], None] | None = bus.subscribe(self._on_delta)

    def detach(self) -> None:
        """Stop listening to the bus; call before the model goes."""
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
        self._timer.stop()

    def set_idle(self, idle: bool) -> None:
        """Whether no reply is on its way: a message of the person at the end then stands there unanswered."""
        if idle != self._idle:
            self._idle = idle
            self._answer_changed(len(self._ids) - 1, was_idle=True)

    def is_unanswered(self, row: int) -> bool:
        """Whether the person's message in `row` is the last one, and nobody is about to answer it."""
        return self._idle and row == len(self._ids) - 1 and self.bus.role_at(row) == "user"

    def is_unfinished(self, row: int) -> bool:
        """Whether the path ends with `row` in the middle of work with tools, and nobody is about to go on."""
        return self._idle and row == len(self._ids) - 1 and is_unfinished(self.bus, self._ids[row])

    def flush(self) -> None:
        """Hand over what was appended since the last frame."""
        self._timer.stop()
        if not self._growth:
            return
        self._flushed_s = time.monotonic()
        growth, self._growth = self._growth, {}
        for message_id, pieces in growth.items():
            row = self.bus.index_of(message_id)
            if row is None or row >= len(self._ids):
                continue
            self.grown.emit(row, message_id, pieces)
            index = self.index(row)
            self.dataChanged.emit(index, index, [int(Qt.ItemDataRole.DisplayRole)])

    def _on_delta(self, delta: Delta) -> None:
        match delta:
            case Appended():
                self._grow(delta)
            case Inserted(index=row):
                self.flush()
                self.beginInsertRows(_ROOT, row, row)
                self._ids.insert(row, delta.message.id)
                self.endInsertRows()
                self._answer_changed(row - 1)
            case Removed(index=row, message_id=message_id):
                self._growth.pop(message_id, None)
                self.beginRemoveRows(_ROOT, row, row)
                del self._ids[row]
                self.endRemoveRows()
                self._answer_changed(row - 1)
            case Updated(index=row):
                self.flush()
                self._changed(row)
            case ErrorShown(index=row):
                if row is not None:
                    self._changed(row)
            case Reset(first=first):
                self._reset(first)
            case _:
                pass

    def _grow(self, delta: Appended) -> None:
        if delta.index is None:
            return
        parts = self._growth.setdefault(delta.message_id, [])
        if not parts or parts[-1].part_index != delta.part_index:
            parts.append(Growth(delta.part_index, delta.kind))
        parts[-1].pieces.append(delta.text)
        if not self._timer.isActive():
            since_ms = (time.monotonic() - self._flushed_s) * 1000
            self._timer.start(max(0, round(FRAME_MS - since_ms)))

    def _changed(self, row: int) -> None:
        index = self.index(row)
        self.dataChanged.emit(index, index)

    def _answer_changed(self, row: int, *, was_idle: bool = False) -> None:
        """What stands below the message in `row` came or went: where it asks for an answer, it shows that.

        Only without a reply on its way is that asked of tools: a row at work is not made anew for it.
        """
        if not 0 <= row < min(len(self._ids), len(self.bus)):
            return
        role = self.bus.role_at(row)
        if role == "user" or ((self._idle or was_idle) and self._has_calls(row, role)):
            self._changed(row)

    def _has_calls(self, row: int, role: str) -> bool:
        message_id = self._ids[row]
        if role != "assistant" or message_id not in self.bus or self.bus.is_streaming(message_id):
            return role == "tool"
        return bool(self.bus.get(message_id).tool_calls)

    def _reset(self, first: int) -> None:
        self._growth.clear()
        path = self.bus.path
        if first == 0 or first > len(self._ids):
            self.beginResetModel()
            self._ids = list(path)
            self.endResetModel()
            return
        if len(self._ids) > first:
            self.beginRemoveRows(_ROOT, first, len(self._ids) - 1)
            del self._ids[first:]
            self.endRemoveRows()
        if len(path) > first:
            self.beginInsertRows(_ROOT, first, len(path) - 1)
            self._ids.extend(path[first:])
            self.endInsertRows()
        self._answer_changed(first - 1)

    # Qt

    def rowCount(self, parent: _Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._ids)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._ids):
            return None
        message_id = self._ids[index.row()]
        if role == self.ID_ROLE:
            return message_id
        if message_id not in self.bus:  # the bus is ahead while a removal is announced
            return None
        if role == self.STREAMING_ROLE:
            return self.bus.is_streaming(message_id)
        if role == self.MESSAGE_ROLE:
            return self.bus.get(message_id)
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self.bus.get(message_id).plain_text
        return None
