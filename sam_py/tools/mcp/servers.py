"""McpServers: all configured servers; they come, change and go with the settings, each on its own."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping

from sam_py.settings.model import McpServerSettings, Settings
from sam_py.tools.base import ToolError, ToolOutput
from sam_py.tools.mcp.offer import Completed, OfferedPrompt, OfferedResource, PromptMessage, ReadContent, ServerStatus
from sam_py.tools.mcp.server import Doors, McpServer, offers

log = logging.getLogger(__name__)

CLOSE_S = 6.0
"""For all of them together; a stubborn one takes 3 s."""

Listener = Callable[[ServerStatus], None]


class McpServers:
    """`configure` with the settings at the start and after each change. One thread, the loop's, calls everything."""

    def __init__(self, doors: Doors) -> None:
        self._doors = doors
        self._servers: dict[str, McpServer] = {}
        self._leaving: set[asyncio.Task[None]] = set()
        self._listeners: list[Listener] = []
        self._closed = False

    @property
    def statuses(self) -> tuple[ServerStatus, ...]:
        """Of all servers, in the order of the settings."""
        return tuple(server.status for server in self._servers.values())

    def status(self, server_id: str) -> ServerStatus | None:
        server = self._servers.get(server_id)
        return server.status if server is not None else None

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` after each change of a server's status; returns the function that ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def configure(self, settings: Settings) -> None:
        """Start what is new, change what changed, end what is gone. Needs a running loop. Does not wait."""
        if self._closed:
            return
        wanted: dict[str, McpServerSettings] = {}
        for each in settings.mcp_servers:
            wanted.setdefault(each.id, each)  # an id that two have belongs to the first
        for server_id in [server_id for server_id in self._servers if server_id not in wanted]:
            leaving = asyncio.create_task(self._servers.pop(server_id).aclose(CLOSE_S), name=f"mcp end {server_id}")
            self._leaving.add(leaving)
            leaving.add_done_callback(self._leaving.discard)
        before, self._servers = self._servers, {}
        for server_id, each in wanted.items():
            server = before.get(server_id)
            if server is None:
                self._servers[server_id] = self._begun(each)
            else:
                self._servers[server_id] = server
                server.want(each)

    def restart(self, server_id: str) -> None:
        """What a person does about a server that failed, or that they want anew. An unknown id does nothing."""
        server = self._servers.get(server_id)
        if server is not None:
            server.restart()

    async def aclose(self) -> None:
        """End all of them at the same time, within `CLOSE_S` and a moment."""
        self._closed = True
        endings = [server.aclose(CLOSE_S) for server in self._servers.values()]
        await asyncio.gather(*endings, *self._leaving)

    def resources(self) -> tuple[tuple[str, OfferedResource], ...]:
        """What can be read at present, each with the id of its server."""
        return tuple((sid, each) for sid, offer in offers(self._servers.values()) for each in offer.resources)

    def prompts(self) -> tuple[tuple[str, OfferedPrompt], ...]:
        """What can be asked for at present, each with the id of its server."""
        return tuple((sid, each) for sid, offer in offers(self._servers.values()) for each in offer.prompts)

    async def read_resource(self, server_id: str, uri: str) -> ToolOutput:
        """Its text, and its pictures and files as parts. Raises `ToolError`."""
        return await self._of(server_id).read_resource(uri)

    async def read(self, server_id: str, uri: str) -> tuple[ReadContent, ...]:
        """A resource as it is, for a message of the person's own. Raises `ToolError`."""
        return await self._of(server_id).read(uri)

    async def complete(
        self, server_id: str, kind: Completed, of: str, argument: str, value: str, given: Mapping[str, str]
    ) -> list[str]:
        """What the server proposes for `argument` of the prompt or template `of`; none where it proposes nothing.

        Raises `ToolError`.
        """
        return await self._of(server_id).complete(kind, of, argument, value, dict(given))

    async def get_prompt(
        self, server_id: str, name: str, arguments: Mapping[str, str] | None = None
    ) -> tuple[PromptMessage, ...]:
        """The messages of a prompt, written by strangers. Raises `ToolError`."""
        return await self._of(server_id).get_prompt(name, dict(arguments or {}))

    def _of(self, server_id: str) -> McpServer:
        server = self._servers.get(server_id)
        if server is None:
            raise ToolError(f"There is no server “{server_id}”. Look at the list of servers in settings.")
        return server

    def _begun(self, settings: McpServerSettings) -> McpServer:
        def changed() -> None:
            # The task of a server that was just made runs later: by then it is in the list.
            self._tell(server.status)

        server = McpServer(settings, self._doors, changed)
        return server

    def _tell(self, status: ServerStatus) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(status)
            except Exception:  # a broken view must not stop the servers
                log.exception("a listener of the servers failed")
