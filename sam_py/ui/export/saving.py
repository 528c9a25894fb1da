"""Saving: an export in any form that the window offers; those of the store, and PDF."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from sam_py.paths import Paths
from sam_py.store.exporters.archive import Names
from sam_py.store.exporters.atomic import written_whole
from sam_py.store.exporters.background import Task, Tell, in_background
from sam_py.store.exporters.conversation import StoredConversation
from sam_py.store.exporters.errors import TransferError
from sam_py.store.exporters.printable import printable_pieces
from sam_py.store.exporters.run import ExportReport, Reading, Wanted, export, known_messages, suffix_for
from sam_py.ui.export.choice import Kind
from sam_py.ui.export.pdf import Printer

KINDS: tuple[Kind, ...] = ("html", "pdf", "markdown", "text", "json", "zip")


def ending_of(kind: Kind, conversations: int) -> str:
    """The ending of the file that holds so many conversations.

    >>> ending_of("pdf", 1), ending_of("pdf", 2), ending_of("json", 2)
    ('.pdf', '.zip', '.json')
    """
    if kind == "pdf":
        return ".pdf" if conversations == 1 else ".zip"
    return suffix_for(kind, conversations)


async def save(paths: Paths, wanted: Wanted, kind: Kind, target: Path, tell: Tell | None = None) -> ExportReport:
    """Write `target` as `kind`. Cancelling leaves it as it was. Raises TransferError, StorageError."""
    if kind != "pdf":
        return await export(paths, wanted, kind, target, tell)
    printer = Printer()
    return await in_background(lambda task: _save_pdf(paths, wanted, target, printer, task), tell)


def _save_pdf(paths: Paths, wanted: Wanted, target: Path, printer: Printer, task: Task) -> ExportReport:
    if not wanted.conversations:
        raise TransferError("There is nothing to export: choose a conversation that has messages.", kind="nothing")
    reading = Reading(paths, wanted, task, None)
    printed: Callable[[StoredConversation], bytes] = partial(_printed, printer, wanted, reading, task)
    with written_whole(target) as out:
        if len(wanted.conversations) == 1:
            for conversation in reading.conversations():
                out.write(printed(conversation))
        else:
            names = Names()
            with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
                for conversation in reading.conversations():
                    archive.writestr(names.take(conversation.title, ".pdf"), printed(conversation))
        if not reading.read:
            raise TransferError("There is nothing to export: no conversation could be read.", kind="nothing")
        size = out.tell()
    return ExportReport(target, reading.read, reading.messages, size, reading.damaged, tuple(reading.unreadable))


def _printed(printer: Printer, wanted: Wanted, reading: Reading, task: Task, conversation: StoredConversation) -> bytes:
    messages = known_messages(conversation, wanted.messages)
    pieces = printable_pieces(conversation, messages, branches=wanted.branches)
    most = len(messages) or len(conversation.tree.nodes if wanted.branches else conversation.path)

    def told(message: int) -> None:
        if len(wanted.conversations) == 1:  # else it is told how many of those are done
            task.progress(min(message, most), most, conversation.title, "messages")

    return printer.write(conversation.title, pieces, reading.find, task, told)
