"""ProgramMeaning: the search by meaning as the settings want it: whom its words are sent to, and whether at all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from sam_py.providers.embeddings import EmbeddingService, embed, embed_each, embedding_service
from sam_py.providers.http import Http
from sam_py.settings.model import ModelChoice, Settings
from sam_py.settings.secrets import Secrets
from sam_py.store.search_index.service import SearchService
from sam_py.store.semantic.service import MeaningService, MeaningState
from sam_py.ui.services import Services


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
        return (await embed(self.http, self.service, [text], await self._key(), is_question=True))[0]

    async def _key(self) -> str | None:
        return await self.secrets.key_of(self.service.account) if self.service.account else None


class ProgramMeaning(QObject):
    """One for the whole program. `changed` comes with each state of `service`, and when other words go elsewhere."""

    changed = Signal()

    def __init__(self, services: Services, search: SearchService, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self.service = MeaningService(services.paths, search)
        self.unsupported = ""
        """Why it cannot work here, as a sentence; "" where it can, or where nobody looked yet."""
        self._used: EmbeddingService | None = None
        self._using: asyncio.Task[None] | None = None
        self._ends: list[Callable[[], None]] = [
            self.service.subscribe(self._hear),
            services.settings.subscribe(self._settings_changed),
        ]
        self._settings_changed(services.settings.current)

    @property
    def state(self) -> MeaningState:
        return self.service.state

    @property
    def chosen(self) -> EmbeddingService | None:
        """Whom the words would be sent to; None where nobody is chosen."""
        settings = self._services.settings.current
        return embedding_service(settings, settings.search.embeddings)

    def switch(self, on: bool) -> None:
        """The person's switch."""
        self._change(lambda settings: settings.search.model_copy(update={"semantic": on}))

    def choose(self, choice: ModelChoice) -> None:
        """Another account or model: nothing is sent there before it is switched on again."""
        update = {"embeddings": choice, "semantic": False}
        self._change(lambda settings: settings.search.model_copy(update=update))

    def try_again(self) -> None:
        """Ask the same account again now."""
        self._used = None
        self._settings_changed(self._services.settings.current)

    async def look(self) -> None:
        """Find out whether it can work here. Imports what is needed for it, on a thread."""
        self.unsupported = await self.service.why_not()
        self.changed.emit()

    async def aclose(self) -> None:
        for end in self._ends:
            end()
        self._ends = []
        if self._using is not None:
            await asyncio.wait((self._using,))
        await self.service.aclose()

    # Inside

    def _change(self, change: Callable[[Settings], object]) -> None:
        self._services.settings.change(lambda settings: settings.model_copy(update={"search": change(settings)}))

    def _settings_changed(self, settings: Settings) -> None:
        wanted = embedding_service(settings, settings.search.embeddings) if settings.search.semantic else None
        if wanted is not None and self._used is not None and wanted.base_url != self._used.base_url:
            self.switch(False)  # the account has another address by now: that is agreed to anew
            return
        if wanted != self._used:
            self._used = wanted
            self._using = self._services.tasks.spawn(self._use(wanted, self._using), "search by meaning")
        self.changed.emit()

    async def _use(self, wanted: EmbeddingService | None, before: asyncio.Task[None] | None) -> None:
        if before is not None and not before.done():
            await asyncio.wait((before,))
        if wanted is not self._used:
            return  # changed again meanwhile
        embedder = None
        if wanted is not None:
            embedder = AccountEmbedder(wanted, self._services.registry.http, self._services.secrets)
        await self.service.use(embedder)

    def _hear(self, _state: MeaningState) -> None:
        self.changed.emit()
