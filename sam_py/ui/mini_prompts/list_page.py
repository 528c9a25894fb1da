"""PromptListPage: the list of mini prompts with a field to search in it, and the menu of each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from sam_py.reminders.mini_prompts import MiniPrompt
from sam_py.ui.mini_prompts.menu import prompt_menu
from sam_py.ui.mini_prompts.prompt_list import PromptList
from sam_py.ui.mini_prompts.rows import PromptRows
from sam_py.ui.settings.fields import Words
from sam_py.ui.widgets.icons import Icons

SEARCH_FROM = 9
"""With so many prompts there is a field to search in them."""


class PromptListPage(QWidget):
    switched = Signal(str, bool)
    arranged = Signal(list)
    chosen = Signal(str, str)
    """what (edit, duplicate, insert, remove), id"""
    resized = Signal()
    """It wants to be higher or lower."""

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._all: tuple[MiniPrompt, ...] = ()
        self.rows = PromptRows(self)
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(self.tr("Find a mini prompt"))
        self.search.setAccessibleName(self.tr("Find a mini prompt"))
        self.search.setClearButtonEnabled(True)
        self.search.installEventFilter(self)
        self.search.hide()
        self.list = PromptList(icons, self.rows, self)
        self.nothing = Words(icons, self.tr("No mini prompt has these words."), role="muted", small=True)
        self.nothing.hide()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(6)
        self._column.addWidget(self.search)
        self._column.addWidget(self.nothing)
        self._column.addWidget(self.list, 1)
        self.search.textChanged.connect(self._find)
        self.rows.switched.connect(self.switched)
        self.rows.arranged.connect(self.arranged)
        self.list.edit_wanted.connect(partial(self.chosen.emit, "edit"))
        self.list.remove_wanted.connect(partial(self.chosen.emit, "remove"))
        self.list.menu_wanted.connect(self._open_menu)
        self.list.left_upwards.connect(self._go_to_search)

    @property
    def has_prompts(self) -> bool:
        return bool(self._all)

    @property
    def names(self) -> set[str]:
        return {prompt.name for prompt in self._all}

    def show_prompts(self, prompts: Sequence[MiniPrompt], on: Collection[str]) -> None:
        """Show these, and stay at the row where one is, or at the one that took its place."""
        at, current = self.list.currentIndex().row(), self.list.current_id
        self._all = tuple(prompts)
        if len(self._all) < SEARCH_FROM:
            self.clear_search()
        self.search.setVisible(len(self._all) >= SEARCH_FROM)
        self.rows.set_prompts(prompts, on)
        if current and not self.list.current_id:
            row = self.rows.row_of(current)
            self.list.select(row if row >= 0 else max(0, at))
        self._after_change()

    def select_id(self, prompt_id: str) -> None:
        if self.rows.row_of(prompt_id) < 0:
            self.clear_search()
        self.list.select_id(prompt_id)

    def clear_search(self) -> None:
        self.search.clear()

    def take_keyboard(self) -> None:
        self.list.setFocus(Qt.FocusReason.PopupFocusReason)

    def whole_height(self) -> int:
        """How high it is with all rows, in px."""
        search = self.search.sizeHint().height() + self._column.spacing() if not self.search.isHidden() else 0
        row = max(self.list.sizeHintForRow(0), self.list.minimumSizeHint().height())
        return search + max(1, len(self._all)) * row

    def _find(self, words: str) -> None:
        current = self.list.current_id
        self.rows.search(words)
        self.list.select(max(0, self.rows.row_of(current)))
        self._after_change()

    def _after_change(self) -> None:
        self.nothing.setVisible(self.rows.is_searched and not self.rows.rowCount())
        self.resized.emit()

    def _go_to_search(self) -> None:
        if not self.search.isHidden():
            self.search.setFocus(Qt.FocusReason.OtherFocusReason)

    def _open_menu(self, prompt_id: str, place: QPoint) -> None:
        row, last = self.rows.row_of(prompt_id), self.rows.rowCount() - 1
        movable = not self.rows.is_searched
        menu = prompt_menu(
            self._icons,
            self,
            partial(self._run, prompt_id),
            can_go_up=movable and row > 0,
            can_go_down=movable and row < last,
        )
        menu.popup(place)

    def _run(self, prompt_id: str, what: str) -> None:
        self.list.select_id(prompt_id)
        match what:
            case "up":
                self.list.move_current(-1)
            case "down":
                self.list.move_current(1)
            case _:
                self.chosen.emit(what, prompt_id)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.search and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            match event.key():
                case Qt.Key.Key_Down | Qt.Key.Key_Return | Qt.Key.Key_Enter:
                    self.take_keyboard()
                    return True
                case Qt.Key.Key_Escape if self.search.text():
                    self.search.clear()
                    return True
        return super().eventFilter(watched, event)
