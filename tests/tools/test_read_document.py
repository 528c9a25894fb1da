"""The tool that reads attached documents: from a page on, on from an offset, and by their words."""

from __future__ import annotations

import asyncio
import json

import pytest

from sam_py.bus.message_bus import MessageBus
from sam_py.errors import SamError
from sam_py.messages.documents import MIME_TYPES, Document, Section
from sam_py.messages.parts import FilePart
from sam_py.tools.base import Running, ToolError
from sam_py.tools.builtin.conversation import PIECE
from sam_py.tools.builtin.read_document import ReadDocumentTool

REPORT = Document(
    "pdf",
    sections=(
        Section("Page 1", "An overture. " * 3_000),
        Section("Page 2", "Here the profit of Tea Ltd was 42 thousand."),
        Section("Page 12", "An appendix."),
    ),
    pages=12,
)
BOOK = Document("xlsx", sections=(Section("Sheet Costs, hidden", "| Tea | 2.50 |"),), pages=1)


def ask(**arguments: object) -> str:
    found = {"r": REPORT, "b": BOOK, "e": Document("pdf", pages=3, notes=("All 3 pages hold no text.",))}
    bus = MessageBus("c")
    parts = [
        FilePart(attachment=hash, filename=name, mime_type=MIME_TYPES["pdf"], size=10**6)
        for hash, name in (("r", "report.pdf"), ("b", "Book.xlsx"), ("e", "scan.pdf"), ("l", "locked.pdf"))
    ]
    bus.add_user_message("Look", tuple(parts))

    async def bytes_of(_hash: str) -> bytes:
        raise AssertionError("a document is read by its text")

    async def document_of(part: FilePart) -> Document | None:
        if part.attachment == "l":
            raise SamError("“locked.pdf” is protected by a password.")
        return found[part.attachment]

    tool = ReadDocumentTool(lambda _id: bus, bytes_of, document_of)
    parsed = tool.parse(json.dumps(arguments))
    return asyncio.run(tool.run(parsed, Running("call", "c"))).text


def test_a_document_is_read_in_pieces_that_follow_each_other() -> None:
    first = ask(name="REPORT.pdf")
    assert first.startswith(f"report.pdf: characters 0 to {PIECE:,} of")
    second = ask(name="report.pdf", offset=PIECE)
    assert REPORT.markdown.startswith(first.partition("\n\n")[2] + second.partition("\n\n")[2])


@pytest.mark.parametrize("section", ["Page 2", "page 2", "2", "[Page 2]"])
def test_a_document_is_read_from_a_page_on(section: str) -> None:
    assert ask(name="report.pdf", section=section).partition("\n\n")[2].startswith("[Page 2]\nHere the profit")


def test_a_sheet_is_found_by_its_name_and_a_missing_page_lists_those_there_are() -> None:
    assert ask(name="book.xlsx", section="costs").endswith("[Sheet Costs, hidden]\n| Tea | 2.50 |")
    with pytest.raises(ToolError, match="It has: Page 1, Page 2, Page 12"):
        ask(name="report.pdf", section="3")


def test_words_are_found_in_all_documents_and_the_place_can_be_read() -> None:
    found = ask(words="profit of tea")
    best = found.splitlines()[1]
    assert best.startswith("[report.pdf, Page 2, offset ")
    assert "Here the profit of Tea Ltd" in best
    assert "[Book.xlsx, Sheet Costs, hidden, offset" in found
    assert "locked.pdf” is protected by a password" in found
    offset = int(best.partition("offset ")[2].partition("]")[0])
    assert ask(name="report.pdf", offset=offset).partition("\n\n")[2].startswith("Here the profit")


def test_what_has_no_text_or_is_locked_says_so() -> None:
    with pytest.raises(ToolError, match="All 3 pages hold no text"):
        ask(name="scan.pdf")
    with pytest.raises(ToolError, match="protected by a password"):
        ask(name="locked.pdf", words="key")
