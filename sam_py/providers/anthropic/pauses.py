"""PausedReply: what stopped for a server tool (``pause_turn``) is sent back as it is, and goes on as the same reply."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sam_py.messages.turn import Turn
from sam_py.messages.usage import Usage
from sam_py.providers.accumulate import fold
from sam_py.providers.base import (
    ChatRequest,
    Finished,
    Started,
    StreamEvent,
    ToolCallDelta,
    ToolCallStarted,
    UsageReported,
    Waiting,
)

PAUSED = "pause_turn"
_MOST_PAUSES = 10


class PausedReply:
    """The answers to one request after another, as the events of one reply."""

    def __init__(self, request: ChatRequest) -> None:
        self._request = request
        self._events: list[StreamEvent] = []
        """Those of the answer that is being read."""
        self._answer = 0
        self._spent: Usage | None = None
        """By the answers before."""
        self._is_paused = False

    def take(self, event: StreamEvent) -> Iterator[StreamEvent]:
        """Read an event of the answer; yields what it is in the reply: nothing where that goes on after it."""
        if isinstance(event, Finished) and event.word == PAUSED and self._answer < _MOST_PAUSES:
            self._is_paused = True
            return
        self._events.append(event)
        match event:
            case Started() if self._answer:
                return
            case UsageReported() if self._spent is not None:
                yield UsageReported(self._spent.and_then(event.usage))
            case ToolCallStarted() | ToolCallDelta() if self._answer:
                yield replace(event, key=f"{self._answer}.{event.key}")  # each answer counts from nought
            case _:
                yield event

    def next_request(self) -> ChatRequest | None:
        """The request that lets the reply go on; None where it has ended."""
        if not self._is_paused:
            return None
        answer = fold(
            (event for event in self._events if not isinstance(event, Waiting)),
            provider=self._request.provider,
            model=self._request.model,
        )
        if answer.usage is not None:
            self._spent = answer.usage if self._spent is None else self._spent.and_then(answer.usage)
        turn = Turn("assistant", answer.parts, provider=self._request.provider, model=self._request.model)
        self._request = replace(self._request, turns=(*self._request.turns, turn))
        self._events, self._is_paused = [], False
        self._answer += 1
        return self._request
