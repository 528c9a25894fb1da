"""Attachments: files kept once, named by the SHA-256 of their content: ``attachments/ab/ab12…``."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

from sam_py.store.disk import Disk, replace_durably
from sam_py.store.errors import StorageError, cannot_read, cannot_write
from sam_py.store.writer import READ, SAVE, Writer

_HASH = re.compile(r"[0-9a-f]{64}\Z")


class Attachments:
    """Content by hash. Reading and writing happen on the writer's thread."""

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

    async def put(self, content: bytes) -> str:
        """Keep `content` durably and return its hash. The same content again costs nothing. Raises StorageError."""
        return await self._writer.run(lambda: self._put(content), SAVE)

    async def put_file(self, path: Path | str) -> str:
        """Keep a copy of the file. Raises StorageError where it cannot be read or kept."""

        def work() -> str:
            try:
                content = Path(path).read_bytes()
            except OSError as error:
                raise cannot_read(error, path) from error
            return self._put(content)

        return await self._writer.run(work, SAVE)

    async def read(self, hash: str) -> bytes:
        """The content, checked against its hash. Raises StorageError where it is missing or damaged."""
        return await self._writer.run(lambda: self.read_blocking(hash), READ)

    def path(self, hash: str) -> Path | None:
        """Where the content lies, or None where it is not here. Not checked: for showing a picture."""
        if not _HASH.match(hash):
            return None
        path = self._folder / hash[:2] / hash
        return path if path.is_file() else None

    def read_blocking(self, hash: str) -> bytes:
        """As `read`, on the caller's thread."""
        path = self.path(hash)
        if path is None:
            raise StorageError(
                "An attached file is missing from the store: attach it again, or wait until your folder is synced.",
                kind="missing",
                detail=hash,
            )
        try:
            content = path.read_bytes()
        except OSError as error:
            raise cannot_read(error, path) from error
        if hashlib.sha256(content).hexdigest() != hash:
            raise StorageError(
                "An attached file is damaged on the disk: attach it again to repair it.", kind="damaged", detail=hash
            )
        return content

    def _put(self, content: bytes) -> str:
        hash = hashlib.sha256(content).hexdigest()
        folder = self._folder / hash[:2]
        path = folder / hash
        try:
            self._check_store()
        except StorageError as error:  # what is put in its place would be hidden when it is back
            raise StorageError(
                f"{self._folder.parent} is not there: connect the drive or wait for the sync program, then attach the "
                "file again.",
                kind="gone",
            ) from error
        try:
            if path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content:
                return hash
            if not folder.is_dir():
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._disk.sync_folder(str(self._folder))
            replace_durably(self._disk, str(path), content)
        except OSError as error:
            raise cannot_write(error, self._folder) from error
        return hash
