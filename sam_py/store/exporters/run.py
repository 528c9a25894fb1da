"""Export: conversations, or messages of one, as files, with progress."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from sam_py.paths import Paths
from sam_py.store.disk import Disk
from sam_py.store.errors import StorageError
from sam_py.store.exporters.archive import FilesBeside, write_archive
from sam_py.store.exporters.atomic import written_whole
from sam_py.store.exporters.background import Task, Tell, in_background
from sam_py.store.exporters.conversation import StoredConversation
from sam_py.store.exporters.errors import TransferError, cannot_write_target
from sam_py.store.exporters.html_page import page
from sam_py.store.exporters.lossless import Find, Selection, write_json, write_zip
from sam_py.store.exporters.markdown import markdown
from sam_py.store.exporters.plain import plain
from sam_py.store.folders import conversation_ids

Form = Literal["json", "zip", "markdown", "html", "text"]
FORMS: tuple[Form, ...] = ("json", "zip", "markdown", "html", "text")
SUFFIXES: dict[Form, str] = {"json": ".json", "zip": ".zip", "markdown": ".md", "html": ".html", "text": ".txt"}
"""Of one conversation. Several, in the last three, are a ``.zip`` with a file each: see `suffix_for`."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be exported: conversations by id, or of one of them the messages named.

    `branches` and `details` are for reading forms: all versions, or what is shown; with thinking and tools, or
    without. The lossless forms always have them all.
    """

    conversations: tuple[str, ...]
    messages: tuple[str, ...] = ()
    branches: bool = False
    details: bool = True


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What was written. `unreadable` are titles or ids of conversations that could not be read; `damaged_lines` were
    damaged already in the data folder and are not in the export."""

    target: Path
    conversations: int
    messages: int
    size: int
    damaged_lines: int = 0
    unreadable: tuple[str, ...] = ()


def suffix_for(form: Form, conversations: int) -> str:
    """The ending of the file that an export of so many conversations makes.

    >>> suffix_for("html", 1), suffix_for("html", 2), suffix_for("json", 2)
    ('.html', '.zip', '.json')
    """
    return SUFFIXES[form] if conversations == 1 or form in ("json", "zip") else ".zip"


async def export(paths: Paths, wanted: Wanted, form: Form, target: Path, tell: Tell | None = None) -> ExportReport:
    """Write `target` on a thread of its own; cancelling leaves it as it was. What is open is flushed before by the
    caller (`Library.flush`). Raises TransferError or StorageError."""
    return await in_background(lambda task: export_blocking(paths, wanted, form, target, task), tell)


def all_conversations(paths: Paths, disk: Disk | None = None) -> list[str]:
    """The ids of everything in the library, the trash aside. Raises StorageError."""
    return conversation_ids(paths.conversations, disk or Disk())


def export_blocking(
    paths: Paths, wanted: Wanted, form: Form, target: Path, task: Task | None = None, *, disk: Disk | None = None
) -> ExportReport:
    """As `export`, on the caller's thread."""
    task = task or Task()
    if not wanted.conversations:
        raise TransferError("There is nothing to export: choose a conversation that has messages.", kind="nothing")
    reading = Reading(paths, wanted, task, disk)
    beside = FilesBeside(f"{target.stem} files", reading.find)
    made: Path | None = None
    try:
        with written_whole(target, disk) as out:
            match form:
                case "json":
                    write_json(out, reading.sources(), reading.find, task)
                case "zip":
                    write_zip(out, reading.sources(), reading.find, task)
                case _ if len(wanted.conversations) > 1:
                    writes = partial(_readable, form, wanted, reading.find)
                    write_archive(out, reading.conversations(), SUFFIXES[form], writes, reading.find, task)
                case _:
                    for conversation in reading.conversations():
                        most = len(wanted.messages) or len(conversation.tree.nodes)
                        for number, piece in enumerate(_readable(form, wanted, reading.find, conversation, beside)):
                            task.progress(min(number, most), most, conversation.title, "messages")
                            out.write(piece.encode("utf-8", "replace"))
            size = out.tell()
            if not reading.read:
                raise TransferError("There is nothing to export: no conversation could be read.", kind="nothing")
            made = _put_beside(beside, target, disk)
    except BaseException:  # also when it is stopped: what was made for it goes with it
        if made is not None:
            shutil.rmtree(made, ignore_errors=True)
        raise
    return ExportReport(target, reading.read, reading.messages, size, reading.damaged, tuple(reading.unreadable))


def _readable(
    form: Form, wanted: Wanted, find: Find, conversation: StoredConversation, beside: FilesBeside
) -> Iterator[str]:
    """The pieces of a conversation in a form for reading."""
    messages = known_messages(conversation, wanted.messages)
    match form:
        case "markdown":
            return markdown(conversation, beside.place, messages, branches=wanted.branches)
        case "html":
            return page(conversation, find, messages, branches=wanted.branches)
        case _:
            return plain(conversation, messages, branches=wanted.branches)


def _put_beside(beside: FilesBeside, target: Path, disk: Disk | None) -> Path | None:
    """The files that a text links to, in their folder; the folder where it was made anew."""
    if not beside.files:
        return None
    folder = target.parent / beside.folder
    is_new = not folder.exists()
    try:
        folder.mkdir(0o700, exist_ok=True)
    except OSError as error:
        raise cannot_write_target(error, folder) from error
    for name, path in beside.files.values():
        with written_whole(folder / name, disk) as out, path.open("rb") as source:
            shutil.copyfileobj(source, out)
    return folder if is_new else None


class Reading:
    """Reads the wanted conversations one after the other, and counts."""

    def __init__(self, paths: Paths, wanted: Wanted, task: Task, disk: Disk | None) -> None:
        self._paths = paths
        self._wanted = wanted
        self._task = task
        self._disk = disk
        self.read = 0
        self.messages = 0
        self.damaged = 0
        self.unreadable: list[str] = []

    def conversations(self) -> Iterator[StoredConversation]:
        """Those that can be read. One alone that cannot be read is an error; of several it is left out, and said."""
        for number, id in enumerate(self._wanted.conversations):
            try:
                conversation = StoredConversation(self._paths.conversations, id, self._disk)
            except (TransferError, StorageError):
                if len(self._wanted.conversations) == 1:
                    raise
                self.unreadable.append(id)
                continue
            conversation.has_details = self._wanted.details
            self._task.progress(number, len(self._wanted.conversations), conversation.title)
            self.read += 1
            self.messages += len(self._wanted.messages) or len(conversation.tree.nodes)
            yield conversation
            self.damaged += conversation.damaged_lines

    def sources(self) -> Iterator[StoredConversation | Selection]:
        for conversation in self.conversations():
            if self._wanted.messages:
                yield Selection(conversation, known_messages(conversation, self._wanted.messages))
            else:
                yield conversation

    def find(self, hash: str) -> Path | None:
        path = self._paths.attachments / hash[:2] / hash
        return path if path.is_file() else None


def known_messages(conversation: StoredConversation, messages: Sequence[str]) -> tuple[str, ...]:
    """The messages, in the order of the conversation. Raises TransferError where one is not in it."""
    for id in messages:
        if id not in conversation.tree.nodes:
            raise TransferError(
                "A message that was to be exported is not in the conversation any more: choose again.",
                kind="missing",
                detail=id,
            )
    return tuple(sorted(set(messages), key=lambda id: conversation.tree.nodes[id].order))
