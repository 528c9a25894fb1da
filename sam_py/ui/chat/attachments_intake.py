"""The intake: files, pictures and long texts become parts of a message, off the window's thread."""

from __future__ import annotations

import asyncio
import os
import stat
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLocale
from PySide6.QtGui import QImage

from sam_py.errors import SamError
from sam_py.messages.documents import MIME_TYPES, Document
from sam_py.messages.parts import CodePart, FilePart, ImagePart, Part
from sam_py.ui.chat.attachments_images import Picture, PictureError, fit_picture, picture_of, thumbnail_of
from sam_py.ui.chat.attachments_sniff import language_of, sniff

MB = 1024 * 1024
IMAGE_MAX_BYTES = 20 * MB
TEXT_MAX_BYTES = 20 * MB
DOCUMENT_MAX_BYTES = 32 * MB
INLINE_MAX_BYTES = 200_000
"""Text up to here travels in the message itself; more becomes a stored file, whose beginning is sent."""
_CHUNK = MB
_OFFICE = frozenset({".doc", ".odt", ".ods", ".odp", ".pages", ".ppt", ".rtf", ".xls", ".xlsb", ".numbers", ".key"})
_READABLE = frozenset({".pdf", ".docx", ".docm", ".xlsx", ".xlsm", ".pptx", ".pptm", ".epub"})

Put = Callable[[bytes], Awaitable[str]]
"""Keeps bytes in the attachment store and returns their hash."""
Tell = Callable[[int, int], None]
"""Takes how many pages are read, and of how many."""
ReadDocument = Callable[[FilePart, Tell | None], Awaitable[Document | None]]
"""Takes the text out of a stored file. Raises SamError where it cannot."""


class IntakeError(SamError):
    """Something that cannot be attached; the sentence names it and says why."""


class IntakeCancelled(Exception):
    """Removed by the person while it was still being read."""


@dataclass(frozen=True, slots=True)
class PastedText:
    """A text too long for the box."""

    text: str
    name: str


@dataclass(frozen=True, slots=True)
class PastedImage:
    image: QImage
    name: str


@dataclass(frozen=True, slots=True)
class GivenBytes:
    """What another program handed over, to be judged like a file of that name."""

    data: bytes
    name: str


Source = Path | PastedText | PastedImage | GivenBytes


@dataclass(frozen=True, slots=True)
class Taken:
    """A part, ready to send, and what its chip shows. `note` says what was done to it (scaled down), or "".

    `document` is its text where it was taken out; `warning` says in a few words why it was not.
    """

    part: Part
    name: str
    size: int
    thumbnail: QImage | None = None
    note: str = ""
    document: Document | None = None
    warning: str = ""


@dataclass(frozen=True, slots=True)
class _Read:
    """What the worker made of a source; the part still lacks its hash where `data` has to be stored."""

    name: str
    size: int
    part: Part
    data: bytes = b""
    thumbnail: QImage | None = None
    note: str = ""


