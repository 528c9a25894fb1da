"""The search by meaning in the settings: off until a person switches it on, and they are told where words go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sam_py.paths import Paths, default_paths
from sam_py.settings.model import ModelChoice
from sam_py.store.semantic.floor import Floor
from sam_py.store.semantic.vectors import why_not
from tests.fakes.fault_server import Json
from tests.fakes.semantic_room import Room, furnished

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return default_paths(tmp_path).create()


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
        assert len(room.server.requests) == 2 + len(Floor.WORDS), (
            "all that was said, the question, and nonsense to compare"
        )
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
