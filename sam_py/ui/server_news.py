"""ServerNews: a notice where a server failed or changed its tools while nobody looked at the settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from sam_py.ui.services import Services
from sam_py.ui.widgets.plain import one_line

if TYPE_CHECKING:
    from sam_py.settings.model import McpServerSettings
    from sam_py.tools.mcp.offer import ServerStatus
    from sam_py.ui.main_window import MainWindow

_SHOWN_CHARACTERS = 240


class ServerNews(QObject):
    """The same is told once, until the program starts again. `close` before the window goes."""

    def __init__(self, services: Services, window: MainWindow) -> None:
        super().__init__(window)
        self._services = services
        self._window = window
        self._told: dict[str, str] = {}
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._look)
        servers = services.tools.servers
        self._off = servers.subscribe(self._soon.start) if servers is not None else lambda: None

    def close(self) -> None:
        """Hear no more of servers."""
        self._off()

    # Inside

    def _look(self) -> None:
        servers = self._services.tools.servers
        statuses = {status.id: status for status in servers.statuses} if servers is not None else {}
        for settings in self._services.settings.current.mcp_servers:
            status = statuses.get(settings.id)
            news = _news(settings, status) if status is not None else ""
            if status is None or news == self._told.get(settings.id, ""):
                continue
            if news or status.state == "ready":  # while it starts, what was told still holds
                self._told[settings.id] = news
            if news and QApplication.activeModalWidget() is None:  # who has the settings open sees it there
                self._tell(status)

    def _tell(self, status: ServerStatus) -> None:
        if status.state == "ready":
            said = self.tr("%1 offers other tools than you accepted. They are held back until you have looked.")
            self._window.notices.show_notice(
                said.replace("%1", one_line(status.label)),
                action_text=self.tr("Look at them"),
                on_action=self._reviewer(status.id),
                timeout_ms=0,
            )
            return
        said = one_line(status.reason)
        if status.state == "needs_consent":
            said = self.tr("%1 does not start: what it would run is not what you agreed to.")
            said = said.replace("%1", one_line(status.label))
        self._window.notices.show_notice(
            said if len(said) <= _SHOWN_CHARACTERS else said[: _SHOWN_CHARACTERS - 1] + "…",
            kind="error",
            action_text=self.tr("Open settings"),
            on_action=lambda: self._window.open_settings("tools"),
        )

    def _reviewer(self, server_id: str) -> Callable[[], None]:
        def review() -> None:
            from sam_py.ui.settings.server_review import review_server

            servers = self._services.tools.servers
            statuses = servers.statuses if servers is not None else ()
            status = next((each for each in statuses if each.id == server_id), None)
            if status is not None and status.state == "ready":
                review_server(self._services, status, self._window)

        return review


def _news(settings: McpServerSettings, status: ServerStatus) -> str:
    """What there is to tell, as a key; "" for nothing. A server that was never looked at is asked about in settings."""
    if not settings.enabled:
        return ""
    match status.state:
        case "failed" | "needs_consent":
            return f"{status.state} {status.reason}"
        case "ready" if settings.agreed_tools:
            from sam_py.tools.mcp.review import digest_of

            return " ".join(digest_of(change.now) for change in status.tool_changes if change.now is not None)
        case _:
            return ""
