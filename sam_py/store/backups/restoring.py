"""Bringing back what a backup holds, one conversation at a time. All blocking."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import JsonValue

from sam_py.messages.history import SettingsChanged
from sam_py.messages.message import new_id
from sam_py.paths import Paths
from sam_py.store.backups.making import ATTACHED, BROKEN, damaged, manifest_of
from sam_py.store.disk import Disk, replace_durably
from sam_py.store.errors import StorageError, cannot_read, cannot_write
from sam_py.store.folders import is_conversation_id
from sam_py.store.journal import Journal
from sam_py.store.summary import ConversationSummary, summary_of_history

State = Literal["same", "missing", "different"]


@dataclass(frozen=True, slots=True)
class BackedUp:
    """A conversation in a backup, and how the one that is here compares.

    ``same``: all its messages are here as they were; ``missing``: there is no such conversation.
    """

    summary: ConversationSummary
    state: State


def contents(backup: Path, paths: Paths, disk: Disk) -> list[BackedUp]:
    """The conversations of a backup, the newest first. Raises StorageError."""
    made_at = datetime.fromisoformat(str(manifest_of(backup)["made_at"]))
    found: list[BackedUp] = []
    with _opened(backup, paths) as (archive, aside):
        for id, names in sorted(_conversations(archive).items()):
            folder = _unpacked(archive, id, names, aside)
            there = Journal(folder, "backup", disk)
            history = there.load(mend=False)
            if history.messages or history.settings:
                state = _compared(there, paths.conversations / id, disk)
                found.append(BackedUp(summary_of_history(id, history, made_at.astimezone(UTC)), state))
            shutil.rmtree(folder)
    return sorted(found, key=lambda each: each.summary.updated_at, reverse=True)


def bring_back(backup: Path, id: str, paths: Paths, device: str, disk: Disk) -> str:
    """Bring back one conversation with its attached files; returns its id here. Raises StorageError.

    Where it is missing it comes as it was. Where one is here, it comes beside that as a copy, named by the day.
    """
    made_at = datetime.fromisoformat(str(manifest_of(backup)["made_at"]))
    with _opened(backup, paths) as (archive, aside):
        names = _conversations(archive).get(id)
        if names is None:
            raise StorageError(f"This conversation is not in {backup.name}.", kind="missing", detail=id)
        folder = _unpacked(archive, id, names, aside)
        source = Journal(folder, "backup", disk)
        history = source.load(mend=False)
        _bring_attachments(backup.parent / "attachments", paths.attachments, source, disk)
        target = paths.conversations / id
        if not disk.exists(str(target)):
            try:
                for name in names:
                    _sync(folder / Path(name).name)
                disk.rename(str(folder), str(target))
                disk.sync_folder(str(paths.conversations))
            except OSError as error:
                raise cannot_write(error, target) from error
            return id
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
        journal.save(SettingsChanged(key=key, value=value) for key, value in changes.items())
        return copy


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


@contextmanager
def _opened(backup: Path, paths: Paths) -> Iterator[tuple[zipfile.ZipFile, Path]]:
    """The ZIP, and a folder beside the conversations for what is unpacked (a rename must not cross disks)."""
    try:
        with zipfile.ZipFile(backup) as archive:
            aside = Path(tempfile.mkdtemp(prefix=".restore-", dir=paths.data))
            try:
                yield archive, aside
            finally:
                shutil.rmtree(aside, ignore_errors=True)
    except BROKEN as error:
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


def _unpacked(archive: zipfile.ZipFile, id: str, names: list[str], aside: Path) -> Path:
    folder = aside / id
    folder.mkdir(mode=0o700)
    for name in names:
        try:
            (folder / name.rsplit("/", 1)[1]).write_bytes(archive.read(name))
        except BROKEN as error:
            raise damaged(Path(str(archive.filename)), name) from error
    return folder


def _bring_attachments(kept: Path, target: Path, source: Journal, disk: Disk) -> None:
    for record in source.winners.values():
        for found in ATTACHED.findall(record.line):
            digest = found.decode()
            path, place = kept / digest[:2] / digest, target / digest[:2] / digest
            if place.is_file() or not path.is_file():
                continue
            try:
                place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                replace_durably(disk, str(place), path.read_bytes())
            except OSError as error:
                raise cannot_write(error, target) from error


def _sync(path: Path) -> None:
    with contextlib.suppress(PermissionError):  # Windows opens no file read-only for that
        fd = os.open(path, os.O_RDWR)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