class Intake:
    """Reads sources in at most two threads at once; `put` stores what is kept outside of the message.

    `read_document` takes the text out of documents, so that it is there when the message is sent.
    """

    def __init__(self, put: Put, read_document: ReadDocument | None = None) -> None:
        self._put = put
        self._read_document = read_document
        self._workers: ThreadPoolExecutor | None = None

    async def take(self, source: Source, tell: Tell | None = None) -> Taken:
        """Make a part of `source`. Raises `SamError`; cancelling ends the reading within a megabyte.

        `tell(done, total)` hears of the pages of a document while its text is taken out.
        """
        stop = threading.Event()
        loop = asyncio.get_running_loop()
        if self._workers is None:
            self._workers = ThreadPoolExecutor(max_workers=2, thread_name_prefix="intake")
        try:
            read = await loop.run_in_executor(self._workers, read_source, source, stop)
        except asyncio.CancelledError:
            stop.set()
            raise
        part = read.part
        if read.data:
            digest = await self._put(read.data)
            assert isinstance(part, ImagePart | FilePart)
            part = part.model_copy(update={"attachment": digest})
        taken = Taken(part, read.name, read.size, read.thumbnail, read.note)
        return await self._with_text(taken, tell) if isinstance(part, FilePart) else taken

    async def document(self, part: FilePart) -> Document | None:
        """The text of a document that was attached before; None where it is none, or has none."""
        if self._read_document is None:
            return None
        try:
            return await self._read_document(part, None)
        except SamError:
            return None

    async def _with_text(self, taken: Taken, tell: Tell | None) -> Taken:
        """`taken` with its text. A PDF without stays: a model that takes PDFs sees its pages."""
        part = taken.part
        assert isinstance(part, FilePart)
        if self._read_document is None:
            return taken
        try:
            document = await self._read_document(part, tell)
        except SamError as error:
            if part.mime_type != MIME_TYPES["pdf"] or getattr(error, "reason", "") in ("password", "protected"):
                raise
            return replace(taken, warning=_tr("No text could be read"), note=_only_pictures(str(error)))
        if document is None:
            return taken
        notes = " ".join(document.notes)
        if document.has_text:
            return replace(taken, document=document, note=notes)
        if part.mime_type != MIME_TYPES["pdf"]:
            sentence = _tr("“{name}” holds no text that the model could read.").format(name=taken.name)
            raise IntakeError(" ".join(filter(None, (sentence, notes))))
        return replace(taken, document=document, warning=_tr("No text in it"), note=_only_pictures(notes))

    async def thumbnail(self, path: Path) -> QImage | None:
        """A small picture of the stored image at `path`; None if it is gone or damaged."""
        return await asyncio.get_running_loop().run_in_executor(None, _stored_thumbnail, path)

    def close(self) -> None:
        """Let the threads go; what they still read is dropped."""
        if self._workers is not None:
            self._workers.shutdown(wait=False, cancel_futures=True)
            self._workers = None


def read_source(source: Source, stop: threading.Event) -> _Read:
    """Read and judge one source, in a worker thread. Raises `IntakeError`, or `IntakeCancelled` when `stop` is set."""
    match source:
        case PastedText(text, name):
            data = text.encode("utf-8", "replace")
            _limit(name, data, TEXT_MAX_BYTES, _tr("a text"))
            return _text(name, text, data)
        case PastedImage(image, name):
            return _picture(name, 0, picture_of(image))
        case GivenBytes(data, name):
            _limit(name, data, DOCUMENT_MAX_BYTES, _tr("an attachment"))
            return _judged(Path(name), name, data)
        case _:
            return _file(source, stop)


def _file(path: Path, stop: threading.Event) -> _Read:
    name = path.name or str(path)
    return _judged(path, name, _bytes(path, name, stop))


def _judged(path: Path, name: str, data: bytes) -> _Read:
    if not data:
        raise IntakeError(_tr("“{name}” is empty, so there is nothing to attach.").format(name=name))
    kind = sniff(data, name)
    match kind.kind:
        case "image":
            _limit(name, data, IMAGE_MAX_BYTES, _tr("a picture"))
            try:
                return _picture(name, len(data), fit_picture(data, kind.mime_type))
            except PictureError as error:
                raise _picture_error(name, error) from error
        case "document":
            part = FilePart(attachment="", filename=name, mime_type=kind.mime_type, size=len(data))
            return _Read(name, len(data), part, data)
        case "locked":
            raise IntakeError(
                _tr("“{name}” is protected by a password: save it without one and attach that.").format(name=name)
            )
        case "text":
            _limit(name, data, TEXT_MAX_BYTES, _tr("a text"))
            return _text(name, data.decode(kind.encoding, "replace"), data)
        case _:
            raise IntakeError(_binary_sentence(path, name))


