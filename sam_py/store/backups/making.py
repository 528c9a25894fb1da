"""Writing one backup, and reading it back before it counts. All blocking."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sam_py.paths import Paths
from sam_py.store.disk import Disk, replace_durably
from sam_py.store.errors import StorageError, cannot_read, cannot_write

SCHEMA = 1
MANIFEST = "manifest.json"
_NAME = re.compile(r"sam-(\d{8}T\d{6})Z\.zip\Z")
_STAMP = "%Y%m%dT%H%M%S"
_ROOM = 64 * 1024 * 1024
"""What must stay free on the disk beside the backup itself."""
_UNFINISHED_FOR_S = 2 * 24 * 3600.0
_PIECE = 1024 * 1024
ATTACHED = re.compile(rb'"attachment":"([0-9a-f]{64})"')
"""How a line of a journal names an attached file."""

BROKEN = (zipfile.BadZipFile, zlib.error, EOFError)
"""What reading a damaged ZIP raises."""

Progress = Callable[[int, int], bool]
"""Files done, files in all; False gives up."""


@dataclass(frozen=True, slots=True)
class Backup:
    """One that was made. `conversations` and `size` (bytes of the ZIP) are for the list."""

    path: Path
    made_at: datetime
    size: int


class Cancelled(Exception):
    """The person does not want to wait for it."""


def name_of(moment: datetime) -> str:
    return f"sam-{moment.astimezone(UTC).strftime(_STAMP)}Z.zip"


def backups_in(folder: Path) -> list[Backup]:
    """The backups of a folder, the newest first. Raises StorageError; a folder that is not there has none."""
    found: list[Backup] = []
    try:
        for path in folder.iterdir() if folder.is_dir() else ():
            if (match := _NAME.match(path.name)) is not None:
                moment = datetime.strptime(match.group(1), _STAMP).replace(tzinfo=UTC)
                found.append(Backup(path, moment, path.stat().st_size))
    except OSError as error:
        raise cannot_read(error, folder) from error
    return sorted(found, key=lambda backup: backup.made_at, reverse=True)


def make_backup(paths: Paths, folder: Path, now: datetime, disk: Disk, progress: Progress) -> Backup:
    """Write a backup of all that `paths` hold into `folder`, and read it back. Raises StorageError, Cancelled."""
    target = folder / name_of(now)
    temporary = target.with_suffix(f".tmp{os.getpid()}")
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _sweep_unfinished(folder, now)
        files = list(_files(paths))
        _check_room(folder, sum(path.stat().st_size for _name, path in files if path.exists()))
        with contextlib.ExitStack() as stack:
            stack.callback(temporary.unlink, missing_ok=True)
            digests, attached = _write(temporary, files, now, progress)
            _keep_attachments(paths.attachments, folder / "attachments", attached, disk, progress)
            _read_back(temporary, digests)
            fd = os.open(temporary, os.O_RDWR)
            try:
                os.fsync(fd)
            finally:
                os.close(fd)
            disk.rename(str(temporary), str(target))
            disk.sync_folder(str(folder))
    except OSError as error:
        raise _not_made(error, folder) from error
    return Backup(target, now.astimezone(UTC).replace(microsecond=0), target.stat().st_size)


def remove_backup(backup: Backup) -> None:
    """Take one away; attached files that no other backup names go with `sweep_attachments`."""
    try:
        backup.path.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(error, backup.path.parent) from error


def sweep_attachments(folder: Path) -> int:
    """Delete the attached files that no backup names any more; returns how many. Raises StorageError."""
    named: set[str] = set()
    for backup in backups_in(folder):
        named.update(manifest_of(backup.path).get("attachments", {}))
    gone = 0
    try:
        for path in (folder / "attachments").glob("??/*"):
            if path.name not in named:
                path.unlink()
                gone += 1
    except OSError as error:
        raise cannot_write(error, folder) from error
    return gone


def manifest_of(path: Path) -> dict[str, dict[str, int]]:
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


def check_backup(path: Path) -> None:
    """Read a backup and its attached files to the last byte. Raises StorageError, naming what is wrong."""
    manifest = manifest_of(path)
    try:
        _read_back(path, {str(name): str(digest) for name, digest in manifest["files"].items()})
        for digest in manifest["attachments"]:
            kept = path.parent / "attachments" / digest[:2] / digest
            if not kept.is_file() or _digest(kept) != digest:
                raise StorageError(
                    f"An attached file of {path.name} is missing or damaged: its words can be restored, "
                    "that file only from another backup.",
                    kind="damaged",
                    detail=digest,
                )
    except OSError as error:
        raise cannot_read(error, path) from error


def _files(paths: Paths) -> Iterator[tuple[str, Path]]:
    """What is backed up, by the names that it gets: journals (damaged pieces kept aside, too), notes, settings."""
    for root, kept in ((paths.conversations, "conversations"), (paths.data / "notes", "notes")):
        for place, folders, names in os.walk(root):
            folders[:] = [name for name in folders if not name.startswith(".")]
            for name in names:
                if not name.startswith((".", "~")) and ".tmp" not in name:
                    path = Path(place, name)
                    yield f"{kept}/{path.relative_to(root).as_posix()}", path
    for path in (paths.config / "settings.json", paths.config / "mini_prompts.json"):
        if path.is_file():
            yield f"config/{path.name}", path


def _sweep_unfinished(folder: Path, now: datetime) -> None:
    """Take away what a backup left behind that was killed, days after: another program may be writing one just now."""
    for path in folder.glob("sam-*.tmp*"):
        with contextlib.suppress(FileNotFoundError):
            if now.timestamp() - path.stat().st_mtime > _UNFINISHED_FOR_S:
                path.unlink()


def _write(
    temporary: Path, files: list[tuple[str, Path]], now: datetime, progress: Progress
) -> tuple[dict[str, str], set[str]]:
    digests: dict[str, str] = {}
    attached: set[str] = set()
    conversations = {name.split("/")[1] for name, _path in files if name.startswith("conversations/")}
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as backup:
        for count, (name, path) in enumerate(files):
            if not progress(count, len(files)):
                raise Cancelled
            try:
                content = path.read_bytes()
            except FileNotFoundError:  # deleted since it was listed
                continue
            digests[name] = hashlib.sha256(content).hexdigest()
            if name.startswith("conversations/"):
                attached.update(found.decode() for found in ATTACHED.findall(content))
            backup.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED, 3)
        manifest = {
            "schema": SCHEMA,
            "made_at": now.astimezone(UTC).isoformat(),
            "conversations": len(conversations),
            "files": digests,
            "attachments": {digest: 0 for digest in sorted(attached)},
        }
        backup.writestr(MANIFEST, json.dumps(manifest, indent=1))
    return digests, attached


def _keep_attachments(source: Path, target: Path, wanted: set[str], disk: Disk, progress: Progress) -> None:
    for count, digest in enumerate(sorted(wanted)):
        if not progress(count, len(wanted)):
            raise Cancelled
        kept, path = target / digest[:2] / digest, source / digest[:2] / digest
        if kept.is_file() or not path.is_file():  # not here: not synced yet, or of a message that was never whole
            continue
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() == digest:  # a damaged one must not shut out a good one later
            kept.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            replace_durably(disk, str(kept), content)


def _read_back(path: Path, digests: dict[str, str]) -> None:
    try:
        with zipfile.ZipFile(path) as backup:
            for name, digest in digests.items():
                if hashlib.sha256(backup.read(name)).hexdigest() != digest:
                    raise damaged(path, name)
    except (*BROKEN, KeyError) as error:
        raise damaged(path, str(error)) from error


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


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
