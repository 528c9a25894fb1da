"""StorageError: what went wrong with a disk or a folder, in a sentence that says what to do."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sam_py.errors import SamError

StorageKind = Literal["full", "read_only", "gone", "newer", "damaged", "missing", "failed"]

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_READ_ONLY = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_NAMED = 3
_KEPT = "your text is kept in memory until then"


class StorageError(SamError):
    """Trouble with what is kept. `solved` marks news that an earlier trouble is over."""

    def __init__(self, message: str, *, kind: StorageKind, solved: bool = False, detail: str = "") -> None:
        super().__init__(message, detail=detail)
        self.kind: StorageKind = kind
        self.solved = solved


def cannot_write(error: OSError, folder: Path | str) -> StorageError:
    """The sentence for a write below `folder` that failed."""
    if error.errno in _FULL:
        text = f"The disk is full: free some space on the disk that holds {folder}; {_KEPT}."
        return StorageError(text, kind="full", detail=str(error))
    if error.errno in _READ_ONLY:
        text = f"The folder {folder} cannot be written: allow this program to write there; {_KEPT}."
        return StorageError(text, kind="read_only", detail=str(error))
    text = f"Saving to {folder} failed ({error.strerror or error}): check the disk; {_KEPT}."
    return StorageError(text, kind="failed", detail=str(error))


def cannot_read(error: OSError, path: Path | str) -> StorageError:
    """The sentence for a file or folder that could not be read."""
    text = f"{path} could not be read ({error.strerror or error}): check that it is there and that you may read it."
    return StorageError(text, kind="failed", detail=str(error))


def not_in_its_folder(id: str) -> StorageError:
    text = "This conversation is not in its folder any more: look in the trash, or wait until it is synced."
    return StorageError(text, kind="missing", detail=id)


def written_again(id: str) -> StorageError:
    """The news that files which another program took away are there again."""
    text = (
        "Another program took away files of the open conversation; they were written again, nothing is lost. "
        "Look into what cleans or syncs the data folder."
    )
    return StorageError(text, kind="gone", solved=True, detail=id)


def deleted_elsewhere(id: str, title: str) -> StorageError:
    """The news that another computer deleted a conversation that is open here."""
    text = f"“{title}” was deleted on another computer. It is in the trash; write in it to keep it."
    return StorageError(text, kind="missing", solved=True, detail=id)


def gone_on_elsewhere(id: str, title: str) -> StorageError:
    """The news that a conversation is back which one computer deleted while another wrote in it."""
    text = (
        f"“{title}” was deleted on one computer while it was gone on with on another: it is here again, with all that "
        "was said. Delete it once more if you do not need it."
    )
    return StorageError(text, kind="missing", solved=True, detail=id)


def gone_away(data: Path) -> StorageError:
    text = f"Your conversations are not in {data} any more: connect the drive or wait for the sync program; {_KEPT}."
    return StorageError(text, kind="gone")


def here_again(data: Path) -> StorageError:
    return StorageError(f"Your conversations are in {data} again.", kind="gone", solved=True)


def missing_folders(data: Path, count: int) -> StorageError:
    """The news that conversations went away without lying in the trash."""
    if count == 1:
        begin = f"A conversation is not in {data} any more, and not in the trash either"
    else:
        begin = f"{count} conversations are not in {data} any more, and not in the trash either"
    text = f"{begin}: look into what cleans or syncs the folder, or bring back a backup from Settings, Data."
    return StorageError(text, kind="missing")


def damaged_conversations(found: Sequence[tuple[str, str]], folder: Path) -> StorageError:
    """One notice of all conversations that were found damaged: the title of each, and what is damaged."""
    named = [f"“{title}” ({damage})" for title, damage in found[:_NAMED]]
    if len(found) > _NAMED:
        named.append(f"and {len(found) - _NAMED} more")
    begin = "A conversation is damaged" if len(found) == 1 else f"{len(found)} conversations are damaged"
    text = f"{begin}: {', '.join(named)}. What is left is kept in {folder}; a backup may have it whole: Settings, Data."
    return StorageError(text, kind="damaged")


@dataclass(frozen=True, slots=True)
class ReadReport:
    """What reading a conversation met. `notice` is for the person; empty where all was well."""

    folder: str = ""
    files: int = 0
    damaged_lines: int = 0
    torn_bytes: int = 0
    """Of our own file: others' may be on their way."""
    edited_lines: int = 0
    unreadable_files: tuple[str, ...] = ()
    silent_files: tuple[str, ...] = ()
    """Files in which nothing can be read, be it that they are empty."""
    missing_messages: int = 0
    """How many messages were here before that are in no file any more."""
    told: str = ""
    """What was told to be damaged when the list was read."""
    newer: bool = False
    """A newer version of the program wrote here."""
    read_only: bool = False
    """It wrote as this device: shown, never written."""

    @property
    def is_lost(self) -> bool:
        """True where there are files, and nothing in any of them can be read."""
        return bool(self.silent_files) and len(self.silent_files) == self.files

    @property
    def damage(self) -> str:
        """What is damaged, in a few words; empty where nothing is."""
        found = []
        if self.is_lost:
            found.append("nothing in it can be read")
        elif self.silent_files:
            found.append(f"nothing can be read in {', '.join(self.silent_files)}")
        if self.damaged_lines and not self.is_lost:
            found.append(_counted(self.damaged_lines, "damaged line"))
        if self.torn_bytes and not self.is_lost:
            found.append("its last line is cut off")
        if self.missing_messages:
            found.append(f"{_counted(self.missing_messages, 'message')} fewer than before")
        if self.unreadable_files:
            found.append(f"{', '.join(self.unreadable_files)} cannot be opened")
        words = ", ".join(found)
        return self.told if words in self.told else words

    @property
    def notice(self) -> str:
        """Sentences that say what was found, and what to do."""
        said = [str(newer_version(self, self.folder))] if self.newer else []
        if self.damage:
            rest = "" if self.is_lost else " Everything else is here."
            said.append(
                f"This conversation is damaged: {self.damage}.{rest} What is left is kept in {self.folder}; "
                "a backup may have it whole: Settings, Data."
            )
        return " ".join(said)


def newer_version(report: ReadReport, folder: str) -> StorageError:
    """What to say of a conversation in which a newer version of the program wrote; `detail` is its id."""
    text = (
        "Another computer wrote in this conversation with a newer version of the program: what only that version knows "
        "is not shown. Update the program to see it."
    )
    if report.read_only:
        text = (
            "This conversation was written by a newer version of the program: it is open for reading only. "
            "Update the program to go on with it."
        )
    return StorageError(text, kind="newer" if report.read_only else "missing", detail=os.path.basename(folder))


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