def _bytes(path: Path, name: str, stop: threading.Event) -> bytes:
    """The file's bytes, read by pieces so that it can be stopped."""
    try:
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            raise IntakeError(
                _tr("“{name}” is a folder. Attach the files in it that the model should read.").format(name=name)
            )
        if not stat.S_ISREG(status.st_mode):
            raise IntakeError(_tr("“{name}” is a device and no file, so it cannot be attached.").format(name=name))
        if status.st_size > DOCUMENT_MAX_BYTES:
            raise IntakeError(_too_large(name, status.st_size, DOCUMENT_MAX_BYTES, _tr("an attachment")))
        pieces = []
        left = DOCUMENT_MAX_BYTES  # a file that grows while it is read stops here
        with open(path, "rb") as file:
            while left > 0 and (piece := file.read(min(_CHUNK, left))):
                if stop.is_set():
                    raise IntakeCancelled
                pieces.append(piece)
                left -= len(piece)
    except FileNotFoundError as error:
        raise IntakeError(_tr("“{name}” is no longer there. Was it moved or deleted?").format(name=name)) from error
    except PermissionError as error:
        raise IntakeError(_tr("“{name}” may not be read: you lack the permission for it.").format(name=name)) from error
    except OSError as error:
        raise IntakeError(
            _tr("“{name}” could not be read ({reason}). Try again, or copy it to this computer first.").format(
                name=name, reason=error.strerror or error
            ),
            detail=repr(error),
        ) from error
    return b"".join(pieces)


def _text(name: str, text: str, data: bytes) -> _Read:
    language = language_of(name)
    if len(data) <= INLINE_MAX_BYTES:
        return _Read(name, len(data), CodePart(code=text, language=language, filename=name))
    stored = text.encode("utf-8", "replace")
    part = FilePart(attachment="", filename=name, mime_type="text/plain", size=len(stored))
    note = _tr("Long: its beginning is sent, and the model can read on in it with a tool.")
    return _Read(name, len(stored), part, stored, note=note)


def _picture(name: str, size: int, picture: Picture) -> _Read:
    note = ""
    if picture.shown_from:
        note = _tr("Scaled down from {from_w} × {from_h} to {w} × {h} pixels; this smaller picture is what is sent.")
        note = note.format(
            from_w=picture.shown_from[0], from_h=picture.shown_from[1], w=picture.width, h=picture.height
        )
    part = ImagePart(attachment="", mime_type=picture.mime_type, width=picture.width, height=picture.height, alt=name)
    return _Read(name, len(picture.data), part, picture.data, picture.thumbnail, note)


def _picture_error(name: str, error: PictureError) -> IntakeError:
    match error.reason:
        case "too_large":
            sentence = _tr("“{name}” has {w} × {h} pixels, more than this program opens. Save it smaller first.")
            return IntakeError(sentence.format(name=name, w=error.size.width(), h=error.size.height()))
        case "unsupported":
            sentence = _tr(
                "“{name}” is a kind of picture that this computer cannot open. Save it as PNG or JPEG first."
            )
            return IntakeError(sentence.format(name=name))
        case _:
            return IntakeError(_tr("“{name}” is damaged: it cannot be opened as a picture.").format(name=name))


def _binary_sentence(path: Path, name: str) -> str:
    if path.suffix.lower() in _READABLE:
        sentence = _tr("“{name}” is damaged or not what its name says: open it in its own program and save it again.")
        return sentence.format(name=name)
    sentence = _tr("“{name}” is not text, an image or a document, so the model could not read it.").format(name=name)
    if path.suffix.lower() in _OFFICE:
        sentence += " " + _tr("Save it as PDF, or in the newer format of Word, Excel or PowerPoint, and attach that.")
    return sentence


def _only_pictures(why: str) -> str:
    return f"{why} {_tr('Only models that take PDFs can look at it.')}".strip()


def _limit(name: str, data: bytes, most: int, what: str) -> None:
    if len(data) > most:
        raise IntakeError(_too_large(name, len(data), most, what))


def _too_large(name: str, size: int, most: int, what: str) -> str:
    return _tr("“{name}” has {size}; {what} may have at most {most}.").format(
        name=name, size=size_text(size), what=what, most=size_text(most)
    )


def size_text(size: int) -> str:
    """`size` bytes in words.

    >>> size_text(512), size_text(20_480), size_text(20 * 1024 * 1024)
    ('512 bytes', '20 kB', '20 MB')
    """
    if size < 1024:
        return _tr("{n} bytes").format(n=size)
    if size < MB:
        return _tr("{n} kB").format(n=round(size / 1024))
    return _tr("{n} MB").format(n=QLocale().toString(round(size / MB, 1), "g", 6))


def _stored_thumbnail(path: Path) -> QImage | None:
    image = QImage(str(path))
    return None if image.isNull() else thumbnail_of(image)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Intake", text)
