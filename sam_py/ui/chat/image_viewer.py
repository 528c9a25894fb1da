"""A picture in a window of its own: zoom, pan, fit, copy, save; Esc closes it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QContextMenuEvent,
    QGuiApplication,
    QImage,
    QImageReader,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QDialog, QFileDialog, QMenu, QWidget

from sam_py.errors import SamError
from sam_py.ui.chat.parts.pictures import shared_pictures
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.plain import one_line, window_title

MAX_ZOOM = 16.0
MAX_SIDE_PX = 6_000
"""A larger picture is read scaled down to this."""
STEP = 1.25
_NAME_CHARACTERS = 120
_NOT_IN_NAMES = re.compile(r'[\\/:*?"<>|]+')
"""What one system or another does not allow in the name of a file."""


class ImageViewer(QDialog):
    """Show it with `open()` or `show()`. `zoom` is logical pixels of the window for one pixel of the picture."""

    failed = Signal(str)
    """A sentence for the person: the picture could not be saved."""

    def __init__(self, themes: Themes, path: Path, name: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._themes = themes
        self._path = path
        self._name = name or path.name
        self.setWindowTitle(window_title(name or path.name))
        self.setAccessibleName(self.tr("Picture {name}").format(name=name or path.name))
        self.resize(960, 720)
        self.setMouseTracking(True)
        size = shared_pictures().size(path)
        if size.isValid() and max(size.width(), size.height()) > MAX_SIDE_PX:
            size = size.scaled(QSize(MAX_SIDE_PX, MAX_SIDE_PX), Qt.AspectRatioMode.KeepAspectRatio)
        self._size = QSizeF(size if size.isValid() else QSize(1, 1))
        self._image: QImage | None = None
        self._key = (str(path), size.width(), size.height())
        if size.isValid():
            shared_pictures().ready.connect(self._arrived)
            self._image = shared_pictures().picture(path, size)
        self.zoom = 1.0
        self._fits = True
        self._centre = QPointF(self._size.width() / 2, self._size.height() / 2)  # of the picture, in its pixels
        self._grabbed: QPointF | None = None
        self._add(self.tr("Zoom in"), self.zoom_in, QKeySequence.StandardKey.ZoomIn, "=")
        self._add(self.tr("Zoom out"), self.zoom_out, QKeySequence.StandardKey.ZoomOut, "-")
        self._add(self.tr("Fit to the window"), self.fit, "0", "Ctrl+0")
        self._add(self.tr("Original size"), self.original_size, "1")
        self._add(self.tr("Copy"), self.copy, QKeySequence.StandardKey.Copy)
        self._add(self.tr("Save as…"), self.save_as, QKeySequence.StandardKey.Save)
        self._add(self.tr("Close"), self.close, QKeySequence.StandardKey.Close)
        self.fit()

    def _add(self, text: str, slot: object, *keys: QKeySequence.StandardKey | str) -> None:
        action = QAction(text, self)
        action.setShortcuts([QKeySequence(key) for key in keys])
        action.triggered.connect(slot)
        self.addAction(action)

    def zoom_in(self) -> None:
        self._zoom_by(STEP, QPointF(self.rect().center()))

    def zoom_out(self) -> None:
        self._zoom_by(1 / STEP, QPointF(self.rect().center()))

    def fit(self) -> None:
        """Show the whole picture, never larger than it is."""
        self._fits = True
        self.zoom = min(1.0, self._fit_zoom())
        self._centre = QPointF(self._size.width() / 2, self._size.height() / 2)
        self.update()

    def original_size(self) -> None:
        self._zoom_by(1 / (self.zoom * self.devicePixelRatioF()), QPointF(self.rect().center()))

    def copy(self) -> None:
        if self._image is not None:
            QGuiApplication.clipboard().setImage(self._image)

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

    def _arrived(self, key: tuple[str, int, int]) -> None:
        if key == self._key:
            self._image = shared_pictures().picture(self._path, QSize(key[1], key[2]))
            self.update()

    def _fit_zoom(self) -> float:
        room = self.size() - QSize(32, 32)
        return max(0.01, min(room.width() / self._size.width(), room.height() / self._size.height()))

    def _zoom_by(self, factor: float, around: QPointF) -> None:
        """Zoom so that what is under `around` stays there."""
        zoom = min(MAX_ZOOM, max(min(1.0, self._fit_zoom()) / 4, self.zoom * factor))
        middle = QPointF(self.rect().center())
        under = self._centre + (around - middle) / self.zoom
        self._centre = under - (around - middle) / zoom
        self.zoom = zoom
        self._fits = False
        self._keep_in_view()

    def _keep_in_view(self) -> None:
        width, height = self._size.width(), self._size.height()
        self._centre = QPointF(min(max(0.0, self._centre.x()), width), min(max(0.0, self._centre.y()), height))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor(self._themes.current.palette.window))
        middle = QPointF(self.rect().center())
        origin = middle - self._centre * self.zoom
        box = QRectF(origin, self._size * self.zoom)
        if self._image is not None:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, self.zoom < 3)
            painter.drawImage(box, self._image)
        else:
            painter.setPen(QColor(self._themes.current.palette.text_muted))
            failed = shared_pictures().failed(self._path)
            text = self.tr("This picture cannot be shown.") if failed else self.tr("Loading…")
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, text)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        if self._fits:
            self.fit()
        super().resizeEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._zoom_by(STEP ** (event.angleDelta().y() / 120), event.position())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._grabbed = event.position()
            self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grabbed is not None:
            self._centre -= (event.position() - self._grabbed) / self.zoom
            self._grabbed = event.position()
            self._fits = False
            self._keep_in_view()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._grabbed = None
        self.unsetCursor()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._fits:
            self._zoom_by(1 / self.zoom if self.zoom < 1 else 2.0, event.position())
        else:
            self.fit()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions(self.actions())
        menu.popup(event.globalPos())
