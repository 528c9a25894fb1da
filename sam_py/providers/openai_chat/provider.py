"""OpenAIChatProvider: one account or server that speaks Chat Completions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from sam_py.messages.turn import Limits
from sam_py.providers.base import ChatRequest, Decoder, ModelInfo
from sam_py.providers.errors import ProviderError
from sam_py.providers.failures import Asked
from sam_py.providers.http import Http
from sam_py.providers.model_lists import llamacpp_window, read_models
from sam_py.providers.model_names import guessed_limits
from sam_py.providers.openai_chat.azure import azure_address
from sam_py.providers.openai_chat.dialect import Dialect, reasoning_field
from sam_py.providers.openai_chat.dialects import dialect_of, service_of
from sam_py.providers.openai_chat.request import build_body
from sam_py.providers.openai_chat.stream import StreamDecoder
from sam_py.providers.wire import Account, KeyOf, WireProvider


class OpenAIChatProvider(WireProvider):
    """The account's preset names the dialect, or its address where the preset is any server."""

    ENDING = "/chat/completions"

    def __init__(self, account: Account, *, http: Http, key_of: KeyOf) -> None:
        super().__init__(account, http=http, key_of=key_of)
        self._service = service_of(account.preset, account.base_url)
        self._dialect = dialect_of(account.preset, account.base_url)
        self._answered: tuple[str, StreamDecoder] | None = None
        """The model that was asked last and how it answered."""

    async def list_models(self) -> list[ModelInfo]:
        models = [
            replace(model, limits=self._with_dialect(model.id, model.limits, listed=True))
            for model in await self._listed()
        ]
        self._limits.update({model.id: model.limits for model in models})
        return models

    def _address(self, request: ChatRequest) -> str:
        if self._service == "azure":
            return azure_address(self._account.base_url, request.model)
        return "/chat/completions"

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        return build_body(request, self._spoken(request.model))

    def _decoder(self, asked: Asked) -> Decoder:
        decoder = StreamDecoder(asked)
        self._answered = asked.model, decoder
        return decoder

    def _guessed(self, model: str) -> Limits:
        return self._with_dialect(model, guessed_limits(model))

    def _headers(self) -> dict[str, str]:
        return dict(self._dialect.headers)

    def _key_header(self) -> str:
        return self._dialect.key_header

    def _spoken(self, model: str) -> Dialect:
        """The dialect; of a server that is not known, reasoning goes back in the field in which it was seen to come."""
        dialect = self._dialect
        if dialect.reasoning_back == "by_model" and self._answered is not None and self._answered[0] == model:
            seen = self._answered[1].reasoning_field
            return replace(dialect, reasoning_back=seen) if seen else dialect
        return dialect

    def _with_dialect(self, model: str, limits: Limits, *, listed: bool = False) -> Limits:
        thinking = limits.thinking
        if not (listed and self._service == "openrouter"):  # its list says of each model whether it thinks
            thinking = thinking or bool(reasoning_field(self._spoken(model), model))
        return replace(limits, pdfs=limits.pdfs or (bool(self._dialect.pdf) and limits.images), thinking=thinking)

    async def _listed(self) -> list[ModelInfo]:
        """What the first list that answers says; one that says more of the models is asked before the usual one."""
        for address in self._dialect.listings:
            try:
                models = read_models(await self._ask(self._root() + address), for_chat=True)
            except ProviderError as error:
                if error.code in ("unreachable", "bad_key", "rate_limited"):
                    raise
                continue
            if models:
                return models
        models = read_models(await self._ask("/models"), for_chat=True)
        if self._service in ("llamacpp", "jan") and len(models) == 1 and models[0].limits.context_tokens is None:
            return [await self._with_window(models[0])]
        return models

    async def _with_window(self, model: ModelInfo) -> ModelInfo:
        """An older llama.cpp tells how it was started at an address of its own."""
        try:
            window = llamacpp_window(await self._ask(self._root() + "/props"))
        except ProviderError:
            return model
        return replace(model, limits=replace(model.limits, context_tokens=window))

    def _root(self) -> str:
        if self._service in ("llamacpp", "jan", "lmstudio"):  # they may stand behind a path
            return self._base_url.removesuffix("/v1")
        parts = urlsplit(self._base_url)
        return f"{parts.scheme}://{parts.netloc}"
