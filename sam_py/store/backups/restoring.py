"""Bringing back what a backup holds, one conversation at a time. All blocking.

A backup is read in memory: looking into one writes nothing anywhere.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import shutil
import time
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import JsonValue

from sam_py.messages.history import SettingsChanged
from sam_py.messages.message import new_id
from sam_py.paths import Paths
from sam_py.store.backups import attached
from sam_py.store.backups.making import BROKEN, PROMPTS, SETTINGS, damaged, manifest_of
from sam_py.store.disk import Disk, replace_durably, write_all
from sam_py.store.errors import StorageError, cannot_read, cannot_write
from sam_py.store.folders import is_conversation_id
from sam_py.store.journal import Journal
from sam_py.store.summary import ConversationSummary, summary_of_history

State = Literal["same", "missing", "different"]
Outcome = Literal["back", "copy", "same"]

_NOTE = re.compile(r"notes/([0-9a-f]{32}\.json)\Z")
_HALF_DONE = ".restore-"
_HALF_DONE_FOR_S = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class BackedUp:
    """A conversation in a backup, and how the one that is here compares.

    ``same``: all its messages are here as they were; ``missing``: there is no such conversation.
    """

    summary: ConversationSummary
    state: State


@dataclass(frozen=True, slots=True)
class Brought:
    """What came of bringing one back: `id` is the one that it has here, another one where it is a copy.

    ``same``: it was here as it was, or had come back as a copy before; nothing was made.
    """

    id: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Besides:
    """What a backup holds besides conversations: how many notes are missing here, and files that differ from ours."""

    notes_missing: int = 0
    settings: bytes | None = None
    prompts: bytes | None = None


class _InMemory(Disk):
    """The files of one folder, by their names; to be read only."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        super().__init__()
        self._files = files

    def exists(self, path: str) -> bool:
        return os.path.basename(path) in self._files

    def read(self, path: str) -> bytes:
        return self._files[os.path.basename(path)]

    def names(self, folder: str) -> list[str]:
        return list(self._files)

    def open(self, path: str, how: Literal["append", "new", "cut"]) -> int:
        raise OSError(errno.EROFS, "a backup is not written to")

    def stat(self, path: str) -> tuple[int, int]:
        return len(self._files[os.path.basename(path)]), 0


def contents(backup: Path, paths: Paths, disk: Disk) -> list[BackedUp]:
    """The conversations of a backup, the newest first. Raises StorageError."""
    made_at = datetime.fromisoformat(str(manifest_of(backup)["made_at"])).astimezone(UTC)
    found: list[BackedUp] = []
    with _opened(backup) as archive:
        for id, names in sorted(_conversations(archive).items()):
            there = Journal(id, "backup", _InMemory(_files(archive, names)))
            history = there.load(mend=False)
            if history.messages or history.settings:
                state = _compared(there, paths.conversations / id, disk)
                found.append(BackedUp(summary_of_history(id, history, made_at), state))
    return sorted(found, key=lambda each: each.summary.updated_at, reverse=True)


def bring_back(backup: Path, id: str, paths: Paths, device: str, disk: Disk) -> Brought:
    """Bring back one conversation with its attached files. Raises StorageError.

    Where it is missing it comes as it was. Where another state of it is here, it comes beside that as a copy, named by
    the day; where the same is here, or that copy is, nothing is made but attached files that are missing.
    """
    made_at = datetime.fromisoformat(str(manifest_of(backup)["made_at"]))
    with _opened(backup) as archive:
        names = _conversations(archive).get(id)
        if names is None:
            raise StorageError(f"This conversation is not in {backup.name}.", kind="missing", detail=id)
        files = _files(archive, names)
    source = Journal(id, "backup", _InMemory(files))
    history = source.load(mend=False)
    digests = {found.decode() for record in source.winners.values() for found in attached.NAMED.findall(record.line)}
    try:
        attached.bring(backup.parent / "attachments", paths.attachments, sorted(digests), disk)
        state = _compared(source, paths.conversations / id, disk)
        if state == "same":
            return Brought(id, "same")
        if state == "missing":
            _put(files, paths.conversations / id, paths.data, disk)
            return Brought(id, "back")
    except OSError as error:
        raise _not_back(error, paths.data) from error
    copy = _copy_id(source)
    if disk.exists(str(paths.conversations / copy)):
        if _compared(source, paths.conversations / copy, disk) == "same":
            return Brought(copy, "same")
        copy = new_id()
    journal = Journal(paths.conversations / copy, device, disk)
    journal.adopt(source.winners.values())
    title = str(history.settings.get("title") or "")
    changes: dict[str, JsonValue] = {
        "title": f"{title} ({made_at.astimezone():%Y-%m-%d %H:%M})".strip(),
        "title_source": "person",
        "pinned": False,
        "duplicate_of": id,
    }
    try:
        journal.save(SettingsChanged(key=key, value=value) for key, value in changes.items())
    except StorageError as error:
        shutil.rmtree(journal.folder, ignore_errors=True)
        raise _not_back(error.__cause__, paths.data) if isinstance(error.__cause__, OSError) else error from error
    return Brought(copy, "copy")


