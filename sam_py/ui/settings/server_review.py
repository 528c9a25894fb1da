"""ServerReview: a server's tools in their own words; new and changed ones wait until the person accepts them here."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from sam_py.settings.model import McpServerSettings, Settings
from sam_py.tools.mcp.offer import ServerStatus, ToolChange
from sam_py.ui.services import Services
from sam_py.ui.settings.fields import Words
from sam_py.ui.settings.server_changes import change_lines, other_lines, summary_words, tool_lines
from sam_py.ui.settings.server_text import Line, TextPane
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.icons import Icons
from sam_py.ui.widgets.plain import one_line

MOST_CHARACTERS = 200_000
"""Of one look: what does not fit comes in the next one, and stays held back until then."""


def review_server(services: Services, status: ServerStatus, parent: QWidget) -> None:
    """Show what a server offers; what the person accepts of it is in the settings from then on."""
    dialog = ServerReview(services.icons, status, parent)

    def accept() -> None:
        from sam_py.tools.mcp.review import after_accepting

        def accepted(server: McpServerSettings) -> McpServerSettings:
            return server.model_copy(update={"agreed_tools": after_accepting(server.agreed_tools, dialog.seen)})

        def change(settings: Settings) -> Settings:
            servers = tuple(accepted(each) if each.id == status.id else each for each in settings.mcp_servers)
            return settings.model_copy(update={"mcp_servers": servers})

        services.settings.change(change)

    dialog.accepted.connect(accept)
    dialog.open()


class ServerReview(QDialog):
    """`accepted` means `seen`: exactly what is on this page, whatever the server says by then."""

    def __init__(self, icons: Icons, status: ServerStatus, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("What a server offers"))
        self.seen: tuple[ToolChange, ...] = ()
        lines = self._lines(status)
        scale = icons.themes.current.scale
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(10)
        column.addWidget(Words(icons, one_line(status.label), heavy=True))
        column.addWidget(Words(icons, self._said(status)))
        warning = self.tr(
            "Models read these words. If one of them tells a model to do what you would not expect, remove the server."
        )
        column.addWidget(Words(icons, warning, role="muted", small=True))
        self.text = TextPane(icons, self.tr("What the tools say of themselves"), self)
        self.text.show_lines(lines)
        column.addWidget(self.text, 1)
        row = QHBoxLayout()
        row.addStretch(1)
        self.cancel = PillButton(icons, self.tr("Not now") if self.seen else self.tr("Close"), kind="outline")
        self.cancel.clicked.connect(self.reject)
        row.addWidget(self.cancel)
        self.agree = PillButton(icons, self.tr("Accept"), kind="outline")
        self.agree.setVisible(bool(self.seen))
        self.agree.clicked.connect(self.accept)
        row.addWidget(self.agree)
        column.addLayout(row)
        self.resize(round(640 * scale), round(560 * scale))
        self.cancel.setFocus(Qt.FocusReason.TabFocusReason)

    def _said(self, status: ServerStatus) -> str:
        if not self.seen:
            return self.tr("Its tools are offered to models as they stand here.")
        said = self.tr("What this server offers is not what you accepted (%1). Until you accept it, it is held back.")
        if not any(change.before for change in self.seen):
            said = self.tr("This server offers these tools (%1). Until you accept them, models are told of none.")
        said = said.replace("%1", summary_words(self.seen))
        left = len(status.tool_changes) - len(self.seen)
        return f"{said} {self.tr('%1 more come after these.').replace('%1', str(left))}" if left else said

    def _lines(self, status: ServerStatus) -> list[Line]:
        lines: list[Line] = []
        room = MOST_CHARACTERS
        seen: list[ToolChange] = []
        for change in status.tool_changes:
            more = change_lines(change)
            room -= sum(len(line.text) for line in more)
            if room < 0 and seen:
                break
            seen.append(change)
            lines += more
        self.seen = tuple(seen)
        unseen = {change.name for change in status.tool_changes}
        for tool in status.offer.tools:
            if tool.name in unseen or room < 0:
                continue
            more = [Line("heading", self.tr("Accepted: %1").replace("%1", one_line(tool.name))), *tool_lines(tool)]
            room -= sum(len(line.text) for line in more)
            lines += more
        if room > 0:
            lines += other_lines(status.offer)
        return lines or [Line("muted", self.tr("It offers nothing."))]
