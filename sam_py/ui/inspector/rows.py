"""MessageRows: messages of one conversation for a list, each with its fate; read and worded only when it is drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from sam_py.bus.message_bus import MessageBus
from sam_py.messages.message import Message
from sam_py.transcript.plan import Fate, MessageFate
from sam_py.ui.inspector.words import (
    author,
    excerpt,
    fate_name,
    filled,
    importance_words,
    short_reason,
    token_figures,
    whole_reason,
)

_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
FATES: tuple[Fate, ...] = ("sent", "shortened", "summarised", "left_out")


@dataclass(frozen=True, slots=True)
class RowWords:
    """What a row says: `title` above, `note` below it, `figures` at the side. `fate` None: only that it is there."""

    title: str
    note: str
    figures: str
    fate: Fate | None
    icon: str


class MessageRows(QAbstractListModel):
    """Rows of `MessageFate`, the newest first. `draft` is the message that is not in the conversation yet.

    `scores`: the rows say how important a message is instead of what becomes of it. A refresh with the same messages,
    or with some more at their end, is no reset: the list keeps its place.
    """

    WORDS_ROLE = int(Qt.ItemDataRole.UserRole) + 1

    def __init__(self, *, scores: bool = False, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._scores = scores
        self._bus: MessageBus | None = None
        self._draft: Message | None = None
        self._all: Sequence[MessageFate] = ()
        self._shown: Sequence[MessageFate] = ()
        self._wanted: Fate | None = None
        self.counts: Counter[Fate] = Counter()

    def show_fates(self, bus: MessageBus | None, fates: Sequence[MessageFate], draft: Message | None = None) -> None:
        """Show these, of the messages of `bus`."""
        same_bus = bus is self._bus
        self._bus, self._draft, self._all = bus, draft, fates[::-1]
        self.counts = Counter(fate.fate for fate in fates)
        self._show(self._chosen(), same_bus)

    def filter(self, fate: Fate | None) -> None:
        """Only messages with this fate; None: all."""
        self._wanted = fate
        self._show(self._chosen(), True)

    def row_of(self, message_id: str) -> int | None:
        """O(n)."""
        return next((row for row, fate in enumerate(self._shown) if fate.message_id == message_id), None)

    def fate_at(self, row: int) -> MessageFate:
        return self._shown[row]

    def message_at(self, row: int) -> Message | None:
        """The message of a row; None where it was deleted meanwhile."""
        message_id = self._shown[row].message_id
        if self._is_draft(message_id):
            return self._draft
        return self._bus.get(message_id) if self._bus is not None and message_id in self._bus else None

    def is_draft(self, row: int) -> bool:
        return self._is_draft(self._shown[row].message_id)

    def _is_draft(self, message_id: str) -> bool:
        return self._draft is not None and self._draft.id == message_id

    def _chosen(self) -> Sequence[MessageFate]:
        if self._wanted is None:
            return self._all
        return [fate for fate in self._all if fate.fate == self._wanted]

    def _show(self, fates: Sequence[MessageFate], may_stay: bool) -> None:
        more = len(fates) - len(self._shown)
        if not (may_stay and _same(fates[max(0, more) :], self._shown[max(0, -more) :])):
            self.beginResetModel()
            self._shown = fates
            self.endResetModel()
            return
        if more > 0:
            self.beginInsertRows(_ROOT, 0, more - 1)
        elif more < 0:
            self.beginRemoveRows(_ROOT, 0, -more - 1)
        self._shown = fates
        if more > 0:
            self.endInsertRows()
        elif more < 0:
            self.endRemoveRows()
        if fates:
            self.dataChanged.emit(self.index(0), self.index(len(fates) - 1))

    def _words(self, row: int) -> RowWords:
        fate = self._shown[row]
        if self._bus is not None and self._bus.is_streaming(fate.message_id):  # a snapshot costs its whole length
            return RowWords(self.tr("The reply that is being written"), self.tr("Assistant"), "", fate.fate, "")
        message = self.message_at(row)
        if message is None:
            return RowWords(self.tr("Deleted"), "", "", fate.fate, "")
        speaks = self.tr("What you are writing") if self._is_draft(fate.message_id) else author(message)
        if self._scores:
            note = (
                filled(self.tr("%1 · %2"), speaks, importance_words(message)) if importance_words(message) else speaks
            )
            return RowWords(excerpt(message), note, "", None, "")
        why = short_reason(fate.reason)
        fates = filled(self.tr("%1, %2"), fate_name(fate.fate), why) if why else fate_name(fate.fate)
        icon = {"pinned": "pin-filled", "always_keep": "keep", "summary": "text"}.get(fate.reason, "")
        return RowWords(
            excerpt(message), filled(self.tr("%1 · %2"), speaks, fates), token_figures(fate), fate.fate, icon
        )

    # Qt

    def rowCount(self, parent: _Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._shown):
            return None
        if role == self.WORDS_ROLE:
            return self._words(index.row())
        if role == Qt.ItemDataRole.ToolTipRole and not self._scores:
            return whole_reason(self._shown[index.row()])
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            words = self._words(index.row())
            figures = filled(self.tr("%1 tokens"), words.figures) if words.figures else ""
            return ". ".join(piece for piece in (words.title, words.note, figures) if piece)
        return None


def _same(some: Sequence[MessageFate], others: Sequence[MessageFate]) -> bool:
    """Whether both are of the same messages."""
    return [fate.message_id for fate in some] == [fate.message_id for fate in others]
