"""SteppedProvider: a provider that says what a test tells it, one event at a time, and notes what it was asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from sam_py.messages.turn import Limits
from sam_py.providers.base import ChatRequest, Finished, ModelInfo, StreamEvent, TextDelta


class SteppedProvider:
    """`say` feeds the reply that streams (or the next one); an exception is raised in its place."""

    def __init__(self, id: str = "stepped", limits: Limits | None = None) -> None:
        self.id = id
        self.label = "Stepped"
        self.limits = limits or Limits(images=True, pdfs=True, tools=True, thinking=True)
        self.requests: list[ChatRequest] = []
        self.open = 0
        self.closed = 0
        self.asked = asyncio.Event()
        self._events: asyncio.Queue[StreamEvent | Exception] = asyncio.Queue()

    def say(self, *events: StreamEvent | Exception | str) -> None:
        for event in events:
            self._events.put_nowait(TextDelta(event) if isinstance(event, str) else event)

    def forget(self) -> None:
        """Drop what was fed and not asked for."""
        while not self._events.empty():
            self._events.get_nowait()

    def answer(self, text: str) -> None:
        """Script one whole reply."""
        self.say(text, Finished("stop"))

    async def stream(self, request: ChatRequest) -> AsyncIterator[StreamEvent]:
        self.requests.append(request)
        self.open += 1
        self.asked.set()
        try:
            while True:
                event = await self._events.get()
                if isinstance(event, Exception):
                    raise event
                yield event
                if isinstance(event, Finished):
                    return
        finally:
            self.open -= 1
            self.closed += 1

    async def list_models(self) -> list[ModelInfo]:
        return [ModelInfo("m")]

    def limits_of(self, model: str) -> Limits:
        return self.limits

    async def aclose(self) -> None:
        pass
