"""Thumbnails: small pictures of attachments, made by whoever draws them and kept in the state folder: ``thumbnails/``.

Derived: what is missing, damaged or thrown away is made again from its attachment. Nothing here raises for the disk.
"""

from __future__ import annotations

import logging
import os
import re
from contextlib import suppress
from pathlib import Path

from sam_py.store.writer import BACKGROUND, READ, Writer

log = logging.getLogger(__name__)

MOST_BYTES = 200_000_000
_HASH = re.compile(r"[0-9a-f]{64}\Z")
_TIDY_AFTER = 500
"""Pictures kept since the folder was last looked over."""


class Thumbnails:
    """Pictures by the content hash of their attachment and the longest side in px. The work is done by `writer`."""

    def __init__(self, folder: Path, writer: Writer, *, most_bytes: int = MOST_BYTES) -> None:
        self._folder = folder
        self._writer = writer
        self._most_bytes = most_bytes
        self._kept = _TIDY_AFTER  # the first one looks over what earlier runs left

    async def find(self, hash: str, side_px: int) -> bytes | None:
        """The picture as it was kept, or None: make it then, and `keep` it."""
        path = self._path(hash, side_px)
        return await self._writer.run(lambda: _read(path), READ) if path is not None else None

    async def keep(self, hash: str, side_px: int, content: bytes) -> None:
        """Keep the picture for the next time; where the disk refuses, it is made again then."""
        path = self._path(hash, side_px)
        if path is None:
            return

        def work() -> None:
            temporary = path.with_suffix(f".tmp{os.getpid()}")
            try:
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                temporary.write_bytes(content)
                temporary.replace(path)
            except OSError as error:
                log.info("a thumbnail cannot be kept: %s", error)
                with suppress(OSError):
                    temporary.unlink()
            self._kept += 1
            if self._kept > _TIDY_AFTER:
                self._kept = 0
                _tidy(self._folder, self._most_bytes)

        await self._writer.run(work, BACKGROUND)

    def _path(self, hash: str, side_px: int) -> Path | None:
        return self._folder / hash[:2] / f"{hash}-{side_px}" if _HASH.match(hash) else None


def _read(path: Path) -> bytes | None:
    try:
        content = path.read_bytes()
    except OSError:
        return None
    with suppress(OSError):  # what is looked at stays longest
        os.utime(path)
    return content or None


def _tidy(folder: Path, most_bytes: int) -> None:
    """Delete what was not looked at for longest, until three quarters of `most_bytes` are left."""
    found: list[tuple[float, int, Path]] = []
    for path in folder.glob("*/*"):
        with suppress(OSError):
            stat = path.stat()
            found.append((stat.st_mtime, stat.st_size, path))
    size = sum(each[1] for each in found)
    if size <= most_bytes:
        return
    for _seen, bytes_, path in sorted(found):
        if size <= most_bytes * 3 // 4:
            return
        with suppress(OSError):
            path.unlink()
            size -= bytes_
