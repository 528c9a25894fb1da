"""OpenAIResponsesProvider: one account or server that speaks Responses."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from sam_py.messages.turn import Limits
from sam_py.providers.base import ChatRequest, Decoder, Finished, ModelInfo, StreamEvent, UsageReported, Waiting
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked
from sam_py.providers.http import Http
from sam_py.providers.model_lists import read_models
from sam_py.providers.model_names import guessed_limits, thinks
from sam_py.providers.openai_responses.dialect import Dialect, Optional, dialect_of
from sam_py.providers.openai_responses.refusals import refused_key, refuses_kept_items, without_kept_items
from sam_py.providers.openai_responses.request import build_body
from sam_py.providers.openai_responses.stream import StreamDecoder
from sam_py.providers.wire import Account, KeyOf, WireProvider


class OpenAIResponsesProvider(WireProvider):
    """The account's preset names the dialect, or its address where the preset is any server.

    What a server refuses of a request that can do without it is left out, and remembered for the model.
    """

    ENDING = "/responses"

    def __init__(self, account: Account, *, http: Http, key_of: KeyOf) -> None:
        # Who moves over from Chat Completions may have that at the end of the address.
        address = account.base_url.strip().rstrip("/").removesuffix("/chat/completions")
        super().__init__(replace(account, base_url=address), http=http, key_of=key_of)
        self._dialect = dialect_of(account.preset, account.base_url)
        self._left_out: dict[str, frozenset[Optional]] = {}

    async def stream(self, request: ChatRequest) -> AsyncGenerator[StreamEvent, None]:
        """As of `WireProvider`. Where a key of ours or our earlier reasoning is refused, asked again without it."""
        most = max(request.max_tokens, self._dialect.least_output_tokens) if request.max_tokens else None
        while True:
            said_something, came = False, 0
            try:
                async with aclosing(super().stream(request)) as events:
                    async for event in events:
                        said_something = said_something or not isinstance(event, Waiting)
                        if isinstance(event, UsageReported):
                            came = event.usage.output_tokens or 0
                        yield _as_cut(event) if most is not None and came >= most else event
                return
            except ProviderError as error:
                lighter = None if said_something else self._without_what_was_refused(request, error)
                if lighter is None:
                    raise
                request = lighter

    async def list_models(self) -> list[ModelInfo]:
        listed = read_models(await self._ask("/models"), for_chat=True)
        models = [replace(model, limits=self._with_dialect(model.id, model.limits)) for model in listed]
        self._limits.update({model.id: model.limits for model in models})
        return models

    def _address(self, request: ChatRequest) -> str:
        return "/responses"

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        return build_body(request, dialect=self._spoken(request.model))

    def _decoder(self, asked: Asked) -> Decoder:
        return StreamDecoder(asked)

    def _guessed(self, model: str) -> Limits:
        return self._with_dialect(model, guessed_limits(model))

    def _key_header(self) -> str:
        return self._dialect.key_header

    def _spoken(self, model: str) -> Dialect:
        return replace(self._dialect, left_out=self._left_out.get(model, frozenset()))

    def _with_dialect(self, model: str, limits: Limits) -> Limits:
        pdfs = limits.pdfs or (self._dialect.pdfs and limits.images)
        return replace(limits, pdfs=pdfs, thinking=limits.thinking or thinks(model))

    def _without_what_was_refused(self, request: ChatRequest, error: ProviderError) -> ChatRequest | None:
        """The request to send instead; None where `error` is about something that it needs."""
        if refuses_kept_items(error):
            lighter = without_kept_items(request)
            return lighter if lighter != request else None
        key = refused_key(error)
        left_out = self._left_out.get(request.model, frozenset())
        if key is None or key in left_out:
            return None
        self._left_out[request.model] = left_out | {key}
        return request


def _as_cut(event: StreamEvent) -> StreamEvent:
    """The end of a reply that used up its tokens: llama.cpp calls it complete all the same."""
    if isinstance(event, Finished) and event.stop_reason == "stop":
        return replace(event, stop_reason="length")
    return event
