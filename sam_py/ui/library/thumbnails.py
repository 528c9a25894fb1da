"""GridPictures: pictures as the grid shows them, read on worker threads, only those that are seen just now."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QBuffer, QIODevice, QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QImage, QImageReader, QPainter

from sam_py.store.thumbnails import Thumbnails
from sam_py.ui.chat.parts.pictures import ALLOCATION_MB, read_scaled

MOST_BYTES = 24 << 20
_READERS = 2
_SIDES = (256, 512)
"""What is kept on the disk, in device pixels."""
_JPEG_QUALITY = 84
_STRETCHED = 3.0
"""A picture that is longer than this many times its width is shown whole instead of its middle."""

Spawn = Callable[[Coroutine[Any, Any, None]], object]
Wish = tuple[str, int, int]
"""hash, side and radius in device pixels"""


class GridPictures(QObject):
    """Made and asked on the window's thread. Whoever made it calls `stop` when it goes.

    `want` says which pictures are seen: all others that still wait are given up.
    """

    ready = Signal(str)
    """The hash of a picture that was read, or that cannot be."""

    def __init__(
        self,
        path_of: Callable[[str], Path | None],
        shelf: Thumbnails,
        spawn: Spawn,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        QImageReader.setAllocationLimit(ALLOCATION_MB)
        self._path_of = path_of
        self._shelf = shelf
        self._spawn = spawn
        self._cache: OrderedDict[Wish, QImage] = OrderedDict()
        self._latest: dict[str, Wish] = {}
        self._bytes = 0
        self._failed: set[str] = set()
        self._waiting: deque[Wish] = deque()
        self._at_work: set[Wish] = set()
        self._readers = 0
        self._threads = ThreadPoolExecutor(_READERS, "sam-thumbnails")
        self._is_stopped = False

    @property
    def held_bytes(self) -> int:
        return self._bytes

    @property
    def is_reading(self) -> bool:
        return bool(self._readers)

    def want(self, wishes: Sequence[Wish]) -> None:
        """Read these, the first one first, and nothing else."""
        if self._is_stopped:
            return
        self._waiting = deque(
            wish
            for wish in wishes
            if wish not in self._cache and wish not in self._at_work and wish[0] not in self._failed
        )
        for _ in range(min(_READERS, len(self._waiting)) - self._readers):
            self._readers += 1
            self._spawn(self._read_on())

    def picture(self, wish: Wish) -> QImage | None:
        """What was read, in this size or else in another one; None where nothing was yet."""
        image = self._cache.get(wish)
        if image is None:
            other = self._latest.get(wish[0])
            return self._cache.get(other) if other is not None else None
        self._cache.move_to_end(wish)
        return image

    def has_failed(self, hash: str) -> bool:
        return hash in self._failed

    def try_again(self) -> None:
        """Files came: what could not be read may be read now."""
        self._failed.clear()

    def stop(self) -> None:
        """Give up what waits, and wait for what is in hand."""
        self._is_stopped = True
        self._waiting.clear()
        self._threads.shutdown(wait=True, cancel_futures=True)

    async def _read_on(self) -> None:
        """Read picture after picture until nothing waits."""
        try:
            while self._waiting and not self._is_stopped:
                wish = self._waiting.popleft()
                self._at_work.add(wish)
                try:
                    self._keep(wish, await self._read(wish))
                finally:
                    self._at_work.discard(wish)
        finally:
            self._readers -= 1

    async def _read(self, wish: Wish) -> QImage:
        """Null where there is no file, or none that is a picture."""
        hash, side, radius = wish
        kept_side = next((each for each in _SIDES if each >= side), _SIDES[-1])
        kept = await self._shelf.find(hash, kept_side)
        if self._is_stopped:
            return QImage()
        work = partial(_read_tile, self._path_of, hash, kept, kept_side, side, radius)
        image, made = await asyncio.get_running_loop().run_in_executor(self._threads, work)
        if made:
            self._spawn(self._shelf.keep(hash, kept_side, made))
        return image

    def _keep(self, wish: Wish, image: QImage) -> None:
        if image.isNull():
            self._failed.add(wish[0])
        else:
            self._cache[wish] = image
            self._latest[wish[0]] = wish
            self._bytes += image.sizeInBytes()
            while self._bytes > MOST_BYTES and len(self._cache) > 1:
                gone, old = self._cache.popitem(last=False)
                self._bytes -= old.sizeInBytes()
                if self._latest.get(gone[0]) == gone:
                    del self._latest[gone[0]]
        self.ready.emit(wish[0])


def _read_tile(
    path_of: Callable[[str], Path | None], hash: str, kept: bytes | None, kept_side: int, side: int, radius: int
) -> tuple[QImage, bytes]:
    """On a worker thread: the tile, and the bytes to keep where it was made from the picture itself."""
    image = QImage.fromData(kept) if kept else QImage()
    made = b""
    if image.isNull():
        path = path_of(hash)
        image = _middle_of(path, kept_side) if path is not None else image
        if image.isNull():
            return image, b""
        made = _bytes_of(image)
    return _tile(image, side, radius), made


def cut(width: int, height: int, side: int) -> tuple[QSize, QRect]:
    """How a picture is scaled for a square of `side`, and what of that is shown; it is never made larger.

    >>> size, seen = cut(400, 200, 100)
    >>> (size.width(), size.height()), (seen.x(), seen.y(), seen.width(), seen.height())
    ((200, 100), (50, 0, 100, 100))
    >>> cut(40, 20, 100)[0].width()
    40
    """
    size = QSize(width, height)
    square = QSize(side, side)
    if max(width, height) > _STRETCHED * min(width, height):
        if width > side or height > side:
            size.scale(square, Qt.AspectRatioMode.KeepAspectRatio)
    elif min(width, height) > side:
        size.scale(square, Qt.AspectRatioMode.KeepAspectRatioByExpanding)
    size = size.expandedTo(QSize(1, 1))
    seen = QRect(0, 0, min(side, size.width()), min(side, size.height()))
    seen.moveCenter(QRect(0, 0, size.width(), size.height()).center())
    return size, seen


def _middle_of(path: Path, side: int) -> QImage:
    reader = QImageReader(str(path))
    reader.setAutoTransform(True)
    size = reader.size()
    if not size.isValid():
        return QImage()
    if reader.transformation() & reader.transformation().TransformationRotate90:
        size.transpose()
    scaled, seen = cut(size.width(), size.height(), side)
    image = read_scaled(path, scaled if scaled != size else QSize())
    return image if image.isNull() or seen.size() == image.size() else image.copy(seen)


def _bytes_of(image: QImage) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if image.hasAlphaChannel():
        image.save(buffer, "PNG")  # type: ignore[call-overload]
    else:
        image.save(buffer, "JPG", _JPEG_QUALITY)  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def _tile(image: QImage, side: int, radius: int) -> QImage:
    """As it is painted: in its size, with round corners, a small one in the middle of a clear square."""
    fills = min(image.width(), image.height()) >= 0.6 * side
    if image.width() > side or image.height() > side or fills:
        how = Qt.AspectRatioMode.KeepAspectRatioByExpanding if fills else Qt.AspectRatioMode.KeepAspectRatio
        image = image.scaled(side, side, how, Qt.TransformationMode.SmoothTransformation)
    tile = QImage(side, side, QImage.Format.Format_ARGB32_Premultiplied)
    tile.fill(Qt.GlobalColor.transparent)
    painter = QPainter(tile)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    place = image.rect()
    place.moveCenter(tile.rect().center())
    if place.contains(tile.rect()):
        brush = QBrush(image)
        painter.setBrush(brush)
        painter.setBrushOrigin(place.topLeft())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawRoundedRect(tile.rect(), radius, radius)
    else:
        painter.drawImage(place, image)
    painter.end()
    return tile
