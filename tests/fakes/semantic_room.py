"""Room: the settings of the search by meaning over a real index, with a server that counts what it is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from sam_py.paths import Paths
from sam_py.providers.catalogue import Catalogue
from sam_py.providers.registry import Registry
from sam_py.settings.file import SettingsFile
from sam_py.settings.model import ProviderSettings, Settings
from sam_py.store.search_index.service import SearchService
from sam_py.ui.library.semantic_settings import SemanticSettings
from sam_py.ui.program_meaning import ProgramMeaning
from sam_py.ui.services import Services
from sam_py.ui.tasks import Tasks
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.icons import Icons
from tests.fakes.fault_server import FaultServer, Json
from tests.store.house import House, at_home


class _Secrets:
    async def key_of(self, _account: str) -> str | None:
        return None


class Room:
    """The settings over a real index, and a server on this computer that counts what it is asked."""

    def __init__(self, house: House, qtbot: Any, server: FaultServer) -> None:
        self.server = server
        themes = Themes()
        self.failed: list[BaseException] = []
        self.services = Services(
            paths=house.paths,
            library=house.library,
            registry=Registry(_Secrets().key_of),
            catalogue=Catalogue(house.paths.state / "models.json"),
            settings=SettingsFile(house.paths.config / "settings.json"),
            secrets=_Secrets(),  # type: ignore[arg-type]
            themes=themes,
            icons=Icons(themes),
            tasks=Tasks(self.failed.append),
            find_servers=None,  # type: ignore[arg-type]
        )
        near = ProviderSettings(id="near", preset="lmstudio", label="LM Studio", base_url=server.base_url)
        far = ProviderSettings(id="far", preset="openai", label="OpenAI")
        none = ProviderSettings(id="none", preset="anthropic", label="Anthropic")
        self.services.settings.change(lambda settings: settings.model_copy(update={"providers": (near, far, none)}))
        self.search = SearchService(house.paths, is_gentle=False)
        self._qtbot = qtbot
        self._begin()

    def _begin(self) -> None:
        self.meaning = ProgramMeaning(self.services, self.search)
        self.widget = SemanticSettings(self.services, self.meaning)
        self._qtbot.addWidget(self.widget)
        self.widget.show()

    async def restart(self) -> None:
        """What the next start of the program finds: the same settings and files, and nothing that runs."""
        self.widget.leave()
        await self.meaning.aclose()
        await self.services.registry.model_servers.aclose()
        self._begin()

    @property
    def settings(self) -> Settings:
        return self.services.settings.current

    async def until(self, holds: Callable[[], object]) -> None:
        async with asyncio.timeout(20):
            while not holds():
                await asyncio.sleep(0.002)


def furnished(paths: Paths, qtbot: Any, story: Callable[[Room], Coroutine[Any, Any, None]]) -> None:
    one = Json({"data": [{"index": 0, "embedding": [0.6, 0.8]}]})
    two = Json({"data": [{"index": index, "embedding": [0.6, 0.8]} for index in range(2)]})

    async def run(house: House) -> None:
        await house.talk("My puppy is ill.", "Let a vet see it.")
        async with FaultServer(two, one) as server:
            room = Room(house, qtbot, server)
            room.search.start()
            try:
                await story(room)
            finally:
                room.widget.leave()
                await room.services.tasks.aclose()
                await room.meaning.aclose()
                await room.search.aclose()
                await room.services.registry.aclose()
                room.services.catalogue.close()
                room.services.settings.close()
        assert room.failed == []

    at_home(paths, run)
