"""OpenAIChatProvider: one account or server that speaks Chat Completions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sam_py.messages.turn import Limits
from sam_py.providers.base import ChatRequest, Decoder, ModelInfo
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked
from sam_py.providers.http import Http
from sam_py.providers.model_lists import read_models
from sam_py.providers.model_names import guessed_limits
from sam_py.providers.openai_chat.dialect import dialect_of
from sam_py.providers.openai_chat.request import build_body
from sam_py.providers.openai_chat.stream import StreamDecoder
from sam_py.providers.wire import Account, KeyOf, WireProvider


class OpenAIChatProvider(WireProvider):
    """The account's preset names the dialect."""

    ENDING = "/chat/completions"

    def __init__(self, account: Account, *, http: Http, key_of: KeyOf) -> None:
        super().__init__(account, http=http, key_of=key_of)
        self._dialect = replace(dialect_of(account.preset), provider_id=account.id)

    async def list_models(self) -> list[ModelInfo]:
        models = read_models(await self._listing(), for_chat=True)
        if self._dialect.pdf:
            models = [replace(model, limits=replace(model.limits, pdfs=model.limits.images)) for model in models]
        if self._dialect.reasoning_back:
            models = [replace(model, limits=replace(model.limits, thinking=True)) for model in models]
        self._limits.update({model.id: model.limits for model in models})
        return models

    def _address(self, request: ChatRequest) -> str:
        return "/chat/completions"

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        return build_body(request, self._dialect)

    def _decoder(self, asked: Asked) -> Decoder:
        return StreamDecoder(asked)

    def _guessed(self, model: str) -> Limits:
        guessed = guessed_limits(model)
        return replace(
            guessed,
            pdfs=bool(self._dialect.pdf) and guessed.images,
            thinking=bool(self._dialect.reasoning_back),
        )

    async def _listing(self) -> Any:
        if self._dialect.listing:
            root = self._base_url.removesuffix("/v1")
            try:
                return await self._ask(root + self._dialect.listing)
            except ProviderError as error:
                if error.status != 404 and error.code != "bad_response":
                    raise
        return await self._ask("/models")
