"""Tools that change files of the work folder: write a whole one, replace a piece of one. Both ask first."""

from __future__ import annotations

import difflib

from pydantic import Field

from sam_py.tools.base import Arguments, Running, ToolError, ToolOutput, Touch
from sam_py.tools.builtin.file_kinds import content_of
from sam_py.tools.builtin.folder_files import FolderFiles, Seen
from sam_py.tools.builtin.paths import Place
from sam_py.tools.builtin.threads import Stop, on_thread
from sam_py.tools.builtin.work_folder import FileTool

LARGEST = 2_000_000
"""Characters of a file that a tool writes or edits."""
_DIFF_LINES = 400


class WriteFile(Arguments):
    path: str = Field(description="The file, relative to the work folder. Missing folders are made.")
    text: str = Field(description="All of the file's new content.")
    replace: bool = Field(
        default=False, description="True: a file that is there already is replaced. False: that is an error."
    )


class WriteFileTool(FileTool[WriteFile]):
    name = "write_file"
    label = "Write a file"
    icon = "edit"
    description = (
        "Write a new text file (UTF-8) in the person's work folder, or replace one as a whole. For changing a part of "
        "a file use edit_file: it is shorter and loses nothing. The person is asked before anything is written."
    )
    takes = WriteFile
    parallel_safe = False

    def doing(self, arguments: WriteFile) -> str:
        lines = _count(arguments.text)
        return f"{'Replace all of' if arguments.replace else 'Write'} {arguments.path} ({lines})"

    def touches(self, arguments: WriteFile) -> tuple[Touch, ...]:
        return self._writes(arguments.path)

    async def run(self, arguments: WriteFile, running: Running) -> ToolOutput:
        def work(stop: Stop) -> tuple[str, str, Seen | None]:
            place = self._place(arguments.path)
            seen = self._files.seen(place)
            before = ""
            if seen is not None:
                if not arguments.replace:
                    raise ToolError(
                        f"{place.shown} is there already ({seen.size:,} bytes). Read it first; then change a part of "
                        "it with edit_file, or send replace: true to replace all of it."
                    )
                before = _text_of(self._files, place)[0] if seen.size <= LARGEST else ""
            data = _encoded(arguments.text, "utf-8", place)
            stop.check()
            self._files.replace(place, data, expected=seen, check=stop.check)
            return place.shown, before, seen

        name, before, seen = await on_thread(work)
        verb = "written" if seen is None else "replaced"
        return ToolOutput(
            f"{name} is {verb}: {_count(arguments.text)}.", details=tuple(diff(before, arguments.text, name))
        )


class EditFile(Arguments):
    path: str = Field(description="The file, relative to the work folder.")
    old: str = Field(
        min_length=1,
        description="The piece to replace, exactly as it stands in the file (blanks and line breaks too, "
        "without line numbers), with enough around it that it occurs once.",
    )
    new: str = Field(description="What takes its place; empty removes it.")
    everywhere: bool = Field(default=False, description="True: replace each occurrence, not the only one.")


class EditFileTool(FileTool[EditFile]):
    name = "edit_file"
    label = "Edit a file"
    icon = "edit"
    description = (
        "Replace a piece of a text file in the person's work folder. Read the file first, then give the old piece "
        "exactly and what takes its place. The old piece must occur exactly once, unless everywhere is true. "
        "Encoding and line ends stay. The person is asked before anything is written."
    )
    takes = EditFile
    quotes = True
    parallel_safe = False

    def doing(self, arguments: EditFile) -> str:
        where = " wherever they occur" if arguments.everywhere else ""
        return f"Edit {arguments.path}: {_count(arguments.old)} replaced by {_count(arguments.new)}{where}"

    def touches(self, arguments: EditFile) -> tuple[Touch, ...]:
        return self._writes(arguments.path)

    async def run(self, arguments: EditFile, running: Running) -> ToolOutput:
        def work(stop: Stop) -> tuple[str, str, str, int]:
            place = self._place(arguments.path)
            before, encoding, seen = _text_of(self._files, place)
            after, count = edited(before, arguments, place.shown)
            stop.check()
            data = _encoded(after, encoding, place)
            self._files.replace(place, data, expected=seen, check=stop.check)
            return place.shown, before, after, count

        name, before, after, count = await on_thread(work)
        places = "one place" if count == 1 else f"{count} places"
        lines = list(diff(before, after, name))
        return ToolOutput(f"{name} is changed in {places}.\n" + "\n".join(lines), details=tuple(lines))


