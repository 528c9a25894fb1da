"""Moving the data folder: everything is copied and compared before anything points to the new place.

The old folder stays as it is until the person deletes it. Blocking; done while no conversation is open. Where the new
place holds a library already (a synced folder, the other computer's), both become one: a journal's lines are facts
that can stand side by side.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from sam_py.errors import SamError
from sam_py.paths import DATA_FOLDER
from sam_py.store.disk import Disk, replace_durably
from sam_py.store.journal import is_journal

_UNDER_WAY = ".sam-moving"
"""Marks a new place that is not whole yet, so that the next attempt goes on there."""
_ROOM = 64 * 1024 * 1024
_PIECE = 1024 * 1024

Progress = Callable[[int, int], bool]
"""Bytes done, bytes in all; False gives up."""


class MoveError(SamError):
    """The folder was not moved; everything is where it was."""


class Cancelled(Exception):
    """The person does not want to wait for it. Everything is where it was."""


def check_target(data: Path, target: Path) -> str:
    """What moving `data` to `target` would do: ``move``, or ``join`` the library there. Raises MoveError."""
    here, there = data.resolve(), target.resolve()
    if not target.is_absolute() or here == there:
        raise MoveError("Choose another folder: the conversations are in this one already.")
    if here in there.parents or there in here.parents:
        raise MoveError("Choose a folder that is neither inside the present one nor around it.")
    try:
        if not target.exists():
            return "move"
        found = os.listdir(target)
        holds_files = any(
            not name.startswith(".") and name != "desktop.ini"
            for _place, _folders, names in os.walk(target)
            for name in names
        )
    except OSError as error:
        raise MoveError(f"{target} cannot be read ({error.strerror or error}): choose another folder.") from error
    if "store.json" in found:
        return "join"
    if holds_files and _UNDER_WAY not in found:
        raise MoveError("Choose an empty folder, or one that another SAM uses: this one holds other files.")
    return "move"


def move_data(data: Path, target: Path, config: Path, disk: Disk, progress: Progress) -> None:
    """Copy all of `data` to `target`, compare, and point to it. Raises MoveError or Cancelled: then nothing changed.

    What was copied before a failure stays in `target`: the next attempt goes on from there.
    """
    joins = check_target(data, target) == "join"
    try:
        target.mkdir(parents=True, exist_ok=True, mode=0o700)
        files = list(_files(data))
        size = sum(path.stat().st_size for path in files)
        if shutil.disk_usage(target).free < size + _ROOM:
            raise MoveError(f"{target} has too little room: {size // 1_000_000 + 64} MB are needed there.")
        if not joins:
            (target / _UNDER_WAY).touch(mode=0o600)
        done = 0
        for path in sorted(files, key=lambda path: path.name == "store.json"):  # last: only then is it a library
            if not progress(done, size):
                raise Cancelled
            _copy(path, target / path.relative_to(data), disk, joins=joins)
            done += path.stat().st_size
        progress(done, size)
        (target / _UNDER_WAY).unlink(missing_ok=True)
        _point(config, target, disk)
    except OSError as error:
        raise MoveError(
            f"The folder was not moved: {target} cannot be written ({error.strerror or error}). Everything is where it "
            "was; choose another folder."
        ) from error


def _point(config: Path, target: Path, disk: Disk) -> None:
    replace_durably(disk, str(config / DATA_FOLDER), os.fsencode(target) + b"\n")


def _files(data: Path) -> Iterator[Path]:
    for place, _folders, names in os.walk(data):
        for name in names:
            if name != _UNDER_WAY and not name.startswith(".sync") and ".tmp" not in name:
                yield Path(place, name)


def _copy(source: Path, target: Path, disk: Disk, *, joins: bool) -> None:
    """Copy one file and compare. What is there already stays; one that says something else gets a name of its own."""
    if target.exists():
        if _digest(target) == _digest(source):
            return
        if target.parts[-3:-2] == ("attachments",):  # named by its content: one of the two is damaged
            if _digest(source) != source.name:
                return
        elif joins or is_journal(source.name):
            target = target.with_name(f"{source.stem}.joined-{_digest(source)[:8]}{source.suffix}")
            if target.exists():
                return
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    temporary = target.with_name(f".{target.name}.tmp{os.getpid()}")
    try:
        shutil.copy2(source, temporary)
        fd = os.open(temporary, os.O_RDWR)
        try:
            disk.sync(fd)
        finally:
            os.close(fd)
        if _digest(temporary) != _digest(source):
            raise MoveError(f"{source.name} was not copied rightly: check the disk of {target.parent}, and try again.")
        disk.rename(str(temporary), str(target))
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
    disk.sync_folder(str(target.parent))


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()
