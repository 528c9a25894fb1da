"""OpenAIChatProvider: one account or server that speaks Chat Completions."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from sam_py.errors import SamError
from sam_py.messages.turn import Limits
from sam_py.providers.base import ChatRequest, ModelInfo, StreamEvent, Waiting
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked
from sam_py.providers.http import Call, Http
from sam_py.providers.openai_chat.dialect import Dialect
from sam_py.providers.openai_chat.models import guessed_limits, read_models
from sam_py.providers.openai_chat.request import build_body
from sam_py.providers.openai_chat.stream import StreamDecoder

LISTING_READ_S = 20.0


class OpenAIChatProvider:
    """`key_of` is asked before each request, so that a new key counts at once. `http` is shared and not closed here."""

    def __init__(
        self,
        id: str,
        *,
        label: str,
        base_url: str,
        http: Http,
        key_of: Callable[[str], Awaitable[str | None]],
        dialect: Dialect | None = None,
        needs_key: bool = False,
        local_program: str = "",
        headers: Mapping[str, str] | None = None,
        extra_body: Mapping[str, Any] | None = None,
    ) -> None:
        self._id = id
        self._label = label
        self._base_url = base_url.strip().rstrip("/").removesuffix("/chat/completions")
        self._http = http
        self._key_of = key_of
        self._dialect = replace(dialect or Dialect(), provider_id=id)
        self._needs_key = needs_key
        self._local_program = local_program
        self._headers = dict(headers or {})
        self._extra_body = dict(extra_body or {})
        self._limits: dict[str, Limits] = {}

    @property
    def id(self) -> str:
        return self._id

    @property
    def label(self) -> str:
        return self._label

    async def stream(self, request: ChatRequest) -> AsyncGenerator[StreamEvent, None]:
        """Send `request` and yield its events. Partial text comes before the `ProviderError` that ended it."""
        asked = self._asked(request.model)
        limits = self.limits_of(request.model) if request.limits == Limits() else request.limits
        request = replace(request, limits=limits, extra={**self._extra_body, **request.extra})
        call = await self._call("/chat/completions", asked, build_body(request, self._dialect))
        decoder = StreamDecoder(asked)
        broken: ProviderError | None = None
        async with aclosing(self._http.stream(call)) as chunks:
            try:
                async for chunk in chunks:
                    if isinstance(chunk, Waiting):
                        yield chunk
                        continue
                    for event in decoder.feed(chunk):
                        yield event
                    if decoder.error is not None or decoder.finished:
                        break
            except ProviderError as error:
                if error.code != "cut_off":
                    raise
                broken = error
        for event in decoder.close():
            yield event
        if decoder.error is not None:
            raise decoder.error if broken is None or decoder.error.code != "cut_off" else broken

    async def list_models(self) -> list[ModelInfo]:
        """Ask for the models to talk to, in the server's order. Raises `ProviderError`."""
        models = read_models(await self._listing(), for_chat=True)
        if self._dialect.pdf:
            models = [replace(model, limits=replace(model.limits, pdfs=model.limits.images)) for model in models]
        if self._dialect.reasoning_back:
            models = [replace(model, limits=replace(model.limits, thinking=True)) for model in models]
        self._limits.update({model.id: model.limits for model in models})
        return models

    async def _listing(self) -> Any:
        asked = self._asked()
        call = await self._call("/models", asked)
        if self._dialect.listing:
            root = self._base_url.removesuffix("/v1")
            try:
                return await self._http.get_json(replace(call, url=root + self._dialect.listing))
            except ProviderError as error:
                if error.status != 404 and error.code != "bad_response":
                    raise
        return await self._http.get_json(call)

    def limits_of(self, model: str) -> Limits:
        known = self._limits.get(model)
        if known is not None:
            return known
        guessed = guessed_limits(model)
        return replace(
            guessed,
            pdfs=bool(self._dialect.pdf) and guessed.images,
            thinking=bool(self._dialect.reasoning_back),
        )

    async def aclose(self) -> None:
        """Nothing to close: the HTTP client belongs to the registry."""

    def _asked(self, model: str = "") -> Asked:
        return Asked(label=self._label, model=model, base_url=self._base_url, local_program=self._local_program)

    async def _call(self, path: str, asked: Asked, body: Mapping[str, Any] | None = None) -> Call:
        if not self._base_url:
            raise SamError(f"{self._label} has no address yet. Open settings and enter its base URL.")
        key = await self._key_of(self._id)
        if self._needs_key and not (key or "").strip():
            raise ProviderError(
                f"There is no key for {self._label} yet. Open settings and enter it.", code="bad_key", retryable=False
            )
        asked = replace(asked, with_key=bool((key or "").strip()))
        call = Call(url=self._base_url + path, asked=asked, body=body, key=key, headers=self._headers)
        return call if body is not None else replace(call, read_s=LISTING_READ_S)
