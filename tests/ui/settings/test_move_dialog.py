"""Moving the data folder from the settings: said beforehand, left in good order, and told where the old one is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt

from sam_py.paths import default_paths
from sam_py.settings.file import SettingsFile
from sam_py.store.moving import Cancelled, MoveError
from sam_py.ui.program_moving import Tell
from sam_py.ui.services import Services
from sam_py.ui.settings.move_dialog import MoveDialog
from sam_py.ui.settings.progress_row import ProgressRow
from sam_py.ui.tasks import Tasks
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.icons import Icons


class Mover:
    """Moves nothing: it is told what comes of it."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.outcome: list[Exception | None] = []
        self.gives_up = asyncio.Event()
        self.restarts = 0

    async def move(self, target: Path, tell: Tell) -> None:
        tell("Copying…", 0.5)
        outcome = self.outcome.pop(0)
        if isinstance(outcome, Cancelled):
            await self.gives_up.wait()
        if outcome is not None:
            raise outcome

    def give_up(self) -> None:
        self.gives_up.set()

    def restart(self) -> None:
        self.restarts += 1


async def _until(what: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not what():
            await asyncio.sleep(0.002)


@pytest.mark.parametrize("restarts_by", ["enter", "escape"])
def test_the_dialog_says_what_moving_would_do_and_ends_in_a_restart(
    tmp_path: Path, qtbot: Any, restarts_by: str
) -> None:
    paths = default_paths(tmp_path / "home").create()
    settings = SettingsFile(paths.config / "settings.json")
    themes = Themes()
    told: list[BaseException] = []
    services = Services(
        paths=paths,
        library=None,  # type: ignore[arg-type]
        registry=None,  # type: ignore[arg-type]
        catalogue=None,  # type: ignore[arg-type]
        settings=settings,
        secrets=None,  # type: ignore[arg-type]
        themes=themes,
        icons=Icons(themes),
        tasks=Tasks(told.append),
        find_servers=None,  # type: ignore[arg-type]
    )
    parent = ProgressRow(services.icons, "parent")
    qtbot.addWidget(parent)
    elsewhere = tmp_path / "elsewhere"
    another = tmp_path / "another"
    another.mkdir()
    (another / "store.json").write_text("{}")

    async def story() -> None:
        mover = Mover(paths.data)
        dialog = MoveDialog(services, mover, parent)
        assert not dialog.move_button.isEnabled()
        dialog.take(str(paths.data / "inside"))
        await _until(lambda: "neither inside" in dialog.news.text())
        assert not dialog.move_button.isEnabled()
        dialog.take(str(another))
        await _until(lambda: "become one" in dialog.news.text())
        spaced = tmp_path / "ends in a space "
        spaced.mkdir()
        dialog.take(str(spaced))
        assert dialog._path == spaced
        dialog.take(f" {elsewhere} ")
        assert dialog._path == elsewhere
        await _until(dialog.move_button.isEnabled)

        mover.outcome = [MoveError("The disk is full: choose another one."), Cancelled(), None]
        qtbot.keyClick(dialog.target, Qt.Key.Key_Return)  # what the marked button says
        await _until(lambda: "disk is full" in dialog.news.text())
        await _until(dialog.move_button.isEnabled)
        dialog.move_button.click()
        await _until(lambda: not dialog.progress.isHidden())
        assert not dialog.close_button.isEnabled()
        dialog.reject()  # Esc, in the middle of it
        await _until(lambda: "Nothing was moved" in dialog.news.text())
        await _until(dialog.move_button.isEnabled)
        dialog.move_button.click()
        await _until(lambda: dialog.move_button.text() == "Restart now")
        assert str(paths.data) in dialog.news.text(), "the old folder is named"
        assert mover.restarts == 0
        await _until(dialog.move_button.isEnabled)
        if restarts_by == "enter":
            qtbot.keyClick(dialog, Qt.Key.Key_Enter)
        else:
            dialog.reject()  # however it is closed
        assert mover.restarts == 1
        await services.tasks.aclose()

    asyncio.run(story())
    settings.close()
    assert told == []
