"""Link: one connection to a server, from its start to its end, in one task; others ask through it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, TypeVar

import anyio
import httpx2
import mcp_types as types
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from sam_py.settings.model import McpConsent
from sam_py.tools.base import ToolError
from sam_py.tools.mcp.http import http_streams
from sam_py.tools.mcp.listing import read_offer
from sam_py.tools.mcp.log import ServerLog
from sam_py.tools.mcp.names import one_line
from sam_py.tools.mcp.offer import Completed, McpError, Offer
from sam_py.tools.mcp.process import Ended, stdio_streams

log = logging.getLogger(__name__)
T = TypeVar("T")

CLIENT = types.Implementation(name="sam-py", version="0.1")
_TOGETHER_S = 0.2
"""Changes of lists come in flocks: one look for all of them."""
_ABANDONED_S = 1.0
MOST_PROPOSALS = 100

for _name in ("mcp", "client", "httpx2", "httpcore2"):  # they write addresses and messages at lower levels
    logging.getLogger(_name).setLevel(logging.WARNING)


@dataclass(frozen=True, slots=True)
class Launch:
    """What to start or reach: what was agreed to, and the values behind its names."""

    label: str
    consent: McpConsent
    env: Mapping[str, str]
    headers: Mapping[str, str]
    start_s: float
    call_s: float


class Link:
    """`run` holds the connection and is called once, by the task that owns the server.

    Invariants: whoever waits for an answer hears of the end at once; after `run` no process and no task is left.
    """

    def __init__(self, launch: Launch, server_log: ServerLog, on_offer: Callable[[Offer], None]) -> None:
        self._launch = launch
        self._log = server_log
        self._on_offer = on_offer
        self._scope = anyio.CancelScope()
        self._closing = False
        self._client: Client | None = None
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._asked: set[asyncio.Task[Any]] = set()
        self._ended = Ended()
        self._stale = asyncio.Event()
        self._http_status = 0
        self._wants_sign_in = False

    def close(self) -> None:
        """End the connection; `run` returns when all of it is gone."""
        self._closing = True
        self._scope.cancel()

    async def run(self) -> None:
        """Connect, tell the offer, and hold until `close`. Raises `McpError` where it ends in any other way."""
        launch = self._launch
        scope = self._scope
        scope.deadline = anyio.current_time() + launch.start_s
        try:
            with scope:
                async with Client(
                    self._streams(), client_info=CLIENT, cache=None, message_handler=self._hear
                ) as client:
                    # The SDK would check results against the server's own schema: a pattern in it can be made to
                    # take for ever, and holds up the whole program.
                    client.session.validate_tool_result = _unchecked  # type: ignore[method-assign,assignment]
                    offer = await read_offer(client)
                    scope.deadline = float("inf")
                    self._client = client
                    self._on_offer(offer)
                    await self._hold(client)
        except Exception as error:  # whatever it is, it ends this server alone; the caller logs and tells it
            raise self._explained(error) from error
        finally:
            self._client = None
            if not self._over.done():
                self._over.set_result(None)
            await self._forget_asked()
        if not self._closing:
            raise McpError(
                f"{launch.label} did not answer within {launch.start_s:.0f} s. {self._last_words()}".strip(), again=True
            )

    async def ask(self, question: Callable[[Client], Coroutine[Any, Any, T]], *, within_s: float | None) -> T:
        """The answer to `question`. Raises `ToolError`. Cancelled, the server is told, and not waited for."""
        client = self._client
        if client is None:
            raise ToolError(f"{self._launch.label} does not run at the moment. Try again later.")
        task = asyncio.create_task(question(client), name=f"mcp {self._launch.label}")
        self._asked.add(task)
        task.add_done_callback(self._answered)
        try:
            waited: set[asyncio.Future[Any]] = {task, self._over}
            await asyncio.wait(waited, timeout=within_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not task.done():
                task.cancel()  # the SDK then sends notifications/cancelled
        if task.done():
            return self._result_of(task)
        if self._over.done():
            raise ToolError(f"{self._launch.label} ended before it answered. {self._ended.reason}".strip())
        raise ToolError(f"{self._launch.label} did not answer within {within_s:.0f} s.")

    # Inside the owner's task

    def _streams(self) -> AbstractAsyncContextManager[Any]:
        launch = self._launch
        if launch.consent.url:
            return http_streams(
                launch.consent.url, launch.headers, connect_s=launch.start_s, on_status=self._note_status
            )
        return stdio_streams(
            launch.consent.command,
            launch.consent.args,
            env=launch.env,
            cwd=launch.consent.cwd,
            log=self._log,
            ended=self._ended,
        )

    def _note_status(self, status: int) -> None:
        self._http_status = status if status >= 400 else self._http_status
        if status in (401, 403):
            self._wants_sign_in = True

    async def _hold(self, client: Client) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._look_again, client)
            if client.protocol_version in MODERN_PROTOCOL_VERSIONS:
                tasks.start_soon(self._listen, client)
            await self._ended.event.wait()
            tasks.cancel_scope.cancel()
        raise McpError(f"{self._launch.label} stopped. {self._ended.reason} {self._last_words()}".strip(), again=True)

    async def _hear(self, message: Any) -> None:
        """Notifications of servers up to 2025-11-25."""
        if isinstance(
            message,
            types.ToolListChangedNotification
            | types.ResourceListChangedNotification
            | types.PromptListChangedNotification,
        ):
            self._stale.set()

    async def _listen(self, client: Client) -> None:
        """The same of servers since 2026-07-28."""
        try:
            async with client.listen(
                tools_list_changed=True, prompts_list_changed=True, resources_list_changed=True
            ) as changes:
                async for _change in changes:
                    self._stale.set()
        except (MCPError, RuntimeError, TimeoutError) as error:  # it offers none, or lost the stream: calls still work
            log.info("%s tells of no changes: %s", self._launch.label, error)

    async def _look_again(self, client: Client) -> None:
        while True:
            await self._stale.wait()
            await anyio.sleep(_TOGETHER_S)
            self._stale.clear()
            try:
                with anyio.fail_after(self._launch.start_s):
                    offer = await read_offer(client)
            except (MCPError, ValidationError, TimeoutError) as error:
                log.warning("%s changed its lists and did not give them: %s", self._launch.label, error)
            else:
                self._on_offer(offer)

    async def _forget_asked(self) -> None:
        for task in self._asked:
            task.cancel()
        if self._asked:
            await asyncio.wait(self._asked, timeout=_ABANDONED_S)

    # Errors

    def _answered(self, task: asyncio.Task[Any]) -> None:
        self._asked.discard(task)
        if not task.cancelled():
            task.exception()  # looked at: nobody may be waiting for it any more

    def _result_of(self, task: asyncio.Task[T]) -> T:
        label = self._launch.label
        try:
            return task.result()
        except asyncio.CancelledError:
            raise ToolError(f"{label} ended before it answered. {self._ended.reason}".strip()) from None
        except MCPError as error:
            if error.code == types.CONNECTION_CLOSED or _lost_session(error):
                self._ended.set(f"The connection was lost ({error.message}).")
                raise ToolError(f"{label} ended before it answered. {self._ended.reason}") from error
            raise ToolError(f"{label} refused: {error.message[:2000]}") from error
        except httpx2.HTTPError as error:
            self._ended.set(f"The connection was lost ({error}).")
            raise ToolError(f"{label} could not be reached. {self._ended.reason}") from error
        except (ValidationError, RuntimeError, ValueError) as error:
            raise ToolError(f"{label} gave an answer that is not understood ({type(error).__name__}).") from error

    def _explained(self, error: BaseException) -> McpError:
        """Words for what ended the connection; of a group, for the first that says something."""
        label, consent = self._launch.label, self._launch.consent
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        detail = f"{type(error).__name__}: {_short(error)}"
        if isinstance(error, McpError):
            return error
        if isinstance(error, httpx2.HTTPError):
            text = f"{label} cannot be reached at {consent.url} ({_short(error)}). Check the address and that it runs."
            return McpError(text, again=True, detail=detail)
        if isinstance(error, MCPError):
            if self._wants_sign_in:
                return McpError(
                    f"{label} wants a sign-in. Add the header that it asks for in settings.", edit=True, detail=detail
                )
            if error.code == types.CONNECTION_CLOSED:
                what = self._ended.reason or "It closed the connection."
                return McpError(
                    f"{label} ended at once. {what} {self._last_words()}".strip(), again=True, detail=detail
                )
            status = f" (HTTP {self._http_status})" if self._http_status else ""
            return McpError(f"{label} refused to begin: {error.message[:500]}{status}", again=True, detail=detail)
        if isinstance(error, OSError):
            return McpError(
                f"{label} could not be started ({_short(error)}). Check its command.", edit=True, detail=detail
            )
        if isinstance(error, anyio.ClosedResourceError | anyio.BrokenResourceError | anyio.EndOfStream):
            what = self._ended.reason or "It closed the connection."
            return McpError(f"{label} stopped. {what} {self._last_words()}".strip(), again=True, detail=detail)
        if isinstance(error, ValidationError | ValueError | RuntimeError):
            return McpError(f"{label} does not speak MCP as it should ({_short(error)}).", detail=detail)
        log.error("the connection to %s failed", label, exc_info=error)
        return McpError(f"{label} failed ({detail[:300]}).", again=True, detail=detail)

    def _last_words(self) -> str:
        words = self._log.last_words
        return f"Its last words: “{words[-400:]}”" if words else ""


def completion_of(
    kind: Completed, of: str, argument: str, value: str, given: dict[str, str]
) -> Callable[[Client], Coroutine[Any, Any, list[str]]]:
    """Asks for values of `argument` that begin with `value`; `given` are those of the others."""
    ref = (
        types.PromptReference(type="ref/prompt", name=of)
        if kind == "prompt"
        else types.ResourceTemplateReference(type="ref/resource", uri=of)
    )

    async def ask(client: Client) -> list[str]:
        result = await client.complete(ref, {"name": argument, "value": value}, given or None)
        return [one_line(each, 300) for each in result.completion.values[:MOST_PROPOSALS]]

    return ask


def _lost_session(error: MCPError) -> bool:
    return "Session terminated" in error.message or "session not found" in error.message.lower()


def _short(error: BaseException) -> str:
    if isinstance(error, ValidationError):  # its own text repeats what it was given
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        return f"{'.'.join(map(str, first['loc']))[:200]}: {first['msg'][:200]}"
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).splitlines()[0][:300]


async def _unchecked(_name: str, _result: types.CallToolResult) -> None:
    await asyncio.sleep(0)
