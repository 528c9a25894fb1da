"""Searching the work folder: names by a glob, contents by words; bounded in files, bytes, hits and time."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from pydantic import Field

from sam_py.tools.base import Arguments, Running, ToolError, ToolOutput, Touch
from sam_py.tools.builtin.file_kinds import content_of, decoded
from sam_py.tools.builtin.folder_files import FolderFiles
from sam_py.tools.builtin.globs import matcher_of
from sam_py.tools.builtin.paths import Place
from sam_py.tools.builtin.threads import Stop, on_thread
from sam_py.tools.builtin.work_folder import FileTool

MOST_HITS = 200
MOST_ENTRIES = 50_000
MOST_BYTES = 300_000_000
LARGEST_FILE = 5_000_000
LONGEST_S = 20.0
_LINE = 300
_PASSED_OVER = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".tox", ".mypy_cache"})


class SearchFiles(Arguments):
    text: str = Field(
        default="",
        max_length=500,
        description="Words to find inside files, exactly as they stand there (no pattern). Empty: find files by name.",
    )
    glob: str = Field(
        default="",
        max_length=300,
        description="Which files, for example *.md, src/**/*.py or report?.txt. Empty: all files.",
    )
    folder: str = Field(default=".", description="Where to search, relative to the work folder.")
    match_case: bool = Field(default=False, description="Whether capital and small letters are told apart.")


@dataclass(slots=True)
class _Search:
    """What was found so far, and why the search ended before its end."""

    hits: list[str] = field(default_factory=list)
    files: int = 0
    entries: int = 0
    bytes_read: int = 0
    left_out: int = 0
    ended: str = ""


class SearchFilesTool(FileTool[SearchFiles]):
    name = "search_files"
    label = "Search files"
    icon = "search"
    description = (
        "Find files in the person's work folder by name (glob) and lines in them by their words (text). Give at least "
        "one of the two. Answers with paths, or with path:line: text. Links, binary files, files over 5 MB and "
        "folders such as .git and node_modules are passed over. At most 200 hits: narrow a search that finds more."
    )
    takes = SearchFiles
    quotes = True
    deadline_s = 40.0

    def doing(self, arguments: SearchFiles) -> str:
        what = f"“{arguments.text}”" if arguments.text else "files"
        names = f" in {arguments.glob}" if arguments.glob else ""
        below = "" if arguments.folder in (".", "") else f" below {arguments.folder}"
        return f"Search {what}{names}{below}"

    def touches(self, arguments: SearchFiles) -> tuple[Touch, ...]:
        return self._reads(arguments.folder)

    async def run(self, arguments: SearchFiles, running: Running) -> ToolOutput:
        if not arguments.text.strip() and not arguments.glob.strip():
            raise ToolError("Give text to look for in files, a glob for their names (for example *.md), or both.")
        if "\n" in arguments.text:
            raise ToolError("The text is looked for line by line, so it cannot hold a line break. Search one line.")
        place = self._place(arguments.folder)
        found = await on_thread(lambda stop: _search(self._files, place, arguments, stop))
        return _told(found, arguments)


def _search(
    files: FolderFiles,
    place: Place,
    arguments: SearchFiles,
    stop: Stop,
    monotonic: Callable[[], float] = time.monotonic,
) -> _Search:
    search = _Search()
    fits = matcher_of(arguments.glob) if arguments.glob else lambda _steps: True
    ends_s = monotonic() + LONGEST_S
    for file, size in _walk(files, place, search):
        stop.check()
        if monotonic() > ends_s:
            search.ended = f"it took longer than {LONGEST_S:.0f} s"
        if search.ended:
            break
        if not _is_chosen(fits, place, file):
            continue
        search.files += 1
        if not arguments.text:
            search.hits.append(file.shown)
        elif size > LARGEST_FILE:
            search.left_out += 1
        else:
            _search_file(files, file, arguments, search)
        if len(search.hits) >= MOST_HITS:
            search.ended = f"there are more than {MOST_HITS} hits"
        elif search.bytes_read > MOST_BYTES:
            search.ended = "too much would have to be read"
    return search


def _is_chosen(fits: Callable[[Sequence[str]], bool], start: Place, file: Place) -> bool:
    """A glob may be meant from the work folder or from the folder that is searched."""
    return fits(file.steps) or fits(file.steps[len(start.steps) :])


def _walk(files: FolderFiles, start: Place, search: _Search) -> Iterator[tuple[Place, int]]:
    """All files below `start` with their sizes, folder by folder. Raises `ToolError` for `start` alone."""
    waiting = deque([start])
    while waiting:
        folder = waiting.popleft()
        try:
            entries = files.entries(folder)
        except ToolError:
            if folder is start:
                raise
            search.left_out += 1  # not for us to read, or gone by now
            continue
        for entry in entries:
            search.entries += 1
            if search.entries > MOST_ENTRIES:
                search.ended = f"there are more than {MOST_ENTRIES:,} files and folders"
                yield folder, 0
                return
            if entry.kind == "file":
                yield folder.below(entry.name), entry.size
            elif entry.kind == "folder" and entry.name not in _PASSED_OVER:
                waiting.append(folder.below(entry.name))


def _search_file(files: FolderFiles, file: Place, arguments: SearchFiles, search: _Search) -> None:
    try:
        data, _seen = files.read(file, LARGEST_FILE)
    except ToolError:
        search.left_out += 1
        return
    search.bytes_read += len(data)
    content = content_of(data)
    if content.kind != "text":
        return
    text = decoded(data, content.encoding)
    wanted = arguments.text if arguments.match_case else arguments.text.casefold()
    if wanted not in (text if arguments.match_case else text.casefold()):
        return
    for number, line in enumerate(text.splitlines(), 1):
        if wanted in (line if arguments.match_case else line.casefold()):
            search.hits.append(f"{file.shown}:{number}: {_around(line, arguments.text)}")
            if len(search.hits) >= MOST_HITS:
                return


def _around(line: str, wanted: str) -> str:
    """The piece of a long line that shows what was looked for."""
    if len(line) <= _LINE:
        return line.strip()
    at = max(0, line.casefold().find(wanted.casefold()))
    begin = max(0, at - _LINE // 3)
    piece = line[begin : begin + _LINE].strip()
    return f"{'…' if begin else ''}{piece}{'…' if begin + _LINE < len(line) else ''}"


def _told(search: _Search, arguments: SearchFiles) -> ToolOutput:
    many = f"{search.files} {'file' if search.files == 1 else 'files'}"
    count = len(search.hits)
    lines = f"{count} {'line' if count == 1 else 'lines'}"
    head = f"{lines} in {many} searched" if arguments.text else f"{many} found"
    if search.left_out:
        head += f"; {search.left_out} could not be searched (too large, or not readable)"
    if search.ended:
        head += f". The search ended early: {search.ended}. Narrow it with glob or folder"
    if not count and not search.ended:
        head += ". Try fewer words, another spelling, or list_folder"
    return ToolOutput("\n".join([f"{head}.", *search.hits]), details=(f"{head}.",))
