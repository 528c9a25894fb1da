"""Writing one backup, and reading it back before it counts. All blocking."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import re
import shutil
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sam_py.paths import Paths
from sam_py.store.backups import attached
from sam_py.store.disk import Disk
from sam_py.store.errors import StorageError, cannot_read, cannot_write
from sam_py.store.tree import Refused, files_below

log = logging.getLogger(__name__)

SCHEMA = 1
MANIFEST = "manifest.json"
SETTINGS = "config/settings.json"
PROMPTS = "config/mini_prompts.json"
_NAME = re.compile(r"sam-(\d{8}T\d{6})Z(-incomplete)?\.zip\Z")
_STAMP = "%Y%m%dT%H%M%S"
_ROOM = 64 * 1024 * 1024
"""What must stay free on the disk beside the backup itself."""
_UNFINISHED_FOR_S = 2 * 24 * 3600.0
_DAMAGED_FOR = timedelta(days=14)
"""How long a damaged backup holds the attached files back: it may be on its way still, by a sync program."""

BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError)
"""What reading a damaged ZIP raises; RuntimeError: it seems to be encrypted, or packed in a way nobody knows."""

Progress = Callable[[int, int], bool]
"""Files done, files in all; False gives up."""


@dataclass(frozen=True, slots=True)
class Backup:
    """One that was made. `size` is that of the ZIP in bytes."""

    path: Path
    made_at: datetime
    size: int
    is_incomplete: bool = False
    """Something could not be read when it was made."""
    unread: tuple[str, ...] = ()
    """What that was, for a person: known of the one that was made just now."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What a sound backup does not hold: what could not be read, and attached files that were nowhere whole."""

    unread: tuple[str, ...] = ()
    lacking: int = 0


class Cancelled(Exception):
    """The person does not want to wait for it."""


def name_of(moment: datetime, *, is_incomplete: bool = False) -> str:
    """What the backup of that moment is called; one that lacks something says so in its name."""
    return f"sam-{moment.astimezone(UTC).strftime(_STAMP)}Z{'-incomplete' if is_incomplete else ''}.zip"


def backups_in(folder: Path) -> list[Backup]:
    """The backups of a folder, the newest first. Raises StorageError; a folder that is not there has none."""
    found: list[Backup] = []
    try:
        for path in folder.iterdir() if folder.is_dir() else ():
            if (match := _NAME.match(path.name)) is None:
                continue
            try:
                moment = datetime.strptime(match.group(1), _STAMP).replace(tzinfo=UTC)
            except ValueError:  # a thirtieth of February: not one of ours
                continue
            found.append(Backup(path, moment, path.stat().st_size, match.group(2) is not None))
    except OSError as error:
        raise cannot_read(error, folder) from error
    return sorted(found, key=lambda backup: backup.made_at, reverse=True)


def make_backup(
    paths: Paths, folder: Path, now: datetime, disk: Disk, progress: Progress, lost: Iterable[str] = ()
) -> Backup:
    """Write a backup of all that `paths` hold into `folder`, and read it back. Raises StorageError, Cancelled.

    It holds all that can be read: what cannot is named by `Backup.unread`, and in the ZIP. `lost` is what is known
    to be missing already.
    """
    temporary = folder / name_of(now).replace(".zip", f".tmp{os.getpid()}")
    unread = list(lost)

    def refused(path: Path, error: OSError) -> None:
        if path == paths.conversations:
            said = cannot_read(error, path)
            raise StorageError(f"No backup was made: {said}", kind=said.kind, detail=said.detail) from error
        unread.append(f"{path} ({error.strerror or error})")

    files = list(_files(paths, disk, refused))
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _sweep_unfinished(folder, now)
        _check_room(folder, sum(_size(path) for _name, path in files))
        with contextlib.ExitStack() as stack:
            stack.callback(temporary.unlink, missing_ok=True)
            digests = _write(temporary, paths, files, now, disk, progress, unread)
            _read_back(temporary, digests)
            fd = os.open(temporary, os.O_RDWR)
            try:
                os.fsync(fd)
            finally:
                os.close(fd)
            target = folder / name_of(now, is_incomplete=bool(unread))
            disk.rename(str(temporary), str(target))
            disk.sync_folder(str(folder))
        size = target.stat().st_size
    except OSError as error:
        raise _not_made(error, folder) from error
    return Backup(target, now.astimezone(UTC).replace(microsecond=0), size, bool(unread), tuple(unread))


def remove_backup(backup: Backup) -> None:
    """Take one away; attached files that no other backup names go with `sweep_attachments`."""
    try:
        backup.path.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(error, backup.path.parent) from error


def sweep_attachments(folder: Path, now: datetime) -> int:
    """Delete the attached files that no backup names any more; returns how many. Raises StorageError.

    None goes while one of the backups cannot be read and may yet be whole again.
    """
    named: set[str] = set()
    for backup in backups_in(folder):
        try:
            named.update(manifest_of(backup.path).get("attachments", {}))
        except StorageError as error:
            if error.kind != "damaged" or now - _changed_at(backup.path) < _DAMAGED_FOR:
                log.warning("attached files of old backups stay: %s (%s)", error, error.detail)
                return 0
    gone = 0
    try:
        for path in (folder / "attachments").glob("??/*"):
            if path.name not in named:
                path.unlink()
                gone += 1
    except OSError as error:
        raise cannot_write(error, folder) from error
    return gone


