"""GuideProvider: streams the guide's answers in words, at the pace of a model."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable

from sam_py.errors import SamError
from sam_py.messages.turn import Limits
from sam_py.providers.base import (
    ChatRequest,
    Finished,
    ImageProduced,
    ModelInfo,
    Started,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
)
from sam_py.providers.errors import ProviderError

GUIDE_ID = "guide"
GUIDE_MODEL = "guide"
CHUNKS_PER_S = 90.0

_CHUNK = re.compile(r"\s*\S{1,24}|\s+")
"""A word with the white space before it; a long one in pieces."""


class GuideProvider:
    """Looks questions up in the handbook. No network, no key, no tokens to report."""

    def __init__(
        self, *, chunks_per_s: float = CHUNKS_PER_S, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    ) -> None:
        self._pause_s = 1 / chunks_per_s
        self._sleep = sleep

    @property
    def id(self) -> str:
        return GUIDE_ID

    @property
    def label(self) -> str:
        return "Offline guide"

    async def stream(self, request: ChatRequest) -> AsyncIterator[StreamEvent]:
        """Yield the answer to the request's last turn. `max_tokens` limits it in chunks, as a model's would be."""
        from sam_py.providers.guide.answers import answer  # the window opens without it

        try:
            answered = answer(request.turns)
        except SamError as error:  # the handbook is not there
            raise ProviderError(str(error), code="server", retryable=False) from error
        yield Started(model=GUIDE_MODEL)
        left = request.max_tokens if request.max_tokens is not None else -1
        for chunk in chunks_of(answered.thinking):
            await self._sleep(self._pause_s)
            yield ThinkingDelta(chunk)
        if answered.image:
            yield ImageProduced(answered.image, "image/png")
        for chunk in chunks_of(answered.text):
            await self._sleep(self._pause_s)
            if left == 0:
                yield Finished("length", word="max_tokens")
                return
            left -= 1
            yield TextDelta(chunk)
        yield Finished("stop", word="stop")

    async def list_models(self) -> list[ModelInfo]:
        return [ModelInfo(id=GUIDE_MODEL, label=self.label, limits=self.limits_of(GUIDE_MODEL))]

    def limits_of(self, model: str) -> Limits:
        """It takes everything, so that nothing is degraded into text; what it cannot use it says itself."""
        return Limits(images=True, thinking=True)

    async def aclose(self) -> None:
        """Nothing is open."""


def chunks_of(text: str) -> list[str]:
    """`text` in words, joined again the same text.

    >>> chunks_of("Press **Esc** to stop.")
    ['Press', ' **Esc**', ' to', ' stop.']
    """
    return _CHUNK.findall(text)
