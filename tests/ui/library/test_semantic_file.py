"""A model file for the search by meaning: chosen in the settings, run while it is needed, and there after a restart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sam_py.paths import Paths, default_paths
from sam_py.providers.errors import ProviderError
from sam_py.providers.model_file import runner
from sam_py.providers.model_file.runner import install_command
from sam_py.settings.model import ModelChoice
from sam_py.store.semantic.vectors import NAME, why_not
from tests.fakes.semantic_room import Room, furnished

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return default_paths(tmp_path / "home").create()


def test_what_cannot_be_used_is_told_of_where_it_was_chosen(
    paths: Paths, qtbot: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("gguf", reason="the tiny model cannot be written without gguf")
    from tests.fakes.tiny_gguf import write_tiny_gguf

    talks = write_tiny_gguf(tmp_path / "talker.gguf")
    defaults = {**(runner.find_runner.__kwdefaults__ or {}), "folders": (), "has_binding": lambda: False}

    async def story(room: Room) -> None:
        row = room.widget.file
        for file, words in ((talks, "is a model that talks"), (tmp_path / "gone.gguf", "is not there any more")):
            row.take(str(file))
            await room.until(lambda: words in row.problem.text())  # noqa: B023 - it is awaited here
        assert room.settings.search.model_file == ""
        monkeypatch.setenv("PATH", "")
        monkeypatch.setattr(runner.find_runner, "__kwdefaults__", defaults)
        row.button.click()
        assert (row.command.text(), row.copy.isVisible()) == (install_command(), True)

    furnished(paths, qtbot, story)


@pytest.mark.llamacpp
def test_a_model_file_finds_by_meaning_now_and_after_the_next_start(
    paths: Paths, qtbot: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("xllamacpp", reason="the real llama.cpp server is not installed")
    pytest.importorskip("gguf", reason="the tiny model cannot be written without gguf")
    from tests.fakes.tiny_embedding_gguf import write_tiny_embedding_gguf

    monkeypatch.setenv("PATH", "")  # the binding, even where llama-server is installed
    file = write_tiny_embedding_gguf(tmp_path / "tiny-embed.gguf")
    kept = paths.state / NAME

    async def story(room: Room) -> None:
        servers = room.services.registry.model_servers
        room.meaning.choose(ModelChoice(provider="far", model="text-embedding-3-small"))
        room.widget.file.take(str(file))
        await room.until(lambda: room.settings.search.model_file)
        assert room.settings.search.embeddings.provider == ""
        assert room.widget.account.currentText() == "tiny-embed"
        assert "nothing leaves it" in room.widget.target.text()
        await room.search.settled()
        assert not servers.is_running(file, embeds=True), "nothing runs before the switch"
        room.widget.on.click()
        await room.until(lambda: "found by its meaning" in room.widget.state.text())
        assert (await room.meaning.service.similar("the puppy is ill"))[0].snippet == "My puppy is ill."

        await room.restart()
        await room.until(lambda: room.meaning.state.phase == "ready")
        assert not servers.is_running(file, embeds=True), "all is embedded: nothing has to run"
        assert (await room.meaning.service.similar("a vet"))[0].snippet == "Let a vet see it."
        assert servers.is_running(file, embeds=True)

        there = file.rename(tmp_path / "elsewhere.gguf")
        size = kept.stat().st_size
        await room.restart()
        await room.until(lambda: "is not there any more" in room.widget.problem.text())
        assert room.widget.again.isVisible()
        with pytest.raises(ProviderError, match="is not there any more"):  # the page of the search says so, too
            await room.meaning.service.similar("a vet")
        assert kept.stat().st_size == size, "what was made waits for the file"
        room.widget.file.take(str(there))
        await room.until(lambda: room.meaning.state.phase == "ready")
        assert room.widget.problem.text() == ""
        assert not servers.is_running(there, embeds=True), "the same model elsewhere embeds nothing anew"
        assert room.server.requests == []

    furnished(paths, qtbot, story)
