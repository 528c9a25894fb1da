"""A chat session with a real bus, a provider that a test steps through, and a store that notes what it is asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from sam_py.agent.session import ChatSession, SessionState
from sam_py.bus.deltas import Delta, Recorded
from sam_py.bus.message_bus import MessageBus
from sam_py.errors import SamError
from sam_py.messages.message import AssistantMessage
from sam_py.settings.model import ChatSettings, ModelChoice
from tests.fakes.stepped_provider import SteppedProvider


class Talk:
    """Everything that a session's test looks at."""

    def __init__(self) -> None:
        self.provider = SteppedProvider()
        self.other = SteppedProvider("other")
        self.bus = MessageBus("talk")
        self.log: list[str] = []
        self.deltas: list[Delta] = []
        self.states: list[SessionState] = []
        self.attachments: dict[str, bytes] = {}
        self.save_error: SamError | None = None
        self.disk = asyncio.Event()
        self.disk.set()
        self.bus.subscribe(self._hear)
        self.session = ChatSession(
            self.bus,
            provider_of=self._provider_of,
            save_now=self._save,
            read_attachment=self._read,
            put_attachment=self._put,
            defaults=ChatSettings(default=ModelChoice(provider="stepped", model="m"), model_titles=False),
        )
        self.session.subscribe(self.states.append)

    def lines(self) -> list[str]:
        """The path as ``role: text``, replies with how they ended."""
        lines = []
        for message in self.bus.messages():
            ended = f" [{message.stop_reason}]" if isinstance(message, AssistantMessage) else ""
            lines.append(f"{message.role}: {message.text}{ended}")
        return lines

    async def until(self, condition: Callable[[], object]) -> None:
        """Let the loop go round until `condition` holds; a test that waits in vain fails."""
        for _ in range(10_000):
            if condition():
                return
            await asyncio.sleep(0)
        raise AssertionError(f"in vain: {self.session.state}")

    async def streaming(self, text: str, said: str = "question") -> asyncio.Task[None]:
        """A reply that has said `text` and goes on."""
        task = asyncio.get_running_loop().create_task(self.session.send(said))
        self.provider.say(text)
        await self.until(lambda: self.session.state.phase == "streaming")
        return task

    def _hear(self, delta: Delta) -> None:
        self.deltas.append(delta)
        if isinstance(delta, Recorded):
            self.log.append(delta.event.event)

    def _provider_of(self, provider_id: str) -> SteppedProvider:
        found = {"stepped": self.provider, "other": self.other}.get(provider_id)
        if found is None:
            raise SamError(f"There is no provider {provider_id} any more. Choose another model.")
        return found

    async def _save(self) -> None:
        self.log.append(f"save after {len(self.provider.requests)} requests")
        await self.disk.wait()
        if self.save_error is not None:
            raise self.save_error

    async def _read(self, attachment: str) -> bytes:
        if attachment not in self.attachments:
            raise FileNotFoundError(attachment)
        return self.attachments[attachment]

    async def _put(self, data: bytes, mime_type: str) -> str:
        self.attachments[f"hash of {mime_type}"] = data
        return f"hash of {mime_type}"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def talk(anyio_backend: str) -> AsyncIterator[Talk]:
    """A session of its own for each test; its end leaves no stream open."""
    talk = Talk()
    yield talk
    await talk.session.aclose()
    assert (talk.provider.open, talk.other.open) == (0, 0)
