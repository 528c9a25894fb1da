"""RestoreDialog: what a backup holds, compared with what is here, and the way to bring it back."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Coroutine
from typing import Any

from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from sam_py.errors import SamError
from sam_py.store.backups.making import Backup, Checked
from sam_py.store.backups.restoring import BackedUp, Outcome, State
from sam_py.store.errors import StorageError
from sam_py.ui.program_backups import ProgramBackups
from sam_py.ui.services import Services
from sam_py.ui.settings.backup_settings import moment_words
from sam_py.ui.settings.fields import Words
from sam_py.ui.settings.progress_row import ProgressRow
from sam_py.ui.settings.restore_besides import RestoreBesides, bring_settings, offer_of
from sam_py.ui.settings.work_dialog import WorkDialog
from sam_py.ui.sidebar.filter_field import FilterField
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.entry_list import EntryList, ListEntry
from sam_py.ui.widgets.icons import Role

_SIZE = (860, 560)
_MOST_NAMED = 5
_ROLES: dict[State, Role] = {"missing": "accent", "different": "warning", "same": "muted"}


class RestoreDialog(WorkDialog):
    """Open it with `open()`. No conversation that is here is changed by anything in it."""

    def __init__(self, services: Services, backups: ProgramBackups, parent: QWidget) -> None:
        super().__init__(services, parent)
        self.setWindowTitle(self.tr("Restore from a backup"))
        self._backups = backups
        self._entries: dict[str, BackedUp] = {}
        self._by_key: dict[str, Backup] = {each.path.name: each for each in backups.made or ()}
        icons = services.icons
        self.list = EntryList(icons, self.tr("Backups"))
        self.list.picked.connect(self._read)
        self.check_button = PillButton(
            icons, self.tr("Check"), kind="outline", label=self.tr("Read the whole backup, to see whether it is sound")
        )
        self.check_button.clicked.connect(lambda: self._begin(self._check()))
        self.filter = FilterField(icons, self.tr("Find a conversation"))
        self.conversations = EntryList(icons, self.tr("Conversations in the backup"), several=True)
        self.filter.textChanged.connect(self.conversations.narrow)
        self.conversations.picked.connect(self._show_buttons)
        self.conversations.chosen.connect(lambda _id: self._begin(self._bring_back()))
        self.all_button = PillButton(icons, self.tr("Select all"))
        self.all_button.clicked.connect(self.conversations.select_all)
        self.back_button = PillButton(icons, self.tr("Bring back"), kind="accent")
        self.back_button.clicked.connect(lambda: self._begin(self._bring_back()))
        self.besides = RestoreBesides(services)
        self.besides.notes_wanted.connect(lambda: self._begin(self._bring_notes()))
        self.besides.settings_wanted.connect(lambda: self._begin(self._bring_settings()))
        self.news = Words(icons, small=True, role="muted")
        self.news.hide()
        self.progress = ProgressRow(icons, self.tr("Bringing back"))
        self.progress.cancelled.connect(self.cancel)
        self._build()
        self.list.show_entries(
            ListEntry(key, moment_words(each.made_at), self._detail(each)) for key, each in self._by_key.items()
        )
        self.list.pick(next(iter(self._by_key), ""))

    # Inside

    def _build(self) -> None:
        icons = self.services.icons
        scale = icons.themes.current.scale
        promise = self.tr(
            "No conversation that is here is changed. One that is missing comes back as it was; where another state of "
            "it is here, the one of the backup comes beside it as a copy; what is the same here is left alone."
        )
        left = QVBoxLayout()
        left.setSpacing(8)
        left.addWidget(self.list, 1)
        right = QVBoxLayout()
        right.setSpacing(8)
        right.addWidget(self.filter)
        right.addWidget(self.conversations, 1)
        sides = QHBoxLayout()
        sides.setSpacing(16)
        sides.addLayout(left)
        sides.addLayout(right, 1)
        self.list.setFixedWidth(round(230 * scale))
        close = PillButton(icons, self.tr("Close"), kind="outline")
        close.clicked.connect(self.reject)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.check_button)
        foot.addStretch(1)
        foot.addWidget(self.all_button)
        foot.addWidget(close)
        foot.addWidget(self.back_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        column.addWidget(Words(icons, promise, role="muted", small=True))
        column.addLayout(sides, 1)
        column.addWidget(self.besides)
        column.addWidget(self.progress)
        column.addWidget(self.news)
        column.addLayout(foot)
        screen = self.screen().availableSize()
        self.resize(
            min(round(_SIZE[0] * scale), screen.width() - 40), min(round(_SIZE[1] * scale), screen.height() - 60)
        )

    @property
    def _chosen(self) -> Backup | None:
        return self._by_key.get(next(iter(self.list.selected), ""))

    def _detail(self, backup: Backup) -> str:
        size = QLocale().formattedDataSize(backup.size)
        ahead = self.tr("dated ahead") if self._backups.shelf.is_ahead(backup) else ""
        return " · ".join(filter(None, (size, ahead, self.tr("incomplete") if backup.is_incomplete else "")))

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Do one thing; what was being done for another backup is left."""
        self.begin(self._told(work), "restore")

    async def _told(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except SamError as error:
            self.news.say(str(error), "error")

    def show_state(self) -> None:
        self.besides.set_busy(self.is_working)
        if not self.is_working:
            self.progress.hide()
        self._show_buttons()

    def _read(self) -> None:
        self._entries.clear()
        self.conversations.show_entries(())
        self.besides.hide()
        self.news.say("")
        if self._chosen is not None:
            self._begin(self._read_contents(self._chosen))

    async def _read_contents(self, backup: Backup) -> None:
        self.news.say(self.tr("Reading the backup and comparing it with what is here…"))
        found = await self._backups.shelf.contents(backup)
        self._entries = {each.summary.id: each for each in found}
        self._list()
        self.besides.show_offer(offer_of(self.services, await self._backups.shelf.besides(backup)))
        if backup.is_incomplete:
            words = self.tr("Something could not be read when this backup was made: “Check” says what.")
            self.news.say(words, "warning")
        else:
            self.news.say("" if found else self.tr("There is no conversation in it."))

    def _list(self) -> None:
        words: dict[State, str] = {
            "missing": self.tr("missing here"),
            "different": self.tr("different here"),
            "same": self.tr("the same here"),
        }
        self.conversations.show_entries(
            ListEntry(
                id,
                each.summary.title or each.summary.preview or self.tr("Untitled conversation"),
                moment_words(each.summary.updated_at),
                words[each.state],
                _ROLES[each.state],
            )
            for id, each in self._entries.items()
        )

    async def _check(self) -> None:
        backup = self._chosen
        if backup is None:
            return
        self.news.say(self.tr("Reading the backup to its end…"))
        checked = await self._backups.shelf.check(backup)
        self.news.say(self._checked_words(checked), "warning" if checked.unread else "success")

    def _checked_words(self, checked: Checked) -> str:
        words = [self.tr("This backup is sound.")]
        if checked.lacking:
            said = self.tr("Attached files that were nowhere whole when it was made, and are not in it: %1.")
            words.append(said.replace("%1", str(checked.lacking)))
        if checked.unread:
            words.append(self.tr("When it was made, this could not be read, and is not in it:"))
            words += checked.unread[:_MOST_NAMED]
        if (more := len(checked.unread) - _MOST_NAMED) > 0:
            words.append(self.tr("and %1 more").replace("%1", str(more)))
        return "\n".join(words) if checked.unread else " ".join(words)

    async def _bring_back(self) -> None:
        backup, ids = self._chosen, self.conversations.selected
        if backup is None or not ids:
            return
        came: Counter[Outcome] = Counter()
        trouble = ""
        self.news.say("")
        try:
            for number, id in enumerate(ids):
                self.progress.show_share(
                    self.tr("Bringing back %1 of %2…").replace("%1", str(number + 1)).replace("%2", str(len(ids))),
                    number / len(ids),
                )
                brought = await self._backups.shelf.bring_back(backup, id)
                came[brought.outcome] += 1
                if brought.outcome == "back":
                    await self.services.library.came_back(id)
        except StorageError as error:
            trouble = str(error)
        except asyncio.CancelledError:
            self.news.say(self._report(came))
            raise
        finally:
            if came["back"] or came["copy"]:
                await self.services.library.refresh()
        await self._read_contents(backup)
        self.news.say(" ".join(filter(None, (self._report(came), trouble))), "error" if trouble else "success")

    def _report(self, came: Counter[Outcome]) -> str:
        """How many came back, and how many needed not."""
        words: tuple[tuple[Outcome, str, str], ...] = (
            ("back", self.tr("1 came back"), self.tr("%1 came back")),
            ("copy", self.tr("1 came back as a copy"), self.tr("%1 came back as copies")),
            ("same", self.tr("1 was the same here"), self.tr("%1 were the same here")),
        )
        said = [
            one if came[what] == 1 else more.replace("%1", str(came[what])) for what, one, more in words if came[what]
        ]
        return f"{', '.join(said)}." if said else ""

    async def _bring_notes(self) -> None:
        if (backup := self._chosen) is None:
            return
        back = await self._backups.shelf.bring_notes(backup)
        await self._read_contents(backup)
        one, several = self.tr("One note came back."), self.tr("%1 notes came back.")
        self.news.say(one if back == 1 else several.replace("%1", str(back)), "success")

    async def _bring_settings(self) -> None:
        if (backup := self._chosen) is None:
            return
        kept = await bring_settings(self.services, self.besides.offer)
        await self._read_contents(backup)
        said = self.tr("The settings of the backup are in use.")
        if kept:
            said += " " + self.tr("Those of before are kept in %2 as %1.")
        folder = str(self.services.paths.config)
        self.news.say(said.replace("%1", ", ".join(kept)).replace("%2", folder), "success")

    def _show_buttons(self) -> None:
        self.check_button.setEnabled(self._chosen is not None)
        self.all_button.setEnabled(bool(self._entries))
        self.back_button.setEnabled(bool(self.conversations.selected))
