"""Pictures made fit to send: checked by their header, turned upright, scaled down while they are read."""

from __future__ import annotations

import threading
from contextlib import nullcontext
from dataclasses import dataclass

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt
from PySide6.QtGui import QImage, QImageIOHandler, QImageReader, QImageWriter

LONGEST_SIDE_PX = 2048
MOST_PIXELS = 400_000_000
"""More than this in a header is refused unread: no camera makes it, and a bomb would."""
THUMBNAIL_PX = 128
_ALLOCATION_MB = 512
"""Of the whole program, and 4 bytes a pixel are counted whatever is allocated: enough for 100 megapixels and some."""
_GIANT_PIXELS = 20_000_000
_ONE_GIANT = threading.Lock()
"""PNG is decoded whole before it is scaled (400 MB for 100 megapixels): one at a time."""
_KEPT = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_KEPT_BYTES = 4 * 1024 * 1024
_JPEG_QUALITY = 90


class PictureError(ValueError):
    """A picture that cannot be taken; `reason` names which: ``damaged``, ``unsupported`` or ``too_large``."""

    def __init__(self, reason: str, size: QSize | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.size = size or QSize()


@dataclass(frozen=True, slots=True)
class Picture:
    """Bytes to send, and what they show. `shown_from` is the size that the original had, where it was scaled down."""

    data: bytes
    mime_type: str
    width: int
    height: int
    thumbnail: QImage
    shown_from: tuple[int, int] | None = None


def fit_picture(data: bytes, mime_type: str) -> Picture:
    """Make `data` fit to send: at most 2,048 px on its longest side, upright, in a format that models read.

    PNG, JPEG, GIF and WebP that fit already keep their bytes (a JPEG loses its camera and place metadata). A JPEG
    is scaled while it is decoded; what other formats may allocate is bounded. Thread-safe.
    Raises `PictureError`.
    """
    QImageReader.setAllocationLimit(_ALLOCATION_MB)
    array = QByteArray(data)
    buffer = QBuffer(array)
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    reader.setAutoTransform(True)
    if not reader.canRead():
        raise PictureError("unsupported" if mime_type not in _KEPT else "damaged")
    size = reader.size()
    if size.isValid():
        if size.width() * size.height() > MOST_PIXELS:
            raise PictureError("too_large", size)
        if max(size.width(), size.height()) > LONGEST_SIDE_PX:
            reader.setScaledSize(_fitting(size))
    turned = reader.transformation() != QImageIOHandler.Transformation.TransformationNone
    with _ONE_GIANT if size.width() * size.height() > _GIANT_PIXELS else nullcontext():
        image = reader.read()
    if image.isNull():
        too_large = size.isValid() and size.width() * size.height() > 50_000_000
        raise PictureError("too_large" if too_large else "damaged", size)
    if max(image.width(), image.height()) > LONGEST_SIDE_PX:  # a format that cannot tell its size beforehand
        size = image.size()
        image = _scaled(image, LONGEST_SIDE_PX)
    scaled = size.isValid() and size.width() * size.height() > image.width() * image.height()
    if not scaled and not turned and mime_type in _KEPT and len(data) <= _KEPT_BYTES:
        kept = without_metadata(data) if mime_type == "image/jpeg" else data
        return Picture(kept, mime_type, image.width(), image.height(), thumbnail_of(image))
    photo = mime_type in ("image/jpeg", "image/heic", "image/avif", "image/webp")
    sent, sent_type = _encoded(image, photo=photo)
    before = (size.width(), size.height()) if scaled else None
    return Picture(sent, sent_type, image.width(), image.height(), thumbnail_of(image), before)


def picture_of(image: QImage) -> Picture:
    """An image from the clipboard, fit to send."""
    before = None
    if max(image.width(), image.height()) > LONGEST_SIDE_PX:
        before = (image.width(), image.height())
        image = _scaled(image, LONGEST_SIDE_PX)
    data, mime_type = _encoded(image, photo=False)
    return Picture(data, mime_type, image.width(), image.height(), thumbnail_of(image), before)


def thumbnail_of(image: QImage) -> QImage:
    """`image` so small that it fills a chip."""
    return _scaled(image, THUMBNAIL_PX) if max(image.width(), image.height()) > THUMBNAIL_PX else image


def without_metadata(data: bytes) -> bytes:
    """A JPEG without its application segments (camera, place, preview) and comments; pixels and colours are untouched.

    Kept: APP0 (density), APP2 (colour profile), APP14 (how colours are coded). Source: ITU-T T.81, annex B. Anything
    unexpected ends the cleaning and keeps the rest as it is.
    """
    kept = [data[:2]]
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xDA:  # the pixels begin
            break
        end = at + 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        dropped = (0xE1 <= marker <= 0xEF and marker not in (0xE2, 0xEE)) or marker == 0xFE
        if not dropped:
            kept.append(data[at:end])
        at = end
    return b"".join([*kept, data[at:]])


def _encoded(image: QImage, *, photo: bool) -> tuple[bytes, str]:
    """PNG keeps drawings and screenshots sharp; photos, and what PNG cannot make small, become JPEG."""
    if not photo or image.hasAlphaChannel():
        data = _written(image, b"PNG", -1)
        if len(data) <= _KEPT_BYTES or image.hasAlphaChannel():
            return data, "image/png"
    return _written(image, b"JPEG", _JPEG_QUALITY), "image/jpeg"


def _written(image: QImage, form: bytes, quality: int) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QImageWriter(buffer, QByteArray(form))
    writer.setQuality(quality)
    if not writer.write(image):
        raise PictureError("damaged")
    return bytes(buffer.data().data())


def _fitting(size: QSize) -> QSize:
    return size.scaled(QSize(LONGEST_SIDE_PX, LONGEST_SIDE_PX), Qt.AspectRatioMode.KeepAspectRatio).expandedTo(
        QSize(1, 1)
    )


def _scaled(image: QImage, longest_px: int) -> QImage:
    return image.scaled(
        longest_px, longest_px, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
    )
