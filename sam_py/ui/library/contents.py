"""Contents: the whole of a thing, read off the window's thread; and the file that it becomes when it is taken out."""

from __future__ import annotations

import mimetypes
import re
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path, PurePath

from sam_py.errors import SamError
from sam_py.messages.documents import MIME_TYPES, document_kind
from sam_py.messages.message import Message, ToolResultMessage
from sam_py.messages.parts import CodePart, FilePart, TextPart
from sam_py.store.journal import Journal
from sam_py.store.search_index.plain import read_markdown
from sam_py.store.search_index.results import Item
from sam_py.ui.last_things import at_the_end
from sam_py.ui.library.words import filled, shown_name, tr
from sam_py.ui.widgets.plain import one_line

_NOT_IN_NAMES = re.compile(r'[\\/:*?"<>|\x00-\x1f]+')
_NAME_CHARACTERS = 100
_RUN_WHEN_OPENED = frozenset(
    {
        ".app", ".appimage", ".bat", ".cmd", ".com", ".command", ".cpl", ".desktop", ".exe", ".hta", ".jar", ".jse",
        ".lnk", ".msc", ".msi", ".pif", ".ps1", ".reg", ".scf", ".scr", ".terminal", ".url", ".vbe", ".vbs", ".wsf",
        ".wsh",
    }
)  # fmt: skip
_ENDINGS = {
    "python": ".py", "py": ".py", "javascript": ".js", "js": ".js", "typescript": ".ts", "ts": ".ts", "bash": ".sh",
    "sh": ".sh", "shell": ".sh", "html": ".html", "css": ".css", "json": ".json", "yaml": ".yaml", "yml": ".yaml",
    "toml": ".toml", "sql": ".sql", "rust": ".rs", "go": ".go", "c": ".c", "cpp": ".cpp", "c++": ".cpp",
    "java": ".java", "kotlin": ".kt", "ruby": ".rb", "php": ".php", "xml": ".xml", "markdown": ".md", "md": ".md",
    "csv": ".csv", "diff": ".diff", "swift": ".swift", "lua": ".lua", "r": ".r", "latex": ".tex", "tex": ".tex",
}  # fmt: skip
_IMAGE_ENDINGS = {"image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp", "image/gif": ".gif",
                  "image/svg+xml": ".svg", "image/bmp": ".bmp", "image/tiff": ".tiff"}  # fmt: skip


def whole_text(conversations: Path, path_of: Callable[[str], Path | None], item: Item) -> str:
    """All the text of code or of a tool's result. Blocking. Raises SamError where it is gone.

    `path_of`: content hash → the file with those bytes.
    """
    place = item.place
    history = Journal(str(conversations / place.conversation_id), "").load(mend=False)
    stored = next((each for each in history.messages if each.id == place.message_id), None)
    text = _text_in(stored.load(), path_of, item) if stored is not None else None
    if text is None:
        raise SamError(tr("This is no longer in its conversation: it was edited or removed."))
    return text


def _text_in(message: Message, path_of: Callable[[str], Path | None], item: Item) -> str | None:
    if item.kind == "tool":
        if not isinstance(message, ToolResultMessage):
            return None
        whole = path_of(message.whole) if message.whole else None
        if whole is not None:
            with suppress(OSError):
                return whole.read_text(encoding="utf-8", errors="replace")
        return message.output_text
    part = message.parts[item.part_index] if 0 <= item.part_index < len(message.parts) else None
    match part:
        case CodePart():
            return part.code
        case TextPart():
            codes = read_markdown(part.text).codes
            return next((code.code for code in codes if code.offset == item.offset), None)
        case _:
            return None


def file_part(item: Item) -> FilePart:
    """A listed file or document as it was attached."""
    return FilePart(attachment=item.attachment, filename=item.name, mime_type=item.mime_type, size=item.size)


def file_name(item: Item) -> str:
    """What to save a thing as: its name, without what a system does not allow, and with the ending of what it is.

    A name never ends in a way that has it run when it is opened.
    """
    name = _NOT_IN_NAMES.sub("_", one_line(shown_name(item)))[:_NAME_CHARACTERS].strip(". ")
    suffix = PurePath(name).suffix.lower()
    same: tuple[str, ...]
    match item.kind:
        case "image":
            ending = _IMAGE_ENDINGS.get(item.mime_type) or mimetypes.guess_extension(item.mime_type) or ".png"
            same = {".jpg": (".jpg", ".jpeg"), ".tiff": (".tif", ".tiff")}.get(ending, (ending,))
            return name if suffix in same else f"{name or tr('Picture')}{ending}"
        case "code":
            ending = _ENDINGS.get(item.detail.lower(), ".txt")
            stem = re.sub(r"[^\w.-]+", "_", name)[:40].strip("_.") or "code"
            return stem if suffix == ending else f"{stem}{ending}"
        case "document":
            kind = document_kind(item.mime_type, 10**9)
            ending = f".{kind}" if kind in MIME_TYPES else ".txt"
            same = {".html": (".html", ".htm", ".xhtml"), ".csv": (".csv", ".tsv")}.get(ending, (ending,))
            return name if suffix in same else f"{name or tr('Document')}{ending}"
        case "tool":
            return f"{name or tr('Result')}.txt"
        case _:
            return f"{name}.txt" if suffix in _RUN_WHEN_OPENED or not name else name


def take_out(items: list[tuple[Item, Path | str]], folder: Path) -> list[Path]:
    """Write each thing (the file that holds it, or its text) into `folder`, each under a name of its own. Blocking.

    Raises SamError where one cannot be written.
    """
    taken: list[Path] = []
    for item, content in items:
        target = free_name(folder / file_name(item))
        write(content, target)
        taken.append(target)
    return taken


def write(content: Path | str, target: Path) -> None:
    """Copy a file, or write a text, to `target`. Blocking. Raises SamError."""
    try:
        if isinstance(content, Path):
            shutil.copyfile(content, target)
        else:
            target.write_text(content, encoding="utf-8", errors="replace")
    except OSError as error:
        words = tr("It could not be saved to %1 (%2). Choose another folder.")
        raise SamError(filled(words, str(target), error.strerror or str(error))) from error


def free_name(path: Path) -> Path:
    """`path`, or the first of ``name (2)``, ``name (3)`` … that is not there."""
    number = 2
    free = path
    while free.exists():
        free = path.with_name(f"{path.stem} ({number}){path.suffix}")
        number += 1
    return free


def folder_to_drag_from() -> Path:
    """A new folder for copies that are dragged to another program; it goes when the program ends."""
    return Path(tempfile.mkdtemp(dir=_dragged().name))


@cache
def _dragged() -> tempfile.TemporaryDirectory[str]:
    folder = tempfile.TemporaryDirectory(prefix="sam-dragged-", ignore_cleanup_errors=True)
    at_the_end(folder.cleanup)
    return folder
