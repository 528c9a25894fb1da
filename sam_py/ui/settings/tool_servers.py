"""ToolServers: the MCP servers of the tools page: added from their usual JSON, agreed to, watched and removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from sam_py.errors import SamError
from sam_py.settings.model import McpConsent, McpServerSettings, Settings
from sam_py.ui.chat.tool_words import made_visible
from sam_py.ui.services import Services
from sam_py.ui.settings.fields import Switch, Words
from sam_py.ui.widgets.buttons import IconButton, PillButton
from sam_py.ui.widgets.plain import one_line

if TYPE_CHECKING:
    from sam_py.tools.mcp.offer import ServerStatus


class ToolServers(QWidget):
    """One line a server: name, how it is, a switch. Switching one on shows what would run and asks first."""

    def __init__(self, services: Services) -> None:
        super().__init__()
        self._services = services
        self._icons = services.icons
        self.switches: dict[str, Switch] = {}
        self._words: dict[str, Words] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addWidget(Words(self._icons, self.tr("Servers with tools (MCP)"), heavy=True))
        intro = self.tr(
            "Programs and services of others that offer tools. They run with your rights: add only what you trust."
        )
        column.addWidget(Words(self._icons, intro, role="muted", small=True))
        self._rows = QVBoxLayout()
        self._rows.setSpacing(12)
        column.addLayout(self._rows)
        self.add = PillButton(self._icons, self.tr("Add servers…"), kind="outline", icon="plus")
        self.add.clicked.connect(self.open_import)
        row = QHBoxLayout()
        row.addWidget(self.add)
        row.addStretch(1)
        column.addLayout(row)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._show_statuses)
        servers = services.tools.servers
        self._off = servers.subscribe(self._soon.start) if servers is not None else lambda: None

    def show_settings(self, settings: Settings) -> None:
        if [each.id for each in settings.mcp_servers] != list(self.switches):
            self._list(settings.mcp_servers)
        for each in settings.mcp_servers:
            self.switches[each.id].setChecked(each.enabled)
        self._show_statuses()

    def leave(self) -> None:
        self._off()

    def open_import(self) -> None:
        from sam_py.ui.settings.server_import import ServerImport

        ServerImport(self._services, self).open()

    # Inside

    def _list(self, servers: tuple[McpServerSettings, ...]) -> None:
        while (item := self._rows.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self.switches.clear()
        self._words.clear()
        for server in servers:
            self._rows.addWidget(self._row(server))

    def _row(self, server: McpServerSettings) -> QWidget:
        label = one_line(server.label)
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(Words(self._icons, label))
        status = self._words[server.id] = Words(self._icons, role="muted", small=True)
        status.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        words.addWidget(status)
        switch = self.switches[server.id] = Switch(self._icons, label)
        switch.switched.connect(lambda on, id=server.id: self._switch(id, on))
        again = IconButton(self._icons, "regenerate", self.tr("Start again: %1").replace("%1", label))
        again.clicked.connect(lambda: self._restart(server.id))
        remove = IconButton(self._icons, "trash", self.tr("Remove: %1").replace("%1", label))
        remove.clicked.connect(lambda: self._remove(server.id))
        row.addLayout(words, 1)
        for button in (again, remove, switch):
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        return holder

    def _show_statuses(self) -> None:
        servers = self._services.tools.servers
        known = {status.id: status for status in servers.statuses} if servers is not None else {}
        for server in self._services.settings.current.mcp_servers:
            words = self._words.get(server.id)
            if words is not None:
                failed = server.id in known and known[server.id].state in ("failed", "needs_consent") and server.enabled
                words.say(self._state_words(server, known.get(server.id)), "error" if failed else "muted")

    def _state_words(self, server: McpServerSettings, status: ServerStatus | None) -> str:
        what = server.url or " ".join((server.command, *server.args))
        if status is None or not server.enabled:
            return self.tr("Off: %1").replace("%1", made_visible(what))
        match status.state:
            case "ready":
                count = self.tr("Ready, %1 tools").replace("%1", str(len(status.tool_names)))
                return "\n".join((count, *map(made_visible, status.offer.left_out)))
            case "starting":
                return self.tr("Starting…")
            case "needs_consent":
                return self.tr("What it would run has changed. Switch it off and on to look at it.")
            case "failed":
                return made_visible(status.reason) or self.tr("It could not be started.")
            case "stopped":
                return self.tr("Stopped")

    def _restart(self, server_id: str) -> None:
        if self._services.tools.servers is not None:
            self._services.tools.servers.restart(server_id)

    def _remove(self, server_id: str) -> None:
        self._keep(lambda servers: tuple(each for each in servers if each.id != server_id))

    def _switch(self, server_id: str, on: bool) -> None:
        server = next((each for each in self._services.settings.current.mcp_servers if each.id == server_id), None)
        if server is None:
            return
        if not on:
            self._put(server.model_copy(update={"enabled": False}))
            return
        from sam_py.tools.mcp.consent import what_would_run
        from sam_py.ui.settings.server_consent import ServerConsent

        self.switches[server_id].setChecked(False)  # until the person has agreed
        try:
            now = what_would_run(server)
        except SamError as error:
            self._words[server_id].say(made_visible(str(error)), "error")
            return
        if server.agreed == now:
            self._agree(server, now)
            return
        dialog = ServerConsent(self._icons, server, now, self)
        dialog.accepted.connect(lambda: self._agree(server, now))
        dialog.open()

    def _agree(self, server: McpServerSettings, consent: McpConsent) -> None:
        self._put(server.model_copy(update={"enabled": True, "agreed": consent}))

    def _put(self, server: McpServerSettings) -> None:
        self._keep(lambda servers: tuple(server if each.id == server.id else each for each in servers))

    def _keep(self, change: object) -> None:
        assert callable(change)
        self._services.settings.change(
            lambda settings: settings.model_copy(update={"mcp_servers": change(settings.mcp_servers)})
        )
