"""McpServer: one configured server over its whole life: consent, start, tools, restarts, end."""

from __future__ import annotations

import asyncio
import importlib
import logging
import re
import time
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sam_py.settings.model import McpConsent, McpServerSettings
from sam_py.tools.base import Running, ToolError, ToolOutput
from sam_py.tools.mcp import content
from sam_py.tools.mcp.consent import CannotRunError, changes, what_would_run
from sam_py.tools.mcp.log import ServerLog
from sam_py.tools.mcp.names import one_line, tool_name
from sam_py.tools.mcp.offer import Completed, McpError, Offer, OfferedTool, PromptMessage, ReadContent, ServerStatus
from sam_py.tools.mcp.review import tool_changes
from sam_py.tools.mcp.secrets import FindSecret, filled_in
from sam_py.tools.mcp.tool import McpTool, gone
from sam_py.tools.registry import ToolRegistry

if TYPE_CHECKING:  # loading the SDK costs most of a second: only who starts a server pays
    from mcp.client.client import Client

    from sam_py.tools.mcp.link import Launch, Link

log = logging.getLogger(__name__)
T = TypeVar("T")

RESTART_DELAYS_S = (1.0, 4.0, 15.0)
"""Waits before the restarts in a row; after the last of them the person is asked to look."""
COMPLETE_S = 5.0
"""A proposal that comes later helps nobody who types."""
STABLE_S = 60.0
"""A server that ran so long begins to count anew."""


@dataclass(frozen=True)
class Doors:
    """What servers need of the program, shared by all of them."""

    registry: ToolRegistry
    put_attachment: content.PutAttachment
    find_secret: FindSecret
    log_folder: Path | None = None
    restart_delays_s: tuple[float, ...] = RESTART_DELAYS_S
    monotonic: Callable[[], float] = field(default=time.monotonic)


