"""Libraries for the tests of exports and imports: conversations put on the disk without a program."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from sam_py.messages.history import HistoryEvent
from sam_py.paths import Paths, default_paths
from sam_py.store.exporters.run import Form, Wanted, all_conversations, export_blocking
from sam_py.store.importers.run import ImportReport, import_blocking
from sam_py.store.journal import Journal

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc000000301010018dd8db0"
    "0000000049454e44ae426082"
)
"""One red dot."""


def library(folder: Path) -> Paths:
    return default_paths(folder).create()


def put(paths: Paths, id: str, events: Iterable[HistoryEvent], device: str = "aaaa1111") -> None:
    """Write events as a device would, after what is there."""
    journal = Journal(paths.conversations / id, device)
    journal.load()
    journal.save(list(events))


def put_attachment(paths: Paths, content: bytes) -> str:
    hash = hashlib.sha256(content).hexdigest()
    folder = paths.attachments / hash[:2]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / hash).write_bytes(content)
    return hash


def exported(paths: Paths, target: Path, form: Form = "json", wanted: Wanted | None = None) -> bytes:
    """The bytes of an export, by default of everything."""
    export_blocking(paths, wanted or Wanted(tuple(all_conversations(paths))), form, target)
    return target.read_bytes()


def imported(paths: Paths, file: Path, format: str = "") -> ImportReport:
    return import_blocking(paths, file, format=format)
