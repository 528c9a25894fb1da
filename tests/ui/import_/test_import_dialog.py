"""Import in the window: what came in is listed, opens by click, and what did not is told with the reason."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sam_py.paths import Paths, default_paths
from sam_py.settings.file import SettingsFile
from sam_py.store.backups.making import backups_in
from sam_py.store.exporters.run import Wanted, export_blocking
from sam_py.store.importers.run import import_blocking
from sam_py.ui.import_.import_dialog import ImportDialog
from sam_py.ui.program_backups import ProgramBackups
from sam_py.ui.services import Services
from sam_py.ui.settings.fields import Words
from sam_py.ui.settings.progress_row import ProgressRow
from sam_py.ui.tasks import Tasks
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.icons import Icons
from tests.store.house import House


def _sentences(dialog: ImportDialog) -> list[Words]:
    return [each for each in dialog.findChildren(Words) if each.isVisible()]


async def _until(what: Callable[[], object]) -> None:
    async with asyncio.timeout(30):
        while not what():
            await asyncio.sleep(0.002)


def test_an_import_is_backed_up_first_reported_and_opened_by_click(
    tmp_path: Path, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        there = House(default_paths(tmp_path / "there").create())
        await there.library.start()
        bus = await there.talk("How long?", "45 minutes.", title="Onion soup")
        file = tmp_path / "soup.json"
        export_blocking(there.paths, Wanted((bus.conversation_id,)), "json", file)
        await there.library.aclose()
        document = json.loads(file.read_text())
        document["conversations"].append({"id": "x", "events": []})
        file.write_text(json.dumps(document))
        more = tmp_path / "more.json"
        more.write_text(json.dumps({**document, "conversations": document["conversations"][-1:]}))
        strange = tmp_path / "strange.json"
        strange.write_text("[1, 2]")

        house = House(default_paths(tmp_path / "home").create())
        await house.library.start()
        await house.talk("Mine", title="Mine")
        told: list[BaseException] = []
        opened: list[str] = []
        themes = Themes()
        services = Services(
            paths=house.paths,
            library=house.library,
            registry=None,  # type: ignore[arg-type]
            catalogue=None,  # type: ignore[arg-type]
            settings=SettingsFile(house.paths.config / "settings.json"),
            secrets=None,  # type: ignore[arg-type]
            themes=themes,
            icons=Icons(themes),
            tasks=Tasks(told.append),
            find_servers=None,  # type: ignore[arg-type]
        )
        backups = ProgramBackups(services, lambda: False, told.append)
        parent = ProgressRow(services.icons, "parent")
        qtbot.addWidget(parent)
        dialog = ImportDialog(services, backups, opened.append, parent)
        assert dialog.list.isHidden()
        dialog.show()
        await _until(dialog.isVisible)
        drawn_apart = [each.text() for each in _sentences(dialog) if each.height() > each.heightForWidth(each.width())]
        assert drawn_apart == []
        dialog.run([file, strange, more])
        assert not dialog.files_button.isEnabled()
        assert all(each.height() >= each.heightForWidth(each.width()) for each in _sentences(dialog)), "none is cut off"
        await _until(lambda: not dialog.is_working)
        await _until(lambda: house.library.summary(bus.conversation_id) is not None)
        assert len(backups_in(backups.folder)) == 1
        assert "1 new conversation," in dialog.news.text()
        assert "1 kept aside" in dialog.news.text()
        assert "strange.json is in no format" in dialog.news.text()
        assert not dialog.aside_button.isHidden()
        shown: list[Path] = []
        monkeypatch.setattr("sam_py.ui.import_.import_dialog.open_folder", shown.append)
        dialog.aside_button.click()
        assert len(set(shown)) == 2, "each report has its folder"
        assert all(folder.is_dir() for folder in shown)
        assert dialog.list.shown[-1] == bus.conversation_id
        dialog.list.pick(dialog.list.shown[0])
        assert not dialog.open_button.isEnabled(), "what was kept aside is no conversation"

        async def stopped(paths: Paths, path: Path, _tell: object, **rest: Any) -> None:
            import_blocking(paths, path, **rest)
            raise asyncio.CancelledError

        with monkeypatch.context() as patched:
            patched.setattr("sam_py.ui.import_.import_dialog.import_path", stopped)
            dialog.run([file])
            await _until(lambda: not dialog.is_working)
        assert "1 already here, 1 kept aside.\nStopped." in dialog.news.text()
        assert not dialog.aside_button.isHidden()
        assert dialog.list.shown[-1] == bus.conversation_id
        dialog.list.chosen.emit(bus.conversation_id)
        assert opened == [bus.conversation_id]
        assert [each.plain_text for each in (await house.reopen(bus.conversation_id)).messages()] == [
            "How long?",
            "45 minutes.",
        ]
        await services.tasks.aclose()
        await backups.aclose()
        await house.library.aclose()
        services.settings.close()
        assert told == []

    asyncio.run(story())
