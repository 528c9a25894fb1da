"""ChatSession: all that a user interface may ask of one conversation, from sending to switching the model."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sam_py.agent.context import Context
from sam_py.agent.documents import ReadDocument
from sam_py.agent.remembered import Remembered
from sam_py.agent.state import Phase, QueuedMessage, SessionState, StateListener
from sam_py.agent.summaries import ask_for_summary, coverable, summary_message
from sam_py.agent.titles import GUIDE, Titles
from sam_py.bus.message_bus import ROOT, MessageBus
from sam_py.bus.unfinished import is_unfinished
from sam_py.errors import SamError
from sam_py.messages.history import TaskRecorded
from sam_py.messages.message import AssistantMessage, UserMessage
from sam_py.messages.parts import Part, TextPart
from sam_py.providers.base import Provider
from sam_py.reminders.order import Reminders
from sam_py.settings.model import ChatSettings, ModelChoice

if TYPE_CHECKING:  # what sends is imported with the first message
    from sam_py.agent.loop import CostOf, Desk, Loop
    from sam_py.agent.outlook import Outlook
    from sam_py.agent.preview import Preview
    from sam_py.agent.prompt import ReadAttachment
    from sam_py.agent.reply_stream import PutAttachment
    from sam_py.tools.toolbox import Toolbox
    from sam_py.transcript.calibration import Calibrations

__all__ = ["ChatSession", "QueuedMessage", "SessionState"]

log = logging.getLogger(__name__)

_CLOSING_S = 2.0


class ChatSession:
    """Turns what a person asks for into messages and streams. One reply at a time; all on the loop's thread.

    `provider_of(id)` raises SamError where it is unknown. `save_now()` returns when all is durable. `defaults` holds
    for what the conversation does not say itself and may be replaced at any time. `cost_of` prices a run where the
    provider does not. Whoever awaits `send` and its like waits for the reply's end; troubles become errors on the bus.
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
        tools: Toolbox | None = None,
        calibrations: Calibrations | None = None,
        remembered: Remembered | None = None,
        reminders: Reminders | None = None,
        read_document: ReadDocument | None = None,
    ) -> None:
        self.bus = bus
        self.context = Context(
            bus, calibrations=calibrations, reminders=reminders, read_document=read_document, remembered=remembered
        )
        self.defaults = defaults or ChatSettings()
        self._provider_of = provider_of
        self._save_now = save_now
        self._doors = (read_attachment, put_attachment, cost_of, tools)
        self._state = SessionState()
        self._listeners: list[StateListener] = []
        self._run: Loop | None = None
        self._summary: asyncio.Task[Any] | None = None
        """What makes a summary now."""
        self._background: set[asyncio.Task[Any]] = set()
        self._titles = Titles(bus, provider_of, self._spawn)

    @cached_property
    def _desk(self) -> Desk:
        from sam_py.agent.loop import Desk

        provider_of, save_now = (lambda provider: self._provider_of(provider)), (lambda: self._save_now())
        return Desk(self.bus, provider_of, save_now, *self._doors, self.context)

    # Reading

    @property
    def state(self) -> SessionState:
        return self._state

    @property
    def choice(self) -> ModelChoice:
        """The provider and model of the next request."""
        own = self.bus.settings
        return ModelChoice(provider=own.provider, model=own.model) if own.provider else self.defaults.default

    def subscribe(self, listener: StateListener) -> Callable[[], None]:
        """Call `listener` with each new state; returns the function that ends it."""
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe

    async def preview(self, text: str = "", parts: Iterable[Part] = (), *, instead_of: str | None = None) -> Preview:
        """The request that goes out if this is sent next, or with nothing said, if the last message is asked again.

        With `instead_of`, if it is sent in place of that message of the user. Nothing is changed by it. Raises SamError
        where there is nothing to ask, or nobody.
        """
        from sam_py.agent.preview import preview

        provider = self._provider_of(self.choice.provider)
        said = self._said_next(text, parts, instead_of)
        return await preview(self._desk, provider, self.choice.model, self.defaults, *said)

    async def outlook(self, text: str = "", parts: Iterable[Part] = (), *, instead_of: str | None = None) -> Outlook:
        """What becomes of each message in the request that goes out if this is sent next; cheaper than `preview`.

        As `preview`, but of a conversation with nothing to ask, too. Raises SamError where there is nobody to ask.
        """
        from sam_py.agent.outlook import outlook

        provider = self._provider_of(self.choice.provider)
        said = self._said_next(text, parts, instead_of)
        return await outlook(self._desk, provider, self.choice.model, self.defaults, *said)

    def _said_next(
        self, text: str, parts: Iterable[Part], instead_of: str | None
    ) -> tuple[UserMessage | None, str | None]:
        """The message that would be said (None: none), and the one that it would stand below."""
        bus, content = self.bus, tuple(parts)
        below: Any = None
        after = bus.tip
        if instead_of is not None and instead_of in bus:
            if bus.get(instead_of).role != "user":  # a reply is edited in its place: nothing is sent
                return None, after
            after = bus.parent_of(instead_of)
            below = ROOT if after is None else after
        said = bus.user_message(text, content, parent_id=below) if text.strip() or content else None
        return said, after

    @property
    def window(self) -> int | None:
        """At most so many tokens make a request and its reply; None: not known. Raises SamError as `outlook` does."""
        choice = self.choice
        limits = self._provider_of(choice.provider).limits_of(choice.model)
        return self.context.window_of(choice.provider, choice.model, limits, self.defaults)

    # Asking

    async def send(self, text: str, parts: Iterable[Part] = ()) -> None:
        """Say something and wait for the reply; while another one streams, queue it and return at once.

        Raises SamError where there is neither text nor part.
        """
        message = QueuedMessage(text.strip(), tuple(parts))
        if not message.text and not message.parts:
            raise SamError("Write something or attach a file first: an empty message is not sent.")
        if self._run is not None:
            self._change(queued=(*self._state.queued, replace(message, below=self.bus.tip)))
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
        """Ask again: for an answer to a message or to tools, for another one in place of a broken reply.

        Without an id, at the end of the conversation. Does nothing while a reply streams that is shown.
        """
        at = message_id if message_id is not None else self.bus.tip
        if at is None or (self._run is not None and self.bus.index_of(self.works_at or at) is not None):
            return
        self.stop()
        self._release()
        if isinstance(self.bus.get(at), AssistantMessage) and not is_unfinished(self.bus, at):
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
        attached = (part for part in message.parts if not isinstance(part, TextPart))
        kept = tuple(attached if parts is None else parts)
        if not text.strip() and not kept:
            raise SamError("Write something or attach a file first: an empty message is not sent.")
        said = self._say(QueuedMessage(text.strip(), kept), ROOT if message.parent_id is None else message.parent_id)
        await self._start(lambda run: self._reply(run, said, then_queued=True))

    async def summarise(self, message_ids: Iterable[str] | None = None) -> str:
        """Let the model summarise these messages, or all before the last turns, and return the summary's id.

        The summary is sent in their place; they stay in the conversation, and removing it brings them back into
        requests. It is put below the last of them when no reply streams. Raises SamError where there is nothing to
        summarise, or one is made already; `state` tells of it, too.
        """
        if self._summary is not None:
            raise SamError("A summary is being made already.")
        self._summary = asyncio.current_task()
        self._change(is_summarising=True, summary_trouble="")
        trouble = ""
        try:
            return await self._summarised(message_ids)
        except SamError as error:
            trouble = str(error)
            raise
        finally:
            self._summary = None
            self._change(is_summarising=False, summary_trouble=trouble)

    def stop_summarising(self) -> None:
        """Make no summary after all; whoever waits for it is cancelled."""
        if self._summary is not None:
            self._summary.cancel()

    async def _summarised(self, message_ids: Iterable[str] | None) -> str:
        if self.choice.provider == GUIDE:
            raise SamError("The offline guide cannot summarise. Choose a model first.")
        from sam_py.agent.prompt import history_of

        history = await history_of(self.bus, self.bus.tip)
        covered = coverable(history, None if message_ids is None else frozenset(message_ids))
        if not covered:
            raise SamError("There is nothing to summarise yet: the last turns and what is pinned are sent as they are.")
        choice = self.choice
        provider = self._provider_of(choice.provider)
        text, usage = await ask_for_summary(provider, choice.model, covered, self.window)
        while self._run is not None:
            await asyncio.shield(self._run.ended)
        if usage is not None:
            self.bus.record_task(TaskRecorded(provider=choice.provider, model=choice.model, usage=usage))
        below = self._below(covered[-1].id)
        if below is None or not all(message.id in self.bus for message in covered):
            raise SamError("The messages changed while they were summarised. Summarise again.")
        summary = summary_message(text, covered, below, provider=choice.provider, model=choice.model)
        self.bus.insert(summary)
        self._spawn(self._save(), "save a summary")
        return summary.id

    def _below(self, message_id: str) -> str | None:
        """The last of a message of the path and the results of its calls; None where it is not on the path."""
        index = self.bus.index_of(message_id)
        if index is None:
            return None
        while index + 1 < len(self.bus) and self.bus.role_at(index + 1) == "tool":
            index += 1
        return self.bus.id_at(index)

    def select_branch(self, message_id: str) -> None:
        """Show another alternative. A reply that streams goes on where it is, shown or not."""
        if message_id in self.bus:
            self.bus.select_branch(message_id)

    @property
    def works_at(self) -> str | None:
        """The message that is written, or the last one before it; None: no reply is on its way."""
        return self._run.at if self._run is not None else None

    def remove(self, message_id: str) -> None:
        """Delete a message; what is on its way is stopped first if it is this one, or works on it."""
        if message_id == self.works_at:
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
        self.stop_summarising()
        self._titles.stop()
        tasks = {task for task in self._background if task is not asyncio.current_task()}
        if tasks:
            _done, late = await asyncio.wait(tasks, timeout=_CLOSING_S)
            for task in late:
                log.error("%s did not end within %g s", task.get_name(), _CLOSING_S)
        self._listeners.clear()

    # One run: a message, its reply, and the queue after it

    async def _start(self, work: Callable[[Loop], Awaitable[object]]) -> None:
        """Run `work` in a task of its own, so that `stop` can end it at any instant, and wait for its end."""
        from sam_py.agent.loop import Loop

        run = Loop(self._desk, self)
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

    async def _guarded(self, run: Loop, work: Callable[[Loop], Awaitable[object]]) -> None:
        try:
            await work(run)
        except asyncio.CancelledError:
            if self._run is run:  # not by `stop`: the loop is closing
                self._halt(run)
                await self._save()
            raise
        except Exception as error:  # noqa: BLE001 - a bug of ours must not take the session down
            run.fail(self.bus.tip, error)
        finally:
            if not run.over:
                self._end(run)
                self._change(phase="idle", text="", reply_id=None)

    async def _say_queued(self, run: Loop) -> None:
        """Send what is queued, one after another, as long as replies end normally."""
        while not run.over and (message := next((each for each in self._state.queued if not each.held), None)):
            left = tuple(each for each in self._state.queued if each.id != message.id)
            self._change(phase="waiting", text="", reply_id=None, queued=left)
            if not await self._reply(run, self._say(message)):
                return

    def _say(self, message: QueuedMessage, parent: Any = None) -> str:
        """Add what the person said, at once, on the branch on which it was written. Returns its id."""
        if was_queued := message.below is not None and message.below in self.bus:
            parent = self.bus.last_below(message.below)
        said = self.bus.add_user_message(message.text, message.parts, parent_id=parent, turns=not was_queued)
        self._keep_choice()
        self._titles.take_first_words(said)
        return said.id

    async def _reply(
        self, run: Loop, to: str, *, instead_of: str | None = None, go_on: bool = False, then_queued: bool = False
    ) -> bool:
        """Answer the message `to`, or with `go_on` write the rest of the reply `to`. True where it ended normally.

        Where nothing comes, `instead_of` is shown again.
        """
        self._titles.stop()
        reply = await run.answer(to, self.choice, self.defaults, instead_of=instead_of, go_on=go_on)
        if run.over:
            return False
        self._spawn(self._save(), "save a reply")
        if reply is None:
            return False
        self._titles.ask_model(reply, self.choice, self.defaults)
        if self.bus.index_of(reply.id) is not None:  # else it is done after the next reply that is shown
            self._summarise_if_wanted()
        if then_queued:
            await self._say_queued(run)
        return True

    def _summarise_if_wanted(self) -> None:
        """Where the person wants it: what no longer fits is summarised, beside whatever comes next."""
        plan = self.context.plan
        if self.defaults.auto_summary and plan is not None and plan.dropped and self._summary is None:
            self._spawn(self._summarise(plan.dropped), "summarise")

    async def _summarise(self, message_ids: Iterable[str]) -> None:
        try:
            await self.summarise(message_ids)
        except SamError as error:
            log.info("no summary: %s", error)

    def _keep_choice(self) -> None:
        """A conversation keeps the model it began with when the program's default changes."""
        if not self.bus.settings.provider:
            self.set_model(self.defaults.default.provider, self.defaults.default.model)

    # State

    def _halt(self, run: Loop) -> None:
        """What `stop` does to bus and state."""
        self._end(run)
        run.halt()
        self._change(phase="idle", text="", reply_id=None, queued=self._held())

    def _end(self, run: Loop) -> None:
        if self._run is run:
            self._run = None
        run.end()

    def _held(self) -> tuple[QueuedMessage, ...]:
        return tuple(replace(each, held=True, below=None) for each in self._state.queued)

    def _release(self) -> None:
        self._change(queued=tuple(replace(each, held=False) for each in self._state.queued))

    def shows(self, phase: Phase, text: str = "", reply_id: str | None = None) -> None:
        self._change(phase=phase, text=text, reply_id=reply_id)

    def broke(self) -> None:
        self._change(queued=self._held())

    def waits(self, text: str) -> None:
        if self._state.phase == "waiting":
            self._change(text=text)

    def streams(self) -> None:
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