def manifest_of(path: Path) -> dict[str, Any]:
    """What a backup says of itself. Raises StorageError where it is damaged or of a newer program."""
    try:
        with zipfile.ZipFile(path) as backup:
            manifest = json.loads(backup.read(MANIFEST))
        if manifest["schema"] > SCHEMA:
            raise StorageError(
                f"{path.name} was made by a newer version of SAM: update this one to restore from it.", kind="newer"
            )
        return dict(manifest)
    except OSError as error:
        raise cannot_read(error, path) from error
    except (*BROKEN, KeyError, ValueError, TypeError) as error:
        raise damaged(path, str(error)) from error


def damaged(path: Path, detail: str) -> StorageError:
    return StorageError(f"The backup {path.name} is damaged: use another one.", kind="damaged", detail=detail)


def check_backup(path: Path) -> Checked:
    """Read a backup and its attached files to the last byte. Raises StorageError, naming what is wrong."""
    manifest = manifest_of(path)
    lacked, lacking = set(manifest.get("lacking", ())), 0
    try:
        _read_back(path, {str(name): str(digest) for name, digest in manifest["files"].items()})
    except OSError as error:
        raise cannot_read(error, path) from error
    for digest in manifest["attachments"]:
        if attached.is_whole(attached.kept_at(path.parent / "attachments", digest), digest):
            continue
        lacking += 1
        if digest not in lacked:
            raise StorageError(
                f"An attached file of {path.name} is missing or damaged: its words can be restored, that file only "
                "where the next backup finds it whole in the library.",
                kind="damaged",
                detail=digest,
            )
    return Checked(tuple(map(str, manifest.get("unread", ()))), lacking)


def _files(paths: Paths, disk: Disk, refused: Refused) -> Iterator[tuple[str, Path]]:
    """What is backed up, by the names that it gets: journals (damaged pieces kept aside, too), notes, settings."""
    notes = paths.data / "notes"
    for root, kept in ((paths.conversations, "conversations"), (notes, "notes")):
        if root == notes and not os.path.lexists(notes):  # there are none yet
            continue
        for path in files_below(root, disk, refused):
            yield f"{kept}/{path.relative_to(root).as_posix()}", path
    for name in (SETTINGS, PROMPTS):
        path = paths.config / name.split("/")[1]
        if os.path.lexists(path):
            yield name, path


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # whoever reads it says so
        return 0


def _changed_at(path: Path) -> datetime:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except OSError as error:
        raise cannot_read(error, path) from error


def _sweep_unfinished(folder: Path, now: datetime) -> None:
    """Take away what a backup left behind that was killed, days after: another program may be writing one just now."""
    for path in folder.glob("sam-*.tmp*"):
        with contextlib.suppress(FileNotFoundError):
            if now.timestamp() - path.stat().st_mtime > _UNFINISHED_FOR_S:
                path.unlink()


def _write(
    temporary: Path,
    paths: Paths,
    files: list[tuple[str, Path]],
    now: datetime,
    disk: Disk,
    progress: Progress,
    unread: list[str],
) -> dict[str, str]:
    """Write the ZIP, and what it names beside it; returns the digests of what is in it."""
    digests: dict[str, str] = {}
    wanted: set[str] = set()
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as backup:
        for count, (name, path) in enumerate(files):
            if not progress(count, len(files)):
                raise Cancelled
            try:
                content = disk.read(str(path))
            except FileNotFoundError:  # deleted since it was listed
                continue
            except OSError as error:
                unread.append(f"{path} ({error.strerror or error})")
                continue
            name = name.encode(errors="replace").decode()
            digests[name] = hashlib.sha256(content).hexdigest()
            if name.startswith("conversations/"):
                wanted.update(found.decode() for found in attached.NAMED.findall(content))
            backup.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED, 3)
        kept = _keep_attachments(paths, temporary.parent, sorted(wanted), disk, progress)
        unread += [f"{path} ({error.strerror or error})" for path, error in kept.refused]
        manifest = {
            "schema": SCHEMA,
            "made_at": now.astimezone(UTC).isoformat(),
            "conversations": len({name.split("/")[1] for name in digests if name.startswith("conversations/")}),
            "files": digests,
            "attachments": dict.fromkeys(sorted(wanted), 0),
            "lacking": kept.lacking,
            "unread": unread,
        }
        backup.writestr(MANIFEST, json.dumps(manifest, indent=1))
    return digests


def _keep_attachments(paths: Paths, folder: Path, wanted: list[str], disk: Disk, progress: Progress) -> attached.Kept:
    done = 0

    def is_wanted() -> None:
        nonlocal done
        if not progress(done, len(wanted)):
            raise Cancelled
        done += 1

    return attached.keep(paths.attachments, folder / "attachments", wanted, disk, is_wanted)


def _read_back(path: Path, digests: dict[str, str]) -> None:
    try:
        with zipfile.ZipFile(path) as backup:
            for name, digest in digests.items():
                if hashlib.sha256(backup.read(name)).hexdigest() != digest:
                    raise damaged(path, name)
    except (*BROKEN, KeyError) as error:
        raise damaged(path, str(error)) from error


def _check_room(folder: Path, size: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < size + _ROOM:
        raise StorageError(
            f"No backup was made: the disk that holds {folder} has too little room. Free some, or choose another "
            "folder for backups in Settings, Data.",
            kind="full",
            detail=f"{free} bytes free, {size} to be written",
        )


def _not_made(error: OSError, folder: Path) -> StorageError:
    said = cannot_write(error, folder)
    text = f"No backup was made: {folder} cannot be written ({error.strerror or error}). Choose another folder for "
    return StorageError(text + "backups in Settings, Data.", kind=said.kind, detail=said.detail)
