"""PiperFiles: the files of neural voices that a person chose; each is one voice."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from sam_py.speech.base import SpeechError
from sam_py.speech.engines.piper_files import read_piper_file
from sam_py.ui.settings.fields import Words
from sam_py.ui.widgets.buttons import IconButton, PillButton
from sam_py.ui.widgets.icons import Icons
from sam_py.ui.widgets.plain import one_line


class PiperFiles(QWidget):
    """A line for each file, and a button for more. `changed(paths)` comes only from a person."""

    changed = Signal(tuple)

    def __init__(self, icons: Icons) -> None:
        super().__init__()
        self._icons = icons
        self._paths: tuple[str, ...] = ()
        self.removers: dict[str, IconButton] = {}
        self._lines = QVBoxLayout()
        self._lines.setSpacing(4)
        self.add = PillButton(icons, self.tr("Add voice files…"), kind="outline", icon="plus", height_px=30)
        self.add.clicked.connect(self._choose)
        self.fault = Words(icons, small=True)
        self.fault.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(self._lines)
        column.addWidget(self.fault)
        column.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeft)

    def show_files(self, paths: tuple[str, ...]) -> None:
        if paths == self._paths and (paths or self._lines.count()):
            return
        self._paths = paths
        while (item := self._lines.takeAt(0)) is not None:
            if (line := item.widget()) is not None:
                line.hide()
                line.deleteLater()
        self.removers.clear()
        for path in paths:
            self._lines.addWidget(self._line(path))
        if not paths:
            self._lines.addWidget(Words(self._icons, self.tr("None was chosen yet."), role="muted", small=True))

    def take(self, chosen: list[str]) -> None:
        """Add the files that are voices; say of the others what is wrong with them."""
        good = [path for path in chosen if not voice_file_fault(Path(path))]
        faults = [fault for path in chosen if (fault := voice_file_fault(Path(path)))]
        self.fault.say("\n".join(faults), "error")
        paths = tuple(dict.fromkeys((*self._paths, *good)))
        if paths != self._paths:
            self.changed.emit(paths)

    def _line(self, path: str) -> QWidget:
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        name = one_line(Path(path).name)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(Words(self._icons, name))
        fault = voice_file_fault(Path(path))
        below = Words(self._icons, role="muted", small=True)
        below.say(fault or one_line(str(Path(path).parent)), "error" if fault else "muted")
        words.addWidget(below)
        row.addLayout(words, 1)
        label = self.tr("Remove the voice %1 (the file stays)").replace("%1", name)
        button = self.removers[path] = IconButton(self._icons, "close", label, size_px=28, icon_px=13)
        button.clicked.connect(lambda _checked=False, path=path: self._remove(path))
        row.addWidget(button)
        return holder

    def _remove(self, path: str) -> None:
        self.fault.say("")
        self.add.setFocus(Qt.FocusReason.OtherFocusReason)  # the button that had it goes
        self.changed.emit(tuple(each for each in self._paths if each != path))

    def _choose(self) -> None:
        dialog = QFileDialog(self, self.tr("Voice files of Piper"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setNameFilter(self.tr("Piper voices (*.onnx)"))
        dialog.setDirectory(str(Path(self._paths[-1]).parent if self._paths else Path.home()))
        dialog.filesSelected.connect(self.take)
        dialog.open()


def voice_file_fault(path: Path) -> str:
    """What keeps a file from being a voice of Piper; empty where nothing does."""
    try:
        read_piper_file(path)
    except SpeechError as error:
        return str(error)
    return ""
