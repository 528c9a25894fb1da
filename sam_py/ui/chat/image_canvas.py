"""ImageCanvas: one picture on a dark ground, zoomed at the mouse by wheel or pinch, moved by dragging."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QImage,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QGestureEvent, QPinchGesture, QSizePolicy, QWidget

from sam_py.ui.chat.parts.pictures import shared_pictures
from sam_py.ui.theme import DARK
from sam_py.ui.widgets.plain import one_line

MAX_ZOOM = 16.0
MAX_SIDE_PX = 6_000
"""A larger picture is read scaled down to this."""
STEP = 1.25
_MARGIN_PX = 16
_TILE_PX = 8
_NOTCH = 120
"""One step of a wheel (`QWheelEvent.angleDelta`, eighths of a degree)."""


class ImageCanvas(QWidget):
    """`zoom` is logical pixels of the window for one pixel of what was read; `per_cent` is of the file's own pixels.

    The ground is dark in every theme, so that a picture's colours look the same; what a picture leaves transparent is
    chequered, because its ink can be black or white.
    """

    zoom_changed = Signal()

    def __init__(self, path: Path, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        shared_pictures().ready.connect(self._arrived)
        self._grabbed: QPointF | None = None
        if sys.platform != "darwin":  # there a pinch arrives as a native gesture alone
            self.grabGesture(Qt.GestureType.PinchGesture)
        self.image: QImage | None = None
        self.zoom = 1.0
        self.fits = True
        self._load(path, name)

    def show_picture(self, path: Path, name: str) -> None:
        """Show another picture, fitted."""
        self._load(path, name)
        self.fit()

    def _load(self, path: Path, name: str) -> None:
        self._path = path
        self.setAccessibleName(self.tr("Picture {name}").format(name=one_line(name)))
        self.file_size = shared_pictures().size(path)
        """Of the file, in its pixels; not valid where it is no picture."""
        size = QSize(self.file_size)
        if size.isValid() and max(size.width(), size.height()) > MAX_SIDE_PX:
            size = size.scaled(QSize(MAX_SIDE_PX, MAX_SIDE_PX), Qt.AspectRatioMode.KeepAspectRatio)
        self._size = QSizeF(size if size.isValid() else QSize(1, 1))
        self._key = (str(path), size.width(), size.height())
        self.image = shared_pictures().picture(path, size) if size.isValid() else None
        self._centre = QPointF(self._size.width() / 2, self._size.height() / 2)  # of what was read, in its pixels

    @property
    def per_cent(self) -> int:
        """How large it is shown: at 100 a pixel of the file is a pixel of the screen."""
        return max(1, round(100 * self.zoom / self._original_zoom()))

    def fit(self) -> None:
        """Show the whole picture, never larger than it is."""
        self.fits = True
        self.zoom = min(1.0, self._fit_zoom())
        self._keep_in_view()
        self.zoom_changed.emit()

    def show_original_size(self) -> None:
        self.zoom_by(self._original_zoom() / self.zoom)

    def zoom_by(self, factor: float, around: QPointF | None = None) -> None:
        """Zoom so that what is under `around` (without it: in the middle) stays there."""
        zoom = min(MAX_ZOOM, max(min(1.0, self._fit_zoom()) / 4, self.zoom * factor))
        middle = QRectF(self.rect()).center()
        away = (around or middle) - middle
        self._centre += away / self.zoom - away / zoom
        self.zoom = zoom
        self.fits = False
        self._keep_in_view()
        self.zoom_changed.emit()

    def pan(self, right_px: float, down_px: float) -> None:
        """Look further right and down, by this many pixels of the window."""
        self._centre += QPointF(right_px, down_px) / self.zoom
        self._keep_in_view()

    def shown_rect(self) -> QRectF:
        """Where the whole picture is, in the widget's pixels."""
        return QRectF(QRectF(self.rect()).center() - self._centre * self.zoom, self._size * self.zoom)

    def _original_zoom(self) -> float:
        reduced = self.file_size.width() / self._size.width() if self.file_size.isValid() else 1.0
        return reduced / self.devicePixelRatioF()

    def _fit_zoom(self) -> float:
        room = self.size() - QSize(2 * _MARGIN_PX, 2 * _MARGIN_PX)
        return max(0.01, min(room.width() / self._size.width(), room.height() / self._size.height()))

    def _keep_in_view(self) -> None:
        """A picture with room around it stands in the middle; a larger one is not moved further than its edges."""
        self._centre = QPointF(
            _kept(self._centre.x(), self._size.width(), self.width() / self.zoom),
            _kept(self._centre.y(), self._size.height(), self.height() / self.zoom),
        )
        self.update()

    def _arrived(self, key: tuple[str, int, int]) -> None:
        if key == self._key:
            self.image = shared_pictures().picture(self._path, QSize(key[1], key[2]))
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor(DARK.sidebar))
        box = self.shown_rect()
        if self.image is not None:
            if self.image.hasAlphaChannel():
                painter.fillRect(box, QBrush(_chequers()))
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, self.zoom < 3)
            painter.drawImage(box, self.image)
        else:
            painter.setPen(QColor(DARK.text_muted))
            failed = shared_pictures().failed(self._path)
            text = self.tr("This picture cannot be shown.") if failed else self.tr("Loading…")
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, text)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        if self.fits:
            self.fit()
        else:
            self._keep_in_view()
        super().resizeEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if turned := event.angleDelta().y():
            self.zoom_by(STEP ** (turned / _NOTCH), event.position())
        event.accept()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QNativeGestureEvent) and event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
            self.zoom_by(max(0.1, 1 + event.value()), event.position())
            return True
        if isinstance(event, QGestureEvent):
            pinch = event.gesture(Qt.GestureType.PinchGesture)
            if isinstance(pinch, QPinchGesture):
                middle = self.mapFromGlobal(pinch.centerPoint())
                self.zoom_by(max(0.1, pinch.scaleFactor()), QPointF(middle))
                return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._grabbed = event.position()
            self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grabbed is not None:
            moved = self._grabbed - event.position()
            self._grabbed = event.position()
            self.pan(moved.x(), moved.y())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._grabbed = None
        self.setCursor(Qt.CursorShape.OpenHandCursor)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.fits:
            original = self._original_zoom() / self.zoom
            self.zoom_by(original if original > 1 else 2.0, event.position())
        else:
            self.fit()


def _kept(centre: float, length: float, seen: float) -> float:
    """The middle of what is seen, on a picture `length` long of which `seen` fits into the window.

    >>> _kept(10, 100, 40), _kept(50, 100, 40), _kept(10, 100, 120)
    (20.0, 50, 50.0)
    """
    if seen >= length:
        return length / 2
    return min(max(seen / 2, centre), length - seen / 2)


def _chequers() -> QPixmap:
    tile = QPixmap(2 * _TILE_PX, 2 * _TILE_PX)
    tile.fill(QColor("#8e8e8e"))
    painter = QPainter(tile)
    for side in (0, _TILE_PX):
        painter.fillRect(side, side, _TILE_PX, _TILE_PX, QColor("#a6a6a6"))
    painter.end()
    return tile
