"""GeminiProvider: one account at Google AI, or whatever else speaks its API."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from sam_py.messages.turn import Limits
from sam_py.providers.base import ChatRequest, Decoder, ModelInfo
from sam_py.providers.failures import Asked
from sam_py.providers.gemini.models import guessed_limits, read_models
from sam_py.providers.gemini.request import build_body
from sam_py.providers.gemini.stream import StreamDecoder
from sam_py.providers.http import Http
from sam_py.providers.wire import Account, KeyOf, WireProvider

_MOST_PAGES = 20
# What a person may have copied behind the version: a method, a list, the path of another protocol.
_BEHIND = re.compile(r"(/models(/.*)?|/openai(/.*)?|\?.*)$")
_HOST_ALONE = re.compile(r"^https?://[^/]*googleapis\.com$")


class GeminiProvider(WireProvider):
    """The version (``/v1beta``, ``/v1``) is part of the account's address; an address without one gets ``/v1beta``."""

    KEY_HEADER = "x-goog-api-key"

    def __init__(self, account: Account, *, http: Http, key_of: KeyOf) -> None:
        super().__init__(account, http=http, key_of=key_of)
        self._base_url = plain_base_url(self._base_url)

    async def list_models(self) -> list[ModelInfo]:
        models: list[ModelInfo] = []
        token = ""
        for _ in range(_MOST_PAGES):
            page, token = read_models(await self._ask(f"/models?pageSize=1000{_next(token)}"))
            models += page
            if not token:
                break
        self._limits.update({model.id: model.limits for model in models})
        return models

    def _address(self, request: ChatRequest) -> str:
        model = request.model if "/" in request.model else f"models/{request.model}"
        method = "streamGenerateContent?alt=sse" if request.stream else "generateContent"
        return f"/{quote(model, safe='/@.-')}:{method}"

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        return build_body(request)

    def _decoder(self, asked: Asked) -> Decoder:
        return StreamDecoder(asked)

    def _guessed(self, model: str) -> Limits:
        return guessed_limits(model)


def plain_base_url(url: str) -> str:
    """The address up to and with its version, whatever was copied behind it.

    >>> plain_base_url("https://generativelanguage.googleapis.com/v1beta/models/gemini-x:generateContent")
    'https://generativelanguage.googleapis.com/v1beta'
    >>> plain_base_url("https://generativelanguage.googleapis.com")
    'https://generativelanguage.googleapis.com/v1beta'
    """
    url = _BEHIND.sub("", url).rstrip("/")
    return f"{url}/v1beta" if _HOST_ALONE.match(url) else url


def _next(token: str) -> str:
    return f"&pageToken={quote(token, safe='')}" if token else ""
