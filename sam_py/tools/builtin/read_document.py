"""The tool that reads attached documents: piece by piece, by page or sheet, or by the words in them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from pydantic import Field

from sam_py.bus.message_bus import MessageBus
from sam_py.errors import SamError
from sam_py.messages.documents import Document, Section
from sam_py.messages.parts import FilePart
from sam_py.tools.base import Arguments, BuiltinTool, Running, ToolError, ToolOutput
from sam_py.tools.builtin.conversation import BusOf, ReadAttachment, attachment_of, open_bus, piece
from sam_py.tools.builtin.file_kinds import content_of, decoded
from sam_py.tools.builtin.matching import excerpt, fit, words_of

ReadDocumentText = Callable[[FilePart], Awaitable[Document | None]]
"""Returns the document that an attached file is; None where it is none. Raises SamError where it cannot be read."""

_EXCERPT = 300
_PASSAGE = 1_200
"""Characters of the passages into which a long section is divided for a search."""
_SECTIONS_LISTED = 60


class ReadDocument(Arguments):
    name: str = Field(default="", max_length=300, description="The attached file's name. Empty: list what is attached.")
    offset: int = Field(default=0, ge=0, description="The character to begin with.")
    section: str = Field(
        default="", max_length=200, description="Begin with this page, sheet, slide or chapter, such as Page 12."
    )
    words: str = Field(
        default="", max_length=500, description="Find these words instead of reading; without a name, in all documents."
    )
    most: int = Field(default=10, ge=1, le=50, description="With words: how many places at most.")


class ReadDocumentTool(BuiltinTool[ReadDocument]):
    name = "read_document"
    label = "Read a document"
    icon = "file"
    description = (
        "Read the text of a file that the person attached to this conversation (PDF, Word, Excel, PowerPoint, EPUB, "
        "web page, table or plain text), piece by piece or from a page, sheet, slide or chapter on; with words, find "
        "where they stand in it; without a name, list the attached files. Use it for what was too long to be sent to "
        "you whole, and before you quote a number from a document."
    )
    takes = ReadDocument
    untrusted = True  # a document is not the person's own word

    def __init__(
        self, bus_of: BusOf, read_attachment: ReadAttachment, read_document: ReadDocumentText | None = None
    ) -> None:
        self._bus_of = bus_of
        self._read_attachment = read_attachment
        self._read_document = read_document

    def doing(self, arguments: ReadDocument) -> str:
        if arguments.words.strip():
            return f"Look for “{arguments.words}” in {arguments.name or 'the attached files'}"
        return f"Read {arguments.name}" if arguments.name else "List the attached files"

    async def run(self, arguments: ReadDocument, running: Running) -> ToolOutput:
        files = _files(open_bus(self._bus_of, running))
        listing = "\n".join(f"{part.filename} ({part.mime_type}, {part.size:,} bytes)" for part in files.values())
        if not files:
            if arguments.name:
                raise ToolError("No files are attached to this conversation.")
            return ToolOutput("No files are attached to this conversation.")
        part = files.get(arguments.name.strip().casefold())
        if arguments.name and part is None:
            raise ToolError(f"No file {arguments.name!r} is attached. Attached are:\n{listing}")
        if arguments.words.strip():
            return await self._found(arguments, [part] if part is not None else list(files.values()))
        if part is None:
            return ToolOutput(listing)
        document = await self._document(part)
        offset = arguments.offset
        if arguments.section.strip():
            offset = max(offset, _start_of(document, arguments.section, part.filename))
        return piece(document.markdown, offset, part.filename)

    async def _found(self, arguments: ReadDocument, parts: list[FilePart]) -> ToolOutput:
        words = words_of(arguments.words)
        if not words:
            raise ToolError("Give words to look for, not only signs.")
        found: list[tuple[float, int, str]] = []
        unread: list[str] = []
        for part in parts:
            try:
                document = await self._document(part)
            except ToolError as error:
                if len(parts) == 1:
                    raise
                unread.append(str(error))
                continue
            found += await asyncio.to_thread(_places, document, part.filename, words, len(found))
        if not found:
            return ToolOutput("\n".join(["No passage holds these words. Try fewer or other ones.", *unread]))
        best = sorted(found, key=lambda each: (-each[0], each[1]))[: arguments.most]
        head = f"{len(found)} {'passage holds' if len(found) == 1 else 'passages hold'} some of the words, "
        head += f"{len(best)} shown, the best first; read on with the offset."
        return ToolOutput("\n".join([head, *(line for _rate, _number, line in best), *unread]), details=(head,))

    async def _document(self, part: FilePart) -> Document:
        """The document, or a plain text as one. Raises `ToolError` where it is neither."""
        if self._read_document is not None:
            try:
                document = await self._read_document(part)
            except SamError as error:
                raise ToolError(str(error)) from error
            if document is not None:
                if not document.has_text:
                    raise ToolError(f"{part.filename} holds no text: {' '.join(document.notes) or 'it is empty.'}")
                return document
        data = await attachment_of(self._read_attachment, part.attachment)
        content = content_of(data)
        if content.kind != "text":
            what = content.what or "a picture"
            raise ToolError(f"{part.filename} is {what}, not text, and cannot be read with this tool.")
        return _plain(await asyncio.to_thread(decoded, data, content.encoding))


def _files(bus: MessageBus) -> dict[str, FilePart]:
    """The attached files by folded name; of two with the same name the later one."""
    found: dict[str, FilePart] = {}
    for index in range(len(bus)):
        if bus.role_at(index) == "user":
            found |= {part.filename.casefold(): part for part in bus.at(index).files}
    return found


def _plain(text: str) -> Document:
    return Document("html", sections=(Section("", text),))  # of the kinds it is none: nobody asks here


def _starts(document: Document) -> list[tuple[str, int, str]]:
    """Label, place in the whole text, and text of each section."""
    starts = []
    at = 0
    for section in document.sections:
        inner = at + (len(section.label) + 3 if section.label else 0)
        starts.append((section.label, inner, section.text))
        at = inner + len(section.text) + 2
    return starts


def _start_of(document: Document, wanted: str, name: str) -> int:
    asked = " ".join(wanted.casefold().split()).strip("[]")
    labels = [(label.casefold(), at - len(label) - 3) for label, at, _text in _starts(document) if label]
    for asked_for in (asked, f"page {asked}", f"sheet {asked}", f"slide {asked}", f"chapter {asked}"):
        for label, start in labels:
            if label == asked_for or label == f"{asked_for}, hidden":
                return start
    shown = ", ".join(label for label, _at, _text in _starts(document)[:_SECTIONS_LISTED] if label)
    raise ToolError(
        f"{name} has no part {wanted!r} with text. It has: {shown}" if shown else f"{name} has no parts: use offset."
    )


def _places(document: Document, name: str, words: tuple[str, ...], number: int) -> list[tuple[float, int, str]]:
    """How well each passage fits, its rank in the order of reading, and a line that shows it."""
    found: list[tuple[float, int, str]] = []
    for label, start, text in _starts(document):
        for at in range(0, len(text), _PASSAGE):
            passage = text[at : at + _PASSAGE + 100]  # a word at the seam belongs to both
            rate = fit(passage, words)
            if rate > 0:
                where = f"{name}, {label}" if label else name
                line = f"[{where}, offset {start + at}] {excerpt(passage, words, _EXCERPT)}"
                found.append((rate, number + len(found), line))
    return found