class McpServer:
    """One task lives as long as this does and does everything that changes it; `want`, `restart`, `aclose` wake it.

    Invariants: it starts only what was agreed to, as it was resolved when that was checked; its tools are in
    the registry while it is ready or is started again after it was, and never otherwise; and of them only those
    that the person accepted as they are.
    """

    def __init__(self, settings: McpServerSettings, doors: Doors, on_change: Callable[[], None]) -> None:
        self._wanted = settings
        self._doors = doors
        self._on_change = on_change
        self._closing = False
        self._kicked = asyncio.Event()
        self._link: Link | None = None
        self._consent = McpConsent()
        self._tools: dict[str, McpTool] = {}
        self._offered: Offer | None = None
        self.status = ServerStatus(settings.id, settings.label)
        self._task = asyncio.create_task(self._live(), name=f"mcp server {settings.id}")

    @property
    def settings(self) -> McpServerSettings:
        return self._wanted

    def want(self, settings: McpServerSettings) -> None:
        """From now on be this."""
        before, self._wanted = self._wanted, settings
        if settings.model_copy(update={"agreed_tools": before.agreed_tools}) != before:
            self.restart()
        elif settings != before and self._offered is not None and self.status.state == "ready":
            self._take(self._offered)

    def restart(self) -> None:
        """End what runs, and begin anew without counting earlier failures."""
        self._withdraw()
        self._kicked.set()
        if self._link is not None:
            self._link.close()

    async def aclose(self, within_s: float) -> None:
        """End it; after `within_s` by force."""
        self._closing = True
        self.restart()
        _done, late = await asyncio.wait({self._task}, timeout=within_s)
        if late:
            log.warning("the server %s did not end in %.0f s and is cut off", self._wanted.label, within_s)
            self._task.cancel()  # leaving its connection kills the process group, without waiting
            await asyncio.wait({self._task}, timeout=1.0)

    # Asked by others

    async def call_tool(self, tool: McpTool, arguments: dict[str, Any], running: Running) -> ToolOutput:
        """Raises `ToolError`. Without a deadline of its own: the runner keeps the tool's."""
        if self._tools.get(tool.offered.name) is not tool:
            raise gone(tool)

        async def report(progress: float, total: float | None, message: str | None) -> None:
            running.report(_progress_text(progress, total, message))

        result = await self._ask(
            lambda client: client.call_tool(tool.offered.name, arguments, progress_callback=report), within_s=None
        )
        return await content.tool_output(result, self._doors.put_attachment)

    async def read_resource(self, uri: str) -> ToolOutput:
        result = await self._ask(lambda client: client.read_resource(uri), within_s=self._wanted.call_s)
        return await content.resource_output(result.contents, self._doors.put_attachment)

    async def read(self, uri: str) -> tuple[ReadContent, ...]:
        result = await self._ask(lambda client: client.read_resource(uri), within_s=self._wanted.call_s)
        return content.read_contents(result.contents, uri)

    async def complete(self, kind: Completed, of: str, argument: str, value: str, given: dict[str, str]) -> list[str]:
        if not self.status.offer.completes:
            return []
        links: Any = importlib.import_module("sam_py.tools.mcp.link")  # it runs, so it is imported already
        return await self._ask(links.completion_of(kind, of, argument, value, given), within_s=COMPLETE_S)

    async def get_prompt(self, name: str, arguments: dict[str, str]) -> tuple[PromptMessage, ...]:
        result = await self._ask(lambda client: client.get_prompt(name, arguments), within_s=self._wanted.call_s)
        return content.prompt_messages(result.messages)

    async def _ask(self, question: Callable[[Client], Coroutine[Any, Any, T]], *, within_s: float | None) -> T:
        if self._link is None:
            raise ToolError(f"{self._wanted.label} does not run at the moment. {self.status.reason}".strip())
        return await self._link.ask(question, within_s=within_s)

    # The one task

    async def _live(self) -> None:
        failures = 0
        while not self._closing:
            self._kicked.clear()
            settings = self._wanted
            if not self._may_start(settings):
                failures = 0
                await self._kicked.wait()
                continue
            self._tell(state="starting", attempt=failures + 1, retry_s=0.0)
            began = self._doors.monotonic()
            trouble = await self._serve(settings)
            if self._kicked.is_set() or trouble is None:
                failures = 0
                continue
            log.warning("%s (%s)", trouble, trouble.detail)
            if self._doors.monotonic() - began > STABLE_S:
                failures = 0
            delays = self._doors.restart_delays_s
            if not trouble.again or failures >= len(delays):
                self._withdraw()
                self._tell(state="failed", reason=str(trouble), attempt=0, wants_edit=trouble.edit)
                failures = 0
                await self._kicked.wait()
                continue
            self._tell(state="starting", reason=str(trouble), attempt=failures + 2, retry_s=delays[failures])
            failures += 1
            try:
                await asyncio.wait_for(self._kicked.wait(), delays[failures - 1])
            except TimeoutError:
                continue
            failures = 0
        self._withdraw()
        self._tell(state="stopped", attempt=0, reason="", offer=Offer())

    def _may_start(self, settings: McpServerSettings) -> bool:
        base = ServerStatus(
            settings.id, settings.label, tool_names=self.status.tool_names, log=self._earlier_log(settings)
        )
        try:
            would_run = what_would_run(settings)
        except CannotRunError as error:
            self.status = base
            state = "failed" if settings.enabled else "stopped"
            self._tell(state=state, reason=str(error), wants_edit=settings.enabled)
            return False
        self.status = replace(base, would_run=would_run)
        if not settings.enabled:
            self._tell(state="stopped")
            return False
        if settings.agreed != would_run:
            self._tell(state="needs_consent", changes=changes(settings.agreed, would_run))
            return False
        if self._consent != would_run:
            self._withdraw()
            self._consent = would_run
        return True

    async def _serve(self, settings: McpServerSettings) -> McpError | None:
        """Run it until it is woken (None) or ends in trouble."""
        server_log: ServerLog | None = None
        try:
            env, secrets = await filled_in(settings.env, self._doors.find_secret, settings)
            headers, more = await filled_in(settings.headers, self._doors.find_secret, settings)
            # Off the loop's thread: it takes most of a second the first time.
            links: Any = await asyncio.to_thread(importlib.import_module, "sam_py.tools.mcp.link")
            if self._kicked.is_set():
                return None
            server_log = ServerLog(self._log_path(settings), (*secrets, *more))
            self.status = replace(self.status, log=str(server_log.path or ""))
            launch: Launch = links.Launch(
                settings.label, self._consent, env, headers, settings.start_s, settings.call_s
            )
            self._link = links.Link(launch, server_log, self._take)
            await self._link.run()
        except McpError as trouble:
            return trouble
        except Exception as error:  # a bug in here, or in the SDK, must not end the other servers
            log.exception("the server %s failed", settings.label)
            return McpError(f"{settings.label} failed ({type(error).__name__}).", again=True, detail=repr(error))
        finally:
            self._link = None
            if server_log is not None:
                server_log.close()
        return None

    def _earlier_log(self, settings: McpServerSettings) -> str:
        path = self._log_path(settings)
        return str(path) if path is not None and path.exists() else ""

    def _log_path(self, settings: McpServerSettings) -> Path | None:
        folder = self._doors.log_folder
        if folder is None or settings.url:
            return None
        return folder / f"mcp-{re.sub(r'[^A-Za-z0-9_-]+', '_', settings.id)[:80]}.log"

    # Its tools

    def _take(self, offer: Offer) -> None:
        """Put what changed into the registry; what stayed as it was keeps its object, and its grants."""
        if self._kicked.is_set():
            return
        self._offered = offer
        unseen = tool_changes(self._wanted.agreed_tools, offer.tools)
        held = {change.name for change in unseen}
        wanted = {offered.name: offered for offered in offer.tools if offered.name not in held}
        kept = {name: tool for name, tool in self._tools.items() if wanted.get(name) == tool.offered}
        self._doors.registry.remove([tool for name, tool in self._tools.items() if name not in kept])
        tools, left_out = dict(kept), list(offer.left_out)
        for name, offered in wanted.items():
            if name in kept:
                continue
            tool = self._made(offered)
            if tool is None:
                left_out.append(f"{one_line(name, 80)}: another tool has its name.")
            else:
                tools[name] = tool
        self._tools = tools
        names = tuple(sorted(tool.name for tool in tools.values()))
        offer = replace(offer, left_out=tuple(left_out))
        self._tell(state="ready", reason="", attempt=0, retry_s=0.0, offer=offer, tool_names=names, tool_changes=unseen)

    def _made(self, offered: OfferedTool) -> McpTool | None:
        settings = self._wanted
        for apart in (False, True):
            name = tool_name(settings.id, offered.name, apart=apart)
            label = one_line(settings.label, 60) or settings.id
            tool = McpTool(self, name, offered, server=label, consent=self._consent, call_s=settings.call_s)
            if self._doors.registry.add(tool):
                return tool
        return None

    def _withdraw(self) -> None:
        tools, self._tools = self._tools, {}
        self._offered = None
        self._doors.registry.remove(list(tools.values()))
        self.status = replace(self.status, tool_names=(), tool_changes=(), offer=Offer(), retry_s=0.0)

    def _tell(self, **changed: Any) -> None:
        self.status = replace(self.status, **changed)
        self._on_change()


def _progress_text(done: float, total: float | None, message: str | None) -> str:
    """What a card shows of a progress notification.

    >>> _progress_text(1, 4, "reading"), _progress_text(3, None, None)
    ('25 % · reading', '3')
    """
    amount = f"{min(100.0, max(0.0, 100 * done / total)):.0f} %" if total and total > 0 else f"{done:g}"
    return one_line(f"{amount} · {message}" if message else amount, 200)


def offers(servers: Iterable[McpServer]) -> tuple[tuple[str, Offer], ...]:
    """The ids and offers of those that are ready."""
    return tuple((server.settings.id, server.status.offer) for server in servers if server.status.state == "ready")