def besides(backup: Path, paths: Paths) -> Besides:
    """What else is in it, as far as it is not here. Raises StorageError."""
    with _opened(backup) as archive:
        missing = [name for name in _notes(archive) if not (paths.data / "notes" / name).exists()]
        names = set(archive.namelist())
        settings, prompts = (_read(archive, name) if name in names else None for name in (SETTINGS, PROMPTS))
    return Besides(
        len(missing),
        settings if settings != _here(paths, SETTINGS) else None,
        prompts if prompts != _here(paths, PROMPTS) else None,
    )


def bring_notes(backup: Path, paths: Paths, disk: Disk) -> int:
    """Bring back the notes that are missing here; returns how many. None that is here changes. Raises StorageError."""
    folder, back = paths.data / "notes", 0
    with _opened(backup) as archive:
        files = {file: _read(archive, f"notes/{file}") for file in _notes(archive) if not (folder / file).exists()}
    try:
        for file, content in files.items():
            folder.mkdir(exist_ok=True, mode=0o700)
            replace_durably(disk, str(folder / file), content)
            back += 1
    except OSError as error:
        raise _not_back(error, folder) from error
    return back


def _compared(there: Journal, folder: Path, disk: Disk) -> State:
    if not disk.exists(str(folder)):
        return "missing"
    here = Journal(folder, "here", disk)
    here.load(mend=False)
    same = all(
        subject in here.winners and here.winners[subject].line == record.line
        for subject, record in there.winners.items()
        if record.event_name == "message_added"
    )
    return "same" if same else "different"


def _copy_id(source: Journal) -> str:
    """The same for the same state, so that what came back as a copy is known again."""
    lines = sorted(record.line for record in source.winners.values())
    return hashlib.sha256(b"\n".join(lines)).hexdigest()[:32]


def _put(files: Mapping[str, bytes], target: Path, data: Path, disk: Disk) -> None:
    """Make the folder, whole or not at all. What a crash left behind is cleared a day later."""
    for left in data.glob(f"{_HALF_DONE}*"):
        if time.time() - left.stat().st_mtime > _HALF_DONE_FOR_S:
            shutil.rmtree(left, ignore_errors=True)
    aside = data / f"{_HALF_DONE}{target.name}-{os.getpid()}"
    try:
        disk.make_folder(str(aside))
        for name, content in files.items():
            fd = disk.open(str(aside / name), "new")
            try:
                write_all(disk, fd, content)
                disk.sync(fd)
            finally:
                disk.close(fd)
        disk.sync_folder(str(aside))
        disk.rename(str(aside), str(target))
        disk.sync_folder(str(target.parent))
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _not_back(error: OSError, folder: Path) -> StorageError:
    said = cannot_write(error, folder)
    text = f"It could not be brought back: {folder} cannot be written ({error.strerror or error}). Make room there or "
    return StorageError(text + "allow this program to write, and try again.", kind=said.kind, detail=said.detail)


def _here(paths: Paths, name: str) -> bytes | None:
    with contextlib.suppress(OSError):
        return (paths.config / name.split("/")[1]).read_bytes()
    return None


@contextmanager
def _opened(backup: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(backup) as archive:
            yield archive
    except zipfile.BadZipFile as error:
        raise damaged(backup, str(error)) from error
    except OSError as error:
        raise cannot_read(error, backup) from error


def _conversations(archive: zipfile.ZipFile) -> dict[str, list[str]]:
    """Id → the names of its files. Names that lead elsewhere are no conversation's."""
    found: dict[str, list[str]] = {}
    for name in archive.namelist():
        match name.split("/"):
            case ["conversations", id, file] if is_conversation_id(id) and file and "\\" not in file and file[0] != ".":
                found.setdefault(id, []).append(name)
            case _:
                pass
    return found


def _notes(archive: zipfile.ZipFile) -> list[str]:
    return [match.group(1) for name in archive.namelist() if (match := _NOTE.match(name)) is not None]


def _files(archive: zipfile.ZipFile, names: list[str]) -> dict[str, bytes]:
    return {name.rsplit("/", 1)[1]: _read(archive, name) for name in names}


def _read(archive: zipfile.ZipFile, name: str) -> bytes:
    backup = Path(str(archive.filename))
    try:
        return archive.read(name)
    except BROKEN as error:
        raise damaged(backup, name) from error
