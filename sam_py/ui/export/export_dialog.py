"""ExportDialog: as what and where something is saved, how far it is, and the way to the file."""

from __future__ import annotations

import asyncio
from pathlib import Path

from PySide6.QtCore import QLocale, QStandardPaths, Qt
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from sam_py.errors import SamError
from sam_py.store.exporters.archive import safe_stem
from sam_py.store.exporters.background import Progress
from sam_py.store.exporters.errors import cannot_write_target
from sam_py.store.exporters.run import ExportReport, Wanted
from sam_py.ui.export.choice import Exported, Kind, LastChoice
from sam_py.ui.export.saving import KINDS, ending_of, save
from sam_py.ui.links import open_folder
from sam_py.ui.services import Services
from sam_py.ui.settings.fields import Choice, Switch, Words
from sam_py.ui.settings.progress_row import ProgressRow
from sam_py.ui.settings.work_dialog import WorkDialog
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.plain import one_line

_WIDTH_PX = 560
_ALIASES = {".md": ".markdown", ".html": ".htm"}
_LOSSLESS: tuple[Kind, ...] = ("json", "zip")


class ExportDialog(WorkDialog):
    """Open it with `open()`. Closing it stops what is being written; nothing half done stays."""

    def __init__(self, services: Services, exported: Exported, last: LastChoice, parent: QWidget) -> None:
        super().__init__(services, parent)
        self._exported = exported
        self._last = last
        self._may_replace: Path | None = None
        self._saved: Path | None = None
        icons = services.icons
        self.setWindowTitle(self.tr("Save messages") if exported.messages else self.tr("Export"))
        self.kind = Choice(icons, self.tr("Form"), [(kind, words) for kind, words, _hint in self._kinds()])
        self.kind.show_value(last.kind)
        self.kind.chosen.connect(lambda _kind: self._kind_chosen())
        self._hint = Words(icons, role="muted", small=True)
        self.branches = Switch(icons, self.tr("All versions"))
        self.branches.setChecked(last.branches)
        self.details = Switch(icons, self.tr("Thinking and tools"))
        self.details.setChecked(last.details)
        for switch in (self.branches, self.details):
            switch.switched.connect(lambda _on: self._changed())
        self.target = QLineEdit()
        self.target.setAccessibleName(self.tr("The file to write"))
        self.target.textEdited.connect(lambda _text: self.show_state())
        self.choose = PillButton(icons, self.tr("Choose…"), kind="outline", label=self.tr("Choose the file to write"))
        self.choose.clicked.connect(self._choose)
        self.progress = ProgressRow(icons, self.tr("Saving"))
        self.progress.cancelled.connect(self.cancel)
        self.news = Words(icons, small=True)
        self.news.hide()
        self.show_button = PillButton(icons, self.tr("Show in folder"), kind="outline", icon="folder-open")
        self.show_button.clicked.connect(self._show_in_folder)
        self.close_button = PillButton(icons, self.tr("Close"), kind="outline")
        self.close_button.clicked.connect(self.reject)
        self.save_button = PillButton(icons, self.tr("Save"), kind="accent")
        self.save_button.clicked.connect(self.save)
        self.target.returnPressed.connect(self._saved_by_key)
        self._build()
        self._suggest()
        self.show_state()

    # Inside

    def _kinds(self) -> list[tuple[Kind, str, str]]:
        words: dict[Kind, tuple[str, str]] = {
            "html": (self.tr("Web page (HTML)"), self.tr("One page that holds its pictures, for any browser.")),
            "pdf": (self.tr("PDF"), self.tr("To print and to pass on.")),
            "markdown": (self.tr("Markdown"), self.tr("For notes and editors; pictures lie in a folder beside.")),
            "text": (self.tr("Plain text"), self.tr("The words alone.")),
            "json": (self.tr("JSON, lossless"), self.tr("Everything, to be imported again. Pictures are in it.")),
            "zip": (self.tr("ZIP, lossless"), self.tr("As JSON, with pictures and files beside it: for many of them.")),
        }
        return [(kind, *words[kind]) for kind in KINDS]

    @property
    def _kind(self) -> Kind:
        kind: Kind = self.kind.currentData()
        return kind

    def _build(self) -> None:
        icons = self.services.icons
        scale = icons.themes.current.scale
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(14)
        what = Words(icons, one_line(self._exported.title), heavy=True)
        column.addWidget(what)
        count = self._count_words()
        if count:
            column.addWidget(Words(icons, count, role="muted", small=True))
        column.addLayout(self._row(self.tr("Form"), self._hint, self.kind))
        hint = self.tr("Every version of edited messages and regenerated replies; else what is shown.")
        more = Words(icons, hint, role="muted", small=True)
        if self._exported.messages:  # chosen one by one
            self.branches.setParent(self)
            self.branches.hide()
        else:
            column.addLayout(self._row(self.tr("All versions"), more, self.branches))
        hint = self.tr("What models thought, which tools they called, and what came back.")
        column.addLayout(
            self._row(self.tr("Thinking and tools"), Words(icons, hint, role="muted", small=True), self.details)
        )
        place = QHBoxLayout()
        place.setSpacing(8)
        place.addWidget(self.target, 1)
        place.addWidget(self.choose)
        column.addWidget(Words(icons, self.tr("Where")))
        column.addLayout(place)
        column.addWidget(self.progress)
        column.addWidget(self.news)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.show_button)
        foot.addStretch(1)
        foot.addWidget(self.close_button)
        foot.addWidget(self.save_button)
        column.addStretch(1)
        column.addLayout(foot)
        self.resize(round(_WIDTH_PX * scale), self.sizeHint().height())

    def _row(self, name: str, hint: Words, field: QWidget) -> QHBoxLayout:
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(Words(self.services.icons, name))
        words.addWidget(hint)
        row = QHBoxLayout()
        row.setSpacing(24)
        row.addLayout(words, 1)
        row.addWidget(field, 0, Qt.AlignmentFlag.AlignVCenter)
        field.setAccessibleDescription(hint.text())
        return row

    def _count_words(self) -> str:
        if self._exported.messages:
            several = self.tr("%1 messages")
            count = len(self._exported.messages)
        else:
            several = self.tr("%1 conversations")
            count = len(self._exported.conversations)
        if count == 1:
            return self.tr("One message") if self._exported.messages else ""
        return several.replace("%1", QLocale().toString(count))

    def _suggest(self) -> None:
        """A name that is free, in the folder where the last one went."""
        folder = self._last.folder
        if folder is None or not folder.is_dir():
            documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
            folder = Path(documents) if documents and Path(documents).is_dir() else Path.home()
        self.target.setText(str(_free(folder, safe_stem(self._exported.title), self._ending)))

    @property
    def _ending(self) -> str:
        return ending_of(self._kind, len(self._exported.conversations))

    @property
    def _path(self) -> Path:
        return Path(self.target.text().strip()).expanduser()

    def _kind_chosen(self) -> None:
        endings = {ending_of(kind, len(self._exported.conversations)) for kind in KINDS}
        stem = self._path.name
        for ending in endings:
            stem = stem.removesuffix(ending)
        self.target.setText(str(_free(self._path.parent, stem, self._ending)))
        self.show_state()

    def _changed(self) -> None:
        """What was saved is not what would be saved now."""
        self._saved = None
        self.show_state()

    def show_state(self) -> None:
        works = self.is_working
        lossless = self._kind in _LOSSLESS
        self._hint.setText(next(hint for kind, _words, hint in self._kinds() if kind == self._kind))
        self.branches.setEnabled(not works and not lossless and not self._exported.messages)
        self.details.setEnabled(not works and not lossless)
        for field in (self.kind, self.target, self.choose):
            field.setEnabled(not works)
        self.show_button.setVisible(self._saved is not None)
        replaces = self._may_replace is not None and self._may_replace == self._path
        self.save_button.setText(self.tr("Replace") if replaces else self.tr("Save"))
        self.save_button.set_label(self.save_button.text())
        self.save_button.setEnabled(not works and bool(self.target.text().strip()) and self._saved != self._path)
        if not works:
            self.progress.hide()

    def _choose(self) -> None:
        dialog = QFileDialog(self, self.tr("Where to save it"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(self._ending.removeprefix("."))
        dialog.setDirectory(str(self._path.parent))
        dialog.selectFile(self._path.name)
        dialog.fileSelected.connect(self._take_path)
        dialog.open()

    def _take_path(self, path: str) -> None:
        self.target.setText(path)
        self._may_replace = Path(path)  # the file dialog has asked
        self.show_state()

    # Saving

    def _saved_by_key(self) -> None:
        if self.save_button.isEnabled():
            self.save()

    def save(self) -> None:
        """Write the file. One that is there is only replaced when that was said."""
        if self.is_working:
            return
        target = self._path
        if not target.is_absolute():
            self.news.say(self.tr("Write the whole path of the file, or choose it."), "error")
            return
        if target.suffix.lower() not in (self._ending, _ALIASES.get(self._ending)):
            target = target.with_name(target.name + self._ending)  # else nothing opens it as what it is
            self.target.setText(str(target))
        try:
            is_there = target.exists()
        except OSError as error:  # a name that is too long
            self.news.say(str(cannot_write_target(error, target)), "error")
            return
        if is_there and self._may_replace != target:
            self._may_replace = target
            self.news.say(self.tr("There is a file of this name already. Save again to replace it."), "warning")
            self.show_state()
            return
        self._saved = None
        self.news.say("")
        self._last.kind, self._last.folder = self._kind, target.parent
        self._last.branches, self._last.details = self.branches.isChecked(), self.details.isChecked()
        self.progress.show_share(self.tr("Saving…"), None)
        self.begin(self._save(target), "export")
        self.show_state()
        self.make_room()

    async def _save(self, target: Path) -> None:
        wanted = Wanted(
            self._exported.conversations,
            self._exported.messages,
            branches=self.branches.isChecked(),
            details=self.details.isChecked(),
        )
        try:
            await self.services.library.flush()
            report = await save(self.services.paths, wanted, self._kind, target, self._tell)
        except SamError as error:
            self.news.say(str(error), "error")
        except asyncio.CancelledError:
            self.news.say(self.tr("Stopped: nothing was written."), "muted")
            raise
        else:
            self._saved = target
            self._may_replace = target
            self.news.say(self._done_words(report), "warning" if report.unreadable else "success")

    def _tell(self, progress: Progress) -> None:
        if self.is_working:
            share = progress.done / progress.total if progress.total > 1 else None
            self.progress.show_share(self.tr("Saving %1…").replace("%1", one_line(progress.what)), share)

    def _done_words(self, report: ExportReport) -> str:
        size = QLocale().formattedDataSize(report.size)
        said = self.tr("Saved: %1 (%2).").replace("%2", size).replace("%1", report.target.name)
        if report.unreadable:
            one = self.tr("1 conversation could not be read and is not in it.")
            many = self.tr("%1 conversations could not be read and are not in it.")
            said += " " + _counted(len(report.unreadable), one, many)
        if report.damaged_lines:
            one = self.tr("1 line was damaged in the data folder and is not in it.")
            many = self.tr("%1 lines were damaged in the data folder and are not in it.")
            said += " " + _counted(report.damaged_lines, one, many)
        return said

    def _show_in_folder(self) -> None:
        if self._saved is not None:
            open_folder(self._saved.parent)


def _counted(number: int, one: str, many: str) -> str:
    return one if number == 1 else many.replace("%1", QLocale().toString(number))


def _free(folder: Path, stem: str, ending: str) -> Path:
    """A path in `folder` at which there is nothing yet."""
    path, number = folder / f"{stem}{ending}", 2
    while path.exists():
        path, number = folder / f"{stem} ({number}){ending}", number + 1
    return path
