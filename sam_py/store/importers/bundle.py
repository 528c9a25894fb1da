"""Bundles: what a person hands over for import: a file, a ZIP, or a folder, all read by name and within limits.

Names are only keys: nothing is ever unpacked to a path that an archive names.
"""

from __future__ import annotations

import os
import stat
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO, cast

from sam_py.store.exporters import nested
from sam_py.store.exporters.errors import TransferError
from sam_py.store.exporters.lossless import mended
from sam_py.store.importers.json_stream import JsonStream, encoding_of

MB = 1024 * 1024
MOST_NAMES = 200_000
LARGEST_MEMBER_BYTES = 4_096 * MB
UNPACKED_BYTES = 16_384 * MB
"""Of all members together. Sizes bind, no ratio: a white screenshot packs a thousand times, as bombs do, and what is
read of an archive is read in pieces, or is a file that a conversation names."""
LARGEST_WHOLE_BYTES = 256 * MB
"""Of a file that has to be read at once."""


class Bundle:
    """Files by name, with ``/`` between folders. `refused` says which names were not taken, and why."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.refused: list[tuple[str, str]] = []
        self._reading: tuple[BinaryIO, int] | None = None
        self._names: dict[str, Any] = {}
        self._hidden: frozenset[str] = frozenset()

    @property
    def names(self) -> list[str]:
        return [name for name in self._names if name not in self._hidden]

    @property
    def changed_at(self) -> datetime:
        """When the file was last written: for what has no date of its own."""
        return datetime.fromtimestamp(self.path.stat().st_mtime, UTC)

    def ending_in(self, *endings: str) -> list[str]:
        return [name for name in self.names if name.lower().endswith(endings)]

    def hide(self, names: Iterable[str]) -> None:
        """Files that are another format's are not among the names now; what was hidden before is again."""
        self._hidden = frozenset(names)

    def holds(self, name: str) -> bool:
        """Whether there is a file of that name."""
        return name in self._names and name not in self._hidden

    def named(self, name: str) -> str | None:
        """The file called so, in whatever folder; the one highest up where there are several."""
        found = [each for each in self.names if PurePosixPath(each).name == name]
        return min(found, key=lambda each: (each.count("/"), each), default=None)

    @contextmanager
    def open(self, name: str) -> Iterator[BinaryIO]:
        """Raises TransferError where it cannot be read; KeyError for a name that is not in `names`."""
        try:
            with self._open(self._names[name]) as file:
                outer, self._reading = self._reading, self._reading or (file, self.size(name))
                try:
                    yield file
                finally:
                    self._reading = outer
        except (OSError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
            raise TransferError(
                f"“{name}” in {self.path.name} is damaged and cannot be read: download or export it again.",
                kind="damaged",
                detail=str(error),
            ) from error

    @property
    def fraction(self) -> float | None:
        """How much is read of the file that was opened first, from 0 to 1; None while none is."""
        if self._reading is None or not self._reading[1]:
            return None
        return min(1.0, self._reading[0].tell() / self._reading[1])

    def size(self, name: str) -> int:
        return self._size(self._names[name])

    def read(self, name: str, most: int = LARGEST_WHOLE_BYTES) -> bytes:
        """All bytes of a file. Raises TransferError where there are more than `most`, or they are damaged."""
        if self.size(name) > most:
            raise TransferError(
                f"“{name}” is larger than {most // MB:,} MB and cannot be read at once: export it in smaller pieces.",
                kind="too_large",
            )
        with self.open(name) as file:
            return file.read(most)

    def json(self, name: str) -> Any:
        """A JSON file, read at once. Raises TransferError."""
        raw = self.read(name)
        try:
            return mended(_loaded(raw.decode(encoding_of(raw), errors="replace")))
        except ValueError as error:
            raise TransferError(
                f"“{name}” is not whole JSON: export it again, and copy it without opening it in an editor.",
                kind="damaged",
                detail=str(error),
            ) from error

    @contextmanager
    def stream(self, name: str, most: int | None = None) -> Iterator[JsonStream]:
        """A JSON file, item by item; of its bytes at most `most`, as if it were cut there. Raises TransferError."""
        with self.open(name) as file:
            yield JsonStream(file if most is None else cast(BinaryIO, _Beginning(file, most)))

    def close(self) -> None:
        """Let go of what is open."""

    def _open(self, entry: Any) -> Any:
        raise NotImplementedError

    def _size(self, entry: Any) -> int:
        raise NotImplementedError


def _loaded(text: str) -> Any:
    """The value of a whole text, however deep it nests."""
    import json

    try:
        return json.loads(text)
    except RecursionError:
        value, end = nested.parse(text)
        if text[end:].strip():
            raise json.JSONDecodeError("Extra data", text, end) from None
        return value


class _Beginning:
    """The beginning of a file."""

    def __init__(self, file: BinaryIO, most: int) -> None:
        self._file = file
        self._left = most

    def read(self, size: int) -> bytes:
        read = self._file.read(min(size, self._left))
        self._left -= len(read)
        return read


class Glance(Bundle):
    """Some files of a bundle, as if they were all."""

    def __init__(self, whole: Bundle, names: Iterable[str]) -> None:
        super().__init__(whole.path)
        self._whole = whole
        self._names = {name: whole._names[name] for name in names if whole.holds(name)}

    def _open(self, entry: Any) -> Any:
        return self._whole._open(entry)

    def _size(self, entry: Any) -> int:
        return self._whole._size(entry)


class FileBundle(Bundle):
    """One file alone."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._names = {path.name: path}

    def _open(self, entry: Path) -> IO[bytes]:
        return entry.open("rb")

    def _size(self, entry: Path) -> int:
        return entry.stat().st_size


class FolderBundle(Bundle):
    """A folder with all below it. Links are not followed."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        for folder, _folders, files in os.walk(path):
            for file in files:
                entry = Path(folder) / file
                name = entry.relative_to(path).as_posix()
                if is_noise(name):
                    continue
                if not stat.S_ISREG(entry.lstat().st_mode):
                    self.refused.append((name, "it is a link or a device"))
                elif len(self._names) >= MOST_NAMES:
                    raise TransferError(
                        f"{path} holds more than {MOST_NAMES:,} files: choose the folder of the export itself.",
                        kind="too_large",
                    )
                else:
                    self._names[name] = entry

    def _open(self, entry: Path) -> IO[bytes]:
        return entry.open("rb")

    def _size(self, entry: Path) -> int:
        return entry.stat().st_size


class ZipBundle(Bundle):
    """A ZIP. Python reads no more of a member than its header declares, so the declared sizes bind."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        try:
            self._archive = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, zipfile.LargeZipFile, ValueError, NotImplementedError) as error:
            raise TransferError(
                f"{path.name} is not a whole ZIP file: download or export it again.", kind="damaged", detail=str(error)
            ) from error
        try:
            self._take_names()
        except TransferError:
            self._archive.close()
            raise

    def _take_names(self) -> None:
        members = self._archive.infolist()
        if len(members) > MOST_NAMES:
            raise self._bomb(f"{len(members):,} files in one archive")
        total = 0
        for member in members:
            total += member.file_size
            if member.file_size > LARGEST_MEMBER_BYTES or total > UNPACKED_BYTES:
                raise self._bomb(f"it unpacks to more than {total // MB:,} MB")
            if member.is_dir() or is_noise(member.filename):
                continue
            if member.flag_bits & 1:
                raise TransferError(
                    f"{self.path.name} is locked by a password: unpack it yourself and import the folder.",
                    kind="password",
                )
            if why := unsafe(member):
                self.refused.append((member.filename, why))
            else:
                self._names[member.filename.replace("\\", "/")] = member

    def _bomb(self, detail: str) -> TransferError:
        return TransferError(
            f"{self.path.name} would unpack to far more than an export holds: it is not opened. If you trust it, "
            "unpack it yourself and import the folder.",
            kind="bomb",
            detail=detail,
        )

    def close(self) -> None:
        self._archive.close()

    def _open(self, entry: zipfile.ZipInfo) -> IO[bytes]:
        return self._archive.open(entry)

    def _size(self, entry: zipfile.ZipInfo) -> int:
        return entry.file_size


def is_noise(name: str) -> bool:
    """Whether a file is what a Mac writes beside each file, and no part of an export.

    >>> is_noise("__MACOSX/export/._conversations.json"), is_noise("export/conversations.json")
    (True, False)
    """
    path = PurePosixPath(name)
    return path.name.startswith("._") or path.name == ".DS_Store" or "__MACOSX" in path.parts


def unsafe(member: zipfile.ZipInfo) -> str:
    """Why the name of a member would lead elsewhere; "" where it would not.

    >>> unsafe(zipfile.ZipInfo("../../.bashrc")), unsafe(zipfile.ZipInfo("images/a.png"))
    ('its name leads out of the archive', '')
    """
    name = member.filename.replace("\\", "/")
    if name.startswith("/") or name[1:2] == ":" or ".." in name.split("/"):
        return "its name leads out of the archive"
    if stat.S_ISLNK(member.external_attr >> 16):
        return "it is a link"
    return ""


def open_bundle(path: Path) -> Bundle:
    """What lies at `path`. Raises TransferError."""
    try:
        if path.is_dir():
            return FolderBundle(path)
        with path.open("rb") as file:
            head = file.read(4)
    except OSError as error:
        raise TransferError(
            f"{path} cannot be read ({error.strerror or error}): check that it is there and that you may read it.",
            kind="missing",
            detail=str(error),
        ) from error
    return cast(Bundle, ZipBundle(path) if head[:2] == b"PK" else FileBundle(path))
