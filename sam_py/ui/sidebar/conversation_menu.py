"""ConversationMenus: the menu of conversations, that of a folder, and the small question for a folder's name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QInputDialog, QLineEdit, QMenu, QWidget

from sam_py.ui.sidebar.conversation_commands import ConversationCommands
from sam_py.ui.sidebar.conversation_list_model import ConversationListModel
from sam_py.ui.widgets.icons import Icons
from sam_py.ui.widgets.plain import menu_text

Act = Literal["rename", "pin", "archive", "duplicate", "export", "delete"]


class ConversationMenus(QObject):
    """Menus are made when asked for and go when closed."""

    chosen = Signal(str, list)
    """an `Act`, ids"""
    folder_export_chosen = Signal(str)

    def __init__(
        self, commands: ConversationCommands, model: ConversationListModel, parent: QWidget, icons: Icons
    ) -> None:
        super().__init__(parent)
        self._commands = commands
        self._model = model
        self._parent = parent
        self._icons = icons

    def open_menu(self, ids: list[str], place: QPoint) -> None:
        """The menu for one conversation or several."""
        if ids:
            self._conversation_menu(ids).popup(place)

    def open_folder_menu(self, folder: str, place: QPoint) -> None:
        menu = self._new_menu()
        self._add(menu, "rename", self.tr("Rename folder…"), partial(self._ask_folder_name, folder))
        self._add(menu, "download", self.tr("Export folder…"), partial(self.folder_export_chosen.emit, folder))
        self._add(menu, "close", self.tr("Remove folder, keep conversations"), partial(self._remove_folder, folder))
        menu.addSeparator()
        ids = self._commands.ids_in(folder)
        words = self.tr("Delete its conversation") if len(ids) == 1 else self.tr("Delete its %1 conversations")
        words = words.replace("%1", self._parent.locale().toString(len(ids)))
        self._add(menu, "trash", words, partial(self._choose, "delete", ids))
        menu.popup(place)

    def _conversation_menu(self, ids: list[str]) -> QMenu:
        summaries = [summary for summary in map(self._model.summary, ids) if summary is not None]
        pinned = all(summary.pinned for summary in summaries)
        archived = all(summary.archived for summary in summaries)
        menu = self._new_menu()
        if len(ids) == 1:
            self._add(menu, "rename", self.tr("Rename"), partial(self._choose, "rename", ids), "F2")
        self._add(menu, "pin", self.tr("Unpin") if pinned else self.tr("Pin"), partial(self._choose, "pin", ids))
        self._add(menu, "duplicate", self.tr("Duplicate"), partial(self._choose, "duplicate", ids))
        self._add(menu, "download", self.tr("Export…"), partial(self._choose, "export", ids))
        self._add_folders(menu, ids, {summary.folder for summary in summaries})
        self._add(
            menu,
            "archive",
            self.tr("Unarchive") if archived else self.tr("Archive"),
            partial(self._choose, "archive", ids),
        )
        menu.addSeparator()
        self._add(menu, "trash", self.tr("Delete"), partial(self._choose, "delete", ids), "Del")
        return menu

    def _add_folders(self, menu: QMenu, ids: list[str], current: set[str]) -> None:
        submenu = menu.addMenu(self._icons.icon("folder"), self.tr("Move to folder"))
        for folder in self._model.folders():
            action = self._add(submenu, "folder", menu_text(folder), partial(self._commands.move, ids, folder))
            action.setEnabled(current != {folder})
        if self._model.folders():
            submenu.addSeparator()
        self._add(submenu, "plus", self.tr("New folder…"), partial(self._ask_new_folder, ids))
        if current != {""}:
            self._add(submenu, "close", self.tr("No folder"), partial(self._commands.move, ids, ""))

    def _choose(self, what: Act, ids: list[str]) -> None:
        self.chosen.emit(what, ids)

    def _remove_folder(self, folder: str) -> None:
        self._commands.rename_folder(folder, "")

    def _ask_new_folder(self, ids: list[str]) -> None:
        self._ask(self.tr("New folder"), self.tr("Name of the folder"), "", partial(self._commands.move, ids))

    def _ask_folder_name(self, folder: str) -> None:
        title = self.tr("Rename folder")
        self._ask(title, self.tr("Name of the folder"), folder, partial(self._commands.rename_folder, folder))

    def _ask(self, title: str, label: str, value: str, answer: Callable[[str], None]) -> None:
        dialog = QInputDialog(self._parent.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(title)
        dialog.setLabelText(label)
        dialog.setTextValue(value)

        def take(text: str) -> None:
            if text.strip():
                answer(text.strip())

        dialog.textValueSelected.connect(take)
        field = dialog.findChild(QLineEdit)
        if field is not None:
            field.setAccessibleName(label)
        dialog.open()

    def _new_menu(self) -> QMenu:
        menu = QMenu(self._parent)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return menu

    def _add(self, menu: QMenu, icon: str, text: str, run: Callable[[], None], shortcut: str = "") -> QAction:
        action = menu.addAction(self._icons.icon(icon), text)
        if shortcut:  # shown here; the list itself takes the key
            action.setText(f"{text}\t{shortcut}")
        action.triggered.connect(lambda _checked=False: run())
        return action
