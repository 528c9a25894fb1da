"""The question before conversations go in which somebody pinned messages: the pins go, too, unless they are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QCoreApplication, QLocale
from PySide6.QtWidgets import QWidget

from sam_py.ui.widgets.confirm import Confirm
from sam_py.ui.widgets.icons import Icons


def ask_about_pins(
    parent: QWidget,
    icons: Icons,
    title: str,
    total: int,
    pins: Mapping[str, int],
    delete: Callable[[], object],
    keep: Callable[[], object],
) -> Confirm:
    """Ask over `parent`, without waiting. `pins`: of the `total` conversations those with pins, and how many.

    `title`: what the conversation is called, where it is one. `keep`: those with pins stay, in the archive.
    """
    count, holders = sum(pins.values()), len(pins)
    if total == 1:
        question = _tr("Delete “%1” with its pins?").replace("%1", title)
        said = _tr("You pinned a message in it.") if count == 1 else _tr("You pinned %1 messages in it.")
        gone = _tr("It leaves Pinned together with the conversation.")
        if count > 1:
            gone = _tr("They leave Pinned together with the conversation.")
        kept = _tr("In the archive the conversation is out of the list, and Pinned still shows what you pinned.")
    else:
        question = _tr("Delete %1 conversations with their pins?").replace("%1", _number(total))
        if holders == total:
            said = _tr("You pinned %1 messages in them.")
        elif holders == 1:
            said = _tr("You pinned messages in one of them: %1.")
        else:
            said = _tr("You pinned %1 messages in %2 of them.").replace("%2", _number(holders))
        gone = _tr("They leave Pinned together with the conversations.")
        kept = _tr("In the archive conversations are out of the list, and Pinned still shows what you pinned.")
        if holders < total:
            kept += " " + _tr("The others are deleted.")
    return Confirm.ask(
        parent,
        icons,
        question,
        f"{said.replace('%1', _number(count))} {gone}\n\n{kept}",
        _tr("Delete"),
        delete,
        other_text=_tr("Archive instead") if holders == total else _tr("Archive those with pins"),
        on_other=keep,
    )


def _number(number: int) -> str:
    return QLocale().toString(number)


def _tr(text: str) -> str:
    return QCoreApplication.translate("PinsQuestion", text)
