"""OllamaProvider: Ollama on this machine, on another one, or its cloud."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from sam_py.errors import SamError
from sam_py.messages.turn import Limits
from sam_py.providers.base import ChatRequest, Decoder, ModelInfo, StreamEvent
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked
from sam_py.providers.http import Http
from sam_py.providers.ollama.models import Told, guessed, read_show, read_tags
from sam_py.providers.ollama.request import build_body
from sam_py.providers.ollama.stream import StreamDecoder
from sam_py.providers.wire import Account, KeyOf, WireProvider

log = logging.getLogger(__name__)

_ASKED_AT_ONCE = 4
_LEARN_S = 4.0
"""So long a request waits to hear what its model takes, before it is made from what the name tells."""
_ASKED_AGAIN_S = 5.0
"""So long after it did not tell, the server is not asked again, except by a request that leaves."""
# What settings of earlier versions end in, and what a person may have copied behind the host.
_BEHIND = re.compile(r"/(v1|api)(/.*)?$")


class OllamaProvider(WireProvider):
    """Asks the server about a model before it first uses it: what a model cannot do answers 400 there.

    `monotonic` (seconds) is passed in by tests.
    """

    def __init__(
        self, account: Account, *, http: Http, key_of: KeyOf, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(account, http=http, key_of=key_of)
        self._base_url = plain_base_url(self._base_url)
        self._told: dict[str, Told] = {}
        self._digests: dict[str, str] = {}
        self._monotonic = monotonic
        self._untold_s: dict[str, float] = {}
        """When the server last did not tell of a model (monotonic seconds)."""

    async def list_models(self) -> list[ModelInfo]:
        listed = read_tags(await self._ask("/api/tags"))
        turns = asyncio.Semaphore(_ASKED_AT_ONCE)

        async def tell(name: str, digest: str) -> Told | None:
            if self._digests.get(name) != digest or not digest:
                self._told.pop(name, None)
            async with turns:
                told = await self._learn(name)
            self._digests[name] = digest
            return told

        answers = await asyncio.gather(*(tell(name, digest) for name, digest in listed))
        models = [
            ModelInfo(name, limits=told.limits if told is not None else guessed(name))
            for (name, _digest), told in zip(listed, answers, strict=True)
            if told is None or told.answers
        ]
        self._limits.update({model.id: model.limits for model in models})
        return models

    async def learn(self, model: str) -> None:
        if model in self._told or self._monotonic() - self._untold_s.get(model, -_ASKED_AGAIN_S) < _ASKED_AGAIN_S:
            return
        try:
            async with asyncio.timeout(_LEARN_S):
                told = await self._learn(model)
        except (SamError, TimeoutError) as error:  # the request itself will tell
            log.info("%s does not tell of %s yet: %s", self.label, model, error)
            told = None
        if told is None:
            self._untold_s[model] = self._monotonic()

    async def stream(self, request: ChatRequest) -> AsyncGenerator[StreamEvent, None]:
        async with aclosing(super().stream(await self._fitted(request))) as events:
            async for event in events:
                yield event

    async def body_of(self, request: ChatRequest) -> bytes:
        return await super().body_of(await self._fitted(request))

    async def _fitted(self, request: ChatRequest) -> ChatRequest:
        """`request` with no more in it than the server says that the model takes."""
        told = await self._learn(request.model)
        if told is None:
            return request
        request = replace(request, limits=_narrowed(request.limits, told.limits))
        return request if told.limits.tools else replace(request, tools=())

    def _address(self, request: ChatRequest) -> str:
        return "/api/chat"

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        return build_body(request, self._told.get(request.model))

    def _decoder(self, asked: Asked) -> Decoder:
        return StreamDecoder(asked)

    def _guessed(self, model: str) -> Limits:
        return guessed(model)

    async def _learn(self, model: str) -> Told | None:
        """What the server says of `model`, asked once; None where it does not say. Raises where it cannot be asked."""
        told = self._told.get(model)
        if told is None:
            try:
                told = read_show(await self._ask("/api/show", {"model": model}))
            except ProviderError as error:
                if error.code not in ("bad_request", "bad_response", "no_model", "server"):
                    raise
                log.warning("%s says nothing of %s: %s", self.label, model, error)  # the request itself will tell
                return None
            self._told[model] = told
            self._limits[model] = told.limits
        return told


def plain_base_url(url: str) -> str:
    """The host alone, whatever was copied behind it.

    >>> plain_base_url("http://127.0.0.1:11434/v1"), plain_base_url("https://ollama.com/api/chat")
    ('http://127.0.0.1:11434', 'https://ollama.com')
    """
    return _BEHIND.sub("", url).rstrip("/")


def _narrowed(asked: Limits, told: Limits) -> Limits:
    """What both allow; a request without limits takes the server's word."""
    if asked == Limits():
        return told
    sizes = [size for size in (asked.context_tokens, told.context_tokens) if size]
    return replace(
        told,
        context_tokens=min(sizes, default=None),
        output_tokens=asked.output_tokens,
        images=asked.images and told.images,
        tools=asked.tools and told.tools,
    )
