"""AnthropicProvider: one account or server that speaks Messages."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from sam_py.messages.turn import Limits
from sam_py.providers.anthropic.families import guessed_limits
from sam_py.providers.anthropic.models import PAGE, next_page, read_models
from sam_py.providers.anthropic.pauses import PausedReply
from sam_py.providers.anthropic.request import build_body
from sam_py.providers.anthropic.stream import StreamDecoder
from sam_py.providers.base import ChatRequest, Decoder, ModelInfo, StreamEvent
from sam_py.providers.failures import Asked
from sam_py.providers.http import Call, Http
from sam_py.providers.model_names import is_chat_name
from sam_py.providers.wire import Account, KeyOf, WireProvider

VERSION = "2023-06-01"
BINDING = "thinking-binding-controls-2026-08-01"
"""The beta that lets a request say what becomes of thinking before which something changed."""
_BETA = "anthropic-beta"
_MOST_PAGES = 20
_VERSIONED = re.compile(r"/v\d[^/]*$")


class AnthropicProvider(WireProvider):
    """Anthropic itself, or a server that imitates it.

    Imitators are written down as Anthropic's own clients want them, without the version that they add:
    ``https://api.deepseek.com/anthropic``; here it is added where an address has none.
    """

    ENDING = "/messages"
    KEY_HEADER = "x-api-key"

    def __init__(self, account: Account, *, http: Http, key_of: KeyOf) -> None:
        super().__init__(account, http=http, key_of=key_of)
        if self._base_url and not _VERSIONED.search(self._base_url):
            self._base_url += "/v1"
        self._is_anthropic = (urlsplit(self._base_url).hostname or "").endswith(".anthropic.com")

    async def list_models(self) -> list[ModelInfo]:
        models: dict[str, ModelInfo] = {}
        path, asked = PAGE, set[str]()
        while path and path not in asked and len(asked) < _MOST_PAGES:
            asked.add(path)
            page = await self._ask(path)
            models.update({model.id: model for model in read_models(page) if is_chat_name(model.id)})
            path = next_page(page)
        self._limits.update({model.id: model.limits for model in models.values()})
        return list(models.values())

    async def stream(self, request: ChatRequest) -> AsyncGenerator[StreamEvent, None]:
        """Send `request`, and again what came as long as a server tool wants more time; the reply is one."""
        reply = PausedReply(replace(request, provider=self.id))
        asked: ChatRequest | None = request
        while asked is not None:
            async with aclosing(super().stream(asked)) as events:
                async for event in events:
                    for told in reply.take(event):
                        yield told
            asked = reply.next_request()

    def _address(self, request: ChatRequest) -> str:
        return "/messages"

    def _headers(self) -> dict[str, str]:
        return {"anthropic-version": VERSION}

    async def _call(
        self, path: str, asked: Asked, body: Mapping[str, Any] | None = None, *, read_s: float | None = None
    ) -> Call:
        """With the beta that the body needs, beside those that a person set."""
        call = await super()._call(path, asked, body, read_s=read_s)
        thinking = body.get("thinking") if body else None
        if not isinstance(thinking, dict) or "block_binding" not in thinking:
            return call
        betas = [value for name, value in call.headers.items() if name.lower() == _BETA]
        headers = {name: value for name, value in call.headers.items() if name.lower() != _BETA}
        return replace(call, headers={**headers, _BETA: ",".join([*betas, BINDING])})

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        return build_body(request, drops_unbound=self._is_anthropic)

    def _decoder(self, asked: Asked) -> Decoder:
        return StreamDecoder(asked)

    def _guessed(self, model: str) -> Limits:
        return guessed_limits(model)
