"""ModelFileProvider: talks to a model file through the llama.cpp server that is started for it."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

from sam_py.messages.turn import Limits
from sam_py.providers.base import ChatRequest, ModelInfo, StreamEvent, Waiting
from sam_py.providers.errors import ProviderError
from sam_py.providers.http import Http
from sam_py.providers.model_file.files import model_name
from sam_py.providers.model_file.servers import ModelServers, Place
from sam_py.providers.wire import Account, WireProvider

log = logging.getLogger(__name__)


class ModelFileProvider:
    """A `Provider`. The first request loads the model; listing its models does not.

    `speak` makes the provider of the wire that llama.cpp's server speaks (``OpenAIChatProvider``).
    """

    def __init__(
        self, account: Account, file: Path, *, servers: ModelServers, speak: Callable[..., WireProvider], http: Http
    ) -> None:
        self._account = account
        self._file = file
        self._servers = servers
        self._speak = speak
        self._http = http
        self._place: Place | None = None
        self._server: WireProvider | None = None

    @property
    def id(self) -> str:
        return self._account.id

    @property
    def label(self) -> str:
        return self._account.label

    async def stream(self, request: ChatRequest) -> AsyncGenerator[StreamEvent, None]:
        if not self._servers.is_running(self._file):
            yield Waiting(f"Loading {model_name(self._file)}…")
        async with self._servers.using(self._file) as place:
            server = await self._at(place)
            async with aclosing(server.stream(request)) as events:
                async for event in events:
                    yield event

    async def body_of(self, request: ChatRequest) -> bytes:
        """The body that `stream` sends; empty as long as the model is not loaded: only its server knows its limits."""
        return await self._server.body_of(request) if self._server is not None else b""

    async def list_models(self) -> list[ModelInfo]:
        """The one model of the file. Raises `ProviderError` where it cannot be run here."""
        self._servers.check(self._file)
        name = model_name(self._file)
        return [ModelInfo(name, limits=self.limits_of(name))]

    def limits_of(self, model: str) -> Limits:
        return self._server.limits_of(model) if self._server is not None else Limits()

    async def aclose(self) -> None:
        """Nothing to close: the servers belong to the registry."""

    async def _at(self, place: Place) -> WireProvider:
        """The provider of the server at `place`; asked once for what the model can take."""
        if self._server is None or place != self._place:
            account: dict[str, Any] = {
                "id": self._account.id,
                "label": self._account.label,
                "base_url": place.base_url,
                "preset": "llamacpp",
                "headers": self._account.headers,
                "extra_body": self._account.extra_body,
            }

            async def key_of(_id: str) -> str | None:
                return place.key

            self._place, self._server = place, self._speak(Account(**account), http=self._http, key_of=key_of)
            try:
                await self._server.list_models()
            except ProviderError as error:  # it answers all the same, only its limits are not known
                log.info("the limits of %s are not known: %s", self._file.name, error)
        return self._server
