"""SemanticFile: a person chooses the model file that makes the vectors, and is told at once where it cannot."""

from __future__ import annotations

import asyncio
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLocale, Qt, Signal
from PySide6.QtGui import QFont, QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from sam_py.errors import SamError
from sam_py.providers.model_file.files import model_name
from sam_py.providers.model_file.header import read_embeds
from sam_py.providers.model_file.runner import find_runner, install_command
from sam_py.ui.library.words import filled
from sam_py.ui.services import Services
from sam_py.ui.settings.fields import Words
from sam_py.ui.widgets.announce import announce
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.plain import one_line


class SemanticFile(QWidget):
    """A row of the settings. `chosen(file)` comes only from a person, with a file whose model makes embeddings."""

    chosen = Signal(Path)

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._file: Path | None = None
        icons = services.icons
        self.name = Words(icons)
        self.path = Words(icons, small=True)
        self.hint = Words(icons, role="muted", small=True)
        self.problem = Words(icons, role="error", small=True)
        self.command = Words(icons, small=True)
        self.button = PillButton(icons, self.tr("Choose a model file…"), kind="outline", icon="folder-open")
        self.copy = PillButton(icons, self.tr("Copy the command"), kind="outline", icon="copy", height_px=30)
        self._lay_out()
        self.button.clicked.connect(self.choose)
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.command.text()))
        self._say_problem("")
        self.show_file(None)

    def show_file(self, file: Path | None, effort: str = "") -> None:
        """The file that is chosen; `effort` is what embedding everything takes."""
        self._file = file
        self.path.say(_breakable(file) if file is not None else "", "text")
        self.path.setToolTip(one_line(str(file)) if file is not None else "")
        if file is None:
            self.name.setText(self.tr("Or a model file on this computer"))
            example = self.tr(
                "A small embedding model (GGUF), such as nomic-embed-text or multilingual-e5. llama.cpp runs it while "
                "it is needed, and nothing leaves this computer."
            )
            self.hint.say(example)
            self.button.set_words(self.tr("Choose a model file…"))
            return
        self.name.setText(self.tr("Model file"))
        self.hint.say(" ".join(filter(None, (_size_of(file), effort))))
        self.button.set_words(self.tr("Choose another…"))

    def choose(self) -> None:
        """Ask for a file, or say what to install before one can be used."""
        self._say_problem("")
        if find_runner() is None:
            text = self.tr(
                "Model files are run by llama.cpp, which is not on this computer. Install it, then try again:"
            )
            self._say_problem(text, install_command())
            return
        dialog = QFileDialog(self, self.tr("Choose a model file"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([self.tr("Models (*.gguf)"), self.tr("All files (*)")])
        if self._file is not None and self._file.parent.is_dir():
            dialog.setDirectory(str(self._file.parent))
        dialog.fileSelected.connect(self.take)
        dialog.open()

    def take(self, path: str) -> None:
        """Use the model of a file, where it makes embeddings; else say why not, and change nothing."""
        self._services.tasks.spawn(self._take(Path(path).absolute()), "look at a model file")

    async def _take(self, file: Path) -> None:
        try:
            await asyncio.to_thread(read_embeds, file)
        except SamError as error:
            self._say_problem(str(error))
            return
        self._say_problem("")
        self.chosen.emit(file)

    # Inside

    def _lay_out(self) -> None:
        for each in (self.problem, self.command):
            each.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        fixed = QFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        fixed.setPointSizeF(self.command.font().pointSizeF())
        self.command.setFont(fixed)
        words = QVBoxLayout()
        words.setSpacing(2)
        for each in (self.name, self.path, self.hint):
            words.addWidget(each)
        row = QHBoxLayout()
        row.addLayout(words, 1)
        row.addSpacing(16)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignVCenter)
        remedy = QHBoxLayout()
        remedy.addWidget(self.command, 1)
        remedy.addSpacing(16)
        remedy.addWidget(self.copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(row)
        column.addWidget(self.problem)
        column.addLayout(remedy)

    def _say_problem(self, text: str, command: str = "") -> None:
        self.problem.say(text, "error")
        self.command.say(command, "text")
        self.copy.setVisible(bool(command))
        if text:
            announce(self, text, urgent=True)


def shown_name(file: Path) -> str:
    """What the model of `file` is called in a list."""
    return one_line(model_name(file))


def _size_of(file: Path) -> str:
    try:
        size = QLocale().formattedDataSize(file.stat().st_size)
    except OSError:  # gone: that is said where it is needed
        return ""
    return filled(QCoreApplication.translate("SemanticFile", "%1 large."), size)


def _breakable(file: Path) -> str:
    """A path that a label may break behind each folder."""
    return one_line(str(file)).replace("/", "/\u200b").replace("\\", "\\\u200b")
