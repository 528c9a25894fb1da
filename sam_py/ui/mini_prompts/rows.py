"""PromptRows: the mini prompts of a conversation as a Qt model, with a tick for each that is switched on."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from sam_py.reminders.mini_prompts import MiniPrompt

Index = QModelIndex | QPersistentModelIndex
_EXCERPT = 300
_NOWHERE = QModelIndex()


class PromptRows(QAbstractListModel):
    """`switched` and `arranged` are wishes of a person; the rows follow when the news of it comes back."""

    switched = Signal(str, bool)
    arranged = Signal(list)
    """The ids in their new order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: tuple[MiniPrompt, ...] = ()
        self._shown: list[MiniPrompt] = []
        self._on: frozenset[str] = frozenset()
        self._words: tuple[str, ...] = ()

    @property
    def is_searched(self) -> bool:
        """Only some are shown: there is no order that a person could mean."""
        return bool(self._words)

    @property
    def ids(self) -> list[str]:
        return [prompt.id for prompt in self._shown]

    def set_prompts(self, prompts: Sequence[MiniPrompt], on: Collection[str]) -> None:
        """Show these; the rows are made anew only where others stand there or their order changed."""
        self._all, self._on = tuple(prompts), frozenset(on)
        self._show()

    def search(self, words: str) -> None:
        """Show the prompts that have all of `words` in their name or text; "" shows all."""
        self._words = tuple(words.casefold().split())
        self._show()

    def prompt(self, row: int) -> MiniPrompt | None:
        return self._shown[row] if 0 <= row < len(self._shown) else None

    def row_of(self, prompt_id: str) -> int:
        """The row of a prompt, or -1."""
        return next((row for row, prompt in enumerate(self._shown) if prompt.id == prompt_id), -1)

    def is_on(self, row: int) -> bool:
        prompt = self.prompt(row)
        return prompt is not None and prompt.id in self._on

    def toggle(self, row: int) -> None:
        prompt = self.prompt(row)
        if prompt is not None:
            self.switched.emit(prompt.id, prompt.id not in self._on)

    def move(self, row: int, to: int) -> bool:
        """Take a row to another place, for now: `settle` makes it a wish."""
        if self.is_searched or row == to or self.prompt(row) is None or self.prompt(to) is None:
            return False
        self.beginMoveRows(_NOWHERE, row, row, _NOWHERE, to + (to > row))
        self._shown.insert(to, self._shown.pop(row))
        self.endMoveRows()
        return True

    def settle(self) -> None:
        if not self.is_searched and self.ids != [prompt.id for prompt in self._all]:
            self.arranged.emit(self.ids)

    def _show(self) -> None:
        shown = [prompt for prompt in self._all if self._has_words(prompt)]
        if [prompt.id for prompt in shown] == self.ids:
            self._shown = shown
            if shown:
                self.dataChanged.emit(self.index(0), self.index(len(shown) - 1))
            return
        self.beginResetModel()
        self._shown = shown
        self.endResetModel()

    def _has_words(self, prompt: MiniPrompt) -> bool:
        text = f"{prompt.name}\n{prompt.text}".casefold()
        return all(word in text for word in self._words)

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        prompt = self.prompt(index.row()) if index.isValid() else None
        if prompt is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return prompt.name
            case Qt.ItemDataRole.AccessibleTextRole:
                here = "" if prompt.conversations is None else self.tr("only in this conversation")
                return ", ".join(filter(None, (prompt.name, here, excerpt(prompt))))
            case Qt.ItemDataRole.CheckStateRole:
                return Qt.CheckState.Checked if prompt.id in self._on else Qt.CheckState.Unchecked
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """A tick that comes from outside of the list, as from a screen reader."""
        if role != Qt.ItemDataRole.CheckStateRole or not index.isValid():
            return False
        if (Qt.CheckState(value) == Qt.CheckState.Checked) != self.is_on(index.row()):
            self.toggle(index.row())
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        return (
            Qt.ItemFlag.ItemIsEnabled
            | Qt.ItemFlag.ItemIsSelectable
            | Qt.ItemFlag.ItemIsUserCheckable
            | Qt.ItemFlag.ItemNeverHasChildren
        )


def excerpt(prompt: MiniPrompt) -> str:
    """The beginning of its text in one line."""
    return " ".join(prompt.text[:_EXCERPT].split())
