"""Everything that the store keeps below a folder: links are followed, and nothing is passed over in silence."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from sam_py.store.disk import Disk

Refused = Callable[[Path, OSError], None]
"""Told of a folder or file that cannot be read."""

_UNFINISHED = re.compile(r".*\.tmp\d*\Z")
_OF_THE_SYSTEM = frozenset({"desktop.ini", "thumbs.db"})
_Identity = tuple[int, int] | str


def is_ours(name: str) -> bool:
    """Whether a name may be one of the store's: hidden ones are a sync program's or the system's, some half written.

    >>> [is_ours(name) for name in ("ab12.jsonl", ".stversions", "~syncthing~x", "ab12.jsonl.tmp77", "Thumbs.db")]
    [True, False, False, False, False]
    """
    return not (name.startswith((".", "~")) or _UNFINISHED.match(name) or name.lower() in _OF_THE_SYSTEM)


def files_below(folder: Path, disk: Disk, refused: Refused) -> Iterator[Path]:
    """The files of `folder` and what is in it, in the order of their names. `refused` may raise, to end it."""
    return _below(folder, disk, refused, frozenset())


def _below(folder: Path, disk: Disk, refused: Refused, above: frozenset[_Identity]) -> Iterator[Path]:
    try:
        found = os.stat(folder)
        identity: _Identity = (found.st_dev, found.st_ino) if found.st_ino else os.path.realpath(folder)
        if identity in above:
            raise OSError(errno.ELOOP, "it is a link to a folder around it")
        names = sorted(disk.names(str(folder)))
    except OSError as error:
        refused(folder, error)
        return
    for name in filter(is_ours, names):
        path = folder / name
        try:
            mode = os.stat(path).st_mode
        except FileNotFoundError:
            if path.is_symlink():
                refused(path, FileNotFoundError(errno.ENOENT, "it is a link to something that is not there"))
            continue  # deleted since it was listed
        except OSError as error:
            refused(path, error)
            continue
        if stat.S_ISDIR(mode):
            yield from _below(path, disk, refused, above | {identity})
        elif stat.S_ISREG(mode):  # a pipe or a socket holds nothing, and reading it would wait for ever
            yield path
