"""Moving the data folder: everything is copied and compared before anything points to the new place.

The old folder stays as it is until the person deletes it. Blocking; done while no conversation is open. Where the new
place holds a library already (a synced folder, the other computer's), both become one: a journal's lines are facts
that can stand side by side. One file or folder that cannot be read ends the move, with its name, before anything
points elsewhere; links are followed, so that what they lead to is at the new place as well.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from sam_py.errors import SamError
from sam_py.paths import DATA_FOLDER
from sam_py.store.disk import Disk, replace_durably
from sam_py.store.journal import is_journal
from sam_py.store.tree import files_below, is_ours

_UNDER_WAY = ".sam-moving"
"""Marks a new place that is not whole yet, so that the next attempt goes on there."""
_COPIED = "moving.jsonl"
"""In the folder of settings: what an attempt copied, and where to."""
_DELETABLE = frozenset({"conversations", "notes", "trash"})
"""What a person deletes. An attached file without use does no harm, and may have found one at the new place."""
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
    if not _can_be_used(target):
        raise MoveError("Choose a folder with another name: this one's is no UTF-8 text of one line.")
    try:
        here, there = data.resolve(), target.resolve()
        if not target.is_absolute() or here == there:
            raise MoveError("Choose another folder: the conversations are in this one already.")
        if here in there.parents or there in here.parents:
            raise MoveError("Choose a folder that is neither inside the present one nor around it.")
        if not target.exists():
            return "move"
        found = os.listdir(target)
        holds_files = _holds_files(target)
    except (OSError, RuntimeError) as error:  # RuntimeError: a link that leads to itself
        raise MoveError(f"{target} cannot be read ({_why(error)}): choose another folder.") from error
    if "store.json" in found:
        return "join"
    if holds_files and _UNDER_WAY not in found:
        raise MoveError("Choose an empty folder, or one that another SAM uses: this one holds other files.")
    return "move"


def move_data(data: Path, target: Path, config: Path, disk: Disk, progress: Progress) -> None:
    """Copy all of `data` to `target`, compare, and point to it. Raises MoveError or Cancelled: then nothing changed.

    What was copied before a failure stays in `target`: the next attempt goes on from there, and takes away what was
    deleted in the meantime.
    """
    joins = check_target(data, target) == "join"
    files = _files(data, target, disk)
    with _writing(target):
        target.mkdir(parents=True, exist_ok=True, mode=0o700)
        _check_room(files, target)
        if not joins:
            (target / _UNDER_WAY).touch(mode=0o600)
        copied = _Copied(config / _COPIED, target)
        copied.take_away_all_but({name for name, _path, _size in files})
        done, size = 0, sum(size for _name, _path, size in files)
        for name, path, bytes_of_it in sorted(files, key=lambda file: file[0] == "store.json"):  # last: then it is one
            if not progress(done, size):
                raise Cancelled
            _copy(path, name, copied, disk, joins=joins)
            done += bytes_of_it
        progress(done, size)
        (target / _UNDER_WAY).unlink(missing_ok=True)
    with _writing(config):
        _point(config, target, disk)
    copied.forget()


@contextlib.contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """What goes wrong with the disk meanwhile goes wrong in `folder`."""
    try:
        yield
    except OSError as error:
        raise MoveError(
            f"The folder was not moved: {folder} cannot be written ({_why(error)}). Everything is where it was; see to "
            "it that this program may write there, or choose another folder.",
            detail=repr(error),
        ) from error


class _Copied:
    """What this and earlier attempts copied to `target`, noted on our side: name → digest.

    Only what is still as it was copied is ours to replace or to take away.
    """

    def __init__(self, file: Path, target: Path) -> None:
        self.target = target
        self.digests: dict[str, str] = {}
        self._file = file
        with _writing(file.parent):
            lines = file.read_text(encoding="ascii", errors="replace").splitlines() if file.is_file() else []
            if lines[:1] == [json.dumps(str(target))]:
                for line in lines[1:]:
                    with contextlib.suppress(ValueError, TypeError):  # the last one may be cut
                        name, digest = json.loads(line)
                        self.digests[str(name)] = str(digest)
            else:
                file.write_text(json.dumps(str(target)) + "\n", encoding="ascii")

    def note(self, name: str, digest: str) -> None:
        """Before it stands there under its name: what stands there is noted, then, whatever happens."""
        self.digests[name] = digest
        with _writing(self._file.parent), self._file.open("a", encoding="ascii") as file:
            file.write(json.dumps([name, digest]) + "\n")

    def is_ours(self, name: str) -> bool:
        return name in self.digests and _digest(self.target / name) == self.digests[name]

    def take_away_all_but(self, names: Iterable[str]) -> None:
        """Else what was deleted since an earlier attempt would be alive at the new place."""
        gone = [name for name in self.digests.keys() - set(names) if name.split("/")[0] in _DELETABLE]
        for folder in {os.path.dirname(name) for name in gone}:
            place = self.target / folder
            there = [f"{folder}/{name}" for name in os.listdir(place) if is_ours(name)] if place.is_dir() else []
            if all(map(self.is_ours, there)):  # nobody went on with it there
                for name in set(there) & set(gone):
                    (self.target / name).unlink()
                with contextlib.suppress(OSError):
                    place.rmdir()

    def forget(self) -> None:
        with contextlib.suppress(OSError):
            self._file.unlink(missing_ok=True)


def _can_be_used(target: Path) -> bool:
    """Whether `paths` reads the folder out of its file again (a line break ends it there), and Qt opens files in it."""
    line = str(target)
    try:
        line.encode()  # of other names Qt finds no file: pictures would be missing
    except UnicodeEncodeError:
        return False
    return line == line.rstrip("\r\n") and not {"\n", "\0"} & set(line)


def _holds_files(folder: Path) -> bool:
    """Whether there is a file that is neither hidden nor the system's: a sync program's marks are no files."""

    def refuse(error: OSError) -> None:
        raise error

    for _place, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = filter(is_ours, folders)
        if any(map(is_ours, names)):
            return True
    return False


def _point(config: Path, target: Path, disk: Disk) -> None:
    replace_durably(disk, str(config / DATA_FOLDER), os.fsencode(target) + b"\n")


def _files(data: Path, target: Path, disk: Disk) -> list[tuple[str, Path, int]]:
    """Name below `data` (with ``/``), path and size of all that is to be copied. Raises MoveError."""

    def refuse(path: Path, error: OSError) -> None:
        raise _cannot_read(path, error) from error

    found: list[tuple[str, Path, int]] = []
    for path in files_below(data, disk, refuse):
        try:
            found.append((path.relative_to(data).as_posix(), path, path.stat().st_size))
        except OSError as error:
            raise _cannot_read(path, error) from error
    there = target.resolve()
    for folder in {folder for _name, path, _size in found for folder in path.parents if data in folder.parents}:
        if folder.resolve() in (there, *there.parents):  # by a link
            raise MoveError(f"Choose another folder: a link in the present one ({folder}) leads to this one.")
    return found


def _check_room(files: Iterable[tuple[str, Path, int]], target: Path) -> None:
    size = sum(size for name, _path, size in files if not (target / name).exists())
    if shutil.disk_usage(target).free < size + _ROOM:
        raise MoveError(f"{target} has too little room: {(size + _ROOM) // 1_000_000} MB are needed there.")


def _copy(source: Path, name: str, copied: _Copied, disk: Disk, *, joins: bool) -> None:
    """Copy one file and compare. What is there already stays; one that says something else gets a name of its own."""
    target = copied.target / name
    if target.exists():
        there, here = _digest(target), _digest(source)
        if there == here:
            return
        if copied.digests.get(name) == there:
            pass  # it grew since an earlier attempt
        elif target.parts[-3:-2] == ("attachments",):  # named by its content: one of the two is damaged
            if here != source.name:
                return
        elif name.startswith("devices/"):  # who writes there is settled at the next start
            return
        elif joins or is_journal(source.name):
            target = target.with_name(f"{source.stem}.joined-{here[:8]}{source.suffix}")
            if target.exists():
                return
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    temporary = target.with_name(f".{target.name}.tmp{os.getpid()}")
    try:
        digest = _written(source, temporary, disk)
        if _digest(temporary) != digest:
            raise MoveError(f"{source.name} was not copied rightly: check the disk of {target.parent}, and try again.")
        copied.note(target.relative_to(copied.target).as_posix(), digest)
        disk.rename(str(temporary), str(target))
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
    disk.sync_folder(str(target.parent))


def _written(source: Path, target: Path, disk: Disk) -> str:
    """Write what `source` holds; returns its digest."""
    digest = hashlib.sha256()
    with open(target, "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        for piece in _pieces(source):
            digest.update(piece)
            file.write(piece)
        file.flush()
        disk.sync(file.fileno())
    with contextlib.suppress(OSError):  # when it changed is told, where the disk keeps it
        found = source.stat()
        os.utime(target, ns=(found.st_atime_ns, found.st_mtime_ns))
    return digest.hexdigest()


def _pieces(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                yield piece
    except OSError as error:
        raise _cannot_read(path, error) from error


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    for piece in _pieces(path):
        digest.update(piece)
    return digest.hexdigest()


def _cannot_read(path: Path, error: OSError) -> MoveError:
    return MoveError(
        f"The folder was not moved: {path} cannot be read ({_why(error)}). Everything is where it was; see to it that "
        "it can be read, or take it away from there, and try again.",
        detail=repr(error),
    )


def _why(error: OSError | RuntimeError) -> str:
    return (error.strerror if isinstance(error, OSError) else "") or str(error)
