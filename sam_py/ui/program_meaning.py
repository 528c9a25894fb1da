"""ProgramMeaning: the search by meaning as the settings want it: whom its words are sent to, and whether at all."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from sam_py.errors import SamError
from sam_py.providers.embedders import Chosen, chosen_in, embedder_of
from sam_py.settings.model import ModelChoice, Settings
from sam_py.store.search_index.service import SearchService
from sam_py.store.semantic.embedder import Embedder
from sam_py.store.semantic.service import MeaningService, MeaningState
from sam_py.ui.services import Services


class ProgramMeaning(QObject):
    """One for the whole program. `changed` comes with each state of `service`, and when other words go elsewhere."""

    changed = Signal()

    def __init__(self, services: Services, search: SearchService, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self.service = MeaningService(services.paths, search)
        self.unsupported = ""
        """Why it cannot work here, as a sentence; "" where it can, or where nobody looked yet."""
        self._used: Chosen | None = None
        self._runs_a_file = False
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
    def chosen(self) -> Chosen | None:
        """Whom the words would be sent to, or the model file that sees them here; None where nobody is chosen."""
        return chosen_in(self._services.settings.current)

    def switch(self, on: bool) -> None:
        """The person's switch."""
        self._change(lambda settings: settings.search.model_copy(update={"semantic": on}))

    def choose(self, choice: ModelChoice) -> None:
        """Another account or model: nothing is sent there before it is switched on again."""
        update = {"embeddings": choice, "model_file": "", "semantic": False}
        self._change(lambda settings: settings.search.model_copy(update=update))

    def choose_file(self, file: Path) -> None:
        """A model file, instead of an account. Nothing leaves the computer: what was switched on stays so."""
        update = {"embeddings": ModelChoice(provider="", model=""), "model_file": str(file)}
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
        wanted = chosen_in(settings) if settings.search.semantic else None
        if wanted is not None and self._used is not None and _leaves_for(wanted) not in ("", _leaves_for(self._used)):
            self.switch(False)  # the account has another address by now: that is agreed to anew
            return
        if wanted != self._used:
            self._used = wanted
            self._using = self._services.tasks.spawn(self._use(wanted, self._using), "search by meaning")
        self.changed.emit()

    async def _use(self, wanted: Chosen | None, before: asyncio.Task[None] | None) -> None:
        if before is not None and not before.done():
            await asyncio.wait((before,))
        if wanted is not self._used:
            return  # changed again meanwhile
        embedder: Embedder | None = None
        trouble: SamError | None = None
        if wanted is not None:
            try:
                embedder = await embedder_of(wanted, self._services.registry, self._services.secrets)
            except SamError as error:  # what was made with the file stays: it may come back
                trouble = error
            if wanted is not self._used:
                return  # changed meanwhile: nobody may be asked any more
        await (self.service.cannot(trouble) if trouble is not None else self.service.use(embedder))
        if not isinstance(wanted, Path) and self._runs_a_file:
            self._services.registry.model_servers.end_embedding()
        self._runs_a_file = isinstance(wanted, Path)

    def _hear(self, _state: MeaningState) -> None:
        self.changed.emit()


def _leaves_for(chosen: Chosen) -> str:
    """The address that the words are sent to; "" for a model file."""
    return "" if isinstance(chosen, Path) else chosen.base_url