def edited(text: str, arguments: EditFile, name: str) -> tuple[str, int]:
    """`text` with the edit, and how many places it changed. Raises `ToolError`, worded for a model."""
    if arguments.old == arguments.new:
        raise ToolError("old and new are the same: nothing would change.")
    old, new = arguments.old, arguments.new
    if "\r\n" in text and "\r\n" not in old:  # a model reads and writes \n; the file keeps its own line ends
        old = old.replace("\n", "\r\n")
        new = new.replace("\r\n", "\n").replace("\n", "\r\n")
    count = text.count(old)
    if count == 0:
        raise ToolError(_why_absent(text, arguments.old, name))
    if count > 1 and not arguments.everywhere:
        lines = [str(text.count("\n", 0, at) + 1) for at in _places(text, old)[:10]]
        raise ToolError(
            f"The old piece occurs {count} times in {name} (lines {', '.join(lines)}). Add what stands around the one "
            "you mean, or send everywhere: true."
        )
    return text.replace(old, new), count


def diff(before: str, after: str, name: str) -> list[str]:
    """The unified diff in lines, cut after 400."""
    lines = list(
        difflib.unified_diff(
            before.splitlines(), after.splitlines(), f"{name} (before)", f"{name} (after)", lineterm="", n=2
        )
    )
    if len(lines) > _DIFF_LINES:
        return [*lines[:_DIFF_LINES], f"… {len(lines) - _DIFF_LINES} more lines"]
    return lines


def _why_absent(text: str, old: str, name: str) -> str:
    start = f"The old piece does not occur in {name}. "
    if " ".join(old.split()) in " ".join(text.split()):
        return start + "Only blanks or line breaks differ: read the file again and copy the piece exactly."
    if old.casefold() in text.casefold():
        return start + "Only capital letters differ: copy the piece exactly."
    first = next((line.strip() for line in old.splitlines() if line.strip()), "")
    for number, line in enumerate(text.splitlines(), 1):
        if first and first in line:
            return start + f"Its first line stands in line {number}; what follows there differs. Read that part again."
    return start + "Read the file again: it may have changed, or the piece is in another file."


def _places(text: str, piece: str) -> list[int]:
    places = []
    at = text.find(piece)
    while at >= 0:
        places.append(at)
        at = text.find(piece, at + len(piece))
    return places


def _text_of(files: FolderFiles, place: Place) -> tuple[str, str, Seen]:
    """The text, its encoding, and what the file was. Raises `ToolError` where it is no text, or not wholly."""
    data, seen = files.read(place, LARGEST + 1)
    if len(data) > LARGEST:
        raise ToolError(f"{place.shown} is larger than {LARGEST // 1_000_000} MB: too large to be changed here.")
    content = content_of(data)
    if content.kind != "text":
        what = content.what or "a picture"
        raise ToolError(f"{place.shown} is {what}, not text: it cannot be changed with this tool.")
    try:
        return data.decode(content.encoding), content.encoding, seen
    except UnicodeDecodeError as error:
        raise ToolError(
            f"{place.shown} holds bytes that are no text in {content.encoding}; changing it would spoil them."
        ) from error


def _encoded(text: str, encoding: str, place: Place) -> bytes:
    if len(text) > LARGEST:  # not said in the schema: servers build grammars of it, which such a length breaks
        raise ToolError(f"{place.shown} would have more than {LARGEST:,} characters. Write several smaller files.")
    try:
        return text.encode(encoding)
    except UnicodeEncodeError as error:
        raise ToolError(
            f"{place.shown} is encoded as {encoding}, which has no {text[error.start]!r}. Use other characters."
        ) from error


def _count(text: str) -> str:
    lines = len(text.splitlines())
    return "nothing" if not lines else f"{lines} {'line' if lines == 1 else 'lines'}"
