"""Tools that look into the work folder: read a file, list a folder."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

from pydantic import Field

from sam_py.messages.parts import ImagePart
from sam_py.tools.base import Arguments, Running, ToolError, ToolOutput, Touch
from sam_py.tools.builtin.file_kinds import content_of, decoded, picture_size
from sam_py.tools.builtin.folder_files import Entry
from sam_py.tools.builtin.threads import Stop, on_thread
from sam_py.tools.builtin.work_folder import FileTool, WorkFolders

PutAttachment = Callable[[bytes, str], Awaitable[str]]

LARGEST_FILE = 20_000_000
"""Bytes of a file that is read; what lies behind is not shown, and that is said."""
LINES = 500
LONGEST_LINE = 2_000
_PAGE_CHARACTERS = 20_000
_ENTRIES = 500


class ReadFile(Arguments):
    path: str = Field(description="The file, relative to the work folder, with / between folders.")
    first_line: int = Field(default=1, ge=1, description="The line to begin with, counted from 1.")
    lines: int = Field(default=LINES, ge=1, le=2_000, description="How many lines at most.")


class ReadFileTool(FileTool[ReadFile]):
    name = "read_file"
    label = "Read a file"
    description = (
        "Read a text file or look at a picture (PNG, JPEG, GIF, WebP) in the person's work folder. Text comes with "
        "line numbers (not part of the file), a page at a time; the answer says which first_line gives the next page. "
        "Read a file before you edit it. For finding words in many files use search_files."
    )
    takes = ReadFile
    quotes = True

    def __init__(self, folders: WorkFolders, put_attachment: PutAttachment) -> None:
        super().__init__(folders)
        self._put_attachment = put_attachment

    def doing(self, arguments: ReadFile) -> str:
        return f"Read {arguments.path}"

    def touches(self, arguments: ReadFile) -> tuple[Touch, ...]:
        return self._reads(arguments.path)

    async def run(self, arguments: ReadFile, running: Running) -> ToolOutput:
        def work(stop: Stop) -> tuple[bytes, ToolOutput | None, str]:
            place = self._place(arguments.path)
            data, seen = self._files.read(place, LARGEST_FILE)
            stop.check()
            content = content_of(data)
            if content.kind == "picture":
                if seen.size > LARGEST_FILE:
                    raise ToolError(f"{place.shown} is a picture of more than 20 MB: too large to be looked at.")
                return data, None, content.mime_type
            if content.kind == "binary":
                raise ToolError(
                    f"{place.shown} is {content.what} ({_bytes(seen.size)}), not text, and cannot be read as such. "
                    "A document has to be attached to the conversation by the person."
                )
            text = decoded(data, content.encoding)
            return data, _page(place.shown, text, content.encoding, seen.size, arguments), ""

        data, page, mime_type = await on_thread(work)
        if page is not None:
            return page
        width, height = picture_size(data)
        hash = await self._put_attachment(data, mime_type)
        part = ImagePart(attachment=hash, mime_type=mime_type, width=width, height=height, alt=arguments.path)
        size = f", {width} × {height} pixels" if width and height else ""
        return ToolOutput(f"{arguments.path}: a picture ({mime_type}, {_bytes(len(data))}{size}), shown.", (part,))


class ListFolder(Arguments):
    path: str = Field(default=".", description="The folder, relative to the work folder; . is the work folder itself.")
    first_entry: int = Field(default=1, ge=1, description="The entry to begin with, counted from 1.")


class ListFolderTool(FileTool[ListFolder]):
    name = "list_folder"
    label = "List a folder"
    icon = "folder"
    description = (
        "List the files and folders directly inside a folder of the person's work folder, with sizes and times of the "
        "last change. Begin here when you do not know the files yet. For a whole tree use search_files with a glob."
    )
    takes = ListFolder
    quotes = True

    def doing(self, arguments: ListFolder) -> str:
        return "List the work folder" if arguments.path in (".", "") else f"List {arguments.path}"

    def touches(self, arguments: ListFolder) -> tuple[Touch, ...]:
        return self._reads(arguments.path)

    async def run(self, arguments: ListFolder, running: Running) -> ToolOutput:
        place = self._place(arguments.path)
        entries = await on_thread(lambda _stop: self._files.entries(place))
        if not entries:
            return ToolOutput(f"{place.shown} is empty.")
        begin = arguments.first_entry - 1
        shown = entries[begin : begin + _ENTRIES]
        if not shown:
            raise ToolError(f"{place.shown} has only {len(entries)} entries.")
        lines = [_line(entry) for entry in shown]
        head = f"{place.shown}: {len(entries)} {'entry' if len(entries) == 1 else 'entries'}"
        if len(shown) < len(entries):
            last = begin + len(shown)
            head += f", {begin + 1} to {last} shown"
            if last < len(entries):
                head += f"; the next with first_entry {last + 1}"
        return ToolOutput("\n".join([head, *lines]), details=(head,))


def _page(name: str, text: str, encoding: str, size: int, arguments: ReadFile) -> ToolOutput:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines[-1] == "":
        lines.pop()
    if not lines:
        return ToolOutput(f"{name} is empty.")
    begin = arguments.first_line - 1
    if begin >= len(lines):
        raise ToolError(f"{name} has only {len(lines)} lines.")
    shown: list[str] = []
    characters = 0
    for number, line in enumerate(lines[begin : begin + arguments.lines], begin + 1):
        cut = line
        if len(line) > LONGEST_LINE:
            cut = f"{line[:LONGEST_LINE]} [… {len(line) - LONGEST_LINE:,} characters of this line are left out]"
        shown.append(f"{number:>5}\t{cut}")
        characters += len(shown[-1]) + 1
        if characters > _PAGE_CHARACTERS:
            break
    last = begin + len(shown)
    head = f"{name}: lines {begin + 1} to {last} of {len(lines)}"
    if encoding != "utf-8":
        head += f", encoded as {encoding}"
    if last < len(lines):
        head += f"; go on with first_line {last + 1}"
    if size > LARGEST_FILE:
        head += f". The file is {_bytes(size)}; only its first 20 MB can be read"
    return ToolOutput("\n".join([head, *shown]), details=(head,))


def _line(entry: Entry) -> str:
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.changed_s))
    match entry.kind:
        case "folder":
            return f"{entry.name}/"
        case "file":
            return f"{entry.name}  {_bytes(entry.size)}  {when}"
        case "link":
            return f"{entry.name}  (a link)"
        case _:
            return f"{entry.name}  (not a file with content)"


def _bytes(size: int) -> str:
    if size < 1000:
        return f"{size} bytes"
    return f"{size / 1000:.1f} kB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"
