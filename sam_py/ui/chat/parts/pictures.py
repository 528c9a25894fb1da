"""Attachment pictures: decoded off the window's thread, scaled while they are read, kept while there is room."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakMethod

from PySide6.QtCore import QObject, QRunnable, QSize, Qt, QThreadPool, QTimer, Signal
from PySide6.QtGui import QImage, QImageIOHandler, QImageReader

from sam_py.ui.last_things import at_the_end

log = logging.getLogger(__name__)

CACHE_BYTES = 48 << 20
ALLOCATION_MB = 450
"""A picture that needs more memory than this while it is decoded is refused; 100 megapixels need 400."""
MAX_FILE_BYTES = 64 << 20

LOOK_AGAIN_MS = 2_000
"""How often pictures that are not there, or not whole, are looked for while they are on screen."""

_ROTATES = QImageIOHandler.Transformation.TransformationRotate90


@dataclass(frozen=True, slots=True)
class ShownPicture:
    """A picture that a person pressed: its file, which is named by its content, and what it is called."""

    path: Path
    name: str = ""


Key = tuple[str, int, int]
"""path, width and height in device pixels"""


Stamp = tuple[int, int]
"""Size and time of change of a file."""


def _stamp_of(path: Path) -> Stamp:
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_size, found.st_mtime_ns


class Pictures(QObject):
    """The cache that all parts share. Ask `size` (quick: it reads the header), then `picture`."""

    ready = Signal(tuple)
    """The key of a picture that `picture` now returns, or that failed."""

    decoded = Signal(tuple, QImage)
    """From the worker thread to ours."""

    def __init__(self) -> None:
        super().__init__()
        self.decoded.connect(self._keep, Qt.ConnectionType.QueuedConnection)
        self._cache: OrderedDict[Key, QImage] = OrderedDict()
        self._bytes = 0
        self._sizes: dict[str, QSize] = {}
        self._asked: dict[Key, Stamp] = {}
        self._failed: dict[str, Stamp] = {}
        self._waiting: dict[int, WeakMethod[Callable[[], bool]]] = {}
        self._look = QTimer(self, interval=LOOK_AGAIN_MS)
        self._look.timeout.connect(self.look_again)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        QImageReader.setAllocationLimit(ALLOCATION_MB)

    def size(self, path: Path) -> QSize:
        """Return the picture's size as it is to be shown, upright; invalid where the file is no picture."""
        name = str(path)
        self._forget_if_changed(path)
        if name not in self._sizes:
            reader = QImageReader(name)
            reader.setAutoTransform(True)
            size = reader.size()
            if reader.transformation() & _ROTATES:
                size.transpose()
            self._sizes[name] = size
            if not size.isValid():
                self._failed[name] = _stamp_of(path)
        return self._sizes[name]

    def failed(self, path: Path) -> bool:
        """Whether the picture cannot be shown as its file is now: a half copied one may become whole."""
        size = self.size(path)
        return str(path) in self._failed or not size.isValid()

    def wait_for(self, part: object, look: Callable[[], bool]) -> None:
        """Call `look` every now and then until it says that its picture is there, or `part` gives up."""
        self._waiting[id(part)] = WeakMethod(look)
        self._look.start()

    def give_up(self, part: object) -> None:
        self._waiting.pop(id(part), None)

    def look_again(self) -> None:
        for key, reference in tuple(self._waiting.items()):
            look = reference()
            if key in self._waiting and (look is None or look()):
                self._waiting.pop(key, None)
        if not self._waiting:
            self._look.stop()

    def _forget_if_changed(self, path: Path) -> None:
        """A file that failed and is another one since is tried anew. Others are named by their content."""
        name = str(path)
        if name in self._failed and self._failed[name] != _stamp_of(path):
            del self._failed[name]
            self._sizes.pop(name, None)

    def picture(self, path: Path, size: QSize) -> QImage | None:
        """Return the picture scaled to `size` device pixels; None while it is being read (then comes `ready`)."""
        key = (str(path), size.width(), size.height())
        image = self._cache.get(key)
        if image is not None:
            self._cache.move_to_end(key)
            return image
        if key not in self._asked and key[0] not in self._failed:
            self._asked[key] = _stamp_of(path)  # before it is read: what comes meanwhile makes it another one
            self._pool.start(_Decode(key, self))
        return None

    def wait(self) -> None:
        """Wait until nothing is being read."""
        self._pool.waitForDone()

    def stop(self, patience_ms: int = 1_000) -> bool:
        """Give up the pictures that still wait, and wait for the one in hand. False where it takes longer."""
        self._look.stop()
        self._waiting.clear()
        self._pool.clear()
        self._asked.clear()
        return self._pool.waitForDone(patience_ms)

    def _keep(self, key: Key, image: QImage) -> None:
        stamp = self._asked.pop(key, (0, 0))
        if image.isNull():
            self._failed[key[0]] = stamp
        else:
            self._cache[key] = image
            self._bytes += image.sizeInBytes()
            while self._bytes > CACHE_BYTES and len(self._cache) > 1:
                _key, old = self._cache.popitem(last=False)
                self._bytes -= old.sizeInBytes()
        self.ready.emit(key)


class _Decode(QRunnable):
    """Runs on the one worker thread; the signal brings the picture back."""

    def __init__(self, key: Key, pictures: Pictures) -> None:
        super().__init__()
        self._key = key
        self._pictures = pictures

    def run(self) -> None:
        image = read_scaled(Path(self._key[0]), QSize(self._key[1], self._key[2]))
        self._pictures.decoded.emit(self._key, image)


def read_scaled(path: Path, size: QSize) -> QImage:
    """Read a picture at `size`, or as large as it is where `size` is invalid. A null image where it cannot be read.

    JPEG is scaled while it is decoded, so that 100 megapixels need a few; other formats are decoded whole first.
    """
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            return QImage()
    except OSError:
        return QImage()
    reader = QImageReader(str(path))
    reader.setAutoTransform(True)
    if size.isValid():
        upright = reader.transformation() & _ROTATES
        reader.setScaledSize(size.transposed() if upright else size)
    image = reader.read()
    if image.isNull():
        log.info("picture %s cannot be shown: %s", path.name, reader.errorString())
    return image


_shared: list[Pictures] = []


def stop_pictures() -> None:
    """The program ends: a thread that reads on while everything goes would take the process down with it."""
    if _shared and not _shared[0].stop():
        log.info("a picture is still being read at the end")


def shared_pictures() -> Pictures:
    """Return the one cache of the program; made on the window's thread when the first picture is met."""
    if not _shared:
        _shared.append(Pictures())
        at_the_end(stop_pictures)
    return _shared[0]
