"""A picture in a window of its own: zoom, pan, fit, copy, save; Esc closes it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication, QImageReader, QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QFileDialog, QMenu, QVBoxLayout, QWidget

from sam_py.errors import SamError
from sam_py.ui.chat.image_bar import ImageBar
from sam_py.ui.chat.image_canvas import STEP, ImageCanvas
from sam_py.ui.widgets.icons import Icons
from sam_py.ui.widgets.plain import one_line, window_title

_PAN_PX = 64
_LARGEST_PX = QSize(960, 720)
_SMALLEST_PX = QSize(560, 400)
_NAME_CHARACTERS = 120
_NOT_IN_NAMES = re.compile(r'[\\/:*?"<>|]+')
"""What one system or another does not allow in the name of a file."""


class ImageViewer(QDialog):
    """Show it with `open()` or `show()`. The keys work wherever the focus is; + − 0 F and the arrows need no Ctrl."""

    failed = Signal(str)
    """A sentence for the person: the picture could not be saved."""

    def __init__(self, icons: Icons, path: Path, name: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._path = path
        self._name = name or path.name
        self.canvas = ImageCanvas(path, self._name, self)
        self.bar = ImageBar(icons, self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.canvas, 1)
        layout.addWidget(self.bar)
        self.canvas.zoom_changed.connect(self._show_zoom)
        size = self.canvas.file_size
        self._show_facts()
        self._add_actions()
        self._connect_bar()
        foot = QSize(0, self.bar.sizeHint().height())
        around = size + QSize(64, 64) if size.isValid() else _SMALLEST_PX
        self.resize(around.expandedTo(_SMALLEST_PX).boundedTo(_LARGEST_PX) + foot)
        self.canvas.setFocus()
        self.canvas.fit()

    def show_picture(self, path: Path, name: str = "") -> None:
        """Show another picture in the same window."""
        self._path = path
        self._name = name or path.name
        self.canvas.show_picture(path, self._name)
        self._show_facts()

    def _show_facts(self) -> None:
        self.setWindowTitle(window_title(self._name))
        size = self.canvas.file_size
        self.bar.set_has_picture(size.isValid())
        words = self.tr("{width} × {height}").format(width=size.width(), height=size.height())
        self.bar.facts.set_text(words if size.isValid() else "")

    def _add_actions(self) -> None:
        keys = QKeySequence.StandardKey
        self._add(self.tr("Zoom in"), self.zoom_in, "+", "=", keys.ZoomIn)
        self._add(self.tr("Zoom out"), self.zoom_out, "-", keys.ZoomOut)
        self._add(self.tr("Original size"), self.canvas.show_original_size, "0", "Ctrl+0", "1")
        self._add(self.tr("Fit to the window"), self.canvas.fit, "F")
        self._add(self.tr("Copy"), self.copy, keys.Copy)
        self._add(self.tr("Save as…"), self.save_as, keys.Save)
        self._add(self.tr("Close"), self.close, keys.Close)
        for key, slot in (
            (Qt.Key.Key_Left, self._look_left),
            (Qt.Key.Key_Right, self._look_right),
            (Qt.Key.Key_Up, self._look_up),
            (Qt.Key.Key_Down, self._look_down),
        ):
            QShortcut(QKeySequence(key), self).activated.connect(slot)

    def _add(self, text: str, slot: object, *keys: QKeySequence.StandardKey | str) -> None:
        action = QAction(text, self)
        action.setShortcuts([QKeySequence(key) for key in keys])
        action.triggered.connect(slot)
        self.addAction(action)

    def _connect_bar(self) -> None:
        self.bar.zoom_out_requested.connect(self.zoom_out)
        self.bar.zoom_in_requested.connect(self.zoom_in)
        self.bar.per_cent_clicked.connect(self.fit_or_original)
        self.bar.copy_requested.connect(self.copy)
        self.bar.save_requested.connect(self.save_as)
        self.bar.close_requested.connect(self.close)

    def zoom_in(self) -> None:
        self.canvas.zoom_by(STEP)

    def zoom_out(self) -> None:
        self.canvas.zoom_by(1 / STEP)

    def fit_or_original(self) -> None:
        """Show the original size where the picture fits the window, otherwise fit it."""
        if self.canvas.fits:
            self.canvas.show_original_size()
        else:
            self.canvas.fit()

    def copy(self) -> None:
        if self.canvas.image is not None:
            QGuiApplication.clipboard().setImage(self.canvas.image)
            self.bar.show_copied()

    def save_as(self) -> None:
        dialog = QFileDialog(self, self.tr("Save the picture"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.selectFile(self.file_name())
        dialog.fileSelected.connect(self._save_selected)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def file_name(self) -> str:
        """What to save it as: its name, with the ending of what it is."""
        name = _NOT_IN_NAMES.sub("_", one_line(self._name))[:_NAME_CHARACTERS].strip(". ") or self.tr("Picture")
        kind = bytes(QImageReader.imageFormat(str(self._path)).data()).decode()
        endings = {"jpeg": ("jpeg", "jpg"), "tiff": ("tiff", "tif")}.get(kind, (kind,))
        if not kind or name.rpartition(".")[2].lower() in endings:
            return name
        return f"{name}.{endings[-1]}"

    def save_to(self, target: Path) -> None:
        """Write the file as it is to `target`. Raises SamError."""
        try:
            shutil.copyfile(self._path, target)
        except OSError as error:
            reason = error.strerror or str(error)
            text = self.tr("The picture could not be saved to {path}: {reason}. Choose another folder.")
            raise SamError(text.format(path=target, reason=reason)) from error

    def _save_selected(self, target: str) -> None:
        try:
            self.save_to(Path(target))
        except SamError as error:
            self.failed.emit(str(error))

    def _show_zoom(self) -> None:
        self.bar.set_zoom(self.canvas.per_cent, fits=self.canvas.fits)

    def _look_left(self) -> None:
        self.canvas.pan(-_PAN_PX, 0)

    def _look_right(self) -> None:
        self.canvas.pan(_PAN_PX, 0)

    def _look_up(self) -> None:
        self.canvas.pan(0, -_PAN_PX)

    def _look_down(self) -> None:
        self.canvas.pan(0, _PAN_PX)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions(self.actions())
        menu.popup(event.globalPos())
