"""Documents: the text of attached files by content hash, read once and kept: ``documents/ab/<hash>.json``."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sam_py.messages.documents import Document, document_kind, document_of
from sam_py.messages.parts import FilePart
from sam_py.store.disk import Disk, replace_durably
from sam_py.store.documents.limits import Tell
from sam_py.store.documents.process import DocumentError, Extraction
from sam_py.store.writer import READ, SAVE, Writer

log = logging.getLogger(__name__)

_HASH = re.compile(r"[0-9a-f]{64}\Z")
_IN_MEMORY_CHARACTERS = 16_000_000
_AT_ONCE = 2


class Documents:
    """Derived from the attachments: a file that is missing or damaged here is made again from them."""

    def __init__(
        self, folder: Path, path_of: Callable[[str], Path | None], writer: Writer, disk: Disk | None = None
    ) -> None:
        """`path_of` says where the attachment of a content hash lies, or None."""
        self._folder = folder
        self._path_of = path_of
        self._writer = writer
        self._disk = disk or Disk()
        self._readers: ThreadPoolExecutor | None = None
        self._running: set[Extraction] = set()
        self._turns: dict[str, asyncio.Lock] = {}
        self._known: OrderedDict[str, Document] = OrderedDict()
        self._failed: dict[str, DocumentError] = {}

    async def of(self, part: FilePart, tell: Tell | None = None) -> Document | None:
        """The document that `part` is, parsed where that was not done before; None where it is none.

        `tell(done, total)` hears of pages while they are read. Cancelling ends the reading process. What failed fails
        again without another try, so that a request does not wait for it, unless somebody watches by `tell`. Raises
        `DocumentError`.
        """
        kind = document_kind(part.mime_type, part.size)
        hash = part.attachment
        if kind is None or not _HASH.match(hash):
            return None
        if (document := await self.kept(hash)) is not None:
            return document
        lock = self._turns.setdefault(hash, asyncio.Lock())
        try:
            async with lock:
                if (document := await self.kept(hash)) is not None:
                    return document
                if tell is None and (failure := self._failed.get(hash)) is not None:
                    raise failure
                path = self._path_of(hash)
                if path is None:
                    raise DocumentError(f"“{part.filename}” is missing: attach it again.", reason="missing")
                try:
                    document = await self._extracted(Extraction(path, kind, part.filename), tell)
                except DocumentError as error:
                    self._failed[hash] = error
                    raise
                self._remember(hash, document)
                await self._keep(hash, document)
                return document
        finally:
            if not lock.locked():
                self._turns.pop(hash, None)

    async def kept(self, hash: str) -> Document | None:
        """The document of that hash where its file was parsed before; nothing is parsed."""
        if not _HASH.match(hash):
            return None
        if (known := self._known.get(hash)) is not None:
            self._known.move_to_end(hash)
            return known
        document = await self._writer.run(lambda: self._read(hash), READ)
        if document is not None:
            self._remember(hash, document)
        return document

    def path(self, hash: str) -> Path:
        """Where the text of the file with this hash lies, or will: JSON, see `document_of`."""
        return self._folder / hash[:2] / f"{hash}.json"

    def close(self) -> None:
        """End the processes and let the threads go."""
        for extraction in tuple(self._running):
            extraction.cancel()
        if self._readers is not None:
            self._readers.shutdown(wait=False, cancel_futures=True)
            self._readers = None

    async def _extracted(self, extraction: Extraction, tell: Tell | None) -> Document:
        loop = asyncio.get_running_loop()
        if self._readers is None:
            self._readers = ThreadPoolExecutor(max_workers=_AT_ONCE, thread_name_prefix="documents")

        def told(done: int, total: int) -> None:
            if tell is not None and not loop.is_closed():
                loop.call_soon_threadsafe(tell, done, total)

        self._running.add(extraction)
        try:
            return await loop.run_in_executor(self._readers, extraction.run, told)
        except asyncio.CancelledError:
            extraction.cancel()
            raise
        finally:
            self._running.discard(extraction)

    def _remember(self, hash: str, document: Document) -> None:
        self._known[hash] = document
        self._known.move_to_end(hash)
        size = sum(len(each.markdown) for each in self._known.values())
        while size > _IN_MEMORY_CHARACTERS and len(self._known) > 1:
            _hash, oldest = self._known.popitem(last=False)
            size -= len(oldest.markdown)

    def _read(self, hash: str) -> Document | None:
        try:
            return document_of(self._disk.read(str(self.path(hash))))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:  # it is made again
            log.warning("the text of the document %s cannot be read: %s", hash[:8], error)
            return None

    async def _keep(self, hash: str, document: Document) -> None:
        """Write it down; where the disk refuses, the next start parses it again."""

        def work() -> None:
            path = self.path(hash)
            try:
                for folder in (path.parent.parent, path.parent):  # a data folder that is gone is not made anew
                    folder.mkdir(exist_ok=True, mode=0o700)
                replace_durably(self._disk, str(path), document.to_json())
            except OSError as error:
                log.warning("the text of the document %s cannot be kept: %s", hash[:8], error)

        await self._writer.run(work, SAVE)
