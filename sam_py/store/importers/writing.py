"""ImportWriter: puts what was found into the data folder, each conversation as a whole or not at all. Blocking.

A new conversation is made in ``imports/`` and renamed into its place. What a known one gains stands in a journal
file of its own beside those that are there: no file that another program may be writing is touched.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import re
import secrets
import shutil
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Literal
from zlib import crc32

from pydantic import BaseModel

from sam_py.paths import Paths
from sam_py.store.device import device_id
from sam_py.store.disk import Disk, replace_durably, write_all
from sam_py.store.errors import cannot_write
from sam_py.store.exporters.conversation import StoredConversation
from sam_py.store.exporters.errors import TransferError
from sam_py.store.exporters.lossless import canonical
from sam_py.store.folders import check_store, from_trash
from sam_py.store.importers.found import Found
from sam_py.store.importers.versions import Event, fitted
from sam_py.store.journal import Journal
from sam_py.store.lines import Record, read_line, write_line

log = logging.getLogger(__name__)

Outcome = Literal["new", "grown", "known", "restored"]
"""``grown``: there before, and something came to it; ``restored``: taken out of the trash."""


@dataclass(frozen=True, slots=True)
class Put:
    """How a conversation came in. `messages` counts all that were written."""

    outcome: Outcome
    messages: int = 0
    completed: int = 0
    """Of those that were here, and of which the file has more."""
    versions: int = 0
    """That say something else here, and stand beside that as another version."""


_STALE_S = 24 * 3600
_STAGING = "staging-"
_HASH = re.compile(r"[0-9a-f]{64}")


class UnwritableError(Exception):
    """An event that no journal line can hold; `str()` says why."""


class ImportWriter:
    """One import. Use as a context manager: it clears up after itself, and after one that was killed."""

    def __init__(self, paths: Paths, disk: Disk | None = None, *, now: float | None = None) -> None:
        self._paths = paths
        self._disk = disk or Disk()
        self._imports = paths.data / "imports"
        self._staging = self._imports / f"{_STAGING}{secrets.token_hex(6)}"
        self._now_s = time.time() if now is None else now
        self.device = ""
        self.attachments = 0
        self.known: set[str] = set()
        """The ids of the conversations that are in the folder, those that came in now among them."""

    def __enter__(self) -> ImportWriter:
        """Raises StorageError where the data folder is not the one that was here, or cannot be written."""
        known = _known_conversations(self._paths.state)
        check_store(self._paths.data, self._paths.conversations, self._disk, known)
        self.device = device_id(self._paths.state, self._disk)
        try:
            self._imports.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._staging.mkdir(mode=0o700, parents=True)  # another import may just take the empty folder away
        except OSError as error:
            raise cannot_write(error, self._imports) from error
        self._clear_stale()
        self.known = {path.name for path in self._paths.conversations.glob("*")}
        return self

    def __exit__(self, *_ended: object) -> None:
        shutil.rmtree(self._staging, ignore_errors=True)
        with contextlib.suppress(OSError):  # not empty: something is kept aside there
            self._imports.rmdir()

    def keep(self, content: bytes) -> str:
        """Keep an attachment and return its hash. Raises StorageError."""
        hash = hashlib.sha256(content).hexdigest()
        path = self._paths.attachments / hash[:2] / hash
        try:
            if path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content:
                return hash
        except OSError as error:
            raise cannot_write(error, self._paths.attachments) from error
        self._keep_as(hash, content)
        self.attachments += 1
        return hash

    def keep_damaged(self, hash: str, content: bytes) -> None:
        """Keep what an attachment has become under its name, where there is none; whoever reads it, says so.

        Raises StorageError. A library that is exported with a damaged file is the same when it is imported.
        """
        if _HASH.fullmatch(hash) and not (self._paths.attachments / hash[:2] / hash).exists():
            self._keep_as(hash, content)

    def _keep_as(self, hash: str, content: bytes) -> None:
        path = self._paths.attachments / hash[:2] / hash
        folder = path.parent
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            staged = self._staging / hash
            self._write(staged, content)
            self._disk.rename(str(staged), str(path))
            self._disk.sync_folder(str(folder))
        except OSError as error:
            raise cannot_write(error, self._paths.attachments) from error

    def conversation(self, id: str) -> StoredConversation:
        """A conversation that is here. Raises StorageError, and TransferError where it is not."""
        return StoredConversation(self._paths.conversations, id, self._disk)

    def put(self, found: Found) -> Put:
        """Put a conversation in its place, and say how that went.

        Raises StorageError, and UnwritableError where nothing of it can be written.
        """
        folder = self._paths.conversations / found.id
        self.known.add(found.id)
        restored = False
        if not self._disk.exists(str(folder)):
            restored = from_trash(self._paths.conversations, self._paths.data / "trash", found.id, self._disk)
            if not restored and (count := self._put_new(found, folder)) is not None:
                return Put("new", count)
        put = self._add_to(found, folder)
        return replace(put, outcome="restored") if restored else put

    def _put_new(self, found: Found, folder: Path) -> int | None:
        """How many messages came in; None where another import was faster."""
        lines, count = _lines(found.events, self.device)
        staged = self._staging / found.id
        try:
            staged.mkdir(mode=0o700)
            self._write(staged / f"{self.device}.jsonl", b"".join(lines))
            self._disk.sync_folder(str(staged))
            self._disk.rename(str(staged), str(folder))
            self._disk.sync_folder(str(folder.parent))
        except OSError as error:
            if self._disk.exists(str(folder)):
                return None
            raise cannot_write(error, folder) from error
        return count

    def _add_to(self, found: Found, folder: Path) -> Put:
        """What a conversation that is here does not know yet, fitted to it (`versions`)."""
        journal = Journal(folder, self.device, self._disk)
        journal.load(mend=False)
        writer = f"import-{secrets.token_hex(4)}"
        top = max((record.rev for record in journal.winners.values()), default=0)
        fit = fitted([(event, _recorded(event, 1, writer)[1]) for event in found.events], journal.winners)
        if not fit.events:
            return Put("known")
        lines, count = _lines(fit.events, writer, top)
        if journal.report.read_only:
            raise UnwritableError(journal.report.notice)
        staged = self._staging / writer
        try:
            self._write(staged, b"".join(lines))
            self._disk.rename(str(staged), str(folder / f"{writer}.jsonl"))
            self._disk.sync_folder(str(folder))
        except OSError as error:
            raise cannot_write(error, folder) from error
        return Put("grown", count, fit.completed, fit.versions)

    def _write(self, path: Path, content: bytes) -> None:
        fd = self._disk.open(str(path), "new")
        try:
            write_all(self._disk, fd, content)
            self._disk.sync(fd)
        finally:
            self._disk.close(fd)

    def _clear_stale(self) -> None:
        """What an import left that was killed."""
        for folder in self._imports.glob(f"{_STAGING}*"):
            with contextlib.suppress(OSError):  # another program clears it, too
                if folder != self._staging and self._now_s - folder.stat().st_mtime > _STALE_S:
                    shutil.rmtree(folder, ignore_errors=True)


class AsideFolder:
    """Where one import keeps what did not come in: made with the first thing, and a list of the reasons beside it."""

    def __init__(self, data: Path, name: str, at: datetime, disk: Disk | None = None) -> None:
        safe = "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in name).strip(".-")[:60]
        self.path = data / "imports" / f"{at:%Y%m%d-%H%M%S}-{safe or 'import'}"
        self._disk = disk or Disk()
        self._reasons: list[dict[str, str]] = []

    def add(self, what: str, why: str, content: bytes) -> None:
        """Raises StorageError."""
        try:
            while not self._reasons:
                try:
                    self.path.mkdir(parents=True, mode=0o700)
                    break
                except FileExistsError:  # another import in the same second
                    self.path = self.path.with_name(self.path.name + "-")
            name = f"{len(self._reasons) + 1:04}.txt" if content else ""
            if content:
                replace_durably(self._disk, str(self.path / name), content)
            self._reasons.append({"what": what, "why": why, "file": name})
            text = json.dumps(self._reasons, ensure_ascii=False, indent=1)
            replace_durably(self._disk, str(self.path / "reasons.json"), text.encode("utf-8", "replace"))
        except OSError as error:
            raise cannot_write(error, self.path) from error


def _lines(events: Iterable[Event], device: str, rev: int = 0) -> tuple[list[bytes], int]:
    """The lines of events, in order, and how many messages are among them."""
    lines: list[bytes] = []
    count = 0
    for number, event in enumerate(events, rev + 1):
        line, record = _recorded(event, number, device)
        lines.append(line)
        count += record.event_name == "message_added"
    return lines, count


def _recorded(event: Event, rev: int, device: str) -> tuple[bytes, Record]:
    line = _line(event, rev, device)
    record = read_line(line[:-1], device)
    if record is None:
        raise UnwritableError("an event is not one of ours")
    return line, record


def _line(event: Event, rev: int, device: str) -> bytes:
    if isinstance(event, BaseModel):
        try:
            return write_line(event, rev, device)
        except (ValueError, TypeError, RecursionError) as error:
            raise UnwritableError(f"it cannot be written: {str(error)[:120]}") from error
    rest = {key: value for key, value in event.items() if key not in ("v", "event", "rev", "dev", "crc")}
    head = {"v": event.get("v", 1), "event": event.get("event"), "rev": rev, "dev": device}
    try:
        body = canonical({**head, **rest})[:-1]
    except (ValueError, TypeError, RecursionError) as error:
        raise UnwritableError(f"it cannot be written: {str(error)[:120]}") from error
    return b'%b,"crc":"%08x"}\n' % (body, crc32(body))


def _known_conversations(state: Path) -> int:
    """How many conversations the list had when the program ran last: an empty data folder is not theirs then."""
    from sam_py.store.index import read_index

    index = read_index(state / "index.json")
    return len(index.summaries) if index is not None else 0


def damaged_error(name: str, detail: str = "") -> TransferError:
    """Nothing in a file could be read."""
    return TransferError(
        f"Nothing in {name} could be read as conversations: export it again, or choose another file.",
        kind="damaged",
        detail=detail,
    )
