"""ToolServers: the MCP servers of the tools page: added from their usual JSON, agreed to, watched, edited, removed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from sam_py.errors import SamError
from sam_py.settings.model import McpConsent, McpServerSettings, Settings
from sam_py.ui.chat.tool_words import made_visible
from sam_py.ui.services import Services
from sam_py.ui.settings.fields import Switch, Words
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.confirm import Confirm
from sam_py.ui.widgets.plain import one_line

if TYPE_CHECKING:
    from sam_py.tools.mcp.offer import ServerStatus
    from sam_py.ui.settings.server_row import ServerRow

Servers = tuple[McpServerSettings, ...]


class ToolServers(QWidget):
    """One row a server. Switching one on shows what would run and asks; then its tools are shown and asked about."""

    def __init__(self, services: Services) -> None:
        super().__init__()
        self._services = services
        self._icons = services.icons
        self.rows: dict[str, ServerRow] = {}
        self._to_look_at: set[str] = set()
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
        self.problem = Words(self._icons, small=True)
        self.problem.hide()
        column.addWidget(self.problem)
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

    @property
    def switches(self) -> dict[str, Switch]:
        return {server_id: row.switch for server_id, row in self.rows.items()}

    def show_settings(self, settings: Settings) -> None:
        if [(each.id, each.label) for each in settings.mcp_servers] != self._listed():
            self._list(settings.mcp_servers)
        self._show_statuses()

    def leave(self) -> None:
        self._off()

    def open_import(self) -> None:
        from sam_py.ui.settings.server_import import ServerImport

        ServerImport(self._services, self).open()

    # Inside

    def _listed(self) -> list[tuple[str, str]]:
        return [(server_id, row.server_label) for server_id, row in self.rows.items()]

    def _list(self, servers: Servers) -> None:
        from sam_py.ui.settings.server_row import ServerRow

        while (item := self._rows.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self.rows.clear()
        for server in servers:
            row = self.rows[server.id] = ServerRow(self._icons, server)
            row.wanted.connect(lambda deed, id=server.id: self._do(id, deed))
            self._rows.addWidget(row)

    def _show_statuses(self) -> None:
        for server in self._services.settings.current.mcp_servers:
            status = self._status(server.id)
            if server.id in self.rows:
                self.rows[server.id].show_state(server, status)
            if server.id in self._to_look_at and status is not None and status.state in ("ready", "failed"):
                self._to_look_at.discard(server.id)
                if status.tool_changes:
                    self._open_tools(server)

    def _status(self, server_id: str) -> ServerStatus | None:
        servers = self._services.tools.servers
        statuses = servers.statuses if servers is not None else ()
        return next((status for status in statuses if status.id == server_id), None)

    def _do(self, server_id: str, deed: str) -> None:
        server = next((each for each in self._services.settings.current.mcp_servers if each.id == server_id), None)
        if server is None:
            return
        self.problem.say("")
        match deed:
            case "tools":
                self._open_tools(server)
            case "edit":
                self._open_editor(server)
            case "log":
                self._open_log(server)
            case "restart" if self._services.tools.servers is not None:
                self._services.tools.servers.restart(server_id)
            case "remove":
                self._ask_removal(server)
            case "on":
                self._switch_on(server)
            case "off":
                self._put(server.model_copy(update={"enabled": False}))

    # Consent

    def _switch_on(self, server: McpServerSettings) -> None:
        from sam_py.tools.mcp.consent import what_would_run
        from sam_py.ui.settings.server_consent import ServerConsent

        self.rows[server.id].switch.setChecked(server.enabled)  # until the person has agreed
        try:
            now = what_would_run(server)
        except SamError as error:
            self.rows[server.id].words.say(made_visible(str(error)), "error")
            return
        if server.agreed == now:
            self._agree(server, now)
            return
        dialog = ServerConsent(self._icons, server, now, self)
        dialog.accepted.connect(lambda: self._agree(server, now))
        dialog.open()

    def _agree(self, server: McpServerSettings, consent: McpConsent) -> None:
        self._to_look_at.add(server.id)
        self._put(server.model_copy(update={"enabled": True, "agreed": consent}))

    def _open_tools(self, server: McpServerSettings) -> None:
        from sam_py.ui.settings.server_review import review_server

        status = self._status(server.id)
        if status is None or status.state != "ready":
            self.rows[server.id].words.say(self.tr("It has to run before it can say what it offers."), "warning")
            return
        review_server(self._services, status, self)

    # Changes

    def _open_editor(self, server: McpServerSettings) -> None:
        from sam_py.ui.settings.server_editor import ServerEditor

        dialog = ServerEditor(self._icons, server, self)
        dialog.accepted.connect(lambda: self._services.tasks.spawn(self._edited(dialog.server), "edit a server"))
        dialog.open()

    async def _edited(self, server: McpServerSettings) -> None:
        from sam_py.ui.settings.server_secrets import without_secrets

        problems: list[str] = []
        server = await without_secrets(server, self._services.secrets, problems)
        await self._keep_and_forget(lambda servers: _replaced(servers, server), problems)
        if shiboken6.isValid(self) and server.enabled and _runs_something_else(server):
            self._switch_on(server)

    def _ask_removal(self, server: McpServerSettings) -> None:
        from sam_py.tools.mcp.secrets import secrets_of

        text = self.tr("Its settings are deleted. Tools that it brought are no longer there.")
        if secrets_of(server):
            text = self.tr("Its settings are deleted, and its secrets in the keyring with them.")
        Confirm.ask(
            self,
            self._icons,
            self.tr("Remove “%1”?").replace("%1", one_line(server.label)),
            text,
            self.tr("Remove"),
            lambda: self._services.tasks.spawn(self._remove(server), "remove a server"),
        )

    async def _remove(self, server: McpServerSettings) -> None:
        """What was allowed to its tools ends with it: one that is added again begins anew."""
        from sam_py.tools.mcp.names import prefix_of

        approvals = self._services.tools.approvals
        for grant in approvals.grants:
            if grant.tool_name.startswith(prefix_of(server.id)):
                approvals.revoke(grant)
        await self._keep_and_forget(lambda servers: tuple(each for each in servers if each.id != server.id), [])

    async def _keep_and_forget(self, change: Callable[[Servers], Servers], problems: list[str]) -> None:
        """Keep the servers as `change` makes them, and no secret that none of them names any more."""
        from sam_py.ui.settings.server_secrets import forget_secrets, no_longer_named

        before = self._services.settings.current.mcp_servers
        self._keep(change)
        unnamed = no_longer_named(before, self._services.settings.current.mcp_servers)
        problems += await forget_secrets(unnamed, self._services.secrets)
        if shiboken6.isValid(self):
            self.problem.say(made_visible("\n".join(problems)), "error")

    def _open_log(self, server: McpServerSettings) -> None:
        from sam_py.ui.settings.server_log import ServerLogView

        status = self._status(server.id)
        path = Path(status.log) if status is not None and status.log else None
        ServerLogView(self._icons, server.label, path, self, local=not server.url).open()

    def _put(self, server: McpServerSettings) -> None:
        self._keep(lambda servers: _replaced(servers, server))

    def _keep(self, change: Callable[[Servers], Servers]) -> None:
        self._services.settings.change(
            lambda settings: settings.model_copy(update={"mcp_servers": change(settings.mcp_servers)})
        )


def _runs_something_else(server: McpServerSettings) -> bool:
    """Whether it is not what was agreed to any more; what cannot be run at all is said in its line."""
    from sam_py.tools.mcp.consent import what_would_run

    try:
        return what_would_run(server) != server.agreed
    except SamError:
        return False


def _replaced(servers: Servers, server: McpServerSettings) -> Servers:
    return tuple(server if each.id == server.id else each for each in servers)
