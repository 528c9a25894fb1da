"""Import: from a file, ZIP or folder to conversations of the library, with a report of what came in."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from sam_py.messages.message import utc_now
from sam_py.paths import Paths
from sam_py.store.disk import Disk
from sam_py.store.exporters.background import Task, Tell, in_background
from sam_py.store.exporters.errors import TransferError
from sam_py.store.exporters.nested import written
from sam_py.store.importers.bundle import open_bundle
from sam_py.store.importers.detection import Part, parts_of
from sam_py.store.importers.found import Aside, Found, Source
from sam_py.store.importers.json_stream import KEPT_OF_DAMAGED
from sam_py.store.importers.writing import AsideFolder, ImportWriter, Outcome, UnwritableError, damaged_error

log = logging.getLogger(__name__)

_MOST_LISTED = 10_000


@dataclass(frozen=True, slots=True)
class Imported:
    """One conversation that came in, or was there."""

    id: str
    title: str
    outcome: Outcome
    messages: int
    """That came in now."""


@dataclass(frozen=True, slots=True)
class KeptAside:
    """Something that did not come in, and why."""

    what: str
    why: str


@dataclass(slots=True)
class ImportReport:
    """What an import did. `folder` holds what was kept aside, with the reasons; None where nothing was."""

    file: str
    format: str
    conversations: list[Imported] = field(default_factory=list)
    aside: list[KeptAside] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    attachments: int = 0
    completed: int = 0
    versions: int = 0
    folder: Path | None = None

    def count(self, *outcomes: Outcome) -> int:
        return sum(each.outcome in outcomes for each in self.conversations)

    @property
    def messages(self) -> int:
        return sum(each.messages for each in self.conversations)

    @property
    def summary(self) -> str:
        """One sentence for a person."""
        pieces = [_counted(self.count("new"), "new conversation")]
        pieces += [f"{n} with more messages" for n in (self.count("grown"),) if n]
        pieces += [f"{n} taken out of the trash" for n in (self.count("restored"),) if n]
        pieces += [f"{n} already here" for n in (self.count("known"),) if n]
        pieces += [f"{_counted(n, 'thing')} kept aside" for n in (len(self.aside),) if n]
        came = f"{_counted(self.messages, 'message')} and {_counted(self.attachments, 'file')}"
        return f"{self.format}: {', '.join(pieces)}; {came} came in."


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def format_of(path: Path) -> str:
    """The name of the format of what lies at `path`, for a person to see before anything is read. Blocking; raises
    TransferError where it is none that can be imported."""
    bundle = open_bundle(path)
    try:
        return _formats(parts_of(bundle))
    finally:
        bundle.close()


async def import_path(
    paths: Paths,
    path: Path,
    tell: Tell | None = None,
    *,
    format: str = "",
    now: datetime | None = None,
    began: Callable[[ImportReport], None] | None = None,
) -> ImportReport:
    """Import what lies at `path` on a thread of its own. Cancelling keeps the conversations that are in, each whole.

    `began` gets the report, on that thread, before there is anything in it: so whoever cancels, or has an error, holds
    what came in until then and what was kept aside. Afterwards the window's list is brought up by `Library.refresh`.
    Raises TransferError where nothing can be read, StorageError where the data folder cannot be written.
    """

    def work(task: Task) -> ImportReport:
        return import_blocking(paths, path, task, format=format, now=now, began=began)

    return await in_background(work, tell)


def import_blocking(
    paths: Paths,
    path: Path,
    task: Task | None = None,
    *,
    format: str = "",
    now: datetime | None = None,
    disk: Disk | None = None,
    began: Callable[[ImportReport], None] | None = None,
) -> ImportReport:
    """As `import_path`, on the caller's thread."""
    task = task or Task()
    bundle = open_bundle(path)
    try:
        parts = parts_of(bundle, format)
        report = ImportReport(path.name, _formats(parts))
        if began is not None:
            began(report)
        aside = AsideFolder(paths.data, path.name, now or utc_now(), disk)
        with ImportWriter(paths, disk) as writer:
            source = Source(
                bundle,
                writer.keep,
                known=writer.known,
                keep_damaged=writer.keep_damaged,
                conversation=writer.conversation,
            )
            try:
                for number, found in enumerate(_read(parts, source)):
                    name = found.title if isinstance(found, Found) else found.what
                    task.progress(number, 0, name, fraction=bundle.fraction)
                    _take(found, writer, report, aside)
            finally:  # also of one that is stopped
                report.attachments = writer.attachments
                _complete(report, source, aside)
    finally:
        bundle.close()
    if not report.conversations and not report.aside:
        raise damaged_error(path.name)
    return report


def _complete(report: ImportReport, source: Source, aside: AsideFolder) -> None:
    """Say what there is to say at the end."""
    for name, why in [*source.bundle.refused[:_MOST_LISTED], *source.damaged.items()]:
        aside.add(f"the file “{name}”", why, b"")
        report.aside.append(KeptAside(f"the file “{name}”", why))
    report.notes += [*_notes(report), *source.notes]
    report.folder = aside.path if report.aside else None


def _formats(parts: list[Part]) -> str:
    return ", ".join(part.importer.name for part in parts)


def _read(parts: list[Part], source: Source) -> Iterator[Found | Aside]:
    """What is found, each format after the other, and a damaged end of one as something kept aside."""
    for part in parts:
        source.files, source.others = part.files, part.others
        source.bundle.hide(name for other in parts if other is not part for name in (*other.files, *other.others))
        try:
            yield from part.importer.read(source)
        except TransferError as error:
            if error.kind not in ("damaged", "too_large") and len(parts) == 1:
                raise
            yield Aside(f"the rest of {source.bundle.path.name}", f"{error} {error.detail}".strip())


def _notes(report: ImportReport) -> Iterator[str]:
    """What was here and is otherwise in the file, in words."""
    if report.completed:
        yield f"{_counted(report.completed, 'message')} that came in before without everything: now whole."
    if report.versions:
        yield (
            f"{_counted(report.versions, 'message')} of the file said something else here: what was here stays, and "
            "what the file says, and what follows there, stands beside it as another version."
        )


def _take(found: Found | Aside, writer: ImportWriter, report: ImportReport, aside: AsideFolder) -> None:
    if isinstance(found, Found):
        try:
            put = writer.put(found)
        except UnwritableError as error:
            log.warning("a conversation cannot be imported: %s", error)
            text = written(list(found.events), lambda value: getattr(value, "__dict__", None) or str(value))
            found = Aside(f"the conversation “{found.title}”", str(error), text.encode("utf-8", "replace"))
        else:
            report.conversations.append(Imported(found.id, found.title, put.outcome, put.messages))
            report.completed += put.completed
            report.versions += put.versions
            report.notes += [note for note in found.notes if note not in report.notes]
            return
    why = found.why
    if len(found.content) >= KEPT_OF_DAMAGED:  # of what is damaged no more is held in memory
        why = f"{why}; it is long: keep the file that you imported, too"
    aside.add(found.what, why, found.content)
    report.aside.append(KeptAside(found.what, why))
