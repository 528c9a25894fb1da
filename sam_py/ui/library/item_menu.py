"""The menu of things in the library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from sam_py.store.search_index.results import Item
from sam_py.ui.library.item_actions import can_be_saved
from sam_py.ui.library.words import tr
from sam_py.ui.widgets.icons import Icons


def item_menu(
    icons: Icons, items: Sequence[Item], do: Callable[[str], object], parent: QWidget, *, is_missing: bool = False
) -> QMenu:
    """A menu for `items`, of one kind; `do` hears of ``open``, ``jump``, ``copy``, ``save``, ``reuse``, ``prompt``."""
    menu = QMenu(parent)
    menu.aboutToHide.connect(menu.deleteLater)
    item, is_one = items[0], len(items) == 1

    def add(wish: str, icon: str, words: str, keys: str = "") -> QAction:
        action = menu.addAction(icons.icon(icon), words)
        if keys:
            action.setShortcut(QKeySequence(keys))  # shown alone: the list itself hears the key
        action.triggered.connect(partial(_act, do, wish))
        return action

    if is_one:
        add("open", "external" if item.kind == "link" else "eye", tr("Open"), "Return").setEnabled(not is_missing)
        add("jump", "chat", tr("Show in its conversation"), "Ctrl+Return")
        if item.kind == "image":
            add("prompt", "brush", tr("Show the prompt behind this image")).setEnabled(bool(item.text))
        menu.addSeparator()
    copy = tr("Copy the address") if item.kind == "link" else tr("Copy")
    add("copy", "copy", copy, "Ctrl+C").setEnabled(not is_missing)
    if any(can_be_saved(each) for each in items):
        add("save", "download", tr("Save as…") if is_one else tr("Save in a folder…"), "Ctrl+S").setEnabled(
            not is_missing
        )
    add("reuse", "new", tr("Use in a new chat"), "Ctrl+U").setEnabled(not is_missing)
    return menu


def _act(do: Callable[[str], object], wish: str) -> None:
    do(wish)
