"""ServerSources: the composer's attach menu lists what servers have to offer, for as long as they run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from sam_py.ui.services import Services
from sam_py.ui.widgets.plain import one_line

if TYPE_CHECKING:
    from sam_py.tools.mcp.offer import ServerStatus
    from sam_py.ui.chat.attachments_intake import Source
    from sam_py.ui.chat.composer import Composer
    from sam_py.ui.chat.server_offers import Kind


class ServerSources(QObject):
    """Two entries a server at most: its resources and its prompts. `close` before the composer goes."""

    def __init__(self, services: Services, composer: Composer) -> None:
        super().__init__(composer)
        self._services = services
        self._composer = composer
        self._listed: tuple[tuple[str, str, Kind], ...] = ()
        self._removers: list[Callable[[], None]] = []
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._list)
        servers = services.tools.servers
        self._off = servers.subscribe(self._soon.start) if servers is not None else lambda: None

    def close(self) -> None:
        """Hear no more of servers."""
        self._off()

    # Inside

    def _list(self) -> None:
        servers = self._services.tools.servers
        wanted = tuple(entry for status in (servers.statuses if servers else ()) for entry in _entries(status))
        if wanted == self._listed:
            return
        self._listed = wanted
        while self._removers:
            self._removers.pop()()
        for server_id, label, kind in wanted:
            name = self.tr("Prompt from %1…") if kind == "prompts" else self.tr("Resource from %1…")
            icon = "prompts" if kind == "prompts" else "server"
            name = name.replace("%1", label)
            self._removers.append(self._composer.attach_button.add_source(name, icon, self._opener(server_id, kind)))

    def _opener(self, server_id: str, kind: Kind) -> Callable[[], None]:
        def open_offers() -> None:
            from sam_py.ui.chat.server_offers import ServerOffers

            ServerOffers(self._services, server_id, kind, self._take, self._composer.window()).open()

        return open_offers

    def _take(self, text: str, sources: Sequence[Source]) -> None:
        """Words at the cursor, attachments as chips: the person sees all of it before they send."""
        if text:
            self._composer.take_text(text)
        self._composer.attach(sources)
        self._composer.focus_text()


def _entries(status: ServerStatus) -> list[tuple[str, str, Kind]]:
    if status.state != "ready":
        return []
    label = one_line(status.label)
    found: list[tuple[str, str, Kind]] = []
    if status.offer.resources:
        found.append((status.id, label, "resources"))
    if status.offer.prompts:
        found.append((status.id, label, "prompts"))
    return found
