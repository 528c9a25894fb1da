"""Services: the objects that `app.py` builds once and the window works with."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sam_py.paths import Paths
from sam_py.providers.catalogue import Catalogue
from sam_py.providers.registry import Registry
from sam_py.reminders.mini_prompts import MiniPrompts
from sam_py.settings.file import SettingsFile
from sam_py.settings.secrets import Secrets
from sam_py.store.library import Library
from sam_py.ui.program_tools import ProgramTools
from sam_py.ui.tasks import Tasks
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.icons import Icons

if TYPE_CHECKING:
    from sam_py.providers.local import FoundServer
    from sam_py.store.search_index.service import SearchService
    from sam_py.ui.program_keeping import ProgramKeeping
    from sam_py.ui.program_meaning import ProgramMeaning
    from sam_py.ui.voice.window_voice import WindowVoice


def no_voice() -> WindowVoice:
    """Where no program was built around the window."""
    raise RuntimeError("nobody speaks here")


def no_keeping() -> ProgramKeeping:
    """Where no program was built around the window."""
    raise RuntimeError("nothing is kept here")


def no_search() -> SearchService:
    """Where no program was built around the window."""
    raise RuntimeError("nothing is searched here")


def no_meaning() -> ProgramMeaning:
    """Where no program was built around the window."""
    raise RuntimeError("nothing is found by its meaning here")


_SEARCH_AFTER_S = 5.0


class ProgramSearch:
    """The program's search. A call returns it: made when it is first wanted, or when the person has begun."""

    def __init__(self, paths: Paths, library: Library) -> None:
        self._paths = paths
        self._library = library
        self._service: SearchService | None = None
        self._services: Services | None = None
        self._meaning: ProgramMeaning | None = None

    def join(self, services: Services) -> None:
        """Be the search of `services`, by words and by meaning."""
        services.search, services.meaning, self._services = self, self.meaning, services

    def __call__(self) -> SearchService:
        if self._service is None:
            from sam_py.store.search_index.service import SearchService

            self._service = SearchService(self._paths)
            self._service.start()
            self._service.follow(self._library)
        return self._service

    async def begin(self) -> None:
        """Bring the index up to date some seconds after the start, whether or not it is used."""
        await asyncio.sleep(_SEARCH_AFTER_S)
        self()
        if self._services is not None and self._services.settings.current.search.semantic:
            self.meaning()

    def meaning(self) -> ProgramMeaning:
        """What finds by meaning: made, and all that it needs imported, when the person wants it or sets it up."""
        if self._meaning is None:
            from sam_py.ui.program_meaning import ProgramMeaning

            assert self._services is not None
            self._meaning = ProgramMeaning(self._services, self())
        return self._meaning

    async def aclose(self) -> None:
        if self._meaning is not None:
            await self._meaning.aclose()
        if self._service is not None:
            await self._service.aclose()


@dataclass(slots=True)
class Services:
    paths: Paths
    library: Library
    registry: Registry
    catalogue: Catalogue
    settings: SettingsFile
    secrets: Secrets
    themes: Themes
    icons: Icons
    tasks: Tasks
    find_servers: Callable[[], Awaitable[list[FoundServer]]]
    tools: ProgramTools = field(default_factory=ProgramTools)
    mini_prompts: MiniPrompts = field(default_factory=MiniPrompts)
    voice: Callable[[], WindowVoice] = no_voice
    """What reads messages aloud; made, with all that is imported for it, when it is first asked for."""
    keeping: Callable[[], ProgramKeeping] = no_keeping
    """Backups, and the ways in and out of the library; made, with all that is imported for it, when first asked for."""
    search: Callable[[], SearchService] = no_search
    """What finds messages and things in all conversations; made and begun when first asked for."""
    meaning: Callable[[], ProgramMeaning] = no_meaning
    """What finds messages by their meaning, where the person wants it; made when it is wanted or set up."""
