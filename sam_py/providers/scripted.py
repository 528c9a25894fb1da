"""ScriptedProvider: says what a script tells it, at the pace it tells. For tests, screenshots and benchmarks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from dataclasses import dataclass

from sam_py.messages.turn import Limits
from sam_py.messages.usage import Usage
from sam_py.providers.base import (
    ChatRequest,
    Finished,
    ModelInfo,
    Started,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    UsageReported,
)
from sam_py.providers.errors import ProviderError

MODEL = "scripted"


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait so many seconds, by the provider's `sleep`."""

    seconds: float


Step = StreamEvent | Pause | asyncio.Event | ProviderError
"""An event is yielded, a pause waited, an `asyncio.Event` waited for, an error raised."""
Reply = Iterable[Step]


def say(text: str, *, thinking: str = "", pace_s: float = 0.0, piece: int = 12) -> list[Step]:
    """A whole reply: `text` in pieces of so many characters, `pace_s` seconds apart, with usage and end.

    >>> [step.text for step in say("Hello there", piece=6) if isinstance(step, TextDelta)]
    ['Hello ', 'there']
    """
    steps: list[Step] = [Started("scripted-reply", MODEL)]
    for kind, whole in ((ThinkingDelta, thinking), (TextDelta, text)):
        for start in range(0, len(whole), piece):
            if pace_s:
                steps.append(Pause(pace_s))
            steps.append(kind(whole[start : start + piece]))
    words = max(1, len(text) // 4)
    return [*steps, UsageReported(Usage(input_tokens=words, output_tokens=words)), Finished("stop", word="stop")]


class ScriptedProvider:
    """Answers each request with the next reply of its script; `requests` keeps what it was asked.

    A reply that does not end in `Finished` or an error ends like a stream that was cut: with a
    `ProviderError` of code ``cut_off``. So does a request for which the script holds no reply.
    """

    def __init__(
        self,
        *replies: Reply | str,
        id: str = "scripted",
        label: str = "Scripted",
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        limits: Limits | None = None,
        models: Iterable[str] = (MODEL,),
        repeat: bool = False,
    ) -> None:
        """A `str` stands for ``say(str)``. With `repeat` the last reply is given again for ever."""
        self._id = id
        self._label = label
        self._sleep = sleep
        self._limits = limits or Limits(images=True, pdfs=True, tools=True, thinking=True)
        self._models = tuple(models)
        self._repeat = repeat
        self._replies: list[Reply] = []
        self.requests: list[ChatRequest] = []
        self.streaming = 0
        """Streams that are open now: 0 once a stopped one has really stopped."""
        self.add(*replies)

    @property
    def id(self) -> str:
        return self._id

    @property
    def label(self) -> str:
        return self._label

    def add(self, *replies: Reply | str) -> None:
        """Append replies to the script."""
        self._replies += [say(reply) if isinstance(reply, str) else tuple(reply) for reply in replies]

    async def stream(self, request: ChatRequest) -> AsyncGenerator[StreamEvent, None]:
        self.requests.append(request)
        reply = self._next()
        self.streaming += 1
        try:
            for step in reply:
                match step:
                    case Pause():
                        await self._sleep(step.seconds)
                    case asyncio.Event():
                        await step.wait()
                    case ProviderError():
                        raise step
                    case Finished():
                        yield step
                        return
                    case _:
                        yield step
            raise ProviderError(
                "The scripted reply has no end. Add Finished to it.", code="cut_off", detail=f"{len(self.requests)}"
            )
        finally:
            self.streaming -= 1

    async def list_models(self) -> list[ModelInfo]:
        return [ModelInfo(model, limits=self._limits) for model in self._models]

    def limits_of(self, model: str) -> Limits:
        return self._limits

    async def aclose(self) -> None:
        """Nothing to close."""

    def _next(self) -> Reply:
        if not self._replies:
            raise ProviderError("The script has no reply left. Add one.", code="cut_off", retryable=False)
        return self._replies[0] if self._repeat and len(self._replies) == 1 else self._replies.pop(0)
