"""ChatSession: all that a user interface may ask of one conversation, from sending to switching the model."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from dataclasses import replace
from typing import Any

from sam_py.agent.call_ids import known_calls
from sam_py.agent.loop import PutAttachment, ReplyStream
from sam_py.agent.prompt import ReadAttachment, build_request, characters_of
from sam_py.agent.state import QueuedMessage, SessionState, StateListener
from sam_py.agent.titles import Titles
from sam_py.agent.troubles import RequestError, ended_badly, error_at
from sam_py.bus.message_bus import ROOT, MessageBus
from sam_py.errors import SamError
from sam_py.messages.history import TaskRecorded
from sam_py.messages.message import AssistantMessage, Message, UserMessage
from sam_py.messages.parts import Part, TextPart
from sam_py.messages.usage import Usage
from sam_py.providers.base import Provider
from sam_py.settings.model import ChatSettings, ModelChoice

__all__ = ["ChatSession", "QueuedMessage", "SessionState"]

log = logging.getLogger(__name__)

CostOf = Callable[[str, str, Usage], float | None]
"""(provider id, model, usage) → what it costs in US dollars by what is known now; None: not known."""

_CLOSING_S = 2.0
_PARSE_SLICE_S = 0.004


class _Run:
    """One request and its reply. Once `over`, nothing of it touches the bus or the state any more."""

    def __init__(self) -> None:
        self.task: asyncio.Task[None] | None = None
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.stream: ReplyStream | None = None
        self.reply_id: str | None = None
        self.shown_before: str | None = None
        self.over = False

    def end(self) -> None:
        self.over = True
        if self.stream is not None:
            self.stream.stopped = True
        if not self.ended.done():
            self.ended.set_result(None)


class ChatSession:
    """Turns what a person asks for into messages and streams. One reply at a time; all on the loop's thread.

    `provider_of(id)` raises SamError where it is unknown. `save_now()` returns when all is durable.
    `defaults` holds for what the conversation does not say itself and may be replaced at any time.
    `cost_of` prices a run where the provider does not. Whoever awaits `send` and its like waits for the
    reply's end; troubles become errors on the bus.
    """

    def __init__(
        self,
        bus: MessageBus,
        *,
        provider_of: Callable[[str], Provider],
        save_now: Callable[[], Awaitable[object]],
        read_attachment: ReadAttachment,
        put_attachment: PutAttachment | None = None,
        defaults: ChatSettings | None = None,
        cost_of: CostOf | None = None,
    ) -> None:
        self.bus = bus
        self.defaults = defaults or ChatSettings()
        self._provider_of = provider_of
        self._save_now = save_now
        self._read_attachment = read_attachment
        self._put_attachment = put_attachment
        self._cost_of = cost_of
        self._state = SessionState()
        self._listeners: list[StateListener] = []
        self._run: _Run | None = None
        self._background: set[asyncio.Task[Any]] = set()
        self._titles = Titles(bus, provider_of, self._spawn)

    # Reading

    @property
    def state(self) -> SessionState:
        return self._state

    @property
    def choice(self) -> ModelChoice:
        """The provider and model of the next request."""
        settings = self.bus.settings
        if settings.provider:
            return ModelChoice(provider=settings.provider, model=settings.model)
        return self.defaults.default

    def subscribe(self, listener: StateListener) -> Callable[[], None]:
        """Call `listener` with each new state; returns the function that ends it."""
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe

    # Asking

    async def send(self, text: str, parts: Iterable[Part] = ()) -> None:
        """Say something and wait for the reply; while another one streams, queue it and return at once.

        Raises SamError where there is neither text nor part.
        """
        message = QueuedMessage(text.strip(), tuple(parts))
        if not message.text and not message.parts:
            raise SamError("Write something or attach a file first: an empty message is not sent.")
        if self._run is not None:
            self._change(queued=(*self._state.queued, message))
            return
        said = self._say(message)
        await self._start(lambda run: self._reply(run, said, then_queued=True))

    def stop(self) -> None:
        """End the reply now: its text is kept as aborted, what is queued is held. Idle when this returns."""
        run = self._run
        if run is not None:
            self._halt(run)
            if run.task is not None:
                run.task.cancel()
            self._spawn(self._save(), "save a stopped reply")

    async def retry(self, message_id: str | None = None) -> None:
        """Ask again: for an answer to a message that has none, for another one in place of a broken reply.

        Without an id, at the end of the conversation. Does nothing while a reply streams.
        """
        at = message_id if message_id is not None else self.bus.tip
        if self._run is not None or at is None:
            return
        self._release()
        if isinstance(self.bus.get(at), AssistantMessage):
            await self.regenerate(at)
        else:
            await self._start(lambda run: self._reply(run, at, then_queued=True))

    async def regenerate(self, reply_id: str) -> None:
        """Let the model answer again: a sibling of the reply, which stays."""
        self.stop()
        if reply_id not in self.bus:  # it streamed, and was stopped before its first word
            return
        parent = self.bus.parent_of(reply_id)
        if parent is None:
            raise SamError("This reply answers nothing that could be asked again.")
        reply = self.bus.get(reply_id)
        if isinstance(reply, AssistantMessage) and reply.stop_reason != "error":
            self.bus.resolve_error(reply_id)  # not its own: of an earlier try to have another one
        await self._start(lambda run: self._reply(run, parent, instead_of=reply_id, then_queued=True))

    async def continue_reply(self, reply_id: str) -> None:
        """Let the model go on where a reply stopped, in the same message."""
        self.stop()
        if not isinstance(self.bus.get(reply_id), AssistantMessage):
            raise SamError("Only a reply can be continued.")
        self._release()
        self.bus.select_branch(reply_id)
        await self._start(lambda run: self._reply(run, reply_id, go_on=True, then_queued=True))

    async def edit_and_resend(self, message_id: str, text: str, parts: Iterable[Part] | None = None) -> None:
        """Say it otherwise: a sibling of the message, answered anew. `parts` None keeps what was attached.

        Raises SamError where nothing is left of it.
        """
        self.stop()
        message = self.bus.get(message_id)
        if not isinstance(message, UserMessage):
            raise SamError("Only your own messages can be edited and sent again.")
        kept = (
            tuple(part for part in message.parts if not isinstance(part, TextPart)) if parts is None else tuple(parts)
        )
        if not text.strip() and not kept:
            raise SamError("Write something or attach a file first: an empty message is not sent.")
        edited = QueuedMessage(text.strip(), kept)
        said = self._say(edited, ROOT if message.parent_id is None else message.parent_id)
        await self._start(lambda run: self._reply(run, said, then_queued=True))

    def select_branch(self, message_id: str) -> None:
        """Show another alternative; a reply that streams is stopped first."""
        self.stop()
        if message_id in self.bus:
            self.bus.select_branch(message_id)

    def remove(self, message_id: str) -> None:
        """Delete a message; a reply that streams is stopped first if it is this one."""
        if message_id == self._state.reply_id:
            self.stop()
        if message_id in self.bus:
            self.bus.remove(message_id)

    def set_model(self, provider: str, model: str) -> None:
        """Use this model from the next request on."""
        self.bus.change_setting("provider", provider)
        self.bus.change_setting("model", model)

    # The queue

    def hold(self, messages: Iterable[QueuedMessage]) -> None:
        """Show messages that an earlier run of the program did not come to send; the person decides."""
        self._change(queued=(*self._state.queued, *(replace(each, held=True) for each in messages)))

    def remove_queued(self, index: int) -> QueuedMessage:
        """Take a queued message out, to drop it or to write it anew. Raises IndexError."""
        queued = list(self._state.queued)
        message = queued.pop(index)
        self._change(queued=tuple(queued))
        return message

    async def send_queued(self) -> None:
        """Send what a stop or an error held back; while a reply streams, as soon as that ends."""
        self._release()
        if self._run is None and self._state.queued:
            await self._start(self._say_queued)

    async def aclose(self) -> None:
        """Stop what runs and wait until connections are closed and the last words are saved."""
        self.stop()
        self._titles.stop()
        tasks = {task for task in self._background if task is not asyncio.current_task()}
        if tasks:
            _done, late = await asyncio.wait(tasks, timeout=_CLOSING_S)
            for task in late:
                log.error("%s did not end within %g s", task.get_name(), _CLOSING_S)
        self._listeners.clear()

    # One run: a message, its reply, and the queue after it

    async def _start(self, work: Callable[[_Run], Awaitable[object]]) -> None:
        """Run `work` in a task of its own, so that `stop` can end it at any instant, and wait for its end."""
        run = _Run()
        self._run = run
        self._change(phase="waiting", text="", reply_id=None)
        run.task = self._spawn(self._guarded(run, work), "reply")
        try:
            await run.ended
        except asyncio.CancelledError:
            if self._run is run:  # the loop may be closing: a task begun now would never run
                self._halt(run)
                if run.task is not None:
                    run.task.cancel()
                await self._save()
            raise

    async def _guarded(self, run: _Run, work: Callable[[_Run], Awaitable[object]]) -> None:
        try:
            await work(run)
        except asyncio.CancelledError:
            if self._run is run:  # not by `stop`: the loop is closing
                self._halt(run)
                await self._save()
            raise
        except Exception as error:  # noqa: BLE001 - a bug of ours must not take the session down
            self._fail(run, self.bus.tip, error)
        finally:
            if not run.over:
                self._end(run)
                self._change(phase="idle", text="", reply_id=None)

    async def _say_queued(self, run: _Run) -> None:
        """Send what is queued, one after another, as long as replies end normally."""
        while not run.over and (message := next((each for each in self._state.queued if not each.held), None)):
            left = tuple(each for each in self._state.queued if each.id != message.id)
            self._change(phase="waiting", text="", reply_id=None, queued=left)
            if not await self._reply(run, self._say(message)):
                return

    def _say(self, message: QueuedMessage, parent: Any = None) -> str:
        """Add what the person said, at once: whatever is stopped after it, it is said. Returns its id."""
        said = self.bus.add_user_message(message.text, message.parts, parent_id=parent)
        self._keep_choice()
        self._titles.take_first_words(said)
        return said.id

    async def _reply(
        self, run: _Run, to: str, *, instead_of: str | None = None, go_on: bool = False, then_queued: bool = False
    ) -> bool:
        """Stream a reply to the message `to`, or with `go_on` the rest of the reply `to`.

        True where it ended normally. Where nothing comes, `instead_of` is shown again.
        """
        run.reply_id, run.stream, run.shown_before = (to if go_on else None), None, instead_of
        self._titles.stop()
        try:
            ended = await self._stream(run, to, go_on)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is shown where it happened and the session goes on
            self._fail(run, instead_of or to, error)
            return False
        if ended and then_queued:
            await self._say_queued(run)
        return ended

    async def _stream(self, run: _Run, to: str, go_on: bool) -> bool:
        try:
            await self._save_now()  # what was said is durable before the request leaves
        except SamError as error:
            raise RequestError(error, "storage") from error
        bus, choice = self.bus, self.choice
        try:
            provider = self._provider_of(choice.provider)
        except SamError as error:
            raise RequestError(error, "no_model") from error
        history = await self._history(to)
        request = await build_request(
            bus,
            history,
            provider=provider.id,
            model=choice.model,
            limits=provider.limits_of(choice.model),
            defaults=self.defaults,
            read_attachment=self._read_attachment,
            go_on=go_on,
        )
        if run.over:
            return False
        if go_on:
            bus.resume_assistant(to)
            reply_id = to
        else:
            bus.resolve_error(to)
            reply_id = bus.begin_assistant(provider=choice.provider, model=choice.model, parent_id=to)
        run.reply_id = reply_id
        run.stream = ReplyStream(
            bus,
            reply_id,
            provider=choice.provider,
            model=choice.model,
            put_attachment=self._put_attachment,
            on_waiting=self._waits,
            on_content=self._streams,
            joins=history[-1].text[-1:] if go_on else "",
            asked_characters=characters_of(request),
            known_calls=known_calls(history, bus.ledger),
        )
        self._change(phase="waiting", text="", reply_id=reply_id)
        await run.stream.read(provider.stream(request))
        return await self._finish(run, run.stream, to)

    async def _finish(self, run: _Run, stream: ReplyStream, to: str) -> bool:
        finished = stream.finished
        if run.over or finished is None or run.reply_id is None or stream.is_over:
            return False
        reason = finished.stop_reason
        reply = self.bus.complete(
            run.reply_id, reason, usage=stream.spent, response_id=stream.response_id, model=stream.model
        )
        self._record_task(stream)
        if reply is None or reason == "error":
            at = reply.id if reply is not None else (run.shown_before or to)
            self._show_again(run)
            self._change(queued=self._held())
            self.bus.record_error(ended_badly(at, finished))
        self._spawn(self._save(), "save a reply")
        if reply is None or reason in ("error", "aborted"):
            return False
        self._titles.ask_model(reply, self.choice, self.defaults)
        return True

    def _fail(self, run: _Run, at: str | None, error: Exception) -> None:
        """End the run's reply as broken and say at it, or at `at` where nothing came, what went wrong."""
        if not isinstance(error, SamError):
            log.error("a reply failed in %s", self.bus.conversation_id, exc_info=error)
        if run.over:
            return
        if run.reply_id is not None and self.bus.is_streaming(run.reply_id):
            usage = run.stream.spent if run.stream is not None else None
            if self.bus.complete(run.reply_id, "error", usage=usage) is not None:
                at = run.reply_id
        if run.stream is not None:
            self._record_task(run.stream)
        self._show_again(run)
        self._change(queued=self._held())
        if at is None or at in self.bus:  # else it was deleted meanwhile
            self.bus.record_error(error_at(at, error))
        self._spawn(self._save(), "save a broken reply")

    async def _history(self, last_id: str) -> list[Message]:
        """The messages from the first to `last_id`, parsed without stopping the window for longer than a frame."""
        ids = [last_id]
        while (parent := self.bus.parent_of(ids[-1])) is not None:
            ids.append(parent)
        messages: list[Message] = []
        paused_s = time.monotonic()
        for message_id in reversed(ids):
            if message_id in self.bus:
                messages.append(self.bus.get(message_id))
            if time.monotonic() - paused_s > _PARSE_SLICE_S:
                await asyncio.sleep(0)
                paused_s = time.monotonic()
        return messages

    def _show_again(self, run: _Run) -> None:
        """A new answer that never came leaves the one that was shown before it."""
        came = run.reply_id is not None and run.reply_id in self.bus
        if run.shown_before is not None and run.shown_before in self.bus and not came:
            self.bus.select_branch(run.shown_before)

    def _record_task(self, stream: ReplyStream) -> None:
        usage = stream.spent or Usage()
        cost = usage.cost_usd
        if cost is None and self._cost_of is not None:
            cost = self._cost_of(stream.provider, stream.model, usage)
        self.bus.record_task(TaskRecorded(provider=stream.provider, model=stream.model, usage=usage, cost_usd=cost))

    def _keep_choice(self) -> None:
        """A conversation keeps the model it began with when the program's default changes."""
        if not self.bus.settings.provider:
            self.set_model(self.defaults.default.provider, self.defaults.default.model)

    # State

    def _halt(self, run: _Run) -> None:
        """What `stop` does to bus and state."""
        self._end(run)
        reply = None
        if run.reply_id is not None and self.bus.is_streaming(run.reply_id):
            reply = self.bus.abort(run.reply_id, usage=run.stream.spent if run.stream is not None else None)
        if run.stream is not None:
            self._record_task(run.stream)
        if reply is None:
            self._show_again(run)
        self._change(phase="idle", text="", reply_id=None, queued=self._held())

    def _end(self, run: _Run) -> None:
        if self._run is run:
            self._run = None
        run.end()

    def _held(self) -> tuple[QueuedMessage, ...]:
        return tuple(replace(each, held=True) for each in self._state.queued)

    def _release(self) -> None:
        self._change(queued=tuple(replace(each, held=False) for each in self._state.queued))

    def _waits(self, text: str) -> None:
        if self._state.phase == "waiting":
            self._change(text=text)

    def _streams(self) -> None:
        if self._state.phase != "streaming":
            self._change(phase="streaming", text="")

    def _change(self, **fields: Any) -> None:
        """Publish the state with these fields of `SessionState` changed, if that is news."""
        state = replace(self._state, **fields)
        if state == self._state:
            return
        self._state = state
        for listener in tuple(self._listeners):
            try:
                listener(state)
            except Exception:  # one broken view must not stop the reply
                log.exception("a listener of the session failed")

    # Tasks

    async def _save(self) -> None:
        try:
            await self._save_now()
        except SamError as error:  # the store tells the person by itself
            log.warning("the reply is not saved yet: %s", error)

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._background.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("%s failed", task.get_name(), exc_info=error)
