"""The tray: what is attached to the message being written, being read or ready."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from sam_py.errors import SamError
from sam_py.messages.documents import Document, document_kind
from sam_py.messages.parts import CodePart, FilePart, ImagePart, Part, Parts
from sam_py.ui.chat.attachments_intake import Intake, IntakeCancelled, PastedImage, PastedText, Source

Spawn = Callable[[Coroutine[Any, Any, Any]], "asyncio.Task[Any]"]
"""`Tasks.spawn`: starts a coroutine and keeps it."""

Stored = ImagePart | FilePart
"""What was attached before, and is in the store."""
Kind = Literal["image", "code", "text", "file"]


@dataclass(frozen=True, slots=True)
class Item:
    """One chip: `part` is None while it is being read, and `progress` says how many pages are, of how many."""

    id: int
    name: str
    kind: Kind
    size: int = 0
    part: Part | None = None
    thumbnail: QImage | None = field(default=None, compare=False)
    note: str = ""
    document: Document | None = field(default=None, compare=False)
    warning: str = ""
    progress: tuple[int, int] | None = None

    @property
    def text(self) -> str:
        """The text that could be put into the message itself, or ""."""
        return self.part.code if isinstance(self.part, CodePart) else ""


class AttachmentTray(QObject):
    """Holds the items in the order in which they were attached, whichever is read first.

    `changed` follows every change; `failed` brings one sentence for a person. Removing an item cancels its reading.
    """

    changed = Signal()
    failed = Signal(str)
    advanced = Signal()
    """A chip has something else to show; what is attached is the same."""
    settled = Signal()
    """Nothing is being read any more."""

    def __init__(
        self,
        intake: Intake,
        spawn: Spawn,
        *,
        path_of: Callable[[str], Path | None] | None = None,
        parent: QObject | None = None,
    ) -> None:
        """`path_of` finds a stored attachment by its hash, for the thumbnails of restored drafts."""
        super().__init__(parent)
        self._intake = intake
        self._spawn = spawn
        self._path_of = path_of
        self._ids = itertools.count(1)
        self._items: dict[int, Item] = {}
        self._reading: dict[int, asyncio.Task[Any]] = {}

    @property
    def items(self) -> tuple[Item, ...]:
        return tuple(self._items.values())

    @property
    def parts(self) -> Parts:
        """What is ready, in order."""
        return tuple(item.part for item in self._items.values() if item.part is not None)

    @property
    def is_reading(self) -> bool:
        return any(item.part is None for item in self._items.values())

    def add(self, source: Source | Stored) -> None:
        """Attach `source`; its chip appears at once."""
        match source:
            case ImagePart() | FilePart():
                self._show_part(source)
                self.changed.emit()
                return
            case PastedText(text, name):
                item = Item(next(self._ids), name, "text", len(text))
            case PastedImage(_image, name):
                item = Item(next(self._ids), name, "image")
            case _:
                item = Item(next(self._ids), source.name, "file")
        self._items[item.id] = item
        self.changed.emit()
        self._reading[item.id] = self._spawn(self._read(item.id, source))

    def remove(self, item_id: int) -> None:
        """Take an item out; one that is still being read is given up."""
        if self._items.pop(item_id, None) is None:
            return
        if task := self._reading.pop(item_id, None):
            task.cancel()
        self.changed.emit()
        self._settle()

    def set_parts(self, parts: Parts) -> None:
        """Show exactly `parts` (of a draft, or of a message being edited); what was being read is given up."""
        for task in self._reading.values():
            task.cancel()
        self._reading.clear()
        self._items.clear()
        for part in parts:
            self._show_part(part)
        self.changed.emit()

    def _show_part(self, part: Part) -> None:
        """A chip for what is in the store already."""
        item = _item_of(next(self._ids), part)
        self._items[item.id] = item
        path = self._stored_image(part)
        if path is not None:
            self._reading[item.id] = self._spawn(self._show_thumbnail(item.id, path))
        elif isinstance(part, FilePart) and document_kind(part.mime_type, part.size) is not None:
            self._reading[item.id] = self._spawn(self._show_document(item.id, part))

    async def _read(self, item_id: int, source: Source) -> None:
        try:
            taken = await self._intake.take(source, lambda done, total: self._advance(item_id, done, total))
        except IntakeCancelled:
            return
        except SamError as error:
            self._give_up(item_id, str(error))
            return
        except Exception:  # our bug: the chip must not wait for ever; the task's keeper logs and shows it
            self._give_up(item_id, "")
            raise
        if item_id in self._items:
            self._reading.pop(item_id, None)
            ready = _item_of(item_id, taken.part)
            self._items[item_id] = replace(
                ready,
                name=taken.name,
                size=taken.size,
                thumbnail=taken.thumbnail,
                note=taken.note,
                document=taken.document,
                warning=taken.warning,
            )
            self.changed.emit()
            self._settle()

    def _advance(self, item_id: int, done: int, total: int) -> None:
        item = self._items.get(item_id)
        if item is not None and item.part is None:
            self._items[item_id] = replace(item, progress=(done, total))
            self.advanced.emit()

    def _give_up(self, item_id: int, sentence: str) -> None:
        if self._items.pop(item_id, None) is None:
            return
        self._reading.pop(item_id, None)
        self.changed.emit()
        if sentence:
            self.failed.emit(sentence)
        self._settle()

    async def _show_document(self, item_id: int, part: FilePart) -> None:
        document = await self._intake.document(part)
        self._reading.pop(item_id, None)
        if document is not None and item_id in self._items:
            self._items[item_id] = replace(self._items[item_id], document=document, note=" ".join(document.notes))
            self.advanced.emit()

    async def _show_thumbnail(self, item_id: int, path: Path) -> None:
        thumbnail = await self._intake.thumbnail(path)
        self._reading.pop(item_id, None)
        if thumbnail is not None and item_id in self._items:
            self._items[item_id] = replace(self._items[item_id], thumbnail=thumbnail)
            self.changed.emit()

    def _stored_image(self, part: Part) -> Path | None:
        if isinstance(part, ImagePart) and part.attachment and self._path_of is not None:
            return self._path_of(part.attachment)
        return None

    def _settle(self) -> None:
        if not self.is_reading:
            self.settled.emit()


def _item_of(item_id: int, part: Part) -> Item:
    match part:
        case ImagePart():
            return Item(item_id, part.alt or part.mime_type, "image", 0, part)
        case CodePart():
            kind: Kind = "text" if part.language in ("", "text") else "code"
            return Item(item_id, part.filename or part.language, kind, len(part.code.encode("utf-8", "replace")), part)
        case FilePart():
            return Item(item_id, part.filename, "file", part.size, part)
        case _:
            return Item(item_id, part.kind, "file", 0, part)
