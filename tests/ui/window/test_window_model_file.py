"""A model file becomes a model to talk to; what stands in the way is said where it was chosen, and nothing changes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QFileDialog

from sam_py.messages.message import AssistantMessage
from sam_py.providers.model_file import runner
from sam_py.providers.model_file.files import address_of
from sam_py.providers.model_file.runner import install_command
from sam_py.settings.model import Settings
from sam_py.ui.settings.account import address_fault
from tests.fakes.llama_program import write_llama_program
from tests.fakes.sitting import Sitting

Run = Callable[[Any], Any]
SitDown = Callable[[], Sitting]


@pytest.fixture
def no_runner(monkeypatch: pytest.MonkeyPatch) -> None:
    """A computer without llama.cpp."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(runner.find_runner, "__kwdefaults__", _without_binding())


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A computer with the stand-in for llama-server."""
    if os.name == "nt":
        pytest.skip("the stand-in is a script")
    monkeypatch.setenv("PATH", str(tmp_path))
    return write_llama_program(tmp_path)


def _without_binding() -> dict[str, object]:
    defaults = dict(runner.find_runner.__kwdefaults__ or {})
    return {**defaults, "folders": (), "has_binding": lambda: False}


def test_without_llama_cpp_the_window_says_what_to_install(run: Run, sit_down: SitDown, no_runner: None) -> None:
    async def scenario() -> None:
        sam = await sit_down().start()
        sam.window.actions_by_name["model_file"].trigger()
        note = sam.chat.empty.note
        assert note.isVisible()
        assert note.command.text() == install_command()
        assert not sam.window.findChildren(QFileDialog)
        await sam.close()

    run(scenario())


def test_a_file_that_cannot_be_loaded_is_told_of_in_place_and_changes_nothing(
    run: Run, sit_down: SitDown, program: Path, tmp_path: Path
) -> None:
    async def scenario() -> None:
        sam = await sit_down().start()
        before = sam.program._settings.current
        for name, content, words in (
            ("broken.gguf", b"GGUF\x03\x00\x00\x00", "unknown model architecture"),
            ("letter.gguf", b"Dear diary", "not a GGUF model"),
        ):
            (tmp_path / name).write_bytes(content)
            sam.window.model_files.load(str(tmp_path / name))
            note = sam.chat.empty.note
            await sam.until(lambda: words in note.words.text(), words)  # noqa: B023 - it is awaited here
            assert note.retry.isVisible()
        assert sam.program._settings.current == before
        await sam.close()

    run(scenario())


def test_loading_a_model_can_be_cancelled(run: Run, sit_down: SitDown, program: Path, tmp_path: Path) -> None:
    async def scenario() -> None:
        sam = await sit_down().start()
        (tmp_path / "a.gguf").write_bytes(b"GGUF\x03\x00\x00\x00")
        sam.window.model_files.load(str(tmp_path / "a.gguf"))
        note = sam.chat.empty.note
        await sam.until(note.cancel.isVisible, "the loading")
        note.cancel.click()
        await sam.until(lambda: not note.isVisible(), "the end of the loading")
        assert sam.program._settings.current.providers == ()
        await sam.close()

    run(scenario())


def test_the_address_of_a_model_file_is_no_fault_in_the_settings(tmp_path: Path) -> None:
    assert address_fault(address_of(tmp_path / "a.gguf")) == ""
    assert address_fault("ftp://example.com") != ""


@pytest.mark.llamacpp
def test_a_chosen_model_file_answers_now_and_after_the_next_start(
    run: Run, sit_down: SitDown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("xllamacpp", reason="the real llama.cpp server is not installed")
    pytest.importorskip("gguf", reason="the tiny model cannot be written without gguf")
    from tests.fakes.tiny_gguf import write_tiny_gguf

    monkeypatch.setenv("PATH", "")
    file = write_tiny_gguf(tmp_path / "tiny random.gguf", ends_by_itself=True)

    def short(settings: Settings) -> Settings:
        chat = settings.chat.model_copy(update={"model_titles": False, "max_tokens": 20})
        return settings.model_copy(update={"chat": chat})

    async def scenario() -> None:
        sam = await sit_down().start()
        sam.program._settings.change(short)
        sam.window.model_files.load(str(file))
        await sam.until(lambda: sam.chat.conversation.session.choice.model == "tiny random", "the model")
        assert "tiny random" in sam.chat.empty.about.text()
        await sam.send("Hello")
        await sam.answered()
        assert isinstance(sam.messages[-1], AssistantMessage)
        await sam.close()

        again = await sit_down().start()
        await again.send("And again")
        await again.answered()
        assert isinstance(again.messages[-1], AssistantMessage)
        assert len(again.messages) == 4
        again.window.model_files.load(str(file))  # the same file again is the same account
        await again.until(lambda: again.program._registry.model_servers.is_running(file), "the server")
        await again.close()
        assert len(again.program._settings.current.providers) == 1

    run(scenario())
