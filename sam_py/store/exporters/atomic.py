"""Writing a file in one step: beside its place, synced, renamed; whatever ends it before leaves nothing behind."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from sam_py.store.disk import Disk
from sam_py.store.exporters.errors import cannot_write_target


@contextlib.contextmanager
def written_whole(target: Path, disk: Disk | None = None) -> Iterator[BinaryIO]:
    """A file to write to; at the end of the block it takes the place of `target`. Raises TransferError."""
    disk = disk or Disk()
    temporary = target.with_name(f".{target.name[:80]}.{os.getpid()}.part")
    try:
        try:
            with temporary.open("wb") as file:
                yield file
                file.flush()
                disk.sync(file.fileno())
            disk.rename(str(temporary), str(target))
            disk.sync_folder(str(target.parent))
        except OSError as error:
            raise cannot_write_target(error, target) from error
    finally:
        with contextlib.suppress(OSError):  # renamed, or never made
            temporary.unlink()
