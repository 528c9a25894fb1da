"""TransferError: what stops an export or an import, in a sentence that says what to do."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from sam_py.errors import SamError

TransferKind = Literal["unknown_format", "damaged", "too_large", "bomb", "password", "nothing", "missing", "failed"]


class TransferError(SamError):
    """`kind` for who acts on it; `str()` for the person."""

    def __init__(self, message: str, *, kind: TransferKind, detail: str = "") -> None:
        super().__init__(message, detail=detail)
        self.kind: TransferKind = kind


class Cancelled(Exception):
    """The person stopped it: nothing is left half done."""


def cannot_write_target(error: OSError, target: Path) -> TransferError:
    """The sentence for an export whose file could not be written."""
    return TransferError(
        f"{target} could not be written ({error.strerror or error}): choose another folder, or free some space. "
        "Nothing was changed there.",
        kind="failed",
        detail=str(error),
    )
