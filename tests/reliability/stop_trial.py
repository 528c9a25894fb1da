"""Trial: one conversation over real parts (session, providers, runner, store), stopped at one instant."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from sam_py.agent.session import ChatSession, SessionState
from sam_py.bus.message_bus import MessageBus
from sam_py.messages.message import Message, ToolResultMessage
from sam_py.paths import Paths
from sam_py.providers.base import ChatRequest, Provider, StreamEvent
from sam_py.providers.http import Http
from sam_py.providers.registry import Registry
from sam_py.settings.model import ChatSettings, ModelChoice, ProviderSettings
from sam_py.store.autosave import Autosave
from sam_py.store.library import Library
from sam_py.ui.program_tools import ProgramTools
from tests.reliability.stop_streams import PacedServer, Played
from tests.reliability.stop_tools import Ended, SlowTool

PATIENCE_S = 5.0
_UNKNOWN_TOOL = 0.1
"""Of the tools that a model calls, so many are none of ours."""


How = Literal["stop", "close", "cancel"]
HOWS: tuple[How, ...] = get_args(How)


@dataclass(frozen=True, slots=True)
class Scene:
    """All that is random comes of `number`. The server answers with `script`, and after the stop with `later`."""

    number: int
    script: tuple[Played, ...]
    later: Played
    pace: float = 1.0
    """All delays are so many times as long."""

    def __str__(self) -> str:
        return f"scene {self.number} ({', '.join(each.name for each in self.script)}; {self.later.name})"


@dataclass(frozen=True, slots=True)
class Stop:
    """How and when: after so many seconds, or right after the so-manieth event."""

    how: How
    after_s: float | None = None
    after_events: int | None = None


class _Tapped:
    """A provider of which every event is noted as it is handed on."""

    def __init__(self, provider: Provider, note: Callable[[StreamEvent], None]) -> None:
        self._provider = provider
        self._note = note

    def __getattr__(self, name: str) -> Any:
        return getattr(self._provider, name)

    async def stream(self, request: ChatRequest) -> AsyncIterator[StreamEvent]:
        async with contextlib.aclosing(self._provider.stream(request)) as events:  # type: ignore[type-var]
            async for event in events:
                self._note(event)
                yield event


class Trial:
    """`run`, look at what is left, `aclose`. Without `stop` it ends by itself."""

    def __init__(self, folder: Path, scene: Scene, http: Http, stop: Stop | None) -> None:
        self.scene, self.stop = scene, stop
        self.came: list[StreamEvent] = []
        """What the provider's code handed to the loop before the stop."""
        self.ended: list[Ended] = []
        """The tools that came to their end before the stop."""
        self.begun_late: list[str] = []
        """Calls that were begun after it."""
        self.problems: list[str] = []
        self.events = 0
        self.lasted_s = self.idle_s = 0.0
        self.closed_s: list[float] = []
        self.phase_at_stop = ""
        self.left: list[Message] = []
        """The conversation at the instant at which the session became idle."""
        self._http = http
        self._folder = folder
        self._stopped_s: float | None = None
        self._halted = False
        self._hand: set[str] = set()
        self._closing: asyncio.Task[None] | None = None
        self.stopped = asyncio.Event()

    # A conversation

    async def run(self) -> None:
        """Ask, be answered, act, and stop; then wait until all is quiet."""
        self._loop = asyncio.get_running_loop()
        self.server = PacedServer(self.scene.number, self.scene.pace, on_event=self._tick)
        await self.server.start()
        self.server.script = list(self.scene.script)
        self.library = Library(Paths(self._folder / "config", self._folder / "data", self._folder / "state").create())
        await self.library.start()
        chance = random.Random(self.scene.number)
        names = sorted({name for answer in self.scene.script for name in answer.calls})
        tools = [
            SlowTool(name, chance, self.scene.pace, on_event=self._tick, begun=self._begun, ended=self._tool_ended)
            for name in names
            if chance.random() > _UNKNOWN_TOOL
        ]
        self.tools = ProgramTools(None, tools)
        self.tools.approvals.subscribe(self._asked)
        self.registry = Registry(_key, http=self._http)
        kinds = {answer.preset for answer in (*self.scene.script, self.scene.later)}
        base = self.server.url
        self.registry.configure(
            ProviderSettings(id=f"at-{each}", preset=each, label=each, base_url=base) for each in kinds
        )
        self.bus = MessageBus(self.library.create())
        self.session, self.autosave = self.attached(self.bus)
        self.ask_of(self.scene.script[0])
        self.session.subscribe(self._state)
        self.bus.subscribe(lambda _delta: self._tick())
        if self.stop is not None and self.stop.after_s is not None:
            self._loop.call_later(self.stop.after_s, self._stop)
        began_s = time.monotonic()
        self.sending = self._loop.create_task(self.session.send("How is the weather?"))
        await self._within(self.sending, "the reply")
        self.lasted_s = time.monotonic() - began_s
        if self.stop is not None:
            self._stop()  # where it ended sooner this time
            await self._quiet()

    def attached(self, bus: MessageBus) -> tuple[ChatSession, Autosave]:
        """A session on `bus`, wired as the program does it."""
        autosave = self.library.attach(bus)
        session = ChatSession(
            bus,
            provider_of=lambda provider: _Tapped(self.registry.get(provider), self._came),  # type: ignore[return-value]
            save_now=autosave.save_now,
            read_attachment=self.library.attachments.read,
            put_attachment=self.put,
            defaults=ChatSettings(default=ModelChoice(provider="none", model="none"), model_titles=False),
            tools=self.tools.open(bus, save_now=autosave.save_now, put_attachment=self.put),
        )
        return session, autosave

    def ask_of(self, answer: Played, session: ChatSession | None = None) -> None:
        (session or self.session).set_model(f"at-{answer.preset}", answer.model)

    async def put(self, data: bytes, _mime_type: str) -> str:
        return await self.library.attachments.put(data)

    async def close(self) -> None:
        """Close the conversation, as the window does."""
        await self.session.aclose()
        self.tools.close(self.bus.conversation_id)
        await self.autosave.save_now()
        self.autosave.close()

    async def aclose(self) -> None:
        await self.session.aclose()
        await self.library.aclose()
        await self.server.aclose()

    # The stop

    def _stop(self) -> None:
        if self._stopped_s is not None or self.stop is None:
            return
        self.phase_at_stop = self.session.state.phase
        asking = any(each.conversation_id == self.bus.conversation_id for each in self.tools.approvals.questions)
        self.phase_at_stop = "asking" if asking else self.phase_at_stop
        self._open = self.server.open
        self._stopped_s = time.monotonic()
        if self.phase_at_stop == "idle":
            self._note_idle()
        match self.stop.how:
            case "stop":
                self.session.stop()
                if self.session.state.phase != "idle":
                    self.problems.append("not idle when `stop` returned")
            case "close":
                self._closing = self._loop.create_task(self.close())
            case "cancel":
                self.sending.cancel()
        self.stopped.set()

    def _state(self, state: SessionState) -> None:
        if state.phase == "idle" and self._stopped_s is not None and not self._halted:
            self._note_idle()
        self._tick()

    def _note_idle(self) -> None:
        assert self._stopped_s is not None
        self._halted = True
        self.idle_s = time.monotonic() - self._stopped_s
        self.left = list(self.bus.messages())
        if self.bus.ledger.open_calls or self.bus.streaming_ids:
            self.problems.append(f"open: calls {self.bus.ledger.open_calls}, replies {self.bus.streaming_ids}")

    async def _quiet(self) -> None:
        """Wait for the sockets' end, the tasks' end, and the disk."""
        assert self._stopped_s is not None
        if self._closing is not None:
            await self._within(self._closing, "closing")
        await self._until(lambda: self._halted, "the session's rest")
        for asked in self._open:
            await self._until(lambda asked=asked: asked.done or asked.gone_s is not None, "a socket's end")
            if asked.gone_s is not None:
                self.closed_s.append(asked.gone_s - self._stopped_s)
        await self._until(lambda: not self.session._background, "the end of all tasks")
        await self._until(lambda: not self.autosave.is_dirty, "a save")
        await self.library.flush()

    async def _within(self, task: asyncio.Task[None], name: str) -> None:
        _done, late = await asyncio.wait({task}, timeout=PATIENCE_S)
        if late:
            self.problems.append(f"in vain: {name}")
        elif not task.cancelled() and (error := task.exception()) is not None:
            self.problems.append(f"{name}: {error!r}")

    async def _until(self, condition: Callable[[], object], name: str) -> None:
        end_s = time.monotonic() + PATIENCE_S
        while not condition():
            if time.monotonic() > end_s:
                self.problems.append(f"in vain: {name}")
                return
            await asyncio.sleep(0.001)

    # What happens

    def _tick(self) -> None:
        self.events += 1
        if self.stop is not None and self.events == self.stop.after_events:
            self._loop.call_soon(self._stop)

    def _came(self, event: StreamEvent) -> None:
        if not self._halted:
            self.came.append(event)
        self._tick()

    def _begun(self, call_id: str) -> None:
        if self._halted:
            self.begun_late.append(call_id)

    def _tool_ended(self, ended: Ended) -> None:
        if not self._halted:
            self.ended.append(ended)

    def _asked(self) -> None:
        """The person answers some questions soon, some late, and every way."""
        self._tick()
        for question in self.tools.approvals.questions:
            if question.call_id not in self._hand:
                self._hand.add(question.call_id)
                chance = random.Random(f"{self.scene.number} {question.call_id}")
                answer = chance.choice(("once", "once", "conversation", "deny"))
                delay_s = chance.choice((0.0, 0.01, 0.03, 0.2)) * self.scene.pace
                asked = (question.call_id, question.conversation_id, answer)
                self._loop.call_later(delay_s, self.tools.approvals.answer, *asked)

    @property
    def results_left(self) -> list[ToolResultMessage]:
        return [message for message in self.left if isinstance(message, ToolResultMessage)]


async def _key(_provider_id: str) -> str | None:
    return "sk-test-0123456789"
