"""Opening, listing and replacing what a `Place` names, so that a link put there after the check is not followed.

Where the system can (Linux, macOS), the way from the work folder down is opened folder by folder, relative to
the one before, each time without following a link. Elsewhere the path is opened whole and compared afterwards.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sam_py.store.disk import Disk, write_all
from sam_py.tools.base import ToolError
from sam_py.tools.builtin.paths import Place

STEP_BY_STEP = {os.open, os.mkdir, os.unlink, os.stat} <= os.supports_dir_fd and os.scandir in os.supports_fd
_BINARY = getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # a pipe without a writer would be waited for
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_LINK
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing in a folder. A link is neither file nor folder here: where it leads is judged when it is opened."""

    name: str
    kind: str
    """``file``, ``folder``, ``link`` or ``other``"""
    size: int
    changed_s: float


@dataclass(frozen=True, slots=True)
class Seen:
    """What a file was when it was read: whether it is still that is asked before it is replaced."""

    size: int
    changed_ns: int
    number: int


class FolderFiles:
    """The disk below a work folder. `excluded` folders are recognised by what they are, too, not by name alone."""

    def __init__(
        self, excluded: Sequence[Path] = (), disk: Disk | None = None, *, step_by_step: bool = STEP_BY_STEP
    ) -> None:
        self._excluded = tuple(excluded)
        self._disk = disk or Disk()
        self._step_by_step = step_by_step

    def read(self, place: Place, limit: int) -> tuple[bytes, Seen]:
        """At most `limit` bytes of the file. Raises `ToolError`, also where it is none."""
        with self._opened_file(place) as (fd, found):
            pieces = []
            left = limit
            while left > 0 and (piece := os.read(fd, min(left, 1 << 20))):
                pieces.append(piece)
                left -= len(piece)
            return b"".join(pieces), Seen(found.st_size, found.st_mtime_ns, found.st_ino)

    def entries(self, place: Place) -> list[Entry]:
        """What is in the folder, by name. Raises `ToolError`."""
        with self._opened_folder(place) as fd:
            try:
                with os.scandir(place.full if fd is None else fd) as found:
                    entries = [_entry(each) for each in found]
            except OSError as error:
                raise _cannot("read", place, error) from error
        return sorted(entries, key=lambda entry: entry.name.casefold())

    def seen(self, place: Place) -> Seen | None:
        """What the file is now; None where nothing is there. Raises `ToolError` where something else is."""
        try:
            with self._opened_file(place) as (_fd, found):
                return Seen(found.st_size, found.st_mtime_ns, found.st_ino)
        except ToolError as error:
            if isinstance(error.__cause__, FileNotFoundError):
                return None
            raise

    def replace(
        self, place: Place, data: bytes, *, expected: Seen | None, check: Callable[[], None] = lambda: None
    ) -> None:
        """Make `data` the file's content: whole, or the file stays as it was. Missing folders are made.

        `expected` is what the file was when it was read (None: it was not there). Raises `ToolError` where it is
        another one by now, and what `check` raises before the new content takes its place.
        """
        if not place.steps:
            raise ToolError("The work folder itself cannot be written. Name a file in it.")
        folder, name = Place(place.root, place.steps[:-1]), place.steps[-1]
        # The name may be as long as a name can be, so the temporary file does not lengthen it.
        temporary = f".sam-{secrets.token_hex(8)}.tmp"
        with self._opened_folder(folder, make=True) as parent:
            at = folder.full if parent is None else None
            new = _joined(at, temporary)
            try:
                mode = self._mode_of(_joined(at, name), parent)
                fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK | _BINARY, 0o600, dir_fd=parent)
                try:
                    write_all(self._disk, fd, data)
                    if hasattr(os, "fchmod"):
                        os.fchmod(fd, mode)
                    self._disk.sync(fd)
                finally:
                    os.close(fd)
                check()
                if self.seen(place) != expected:
                    raise ToolError(
                        f"{place.shown} was changed by somebody else meanwhile; nothing was written. "
                        "Read it again, then decide."
                    )
                if parent is None:
                    self._disk.rename(new, place.full)
                    self._disk.sync_folder(folder.full)
                else:
                    os.rename(new, name, src_dir_fd=parent, dst_dir_fd=parent)
                    os.fsync(parent)
            except BaseException as error:
                with contextlib.suppress(OSError):  # it may not have been made, or has its new name already
                    os.unlink(new, dir_fd=parent)
                if isinstance(error, OSError):
                    raise _cannot("write", place, error) from error
                raise

    # Inside

    @contextlib.contextmanager
    def _opened_file(self, place: Place) -> Iterator[tuple[int, os.stat_result]]:
        if not place.steps:
            raise ToolError("The work folder is a folder, not a file. List it with list_folder.")
        flags = os.O_RDONLY | _NO_LINK | _NO_WAIT | _BINARY
        with self._opened_folder(Place(place.root, place.steps[:-1])) as parent:
            try:
                if parent is None:
                    _refuse_links(place)
                    fd = os.open(place.full, flags)
                else:
                    fd = os.open(place.steps[-1], flags, dir_fd=parent)
            except OSError as error:
                raise _cannot("read", place, error) from error
        try:
            found = os.fstat(fd)
            if stat.S_ISDIR(found.st_mode):
                raise ToolError(f"{place.shown} is a folder. List it with list_folder.")
            if not stat.S_ISREG(found.st_mode):
                raise ToolError(f"{place.shown} is not a file with content (a device, a pipe or a socket).")
            if not self._step_by_step:
                _still_there(place, found)
            yield fd, found
        finally:
            os.close(fd)

    @contextlib.contextmanager
    def _opened_folder(self, place: Place, *, make: bool = False) -> Iterator[int | None]:
        """A descriptor of the folder; None where the system has none for folders."""
        if not self._step_by_step:
            if make:
                _make_folders(place)
            _refuse_links(place)
            if not os.path.isdir(place.full):
                raise _cannot("read", place, FileNotFoundError(errno.ENOENT, "no such folder"))
            self._refuse_own(os.stat(place.full), place)
            yield None
            return
        fd = -1
        try:
            try:
                fd = os.open(place.root, _FOLDER)
                self._refuse_own(os.fstat(fd), place)
                for step in place.steps:
                    try:
                        below = os.open(step, _FOLDER, dir_fd=fd)
                    except FileNotFoundError:
                        if not make:
                            raise
                        os.mkdir(step, 0o755, dir_fd=fd)
                        below = os.open(step, _FOLDER, dir_fd=fd)
                    os.close(fd)
                    fd = below
                    self._refuse_own(os.fstat(fd), place)
            except OSError as error:
                raise _cannot("write" if make else "read", place, error) from error
            yield fd
        finally:
            if fd >= 0:
                os.close(fd)

    def _refuse_own(self, found: os.stat_result, place: Place) -> None:
        for folder in self._excluded:
            try:
                if os.path.samestat(found, os.stat(folder)):
                    raise ToolError(f"{place.shown} belongs to this program itself: tools cannot read or change it.")
            except FileNotFoundError:
                continue

    @staticmethod
    def _mode_of(name: str, parent: int | None) -> int:
        """The permissions of the file that is replaced; those of a usual new file where there is none."""
        try:
            return stat.S_IMODE(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode)
        except FileNotFoundError:
            return 0o644


