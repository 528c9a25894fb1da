"""Notes: what a model was told to remember across conversations: ``notes/<id>.json``, one file each.

A file is written whole or not at all, and never changed: so a synced folder merges without conflicts.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from pathlib import Path

from pydantic import AwareDatetime, Field, ValidationError

from sam_py.messages.message import new_id, utc_now
from sam_py.messages.parts import Frozen
from sam_py.store.disk import Disk, replace_durably
from sam_py.store.errors import StorageError, cannot_read, cannot_write
from sam_py.store.writer import READ, SAVE, Writer

log = logging.getLogger(__name__)

MOST = 2_000
_NAME = re.compile(r"[0-9a-f]{32}\.json\Z")


class Note(Frozen):
    id: str = Field(default_factory=new_id)
    text: str
    conversation_id: str = ""
    """Where it was written down."""
    created_at: AwareDatetime = Field(default_factory=utc_now)


class Notes:
    """All notes. Reading and writing happen on the writer's thread."""

    def __init__(
        self,
        folder: Path,
        writer: Writer,
        disk: Disk | None = None,
        check_store: Callable[[], None] = lambda: None,
    ) -> None:
        """`check_store` raises StorageError where the store is not there, as while its drive is unmounted."""
        self._folder = folder
        self._writer = writer
        self._disk = disk or Disk()
        self._check_store = check_store

    async def add(self, note: Note) -> None:
        """Keep `note` durably. Raises StorageError."""

        def work() -> None:
            self._see_that_it_is_there()
            try:
                if not self._folder.is_dir():
                    self._folder.mkdir(exist_ok=True, mode=0o700)  # a data folder that is gone is not made anew
                    self._disk.sync_folder(str(self._folder.parent))
                if len(self._names()) >= MOST:
                    raise StorageError(f"There are {MOST:,} notes already: delete some first.", kind="full")
                path = self._folder / f"{note.id}.json"
                replace_durably(self._disk, str(path), note.model_dump_json().encode())
            except OSError as error:
                raise cannot_write(error, self._folder) from error

        await self._writer.run(work, SAVE)

    async def all(self) -> list[Note]:
        """The notes, the newest first. A damaged file is passed over, and stays. Raises StorageError."""
        return await self._writer.run(self._read_all, READ)

    async def remove(self, id: str) -> bool:
        """Delete a note for good; False where there is none of that id. Raises StorageError."""

        def work() -> bool:
            name = f"{id}.json"
            if not _NAME.match(name):
                return False
            self._see_that_it_is_there()
            try:
                self._disk.unlink(str(self._folder / name))
                self._disk.sync_folder(str(self._folder))
            except FileNotFoundError:
                return False
            except OSError as error:
                raise cannot_write(error, self._folder) from error
            return True

        return await self._writer.run(work, SAVE)

    def _see_that_it_is_there(self) -> None:
        try:
            self._check_store()
        except StorageError as error:
            text = f"{self._folder} is not there: connect the drive or wait for the sync program, then do it once more."
            raise StorageError(text, kind="gone") from error

    def _names(self) -> list[str]:
        try:
            return [name for name in self._disk.names(str(self._folder)) if _NAME.match(name)]
        except FileNotFoundError:
            return []

    def _read_all(self) -> list[Note]:
        self._see_that_it_is_there()
        notes = []
        try:
            names = self._names()
        except OSError as error:
            raise cannot_read(error, self._folder) from error
        for name in names:
            try:
                notes.append(Note.model_validate_json(self._disk.read(str(self._folder / name))))
            except (OSError, ValidationError) as error:
                log.warning("the note %s cannot be read: %s", name, type(error).__name__)
        return sorted(notes, key=lambda note: note.created_at, reverse=True)
