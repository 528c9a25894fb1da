"""The menu of one mini prompt: edit, copy, put into the message, move, delete."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from sam_py.ui.widgets.icons import Icons


def _(text: str) -> str:
    return QCoreApplication.translate("PromptMenu", text)


def prompt_menu(
    icons: Icons, parent: QWidget, run: Callable[[str], object], *, can_go_up: bool, can_go_down: bool
) -> QMenu:
    """A menu that calls `run` with edit, duplicate, insert, up, down or remove, and goes when it is closed."""
    entries: Sequence[tuple[str, str, str, str, bool]] = (
        ("edit", "edit", _("Edit…"), "Return", True),
        ("duplicate", "duplicate", _("Duplicate"), "", True),
        ("insert", "text", _("Insert into the message"), "", True),
        ("", "", "", "", True),
        ("up", "chevron-up", _("Move up"), "Alt+Up", can_go_up),
        ("down", "chevron-down", _("Move down"), "Alt+Down", can_go_down),
        ("", "", "", "", True),
        ("remove", "trash", _("Delete"), "Del", True),
    )
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    for what, icon, words, key, enabled in entries:
        if not what:
            menu.addSeparator()
            continue
        shortcut = QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
        action = QAction(icons.icon(icon), f"{words}\t{shortcut}" if shortcut else words, menu)
        action.setEnabled(enabled)
        action.triggered.connect(partial(_choose, run, what))
        menu.addAction(action)
    return menu


def _choose(run: Callable[[str], object], what: str, _checked: bool = False) -> None:
    run(what)
