"""What the tests of MCP servers share: settings that a person agreed to, the doors, and waiting for a status."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import psutil

from sam_py.settings.model import McpServerSettings, McpToolConsent, Settings
from sam_py.tools.base import Running, Tool, ToolOutput
from sam_py.tools.mcp.consent import what_would_run
from sam_py.tools.mcp.offer import ServerStatus
from sam_py.tools.mcp.review import after_accepting
from sam_py.tools.mcp.server import Doors
from sam_py.tools.mcp.servers import McpServers
from sam_py.tools.registry import ToolRegistry

T = TypeVar("T")
FAKE = Path(__file__).with_name("mcp_server.py")
OURS = f"of-{os.getpid()}"
"""An argument that tells our servers from those of another test run."""
PATIENCE_S = 30.0
SETTLED = ("ready", "failed", "needs_consent", "stopped")


def agreed(settings: McpServerSettings) -> McpServerSettings:
    """As after the person has agreed to what it is now."""
    return settings.model_copy(update={"agreed": what_would_run(settings), "enabled": True})


def fake(server_id: str = "fake", *how: str, **more: Any) -> McpServerSettings:
    """The server in ``mcp_server.py``, behaving as `how` says."""
    given = {"label": server_id.capitalize(), "command": sys.executable, "args": (str(FAKE), OURS, *how), **more}
    return agreed(McpServerSettings(id=server_id, **given))


class Host:
    """The manager with a registry and stores in memory."""

    def __init__(self, folder: Path | None = None, *, restart_delays_s: tuple[float, ...] = ()) -> None:
        self.registry = ToolRegistry()
        self.kept: dict[str, bytes] = {}
        self.secrets: dict[str, str] = {}
        self.seen: list[ServerStatus] = []
        self._configured: tuple[McpServerSettings, ...] = ()
        self._accepted: dict[str, tuple[McpToolConsent, ...]] = {}
        doors = Doors(self.registry, self._put, self._find, folder, restart_delays_s)
        self.servers = McpServers(doors)
        self.servers.subscribe(self.seen.append)

    def configure(self, *servers: McpServerSettings) -> None:
        self._configured = servers
        with_tools = [each.model_copy(update={"agreed_tools": self._accepted.get(each.id, ())}) for each in servers]
        self.servers.configure(Settings(mcp_servers=tuple(with_tools)))

    async def begin(self, *servers: McpServerSettings, accept: bool = True) -> None:
        """Configure, wait until each of them has settled, and `accept` the tools of those that are ready."""
        seen, before = len(self.seen), self._configured
        self.configure(*servers)
        for each in servers:
            if each not in before:
                await self.until_true(lambda each=each: self._settled(each.id, seen))  # type: ignore[misc]
        for each in servers if accept else ():
            self.accept(each.id)

    def accept(self, server_id: str = "fake") -> None:
        """As the person does who has seen what the server offers now."""
        changed = self.status(server_id).tool_changes
        self._accepted[server_id] = after_accepting(self._accepted.get(server_id, ()), changed)
        self.configure(*self._configured)

    def _settled(self, server_id: str, since: int) -> bool:
        return any(status.id == server_id and status.state in SETTLED for status in self.seen[since:])

    async def until(self, server_id: str, *states: str) -> ServerStatus:
        """Its status as soon as it is one of `states`."""
        await self.until_true(lambda: self.status(server_id).state in states)
        return self.status(server_id)

    async def until_true(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not condition():
                await asyncio.sleep(0.005)

    def status(self, server_id: str = "fake") -> ServerStatus:
        status = self.servers.status(server_id)
        assert status is not None
        return status

    def tool(self, name: str, server_id: str = "fake") -> Tool:
        tool = self.registry.get(f"{server_id}__{name}")
        assert tool is not None, [each.name for each in self.registry]
        return tool

    async def call(self, name: str, server_id: str = "fake", **arguments: Any) -> ToolOutput:
        async with asyncio.timeout(PATIENCE_S):
            return await self.tool(name, server_id).run(arguments, Running("call", "conversation"))

    async def _put(self, content: bytes, mime_type: str) -> str:
        name = f"{len(self.kept)}:{mime_type}"
        self.kept[name] = content
        return name

    async def _find(self, name: str) -> str | None:
        return self.secrets.get(name)


Runs = Callable[[Coroutine[Any, Any, T]], T]


def run_on_asyncio(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(_and_nothing_is_left(work))


def run_on_qt(app: Any, work: Coroutine[Any, Any, T]) -> T:
    from sam_py.ui.loop import Loop

    loop = Loop(app)
    asyncio.set_event_loop(loop)
    try:
        with loop:
            return loop.run_until_complete(_and_nothing_is_left(work))
    finally:
        asyncio.set_event_loop(None)


async def _and_nothing_is_left(work: Coroutine[Any, Any, T]) -> T:
    """No task outlives the work, and no process: not even one that a server left behind."""
    with no_process_left():
        result = await work
        left = [task.get_name() for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        assert left == []
    return result


@contextmanager
def no_process_left() -> Iterator[None]:
    yield
    left = [process for process in psutil.process_iter(["cmdline", "status"]) if _is_fake(process)]
    _gone, left = psutil.wait_procs(left, timeout=2)  # killed, but the system has not yet come to it
    assert left == []


def _is_fake(process: psutil.Process) -> bool:
    line = process.info["cmdline"] or []
    return OURS in line and process.info["status"] != psutil.STATUS_ZOMBIE
