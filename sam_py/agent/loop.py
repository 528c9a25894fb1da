"""Loop: stream a reply, run the tools that it calls, show the model their results, and again until it only talks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from sam_py.agent.call_ids import known_calls
from sam_py.agent.context import Context, Prepared
from sam_py.agent.prompt import ReadAttachment, characters_of, history_of, limits_for, prepare
from sam_py.agent.reply_stream import PutAttachment, ReplyStream
from sam_py.agent.state import Phase
from sam_py.agent.troubles import RequestError, ended_badly, error_at
from sam_py.bus.message_bus import MessageBus
from sam_py.errors import SamError
from sam_py.messages.history import ErrorOccurred, TaskRecorded
from sam_py.messages.message import AssistantMessage, Message
from sam_py.messages.usage import Usage
from sam_py.providers.base import Provider
from sam_py.providers.errors import ProviderError
from sam_py.settings.model import ChatSettings, ModelChoice

if TYPE_CHECKING:
    from sam_py.tools.toolbox import Toolbox

log = logging.getLogger(__name__)

CostOf = Callable[[str, str, Usage], float | None]
"""(provider id, model, usage) → what it costs in US dollars by what is known now; None: not known."""

MAX_ROUNDS = 25
"""So often in a row the model may call tools before the person is asked whether it shall go on."""
_ENDED_BADLY = ("error", "aborted")
_MAY_ACT = ("stop", "tool_use", "length", None)
"""Stop reasons after which the calls of a reply are meant: one that was refused or filtered means none of them."""


class Teller(Protocol):
    """Whom the loop tells how far it is."""

    def shows(self, phase: Phase, text: str = "", reply_id: str | None = None) -> None: ...
    def waits(self, text: str) -> None: ...
    def streams(self) -> None: ...
    def broke(self) -> None:
        """What was to follow is held back: the reply before it did not come."""
        ...


@dataclass(frozen=True, slots=True)
class Desk:
    """What a loop works with: one conversation, and the doors to the world."""

    bus: MessageBus
    provider_of: Callable[[str], Provider]
    save_now: Callable[[], Awaitable[object]]
    read_attachment: ReadAttachment
    put_attachment: PutAttachment | None
    cost_of: CostOf | None
    tools: Toolbox | None
    context: Context


@dataclass(frozen=True, slots=True)
class _Asking:
    """What one reply is asked for with."""

    history: list[Message]
    choice: ModelChoice
    provider: Provider
    defaults: ChatSettings
    go_on: bool


class Loop:
    """One run: from what the person asked to the last word of the answer.

    Invariant: once `over`, nothing of it touches the bus or the state any more. `halt` makes it so at once
    and leaves a valid history: the text that came, the results that are there, all else aborted.
    """

    def __init__(self, desk: Desk, teller: Teller) -> None:
        self.over = False
        self.task: asyncio.Task[None] | None = None
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._desk = desk
        self._teller = teller
        self._stream: ReplyStream | None = None
        self._reply_id: str | None = None
        self._shown_before: str | None = None
        self._to: str | None = None
        self._calls: set[str] = set()
        """The ids of all calls of the conversation, once it was `_looked` through."""
        self._looked = False

    @property
    def at(self) -> str | None:
        """The reply that is written, or the last message before it."""
        written = self._reply_id is not None and self._reply_id in self._desk.bus
        return self._reply_id if written else self._to

    async def answer(
        self, to: str, choice: ModelChoice, defaults: ChatSettings, *, instead_of: str | None, go_on: bool
    ) -> AssistantMessage | None:
        """Answer the message `to`, or with `go_on` write the rest of the reply `to`; returns the last reply.

        None where it did not end normally, which is said on the bus. Where nothing comes, `instead_of` is shown again.
        """
        self._to, self._shown_before = to, instead_of
        try:
            return await self._rounds(to, choice, defaults, go_on=go_on)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is shown where it happened and the session goes on
            self.fail(self._shown_before or self._to, error)
            return None

    async def _rounds(
        self, to: str, choice: ModelChoice, defaults: ChatSettings, *, go_on: bool
    ) -> AssistantMessage | None:
        tools = self._desk.tools
        if tools is not None:
            tools.runner.begin_turn(to)
        for _round in range(MAX_ROUNDS):
            reply = await self._one_reply(to, choice, defaults, go_on=go_on)
            if reply is None or reply.stop_reason not in _MAY_ACT or not reply.tool_calls or tools is None:
                return reply
            self._calls.update(call.call_id for call in reply.tool_calls)
            self._teller.shows("acting")
            await tools.runner.run_round(reply, offered=tools.offered)
            if self.over or reply.id not in self._desk.bus:  # deleted meanwhile
                return None
            to, go_on, self._shown_before = self._desk.bus.last_below(reply.id), False, None
        self._say_limit(to)
        return None

    async def _one_reply(
        self, to: str, choice: ModelChoice, defaults: ChatSettings, *, go_on: bool
    ) -> AssistantMessage | None:
        """Stream one reply. None where it did not end normally, or was stopped."""
        self._to, self._reply_id, self._stream = to, (to if go_on else None), None
        try:
            await self._desk.save_now()  # what was said, or done, is durable before the request leaves
        except SamError as error:
            raise RequestError(error, "storage") from error
        bus = self._desk.bus
        try:
            provider = self._desk.provider_of(choice.provider)
        except SamError as error:
            raise RequestError(error, "no_model") from error
        asking = _Asking(await history_of(bus, to), choice, provider, defaults, go_on)
        prepared = await self._prepared(asking)
        if self.over:
            return None
        if go_on:
            bus.resume_assistant(to)
            reply_id = to
        else:
            bus.resolve_error(to)
            reply_id = bus.begin_assistant(
                provider=choice.provider,
                model=choice.model,
                parent_id=to,
                reminders=prepared.receipts,
                turns=False,  # the person may have turned to another branch meanwhile
            )
        self._reply_id = reply_id
        try:
            stream = await self._read(prepared, asking, reply_id)
        except ProviderError as error:
            shorter = await self._shorter(prepared, asking, error)
            if shorter is None:
                raise
            prepared = shorter
            stream = await self._read(prepared, asking, reply_id)
        self._desk.context.learn(prepared, stream.usage)
        return self._finished(stream, reply_id, to)

    async def _prepared(self, asking: _Asking) -> Prepared:
        limits = await limits_for(asking.provider, asking.choice.model)
        tools = self._desk.tools
        return await prepare(
            self._desk.bus,
            asking.history,
            self._desk.context,
            provider=asking.provider.id,
            model=asking.choice.model,
            limits=limits,
            defaults=asking.defaults,
            read_attachment=self._desk.read_attachment,
            tools=tools.specs() if tools is not None and limits.tools else (),
            go_on=asking.go_on,
        )

    async def _read(self, prepared: Prepared, asking: _Asking, reply_id: str) -> ReplyStream:
        """Send the request and read all of its answer."""
        bus, request = self._desk.bus, prepared.request
        self._desk.context.sent(prepared)
        stream = self._stream = ReplyStream(
            bus,
            reply_id,
            provider=asking.choice.provider,
            model=request.model,
            put_attachment=self._desk.put_attachment,
            on_waiting=self._teller.waits,
            on_content=self._teller.streams,
            joins=asking.history[-1].text[-1:] if asking.go_on else "",
            asked_characters=lambda: characters_of(request),
            known_calls=self._known_calls(asking.history),
            reminded_of=[reminder.text for reminder in prepared.reminders],
        )
        self._teller.shows("waiting", "", reply_id)
        await stream.read(asking.provider.stream(request))
        return stream

    def _known_calls(self, history: list[Message]) -> set[str]:
        """The first request of a run looks through the whole conversation; after it only this run adds calls."""
        if not self._looked:
            self._calls |= known_calls(history, self._desk.bus.ledger)
            self._looked = True
        return self._calls

    async def _shorter(self, prepared: Prepared, asking: _Asking, error: ProviderError) -> Prepared | None:
        """One with less in it, where the request was refused as too long before its first word; None: there is none."""
        came = self._stream is not None and self._stream.spent is not None
        if error.code != "too_long" or came or self.over:
            return None
        self._desk.context.refused(prepared, error)
        shorter = await self._prepared(asking)
        before, after = prepared.plan, shorter.plan
        if (after.left_out, after.shortened) == (before.left_out, before.shortened):
            self._desk.context.nothing_shorter(prepared)
            return None
        if self.over:
            return None
        log.info("a request of about %d tokens was too long; asked again with %d", before.tokens, after.tokens)
        return shorter

    def _finished(self, stream: ReplyStream, reply_id: str, to: str) -> AssistantMessage | None:
        finished = stream.finished
        if self.over or finished is None or stream.is_over:
            return None
        bus, reason = self._desk.bus, finished.stop_reason
        reply = bus.complete(reply_id, reason, usage=stream.spent, response_id=stream.response_id, model=stream.model)
        self._record_task(stream)
        self._stream = None
        if reply is None or reason == "error":
            at = reply.id if reply is not None else (self._shown_before or to)
            self._show_again()
            self._teller.broke()
            bus.record_error(ended_badly(at, finished))
        return None if reason in _ENDED_BADLY else reply

    def fail(self, at: str | None, error: Exception) -> None:
        """End the reply as broken and say at it, or at `at` where nothing came, what went wrong."""
        bus = self._desk.bus
        if not isinstance(error, SamError):
            log.error("a reply failed in %s", bus.conversation_id, exc_info=error)
        if self.over:
            return
        if self._reply_id is not None and bus.is_streaming(self._reply_id):
            if self._stream is not None:
                self._stream.say_rest()
            usage = self._stream.spent if self._stream is not None else None
            if bus.complete(self._reply_id, "error", usage=usage) is not None:
                at = self._reply_id
        if self._stream is not None:
            self._record_task(self._stream)
        self._show_again()
        self._teller.broke()
        if at is None or at in bus:  # else it was deleted meanwhile
            bus.record_error(error_at(at, error))

    def halt(self) -> None:
        """Stop now: what came is kept and marked as aborted. The task still has to be cancelled."""
        self.end()
        bus, reply = self._desk.bus, None
        if self._reply_id is not None and bus.is_streaming(self._reply_id):
            reply = bus.abort(self._reply_id, usage=self._stream.spent if self._stream is not None else None)
        if self._desk.tools is not None:
            self._desk.tools.runner.halt()
        if self._stream is not None:
            self._record_task(self._stream)
        if reply is None:
            self._show_again()

    def end(self) -> None:
        self.over = True
        if self._stream is not None:
            self._stream.say_rest()
            self._stream.stopped = True
        if not self.ended.done():
            self.ended.set_result(None)

    def _say_limit(self, at: str) -> None:
        self._teller.broke()
        self._desk.bus.record_error(
            ErrorOccurred(
                message_id=at,
                code="too_many_rounds",
                text=f"The model called tools {MAX_ROUNDS} times in a row and was stopped. “Go on” lets it continue.",
            )
        )

    def _show_again(self) -> None:
        """A new answer that never came leaves the one that was shown before it, where the person still is."""
        bus, before = self._desk.bus, self._shown_before
        came = self._reply_id is not None and self._reply_id in bus
        above = bus.parent_of(before) if before is not None and before in bus else None
        is_there = above is None or bus.index_of(above) is not None
        if before is not None and before in bus and not came and is_there:
            bus.select_branch(before)

    def _record_task(self, stream: ReplyStream) -> None:
        usage = stream.spent or Usage()
        cost = usage.cost_usd
        if cost is None and self._desk.cost_of is not None:
            cost = self._desk.cost_of(stream.provider, stream.model, usage)
        self._desk.bus.record_task(
            TaskRecorded(provider=stream.provider, model=stream.model, usage=usage, cost_usd=cost)
        )
