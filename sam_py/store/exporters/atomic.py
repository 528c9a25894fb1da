"""Writing a file in one step: beside its place, synced, renamed; whatever ends it before leaves nothing behind.

Conversations are private: a new file is its owner's alone, and one that is replaced keeps who may read it.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from sam_py.store.disk import Disk
from sam_py.store.exporters.errors import TransferError, cannot_write_target

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_LONGEST_NAME = 40
"""Letters that the file has of the name when it is written; each takes up to four bytes, and a name 255."""


@contextlib.contextmanager
def written_whole(target: Path, disk: Disk | None = None) -> Iterator[BinaryIO]:
    """A file to write to; at the end of the block it takes the place of `target`, or of what a link there leads to.

    Raises TransferError, also where a folder, a device or the like is at `target`: these are never replaced.
    """
    disk = disk or Disk()
    try:
        place, mode = _place(target)
    except OSError as error:
        raise cannot_write_target(error, target) from error
    temporary = place.with_name(f".{place.name[:_LONGEST_NAME]}.{os.getpid()}.part")
    try:
        try:
            with contextlib.suppress(FileNotFoundError):  # of a process of that number that was killed
                temporary.unlink()
            with open(os.open(temporary, _FLAGS, 0o600), "wb") as file:
                os.chmod(temporary, mode)  # whatever is taken from new files by default
                yield file
                file.flush()
                disk.sync(file.fileno())
            disk.rename(str(temporary), str(place))
            disk.sync_folder(str(place.parent))
        except OSError as error:
            raise cannot_write_target(error, target) from error
    finally:
        with contextlib.suppress(OSError):  # renamed, or never made
            temporary.unlink()


def _place(target: Path) -> tuple[Path, int]:
    """Where the file goes, and who may read it."""
    place = Path(os.path.realpath(target))
    try:
        mode = place.stat().st_mode
    except FileNotFoundError:
        return place, 0o600
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "a device or the like"
        raise TransferError(f"{target} is {what}, and no file: name a file that may be written.", kind="failed")
    return place, stat.S_IMODE(mode)
