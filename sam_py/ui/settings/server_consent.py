"""ServerConsent: shows exactly what starting an MCP server means on this machine, before the person agrees to it."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from sam_py.settings.model import McpConsent, McpServerSettings
from sam_py.tools.mcp.consent import changes, risks
from sam_py.ui.chat.tool_words import visible_line
from sam_py.ui.settings.fields import Words
from sam_py.ui.settings.server_text import Line, TextPane
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.icons import Icons
from sam_py.ui.widgets.plain import one_line


class ServerConsent(QDialog):
    """Command, arguments, folder, names of variables and headers: each has a line, none is cut. Cancel comes first."""

    def __init__(self, icons: Icons, server: McpServerSettings, now: McpConsent, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("May this server start?"))
        scale = icons.themes.current.scale
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(10)
        column.addWidget(Words(icons, one_line(server.label), heavy=True))
        if server.url:
            said = self.tr("SAM would connect to this address, which is not part of SAM:")
        else:
            said = self.tr("SAM would run this program on your computer, with all of your rights:")
        column.addWidget(Words(icons, said))
        self.text = TextPane(icons, said, self)
        self.text.show_lines(_compared(server.agreed, now))
        column.addWidget(self.text, 1)
        if server.agreed is not None:
            names = ", ".join(change.what for change in changes(server.agreed, now))
            column.addWidget(
                Words(icons, self.tr("Changed since you agreed: %1").replace("%1", names), role="warning", small=True)
            )
        for risk in risks(now):
            column.addWidget(Words(icons, risk_words(risk), role="warning", small=True))
        row = QHBoxLayout()
        row.addStretch(1)
        self.cancel = PillButton(icons, self.tr("Cancel"), kind="outline")
        self.cancel.clicked.connect(self.reject)
        self.agree = PillButton(icons, self.tr("I trust it: start it"), kind="outline")
        self.agree.clicked.connect(self.accept)
        row.addWidget(self.cancel)
        row.addWidget(self.agree)
        column.addLayout(row)
        self.resize(round(560 * scale), round(420 * scale))
        self.cancel.setFocus(Qt.FocusReason.TabFocusReason)


def _compared(agreed: McpConsent | None, now: McpConsent) -> list[Line]:
    """What would run now; where something else was agreed to, what is new of it, and what is no longer there."""
    lines = lines_of(now)
    if agreed is None:
        return [Line("code", each) for each in lines]
    before = lines_of(agreed)
    kept = [Line("code" if each in before else "added", each) for each in lines]
    return [*kept, *(Line("removed", each) for each in before if each not in lines)]


def lines_of(consent: McpConsent) -> list[str]:
    """What would run or be reached, one thing a line, with nothing hidden in it.

    >>> lines_of(McpConsent(command="/bin/x", args=("-a", "b c")))
    ['Program: /bin/x', 'Argument 1: -a', 'Argument 2: b c']
    """
    lines = []
    if consent.command:
        lines.append(f"{_tr('Program')}: {visible_line(consent.command)}")
    lines += [f"{_tr('Argument')} {place}: {visible_line(each)}" for place, each in enumerate(consent.args, 1)]
    if consent.cwd:
        lines.append(f"{_tr('In the folder')}: {visible_line(consent.cwd)}")
    lines += [f"{_tr('Variable')}: {visible_line(each)}" for each in consent.env]
    if consent.url:
        lines.append(f"{_tr('Address')}: {visible_line(consent.url)}")
    lines += [f"{_tr('Header')}: {visible_line(each)}" for each in consent.headers]
    return lines


def risk_words(risk: str) -> str:
    match risk:
        case "shell":
            return _tr("It is a shell, which can run anything.")
        case "administrator":
            return _tr("It asks for an administrator's rights.")
        case "deletes":
            return _tr("It names a command that deletes.")
        case "unpinned":
            return _tr("It fetches a package in whatever version is the newest when it starts.")
        case "whole_home":
            return _tr("It is given your whole home folder, or the whole disk.")
        case "unencrypted":
            return _tr("The connection is not encrypted: others on the way can read and change it.")
        case "loads_code":
            return _tr("A variable makes programs load code from elsewhere.")
        case _:
            return risk


def _tr(text: str) -> str:
    return QCoreApplication.translate("ServerConsent", text)
