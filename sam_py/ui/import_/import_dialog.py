"""ImportDialog: choose or drop what another program exported; then what came in, and what was kept aside and why."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QLocale
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from sam_py.errors import SamError
from sam_py.store.backups.making import Cancelled
from sam_py.store.exporters.background import Progress
from sam_py.store.importers.run import ImportReport, format_of, import_path
from sam_py.store.importers.writing import Outcome
from sam_py.ui.links import open_folder
from sam_py.ui.program_backups import ProgramBackups
from sam_py.ui.services import Services
from sam_py.ui.settings.fields import Words
from sam_py.ui.settings.progress_row import ProgressRow
from sam_py.ui.settings.work_dialog import WorkDialog
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.entry_list import EntryList, ListEntry
from sam_py.ui.widgets.icons import Role
from sam_py.ui.widgets.plain import one_line

_SIZE = (640, 560)
_LIST_TAKES = 1_000
"""Of what is free, against 1 of the empty space below it."""
_MOST_LISTED = 2_000
_MOST_OPENED = 6
"""Windows of the file manager."""
_ASIDE = "aside"


class ImportDialog(WorkDialog):
    """Open it with `open()`. `open_conversation` shows one that came in."""

    def __init__(
        self,
        services: Services,
        backups: ProgramBackups,
        open_conversation: Callable[[str], object],
        parent: QWidget,
    ) -> None:
        super().__init__(services, parent)
        self._backups = backups
        self._open_conversation = open_conversation
        self._stopped = False
        self._aside: list[Path] = []
        self.setWindowTitle(self.tr("Import conversations"))
        self.setAcceptDrops(True)
        icons = services.icons
        self.files_button = PillButton(icons, self.tr("Choose files…"), kind="accent", icon="file")
        self.files_button.clicked.connect(lambda: self._choose(QFileDialog.FileMode.ExistingFiles))
        self.folder_button = PillButton(icons, self.tr("Choose a folder…"), kind="outline", icon="folder-open")
        self.folder_button.clicked.connect(lambda: self._choose(QFileDialog.FileMode.Directory))
        self.progress = ProgressRow(icons, self.tr("Importing"))
        self.progress.cancelled.connect(self._stop)
        self.news = Words(icons, small=True)
        self.news.hide()
        self.list = EntryList(icons, self.tr("What came in"))
        self.list.chosen.connect(self._open)
        self.list.picked.connect(self.show_state)
        self.open_button = PillButton(icons, self.tr("Open"), kind="accent", label=self.tr("Open the conversation"))
        self.open_button.clicked.connect(lambda: self._open(next(iter(self.list.selected), "")))
        self.aside_button = PillButton(icons, self.tr("Show what was kept aside"), kind="outline", icon="folder-open")
        self.aside_button.clicked.connect(self._show_aside)
        self.close_button = PillButton(icons, self.tr("Close"), kind="outline")
        self.close_button.clicked.connect(self.reject)
        self._build()
        self.show_state()

    def run(self, files: Sequence[Path]) -> None:
        """Import these, one after the other."""
        if not files or self.is_working:
            return
        self.list.show_entries(())
        self._aside = []
        self.news.say("")
        self._stopped = False
        self.progress.show_share(self._words(self.tr("Looking at %1…"), files[0].name), None)
        self.begin(self._import(list(files)), "import")
        self.show_state()
        self.make_room()

    # Inside

    def _build(self) -> None:
        icons = self.services.icons
        known = self.tr(
            "ChatGPT, Claude, SAM, Open WebUI, LibreChat, Cherry Studio, Chatbox, LM Studio, Jan, pydantic-ai, and "
            "exports of this program: choose the file, the ZIP or the folder as it was written, or drop it here. What "
            "it is, is seen by itself."
        )
        promise = self.tr("What is here stays as it is. The same file again adds what is new in it, and nothing twice.")
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.files_button)
        buttons.addWidget(self.folder_button)
        buttons.addStretch(1)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.aside_button)
        foot.addStretch(1)
        foot.addWidget(self.close_button)
        foot.addWidget(self.open_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        column.addWidget(Words(icons, known))
        column.addWidget(Words(icons, promise, role="muted", small=True))
        column.addLayout(buttons)
        column.addWidget(self.progress)
        column.addWidget(self.news)
        column.addWidget(self.list, _LIST_TAKES)
        column.addStretch(1)  # while there is no list, else the sentences would be drawn apart
        column.addLayout(foot)
        self.list.hide()
        self._make_room(0)

    def _make_room(self, height: int) -> None:
        """At least so high, and as high as what is said needs."""
        screen = self.screen().availableSize()
        width = min(round(_SIZE[0] * self.services.icons.themes.current.scale), screen.width() - 40)
        layout = self.layout()
        assert layout is not None
        layout.activate()
        self.resize(width, min(max(height, layout.totalHeightForWidth(width)), screen.height() - 60))

    def show_state(self) -> None:
        running = self.is_working
        self.files_button.setEnabled(not running)
        self.folder_button.setEnabled(not running)
        if not running:
            self.progress.hide()
        chosen = next(iter(self.list.selected), "")
        self.open_button.setEnabled(not running and bool(chosen) and not chosen.startswith(_ASIDE))
        self.list.setVisible(bool(self.list.shown))
        self.open_button.setVisible(bool(self.list.shown))
        self.aside_button.setVisible(bool(self._aside))

    def _choose(self, mode: QFileDialog.FileMode) -> None:
        dialog = QFileDialog(self, self.tr("What is to be imported"))
        dialog.setFileMode(mode)
        dialog.setDirectory(str(Path.home()))
        dialog.filesSelected.connect(lambda paths: self.run([Path(path) for path in paths]))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    async def _import(self, files: list[Path]) -> None:
        reports: list[ImportReport] = []
        troubles: list[str] = []
        library = self.services.library
        try:
            await self._back_up(troubles)
            await library.flush()
            for file in files:
                try:
                    self.progress.show_share(self._words(self.tr("Looking at %1…"), file.name), None)
                    kind = await asyncio.to_thread(format_of, file)
                    words = self._words(self.tr("Importing %1…"), f"{kind}, {file.name}")
                    self.progress.show_share(words, None)
                    tell = partial(self._tell, words)
                    await import_path(self.services.paths, file, tell, began=reports.append)
                except SamError as error:
                    troubles.append(str(error))
        except asyncio.CancelledError:
            troubles.append(self.tr("Stopped. What came in until then is whole."))
            raise
        except SamError as error:
            troubles.append(str(error))
        finally:
            reports = [report for report in reports if report.conversations or report.aside]
            self._report(reports, troubles)
            if reports or self._stopped:
                self.services.tasks.spawn(self._bring_up(), "show what came in")

    async def _bring_up(self) -> None:
        library = self.services.library
        await library.refresh()
        await library.look_at_others()

    async def _back_up(self, troubles: list[str]) -> None:
        """A state to go back to. That none can be made stops nothing: an import changes no file that is here."""
        if not self.services.settings.current.data.backups:
            return
        self.progress.show_share(self.tr("Backing up first…"), None)
        try:
            if await self._backups.shelf.is_behind():
                await self._backups.make()
        except Cancelled:
            return
        except SamError as error:
            troubles.append(str(error))

    def _tell(self, words: str, progress: Progress) -> None:
        if self.is_working:
            count = QLocale().toString(progress.done + 1)
            self.progress.show_share(f"{words} {count} · {one_line(progress.what)}", progress.fraction)

    def _report(self, reports: list[ImportReport], troubles: list[str]) -> None:
        said = [self._summary(report) for report in reports]
        said += [note for report in reports for note in report.notes]
        self.news.say("\n".join([*said, *troubles]), "text" if reports or self._stopped else "error")
        self._aside = list(dict.fromkeys(report.folder for report in reports if report.folder is not None))
        entries = self._entries(reports)
        self.list.show_entries(entries[:_MOST_LISTED])
        if entries:
            self._make_room(round(_SIZE[1] * self.services.icons.themes.current.scale))
        self.show_state()

    def _summary(self, report: ImportReport) -> str:
        """What came in, in a sentence."""
        count = report.count
        counts = (
            (count("new"), self.tr("1 new conversation"), self.tr("%1 new conversations")),
            (count("grown"), self.tr("1 with more messages"), self.tr("%1 with more messages")),
            (count("restored"), self.tr("1 taken out of the trash"), self.tr("%1 taken out of the trash")),
            (count("known"), self.tr("1 already here"), self.tr("%1 already here")),
            (len(report.aside), self.tr("1 kept aside"), self.tr("%1 kept aside")),
        )
        pieces = [_counted(number, one, many) for number, one, many in counts if number]
        return f"{report.format}: {', '.join(pieces)}."

    def _entries(self, reports: list[ImportReport]) -> list[ListEntry]:
        words: dict[Outcome, tuple[str, Role]] = {
            "new": (self.tr("new"), "accent"),
            "grown": (self.tr("grown"), "accent"),
            "restored": (self.tr("out of the trash"), "accent"),
            "known": (self.tr("already here"), "muted"),
        }
        entries = [
            ListEntry(_ASIDE + str(number), each.what, each.why, self.tr("kept aside"), "warning")
            for report in reports
            for number, each in enumerate(report.aside)
        ]
        for report in reports:
            for each in report.conversations:
                word, role = words[each.outcome]
                count = _counted(each.messages, self.tr("1 message"), self.tr("%1 messages"))
                title = each.title or self.tr("Untitled conversation")
                entries.append(ListEntry(each.id, title, count if each.messages else "", word, role))
        return entries

    def _words(self, words: str, what: str) -> str:
        return words.replace("%1", one_line(what))

    def _open(self, id: str) -> None:
        if id and not id.startswith(_ASIDE):
            self.accept()
            self._open_conversation(id)

    def _show_aside(self) -> None:
        """Each report's folder; of very many the one that holds them."""
        folders = self._aside if len(self._aside) <= _MOST_OPENED else [self._aside[0].parent]
        for folder in folders:
            open_folder(folder)

    def _stop(self) -> None:
        self._stopped = True
        self._backups.give_up()
        self.cancel()

    # Qt

    def done(self, result: int) -> None:
        self._stopped = True
        super().done(result)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if not self.is_working and any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self.run([Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()])


def _counted(number: int, one: str, many: str) -> str:
    return one if number == 1 else many.replace("%1", QLocale().toString(number))