def _joined(folder: str | None, name: str) -> str:
    return name if folder is None else os.path.join(folder, name)


def _entry(found: os.DirEntry[str]) -> Entry:
    try:
        status = found.stat(follow_symlinks=False)
    except OSError:  # gone, or not to be looked at: its name is known all the same
        return Entry(found.name, "other", 0, 0.0)
    if stat.S_ISLNK(status.st_mode):
        kind = "link"
    elif stat.S_ISDIR(status.st_mode):
        kind = "folder"
    else:
        kind = "file" if stat.S_ISREG(status.st_mode) else "other"
    return Entry(found.name, kind, status.st_size, status.st_mtime)


def _refuse_links(place: Place) -> None:
    """Raises `ToolError` where the path leads elsewhere than when it was checked."""
    if os.path.realpath(place.full) != place.full:
        raise _swapped(place)


def _still_there(place: Place, opened: os.stat_result) -> None:
    """Raises `ToolError` where what was opened is not what the path names."""
    try:
        named = os.stat(place.full, follow_symlinks=False)
    except OSError as error:
        raise _cannot("read", place, error) from error
    if not os.path.samestat(opened, named) or os.path.realpath(place.full) != place.full:
        raise _swapped(place)


def _make_folders(place: Place) -> None:
    path = place.root
    for step in place.steps:
        path = os.path.join(path, step)
        try:
            os.mkdir(path)
        except FileExistsError:
            continue
        except OSError as error:
            raise _cannot("write", place, error) from error


def _swapped(place: Place) -> ToolError:
    return ToolError(f"{place.shown} was turned into a link while it was opened; nothing was read or written.")


def _cannot(what: str, place: Place, error: OSError) -> ToolError:
    name = place.shown
    if isinstance(error, FileNotFoundError):
        text = f"{name} is not there. See with list_folder or search_files what there is."
    elif error.errno == errno.ELOOP:
        return _swapped(place)
    elif isinstance(error, NotADirectoryError):
        text = f"A part of {name} is a file or a link, not a folder."
    elif isinstance(error, IsADirectoryError):
        text = f"{name} is a folder. Name a file in it."
    elif isinstance(error, PermissionError):
        text = f"This program may not {what} {name}. Tell the person."
    elif error.errno in _FULL:
        text = f"The disk is full: {name} stays as it was. Tell the person; nothing more can be written now."
    elif error.errno == errno.ENAMETOOLONG:
        text = f"The name {name[:60]}… is too long for this disk."
    else:
        text = f"{name} could not be {'read' if what == 'read' else 'written'} ({error.strerror or error})."
    failure = ToolError(text)
    failure.__cause__ = error
    return failure
