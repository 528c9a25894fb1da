"""Backups in the running program: made by themselves, asked for in the settings, brought back from a dialog."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sam_py.errors import SamError
from sam_py.paths import Paths, default_paths
from sam_py.reminders.mini_prompts import MiniPrompt, MiniPrompts
from sam_py.settings.file import SettingsFile
from sam_py.settings.model import Settings
from sam_py.store.backups.making import backups_in
from sam_py.store.notes import Note
from sam_py.ui.program_backups import ProgramBackups
from sam_py.ui.services import Services
from sam_py.ui.settings.backup_settings import BackupSettings
from sam_py.ui.settings.restore_dialog import RestoreDialog
from sam_py.ui.tasks import Tasks
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.icons import Icons
from tests.store.house import House


class Room:
    """A library with backups, as the program has them, and a clock that goes on by an hour each time it is read."""

    def __init__(self, house: House, qtbot: Any) -> None:
        self.house = house
        self.qtbot = qtbot
        self.told: list[SamError] = []
        self.is_busy = False
        themes = Themes()
        self.services = Services(
            paths=house.paths,
            library=house.library,
            registry=None,  # type: ignore[arg-type]
            catalogue=None,  # type: ignore[arg-type]
            settings=SettingsFile(house.paths.config / "settings.json"),
            secrets=None,  # type: ignore[arg-type]
            themes=themes,
            icons=Icons(themes),
            tasks=Tasks(self.told.append),  # type: ignore[arg-type]
            find_servers=None,  # type: ignore[arg-type]
        )
        self.backups = ProgramBackups(self.services, lambda: self.is_busy, self.told.append)
        hours = itertools.count()
        self.backups.shelf._now = lambda: datetime.now(UTC) + timedelta(hours=next(hours))

    @property
    def folder(self) -> Path:
        return self.backups.folder

    def page(self) -> BackupSettings:
        page = BackupSettings(self.services, self.backups)
        self.qtbot.addWidget(page)
        page.show_settings(self.services.settings.current)
        return page

    async def until(self, what: Callable[[], object]) -> None:
        async with asyncio.timeout(20):
            while not what():
                await asyncio.sleep(0.002)

    async def aclose(self) -> None:
        await self.services.tasks.aclose()
        await self.backups.aclose()
        self.services.settings.close()


Story = Callable[[Room], Coroutine[Any, Any, None]]


@pytest.fixture
def in_room(qtbot: Any, tmp_path: Path) -> Callable[[Story], None]:
    paths: Paths = default_paths(tmp_path / "home").create()

    def tell(story: Story) -> None:
        async def run() -> None:
            house = House(paths)
            await house.library.start()
            room = Room(house, qtbot)
            try:
                await story(room)
            finally:
                await room.aclose()
                await house.library.aclose()

        asyncio.run(run())

    return tell


def test_a_backup_is_made_by_itself_when_it_is_due_but_not_while_a_reply_streams(in_room: Any) -> None:
    async def story(room: Room) -> None:
        assert await room.backups.look()
        assert not backups_in(room.folder), "there is nothing to back up yet"
        room.house.now = datetime.now(UTC)
        await room.house.talk("Hello", title="One")
        room.is_busy = True
        assert not await room.backups.look()
        assert not backups_in(room.folder)
        room.is_busy = False
        await room.backups.look()
        assert len(backups_in(room.folder)) == 1
        await room.backups.look()
        assert len(backups_in(room.folder)) == 1, "nothing changed since"
        room.backups.change(backups=False)
        room.house.now = datetime.now(UTC) + timedelta(days=3)
        await room.house.talk("Again", title="Two")
        await room.backups.look()
        assert len(backups_in(room.folder)) == 1, "it was switched off"

    in_room(story)


def test_a_backup_that_fails_by_itself_is_told_once_and_again_after_one_that_was_made(in_room: Any) -> None:
    async def story(room: Room) -> None:
        room.house.now = datetime.now(UTC)
        await room.house.talk("Hello", title="One")
        room.folder.write_text("a file where the folder should be")
        for _ in range(3):
            await room.backups.look()
        assert [str(each) for each in room.told] == [str(room.told[0])]
        assert "Choose another folder" in str(room.told[0])
        room.folder.unlink()
        await room.backups.look()
        assert len(backups_in(room.folder)) == 1
        assert len(room.told) == 1

    in_room(story)


def test_backups_are_not_kept_inside_what_they_are_of(in_room: Any) -> None:
    async def story(room: Room) -> None:
        page = room.page()
        inside = room.house.paths.data / "mine"
        with pytest.raises(SamError, match="outside"):
            room.backups.choose_folder(inside)
        page._take_folder(inside)
        assert "outside" in page.problem.text()
        page._take_folder(room.house.paths.state / "elsewhere")
        page.show_settings(room.services.settings.current)
        assert page.folder.text().endswith("elsewhere")
        assert not page.standard.isHidden()
        page.leave()

    in_room(story)


def test_the_page_backs_up_when_asked_and_says_when_the_last_was_made(in_room: Any) -> None:
    async def story(room: Room) -> None:
        await room.house.talk("Hello", title="One")
        page = room.page()
        await room.until(lambda: "None was made" in page.state.text())
        assert not page.restore_button.isEnabled()
        page.now_button.click()
        await room.until(lambda: page.restore_button.isEnabled())
        assert str(datetime.now().year) in page.state.text()
        assert page.progress.isHidden()
        page.leave()

    in_room(story)


def test_a_backup_that_is_given_up_leaves_nothing(in_room: Any) -> None:
    async def story(room: Room) -> None:
        await room.house.talk("Hello", title="One")
        page = room.page()
        page.now_button.click()
        await room.until(lambda: room.backups.is_making)
        page.progress.cancel_button.click()
        await room.until(lambda: not room.backups.is_making and page.now_button.isEnabled())
        left = list(room.folder.glob("*")) if room.folder.is_dir() else []
        assert left == [] or [each.suffix for each in left] == [".zip"], "it may have been quicker"
        assert room.told == []
        page.leave()

    in_room(story)


def test_what_is_missing_comes_back_from_the_dialog_and_what_is_here_stays_as_it_is(in_room: Any) -> None:
    async def story(room: Room) -> None:
        library = room.house.library
        gone = await room.house.talk("Where is it?", "Here.", title="Gone")
        kept = await room.house.talk("Still there?", "Yes.", title="Kept")
        await room.backups.make_now()
        for id in (gone.conversation_id, kept.conversation_id):
            for autosave in library._autosaves[id]:
                autosave.close()
        await library.delete(gone.conversation_id)
        before = {path: path.read_bytes() for path in (room.house.paths.conversations / kept.conversation_id).iterdir()}
        page = room.page()
        dialog = RestoreDialog(room.services, room.backups, page)
        await room.until(lambda: len(dialog.conversations.shown) == 2)
        assert dialog._entries[gone.conversation_id].state == "missing"
        assert dialog._entries[kept.conversation_id].state == "same"
        dialog.filter.setText("gon")
        assert dialog.conversations.shown == [gone.conversation_id]
        assert not dialog.back_button.isEnabled()
        dialog.filter.setText("")
        dialog.all_button.click()
        assert len(dialog.conversations.selected) == 2
        dialog.back_button.click()
        await room.until(lambda: dialog.news.text() == "1 came back, 1 was the same here.")
        assert {each.id for each in library.summaries()} == {gone.conversation_id, kept.conversation_id}
        reopened = await room.house.reopen(gone.conversation_id)
        assert [message.plain_text for message in reopened.messages()] == ["Where is it?", "Here."]
        library.attach(reopened)
        reopened.change_setting("title", "Found")
        assert [each.title for each in library.summaries() if each.id == gone.conversation_id] == ["Found"]
        assert {path: path.read_bytes() for path in before} == before
        dialog.check_button.click()
        await room.until(lambda: "sound" in dialog.news.text())
        newest = next(iter(dialog._by_key.values()))
        newest.path.write_bytes(newest.path.read_bytes()[:-40])
        dialog.check_button.click()
        await room.until(lambda: "damaged" in dialog.news.text())
        dialog.done(0)
        page.leave()

    in_room(story)


def test_only_one_backup_is_made_at_a_time(in_room: Any) -> None:
    async def story(room: Room) -> None:
        await room.house.talk("Hello", title="One")
        first, second = await asyncio.gather(room.backups.make(), room.backups.make())
        assert first == second
        assert len(backups_in(room.folder)) == 1
        assert not room.backups.is_making

    in_room(story)


def test_notes_and_settings_come_back_only_when_asked_for_and_those_of_now_are_kept(in_room: Any) -> None:
    async def story(room: Room) -> None:
        services, config = room.services, room.house.paths.config
        services.mini_prompts = MiniPrompts(config / "mini_prompts.json")
        await room.house.talk("Hello", title="One")
        await room.house.library.notes.add(note := Note(text="likes tea"))
        services.mini_prompts.put(short := MiniPrompt(name="Short", text="Be brief."))
        await services.mini_prompts.save()
        set_theme(services.settings, "dark")
        services.settings.flush()
        await room.backups.make_now()
        page = room.page()
        dialog = RestoreDialog(services, room.backups, page)
        await room.until(lambda: dialog.all_button.isEnabled() and not dialog.is_working)
        assert dialog.besides.isHidden(), "all is here as it was"

        await room.house.library.notes.remove(note.id)
        services.mini_prompts.remove(short.id)
        services.mini_prompts.put(mine := MiniPrompt(name="Mine", text="Stays."))
        set_theme(services.settings, "light")
        room.backups.change(backup_folder=str(room.folder))
        services.settings.flush()
        await services.mini_prompts.save()
        dialog._read()
        await room.until(lambda: not dialog.besides.isHidden() and not dialog.is_working)
        assert "a note that is missing here, other settings than yours, other mini prompts" in dialog.besides.text
        dialog.besides.notes_button.click()
        await room.until(lambda: dialog.news.text() == "One note came back.")
        assert [each.text for each in await room.house.library.notes.all()] == ["likes tea"]
        await room.until(lambda: not dialog.is_working)
        assert services.settings.current.appearance.theme == "light"
        dialog.besides.settings_button.click()
        await room.until(lambda: "kept in" in dialog.news.text())
        assert services.settings.current.appearance.theme == "dark"
        assert services.settings.current.data.backup_folder == str(room.folder)
        assert {each.id for each in services.mini_prompts.all()} == {short.id, mine.id}
        [settings] = config.glob("settings.json.before-restore-*")
        assert '"light"' in settings.read_text()
        [prompts] = config.glob("mini_prompts.json.before-restore-*")
        assert "Be brief" not in prompts.read_text()
        await room.until(lambda: not dialog.is_working)
        assert dialog.besides.isHidden()
        dialog.done(0)
        page.leave()
        await services.mini_prompts.aclose()

    in_room(story)


def test_a_backup_that_lacks_something_is_told_once_and_marked(in_room: Any) -> None:
    async def story(room: Room) -> None:
        (room.house.paths.data / "notes").symlink_to("notes")
        today = datetime.now(UTC)
        for day in range(2):
            room.house.now = today + timedelta(days=day)
            room.backups.shelf._now = lambda: room.house.now + timedelta(hours=12)
            await room.house.talk("Hello")
            await room.backups.look()
        assert len(backups_in(room.folder)) == 2
        [told] = [str(each) for each in room.told]
        assert "lacks what could not be read" in told
        assert "notes (" in told
        page = room.page()
        await room.until(lambda: "(incomplete)" in page.state.text())
        page.now_button.click()
        await room.until(lambda: "notes (" in page.problem.text())
        dialog = RestoreDialog(room.services, room.backups, page)
        await room.until(lambda: "Something could not be read" in dialog.news.text())
        dialog.check_button.click()
        await room.until(lambda: "notes (" in dialog.news.text())
        dialog.done(0)
        page.leave()

    in_room(story)


def set_theme(file: SettingsFile, theme: str) -> None:
    def change(settings: Settings) -> Settings:
        return settings.model_copy(update={"appearance": settings.appearance.model_copy(update={"theme": theme})})

    file.change(change)
