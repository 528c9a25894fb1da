"""Embedders: who makes the vectors of the search by meaning: the model of an account, or a model file run here."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sam_py.providers.embeddings import EmbeddingService, embed_each, embed_one, embedding_service, leads_of
from sam_py.providers.model_file.files import fingerprint, model_name
from sam_py.providers.model_file.header import read_embeds
from sam_py.settings.model import SearchSettings, Settings
from sam_py.settings.secrets import Secrets

if TYPE_CHECKING:
    from sam_py.providers.http import Http
    from sam_py.providers.model_file.servers import Place
    from sam_py.providers.registry import Registry

Chosen = EmbeddingService | Path
"""Whom the words are sent to, or the file of a model that sees them here."""
_AT_ONCE = 4
"""Texts of one request to our own server, which takes them one after the other: a question waits behind so many."""


@dataclass(frozen=True, slots=True)
class AccountEmbedder:
    """The model of an account as the search by meaning asks it."""

    service: EmbeddingService
    http: Http
    secrets: Secrets

    @property
    def identity(self) -> str:
        return self.service.identity

    async def texts(self, texts: Sequence[str]) -> list[list[float] | None]:
        return await embed_each(self.http, self.service, texts, await self._key())

    async def question(self, text: str) -> list[float]:
        return await embed_one(self.http, self.service, text, await self._key(), is_question=True)

    async def _key(self) -> str | None:
        return await self.secrets.key_of(self.service.account) if self.service.account else None


@dataclass(frozen=True, slots=True)
class FileEmbedder:
    """The model of a file: llama.cpp is started for it when there is something to embed, and ends by itself."""

    file: Path
    identity: str
    known_as: str
    registry: Registry

    async def texts(self, texts: Sequence[str]) -> list[list[float] | None]:
        found: list[list[float] | None] = []
        async with self.registry.model_servers.embedding(self.file) as place:
            for start in range(0, len(texts), _AT_ONCE):
                some = texts[start : start + _AT_ONCE]
                found += await embed_each(self.registry.http, self._service(place), some, place.key)
        return found

    async def question(self, text: str) -> list[float]:
        async with self.registry.model_servers.embedding(self.file) as place:
            return await embed_one(self.registry.http, self._service(place), text, place.key, is_question=True)

    def _service(self, place: Place) -> EmbeddingService:
        return _service_of(self.file, self.known_as, place.base_url)


def chosen_in(settings: Settings) -> Chosen | None:
    """Who makes the vectors once they are wanted; None where nobody is chosen, or that account is gone."""
    search: SearchSettings = settings.search
    return Path(search.model_file) if search.model_file else embedding_service(settings, search.embeddings)


async def embedder_of(chosen: Chosen, registry: Registry, secrets: Secrets) -> AccountEmbedder | FileEmbedder:
    """Who asks `chosen`. Starts nothing. Raises `ProviderError` where a file is gone, or makes no embeddings."""
    if isinstance(chosen, EmbeddingService):
        return AccountEmbedder(chosen, registry.http, secrets)
    embeds = await asyncio.to_thread(read_embeds, chosen)
    content = await asyncio.to_thread(fingerprint, chosen)
    lead = "".join(leads_of(_service_of(chosen, embeds.name)))
    identity = " ".join(
        filter(None, ("file", content, embeds.pooling, lead))
    )  # wherever it lies, and whatever its name
    return FileEmbedder(chosen, identity, embeds.name, registry)


def _service_of(file: Path, known_as: str, base_url: str = "") -> EmbeddingService:
    name = model_name(file)
    return EmbeddingService(name, base_url, name, local_program="llama.cpp", known_as=known_as)
