"""ProgramServers: the program's MCP servers. Nothing of MCP is imported until the person has added one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sam_py.settings.file import SettingsFile
from sam_py.settings.model import Settings
from sam_py.tools.registry import ToolRegistry

if TYPE_CHECKING:
    from sam_py.tools.mcp.offer import ServerStatus
    from sam_py.tools.mcp.servers import McpServers


class ProgramServers:
    """Starts servers as the settings say, once there are any. `start` needs a running loop."""

    def __init__(
        self,
        settings: SettingsFile,
        registry: ToolRegistry,
        put_attachment: Callable[[bytes, str], Awaitable[str]],
        find_secret: Callable[[str], Awaitable[str | None]],
        log_folder: Path | None = None,
    ) -> None:
        self._settings = settings
        self._registry = registry
        self._put_attachment = put_attachment
        self._find_secret = find_secret
        self._log_folder = log_folder
        self._servers: McpServers | None = None
        self._listeners: list[Callable[[], None]] = []
        self._unsubscribe: Callable[[], None] | None = None

    @property
    def statuses(self) -> tuple[ServerStatus, ...]:
        return self._servers.statuses if self._servers is not None else ()

    @property
    def running(self) -> McpServers | None:
        """Whom to ask for resources and prompts; None until there is a server."""
        return self._servers

    def start(self) -> None:
        self._unsubscribe = self._settings.subscribe(self._configure)
        self._configure(self._settings.current)

    def restart(self, server_id: str) -> None:
        if self._servers is not None:
            self._servers.restart(server_id)

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` after each change of a server; returns the function that ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    async def aclose(self) -> None:
        if self._unsubscribe is not None:
            self._unsubscribe()
        if self._servers is not None:
            await self._servers.aclose()

    def _configure(self, settings: Settings) -> None:
        if self._servers is None:
            if not settings.mcp_servers:
                return
            from sam_py.tools.mcp.server import Doors
            from sam_py.tools.mcp.servers import McpServers

            doors = Doors(self._registry, self._put_attachment, self._find_secret, self._log_folder)
            self._servers = McpServers(doors)
            self._servers.subscribe(lambda _status: self._tell())
        self._servers.configure(settings)
        self._tell()

    def _tell(self) -> None:
        for listener in tuple(self._listeners):
            listener()
