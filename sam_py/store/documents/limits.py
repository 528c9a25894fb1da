"""Limits: what one file may ask of the process that reads it, and the walls around that process."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sam_py.messages.documents import Section

if TYPE_CHECKING:
    import zipfile

MB = 1024 * 1024
SOFT_TIME_S = 40.0
"""After this the reading ends between two pages, and what was read is kept."""
TIME_S = 60.0
"""After this the process is ended."""
MEMORY_BYTES = 1536 * MB
MOST_CHARACTERS = 8_000_000
MOST_PAGES = 5_000
MOST_CELLS = 400_000
MOST_COLUMNS = 256
LONGEST_CELL = 5_000
"""Characters."""

MOST_MEMBERS = 10_000
LARGEST_MEMBER_BYTES = 128 * MB
UNPACKED_BYTES = 400 * MB
HIGHEST_RATIO = 250
"""Of a member's size to its packed size, where it is large: office files reach 50, bombs 1,000."""
_RATIO_FROM_BYTES = 8 * MB

_FORBIDDEN = ("socket.", "subprocess.", "os.exec", "os.spawn", "os.posix_spawn", "os.fork", "os.system", "os.startfile",
              "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.truncate", "os.link", "os.symlink", "os.chmod",
              "shutil.", "ftplib.", "http.", "smtplib.", "urllib.", "webbrowser.", "winreg.")  # fmt: skip


Tell = Callable[[int, int], None]
"""Takes how many pages are done, and of how many."""


class Unreadable(Exception):
    """The file cannot be read; `reason` as in `DocumentError`."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(detail or reason)
        self.reason = reason


class Enough(Exception):
    """A limit is reached: what was gathered is what there is."""


class Gathering:
    """Where a reader puts what it finds; says how far it is to `tell(done, total)`, and ends it at the limits."""

    def __init__(self, tell: Tell | None = None, *, now: Callable[[], float] = time.monotonic) -> None:
        self.sections: list[Section] = []
        self.notes: list[str] = []
        self.title = ""
        self.pages = 0
        self._tell = tell
        self._now = now
        self._begun_s = now()
        self._characters = 0
        self._cells = 0

    def progress(self, done: int, total: int) -> None:
        """Say that `done` of `total` pages are read. Raises `Enough` when the time is over."""
        if self._tell is not None:
            self._tell(done, total)
        self.check_time()

    def check_time(self) -> None:
        if self._now() - self._begun_s > SOFT_TIME_S:
            self.note("Reading took too long: the rest is left out.")
            raise Enough

    def add(self, label: str, text: str) -> None:
        """Keep a section; an empty one is dropped. Raises `Enough` where there is no room for all of it."""
        text = text.strip("\n")
        room = MOST_CHARACTERS - self._characters
        if text.strip():
            self.sections.append(Section(label, text[:room]))
            self._characters += len(text)
        if len(text) >= room:
            self.note(f"The text is longer than {MOST_CHARACTERS:,} characters: the rest is left out.")
            raise Enough

    def count_cells(self, number: int) -> None:
        """Count cells of a table. Raises `Enough` over the limit."""
        self._cells += number
        if self._cells > MOST_CELLS:
            self.note(f"There are more than {MOST_CELLS:,} cells: the rest is left out.")
            raise Enough

    def note(self, sentence: str) -> None:
        if sentence not in self.notes:
            self.notes.append(sentence)


def checked_zip(path: Path) -> zipfile.ZipFile:
    """The archive at `path`, opened, when it unpacks within the limits. Nothing in it is read for that.

    Python reads no more of a member than its header declares, so the declared sizes bind. Raises `Unreadable`.
    """
    import zipfile  # the window knows these limits, too, and opens no archive

    archive = zipfile.ZipFile(path)
    members = archive.infolist()
    if len(members) > MOST_MEMBERS:
        raise Unreadable("bomb", f"{len(members):,} files in one archive")
    total = 0
    for member in members:
        total += member.file_size
        ratio = member.file_size / max(1, member.compress_size)
        if member.file_size > LARGEST_MEMBER_BYTES or total > UNPACKED_BYTES:
            raise Unreadable("bomb", f"it unpacks to more than {total // MB:,} MB")
        if member.file_size > _RATIO_FROM_BYTES and ratio > HIGHEST_RATIO:
            raise Unreadable("bomb", f"a part of it unpacks to {ratio:,.0f} times its size")
        if member.flag_bits & 1:
            raise Unreadable("password", member.filename)
    return archive


def refuse_entities(archive: zipfile.ZipFile) -> None:
    """Raises `Unreadable` where a part of an Office file declares entities: the format forbids it, bombs live on it."""
    from xml.parsers import expat

    for name in archive.namelist():
        if name.endswith((".xml", ".rels")):
            parser = expat.ParserCreate()
            parser.StartDoctypeDeclHandler = _declares
            parser.StartElementHandler = _begins
            with archive.open(name) as part:
                try:
                    while piece := part.read(4_096):
                        parser.Parse(piece, False)
                except (_Begins, expat.ExpatError):  # what is damaged is for the reader to judge
                    continue


class _Begins(Exception):
    """The first element: nothing can be declared from here on."""


def _begins(_name: str, _attributes: dict[str, str]) -> None:
    raise _Begins


def _declares(*_declared: object) -> None:
    raise Unreadable("damaged", "it declares a document type, as no Office file does")


def enter_walls() -> None:
    """Give away what reading needs not: memory, processor time, writing, programs, connections. For good."""
    try:
        import resource
    except ImportError:  # Windows: the time limit, the archive's limits and the hook below are what there is
        pass
    else:
        for limit, value in (
            (resource.RLIMIT_CPU, round(TIME_S) + 5),
            (resource.RLIMIT_FSIZE, 0),
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_AS, MEMORY_BYTES),
        ):
            try:
                resource.setrlimit(limit, (value, value))
            except (ValueError, OSError):  # macOS refuses some; the watch below stands in for memory
                continue
        os.nice(5)
        if sys.platform == "darwin":
            threading.Thread(target=_watch_memory, args=(resource,), daemon=True).start()
    sys.addaudithook(_guard)


def _guard(event: str, arguments: tuple[object, ...]) -> None:
    if event.startswith(_FORBIDDEN):
        raise PermissionError(f"a document's reader may not do {event}")
    if event == "open" and isinstance(flags := arguments[-1], int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        raise PermissionError("a document's reader may not write")


def _watch_memory(resource: Any) -> None:
    """End the process where it holds too much: macOS has no limit on address space. Sizes there are in bytes."""
    while True:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        if usage.ru_maxrss > MEMORY_BYTES:
            os._exit(MEMORY_EXIT)
        time.sleep(0.1)


MEMORY_EXIT = 77
"""How the process ends that held too much memory."""
