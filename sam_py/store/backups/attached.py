"""The attached files beside all backups: kept once by their content, and looked through each time. All blocking."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from sam_py.store.disk import Disk, replace_durably

NAMED = re.compile(rb'"attachment":"([0-9a-f]{64})"')
"""How a line of a journal names an attached file."""

_PIECE = 1024 * 1024


@dataclass(slots=True)
class Kept:
    """What came of keeping them. `lacking`: neither here nor in the library whole; `refused`: could not be read."""

    lacking: list[str] = field(default_factory=list)
    refused: list[tuple[Path, OSError]] = field(default_factory=list)


def kept_at(folder: Path, digest: str) -> Path:
    """Where a folder of attachments has that one: `folder` is the library's, or a backup folder's own."""
    return folder / digest[:2] / digest


def keep(source: Path, target: Path, wanted: Iterable[str], disk: Disk, is_wanted: Callable[[], None]) -> Kept:
    """Have each of `wanted` in `target`, whole: one that has rotten there is replaced by the good one of `source`.

    `is_wanted` is called before each, and raises where it shall end. Raises OSError where `target` cannot be written.
    """
    came = Kept()
    for digest in wanted:
        is_wanted()
        kept, path = kept_at(target, digest), kept_at(source, digest)
        if is_whole(kept, digest):
            continue
        try:
            content = path.read_bytes() if path.is_file() else b""
        except OSError as error:
            came.refused.append((path, error))
            came.lacking.append(digest)
            continue
        if hashlib.sha256(content).hexdigest() != digest:  # a damaged one must not shut out a good one later
            came.lacking.append(digest)
            continue
        kept.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        replace_durably(disk, str(kept), content)
        if not is_whole(kept, digest):
            raise OSError(None, f"{kept.name} is not there as it was written")
    return came


def bring(kept: Path, target: Path, digests: Iterable[str], disk: Disk) -> None:
    """Have each of `digests` in the library's folder `target`, as far as it is kept whole. Raises OSError."""
    for digest in digests:
        place = kept_at(target, digest)
        if is_whole(place, digest) or not is_whole(kept_at(kept, digest), digest):
            continue
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        replace_durably(disk, str(place), kept_at(kept, digest).read_bytes())


def is_whole(path: Path, digest: str) -> bool:
    """Whether the file is there, can be read, and holds what its name says."""
    found = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                found.update(piece)
    except OSError:
        return False
    return found.hexdigest() == digest
