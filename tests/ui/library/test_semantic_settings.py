"""The search by meaning in the settings: off until a person switches it on, and they are told where words go."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from sam_py.paths import Paths, default_paths
from sam_py.providers.catalogue import Catalogue
from sam_py.providers.http import Http
from sam_py.settings.file import SettingsFile
from sam_py.settings.model import ModelChoice, ProviderSettings, Settings
from sam_py.store.search_index.service import SearchService
from sam_py.store.semantic.vectors import why_not
from sam_py.ui.library.semantic_settings import SemanticSettings
from sam_py.ui.program_meaning import ProgramMeaning
from sam_py.ui.services import Services
from sam_py.ui.tasks import Tasks
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.icons import Icons
from tests.fakes.fault_server import FaultServer, Json
from tests.store.house import House, at_home

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return default_paths(tmp_path).create()


class _Registry:
    def __init__(self) -> None:
        self.http = Http()


class _Secrets:
    async def key_of(self, _account: str) -> None:
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
            registry=_Registry(),  # type: ignore[arg-type]
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
        self.meaning = ProgramMeaning(self.services, self.search)
        self.widget = SemanticSettings(self.services, self.meaning)
        qtbot.addWidget(self.widget)
        self.widget.show()

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
                await room.services.registry.http.aclose()
                room.services.catalogue.close()
                room.services.settings.close()
        assert room.failed == []

    at_home(paths, run)


def test_nothing_is_sent_before_the_switch_and_everything_is_found_after_it(paths: Paths, qtbot: Any) -> None:
    async def story(room: Room) -> None:
        widget = room.widget
        assert [widget.account.itemText(row) for row in range(widget.account.count())] == [
            "Nobody", "LM Studio", "OpenAI",
        ]  # fmt: skip
        assert not widget.on.isEnabled()
        room.meaning.choose(ModelChoice(provider="near", model="all-minilm"))
        widget.show_settings(room.settings)
        await room.until(lambda: "2 messages" in widget.effort.text())
        await room.search.settled()
        assert await room.meaning.service.similar("dog") == []
        assert room.server.requests == []
        assert "nothing leaves it" in widget.target.text()
        widget.on.click()
        await room.until(lambda: "found by its meaning" in widget.state.text())
        assert len(room.server.requests) == 1
        assert len(await room.meaning.service.similar("dog")) == 2
        moved = tuple(
            each.model_copy(update={"base_url": "http://192.0.2.1/v1"}) if each.id == "near" else each
            for each in room.settings.providers
        )
        room.services.settings.change(lambda settings: settings.model_copy(update={"providers": moved}))
        await room.until(lambda: room.meaning.state.phase == "off")
        assert await room.meaning.service.similar("dog") == []
        assert len(room.server.requests) == 2
        assert not room.settings.search.semantic

    furnished(paths, qtbot, story)


def test_words_that_leave_this_computer_are_told_of_with_what_it_costs(paths: Paths, qtbot: Any) -> None:
    async def story(room: Room) -> None:
        widget = room.widget
        room.meaning.choose(ModelChoice(provider="near", model="all-minilm"))
        room.meaning.switch(True)
        room.meaning.choose(ModelChoice(provider="far", model="text-embedding-3-small"))
        assert not room.settings.search.semantic  # another place has to be agreed to anew
        widget.show_settings(room.settings)
        await room.until(lambda: "2 messages" in widget.effort.text())
        assert "is sent to OpenAI (https://api.openai.com/v1)" in widget.target.text()
        assert "They cost about 0.01 US dollars, once." in widget.effort.text()
        assert room.meaning.state.phase == "off"

    furnished(paths, qtbot, story)


def test_a_server_without_embeddings_is_told_of_with_a_way_on(paths: Paths, qtbot: Any) -> None:
    async def story(room: Room) -> None:
        room.server._behaviours[:] = [Json({"error": {"message": "no such path"}}, 404)]
        room.meaning.choose(ModelChoice(provider="near", model="chatty"))
        room.widget.show_settings(room.settings)
        room.meaning.switch(True)
        await room.until(lambda: room.widget.problem.text())
        assert "makes no embeddings with the model chatty" in room.widget.problem.text()
        assert room.widget.again.isVisible()

    furnished(paths, qtbot, story)
