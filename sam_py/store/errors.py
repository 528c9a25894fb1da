"""StorageError: what went wrong with a disk or a folder, in a sentence that says what to do."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Literal

from sam_py.errors import SamError

StorageKind = Literal["full", "read_only", "gone", "newer", "damaged", "missing", "failed"]

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_READ_ONLY = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
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


def says_nothing(id: str, title: str) -> StorageError:
    """The news that the files of a conversation which was listed are empty or damaged all through."""
    text = (
        f"“{title}” cannot be read any more: its files are empty or damaged. They are kept as they are; bring the "
        "conversation back from a backup in Settings, Data."
    )
    return StorageError(text, kind="damaged", detail=id)
