"""The text of documents: of real files of each kind, kept once, and of files that mean harm."""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sam_py.messages.documents import AS_IT_STANDS_BYTES, MIME_TYPES, Document, DocumentKind, document_of
from sam_py.messages.parts import FilePart
from sam_py.store.documents import limits, worker
from sam_py.store.documents.limits import Gathering
from sam_py.store.documents.process import DocumentError, Extraction
from sam_py.store.documents.shelf import Documents
from sam_py.store.writer import Writer
from tests.fakes import documents as made

MAKERS: dict[DocumentKind, Callable[[], bytes]] = {
    "pdf": made.report,
    "docx": made.docx,
    "xlsx": made.xlsx,
    "pptx": made.pptx,
    "epub": made.epub,
    "html": made.html,
    "csv": made.csv,
}


def read(folder: Path, kind: DocumentKind, data: bytes) -> Document:
    path = folder / "file"
    path.write_bytes(data)
    return Extraction(path, kind, f"a.{kind}").run()


def test_a_pdf_has_pages_and_its_table_stays_a_table(tmp_path: Path) -> None:
    document = read(tmp_path, "pdf", made.report())
    assert document.title == "A report"
    assert document.pages == 2
    assert document.notes == ("Page 2 holds no text: it may be a picture.",)
    assert document.markdown.startswith("[Page 1]\nThe costs of May\nAll prices are in euro.\n")
    assert "| Item | Price | Count |\n| --- | --- | --- |\n| Tea | 2.50 | 7 |\n| Salt and pepper | 10.00 | 12 |" in (
        document.markdown
    )
    assert document.markdown.endswith("That is all.")


def test_dots_that_lead_to_a_page_number_are_no_columns(tmp_path: Path) -> None:
    words = []
    for line, (name, page) in enumerate((("1 Beginning", "1"), ("2 Middle", "17"), ("3 End", "112"))):
        words += [
            (72.0, 700.0 - 20 * line, name),
            (190.0, 700.0 - 20 * line, ". . . . . . . . . . . . . . . ." + " ." * 20),
        ]
        words.append((480.0, 700.0 - 20 * line, page))
    document = read(tmp_path, "pdf", made.pdf([[*words, (72.0, 500.0, "See ........... 4")]]))
    assert document.markdown == (
        "[Page 1]\n| 1 Beginning | 1 |\n| --- | --- |\n| 2 Middle | 17 |\n| 3 End | 112 |\n\nSee … 4"
    )


def test_a_word_document_keeps_headings_lists_and_tables(tmp_path: Path) -> None:
    document = read(tmp_path, "docx", made.docx())
    assert document.title == "The plan"
    assert document.markdown == (
        "# Plan\n\nWe spend little. Żółć, 中文.\n\n1. First\n2. Second\n- A point\n\n"
        "| Name | City | Age |\n| --- | --- | --- |\n| Ada \\| Byron |  | 36 |"
    )


def test_a_workbook_has_a_table_for_each_sheet_and_formulas_where_nothing_was_calculated(tmp_path: Path) -> None:
    document = read(tmp_path, "xlsx", made.xlsx())
    assert document.pages == 2
    assert document.markdown == (
        "[Sheet Costs]\n| Item | Price | Twice |\n| --- | --- | --- |\n| Tea | 2.5 | =B2*2 |\n| Salt | 0.3 |  |\n\n"
        "[Sheet Rates, hidden]\n| 42 |\n| --- |"
    )


def test_a_presentation_has_titles_tables_charts_and_notes(tmp_path: Path) -> None:
    document = read(tmp_path, "pptx", made.pptx())
    assert document.pages == 1
    assert document.markdown.startswith("[Slide 1]\n# Growth\n\nIt grows\n\n| Year | Sum |\n| --- | --- |\n| 2025 |")

    assert "|  | Sales |\n| --- | --- |\n| East | 1.5 |\n| West | 2 |" in document.markdown
    assert document.markdown.endswith("Notes: Smile here")


def test_a_book_has_its_chapters_in_reading_order(tmp_path: Path) -> None:
    document = read(tmp_path, "epub", made.epub())
    assert (document.title, document.pages) == ("A tale", 2)
    assert document.markdown == "[Chapter 1]\n## One\n\nOnce upon a time\n\n[Chapter 2]\nThe end"


def test_a_web_page_is_what_a_browser_would_show(tmp_path: Path) -> None:
    document = read(tmp_path, "html", made.html())
    assert document.title == "Shop"
    assert document.markdown == (
        "# Wares\n\nLook at [these](https://shop.example/x).\n\n- tea\n  - green\n- rice\n\n"
        "| a | b |\n| --- | --- |\n| 1 | 2 |\n\n```\nx\n  y\n```"
    )


def test_a_very_long_text_of_a_web_page_is_not_lost(tmp_path: Path) -> None:
    """The parser drops texts of more than 10 MB unless it is told not to."""
    document = read(tmp_path, "html", b"<p>" + b"word " * 2_200_000)
    assert (len(document.markdown), document.is_cut) == (limits.MOST_CHARACTERS, True)


def test_what_is_nested_too_deep_is_said_to_be_missing(tmp_path: Path) -> None:
    """The parser ends there without a word."""
    document = read(tmp_path, "html", f"<p>before</p>{_deep('div', 5_000)}".encode())
    assert (document.markdown, document.is_cut) == ("before", True)
    assert document.notes == ("The page's elements are nested too deep to be read: what follows is left out.",)
    empty = read(tmp_path, "html", b"<div>" * 200_000 + b"hi")
    assert not empty.has_text
    assert empty.notes == document.notes
    book = read(tmp_path, "epub", made.epub([_deep("div", 5_000), "<p>after</p>"]))
    assert "after" in book.markdown
    assert book.notes == ("The page's elements are nested too deep to be read: the rest of chapter 1 is left out.",)


def test_a_table_in_a_file_is_read_with_its_own_delimiter_and_letters(tmp_path: Path) -> None:
    assert read(tmp_path, "csv", made.csv()).markdown == (
        "| Größe | Preis |\n| --- | --- |\n| 10 | 1,50 |\n| 20 | 2,75 |"
    )


# Files that mean harm

LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha">' + "".join(
    f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
OUTSIDE = '<!DOCTYPE x [<!ENTITY i SYSTEM "file:///etc/passwd">'


def _word(doctype: str) -> bytes:
    body = "<w:body><w:p><w:r><w:t>&i;</w:t></w:r></w:p></w:body>"
    whole = f"<?xml version='1.0'?>{doctype}]><w:document xmlns:w='{made.W}'>{body}</w:document>"
    return made.with_member(made.docx(), "word/document.xml", whole)


def _sheet(doctype: str) -> bytes:
    row = "<sheetData><row><c t='inlineStr'><is><t>&i;</t></is></c></row></sheetData>"
    whole = f"<?xml version='1.0'?>{doctype}]><worksheet xmlns='{made.SHEET}'>{row}</worksheet>"
    return made.with_member(made.xlsx(), "xl/worksheets/sheet1.xml", whole)


def _deep(tag: str, levels: int) -> str:
    return f"<{tag}>" * levels + "deep" + f"</{tag}>" * levels


def _endless_pages() -> bytes:
    """A page tree that is its own child, and says that it has a billion pages."""
    return made.pdf([[(72, 700, "x")]]).replace(b"/Count 1 /Kids [6 0 R]", b"/Count 999999999 /Kids [6 0 R 2 0 R]")


HOSTILE: dict[str, tuple[DocumentKind, Callable[[], bytes], str]] = {
    "a gigabyte in a kilobyte": ("docx", lambda: made.lying(made.docx(), "word/document.xml", 2**30), "bomb"),
    "a thousandfold sheet": (
        "xlsx",
        lambda: made.with_member(made.xlsx(), "xl/worksheets/sheet1.xml", b" " * 12_000_000),
        "bomb",
    ),
    "twelve thousand sheets": (
        "xlsx",
        lambda: made.zipped({"xl/workbook.xml": ""} | {f"xl/worksheets/s{n}.xml": "" for n in range(12_000)}),
        "bomb",
    ),
    "entities that laugh in a document": ("docx", lambda: _word(LAUGHS), "damaged"),
    "entities that laugh in a workbook": ("xlsx", lambda: _sheet(LAUGHS), "damaged"),
    "entities that laugh in a book": ("epub", lambda: made.epub(**{"O/book.opf": f"{LAUGHS}]><x>&i;</x>"}), ""),
    "a file of the system in a document": ("docx", lambda: _word(OUTSIDE), "damaged"),
    "a file of the system in a workbook": ("xlsx", lambda: _sheet(OUTSIDE), "damaged"),
    "pages without end": ("pdf", _endless_pages, ""),
    "a document with a password": ("pdf", made.locked_pdf, "password"),
    "a book that is locked": (
        "epub",
        lambda: made.epub(**{"META-INF/encryption.xml": '<e><EncryptionMethod Algorithm="aes"/></e>'}),
        "protected",
    ),
    "a web page of a hundred thousand levels": ("html", lambda: _deep("div", 100_000).encode(), ""),
    "tables within tables": ("html", lambda: _deep("table><tr><td", 3_000).encode(), ""),
    "a book that is deep": ("epub", lambda: made.epub([_deep("blockquote", 50_000)]), ""),
    "ten megabytes in one line": ("csv", lambda: b'"' + b"x" * 10_000_000, ""),
    "a million columns": ("csv", lambda: b"," * 1_000_000, ""),
    "a picture with a document's name": ("docx", lambda: b"\x89PNG\r\n\x1a\n" + bytes(1000), "damaged"),
    "a book with a workbook's name": ("xlsx", made.epub, "damaged"),
    "nothing": ("pdf", lambda: b"%PDF-1.7\n", "damaged"),
    "an empty archive": ("docx", lambda: made.zipped({}), "damaged"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_ends_in_a_clear_error_or_in_partial_text(tmp_path: Path, name: str) -> None:
    kind, make, reason = HOSTILE[name]
    (tmp_path / "file").write_bytes(make())
    failed: DocumentError | None = None
    text = ""
    try:
        text = Extraction(tmp_path / "file", kind, f"a.{kind}", time_s=20).run().markdown
    except DocumentError as error:
        failed = error
    if failed is not None:
        assert reason in (failed.reason, "")
        assert failed.reason not in ("time", "crash", "memory")
        assert f"“a.{kind}”" in str(failed)
    else:
        assert not reason
        assert len(text) <= limits.MOST_CHARACTERS + 10_000
        assert "root:" not in text
        assert text.count("ha") < 1_000


@pytest.mark.parametrize("kind", ["pdf", "docx", "xlsx", "pptx", "epub", "html", "csv"])
def test_a_file_that_is_cut_off_anywhere_is_read_in_part_or_refused(tmp_path: Path, kind: DocumentKind) -> None:
    """In this process, so that it is quick."""
    reader = importlib.import_module(f"sam_py.store.documents.read_{kind}")
    data = MAKERS[kind]()
    chance = random.Random(4)
    for _ in range(20):
        (tmp_path / "file").write_bytes(data[: chance.randrange(1, len(data))])
        gathering = Gathering()
        said = worker._answer(reader.read, kind, tmp_path / "file", gathering)
        assert ("document" in said) != (said.get("failed") in ("damaged", "bomb", "password"))


def test_what_comes_before_the_damage_is_kept(tmp_path: Path) -> None:
    book = made.epub(["<p>Here</p>", "<p>there</p>"])
    place = book.index(b"O/chapter 2.xhtml") + len("O/chapter 2.xhtml")
    document = read(tmp_path, "epub", book[:place] + b"\xff" * 8 + book[place + 8 :])
    assert document.markdown == "[Chapter 1]\nHere"
    assert document.notes == ("1 of 2 chapters are missing or damaged.",)


def test_macros_and_links_outside_are_left_alone(tmp_path: Path) -> None:
    data = made.with_member(made.docx(), "word/vbaProject.bin", b"\xd0\xcf\x11\xe0macro")
    assert "macro" not in read(tmp_path, "docx", data).markdown


@pytest.mark.skipif(os.name != "posix", reason="the walls stand on POSIX alone")
def test_the_reading_process_may_not_write_start_or_connect(tmp_path: Path) -> None:
    import subprocess
    import sys

    tried = (
        "import socket, subprocess\nfrom sam_py.store.documents.limits import enter_walls\nenter_walls()\n"
        "for attempt in (lambda: open('x', 'w'), lambda: socket.socket(), lambda: subprocess.run(['true']),"
        " lambda: __import__('os').system('true'), lambda: __import__('os').remove('x'), lambda: bytearray(1 << 33)):\n"
        "    try:\n        attempt()\n    except (PermissionError, MemoryError) as error:\n"
        "        print(type(error).__name__)\n"
    )
    found = subprocess.run([sys.executable, "-c", tried], capture_output=True, text=True, cwd=Path.cwd(), check=True)
    assert found.stdout.split() == ["PermissionError"] * 5 + ["MemoryError"]


def test_a_reading_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(made.report())
    with pytest.raises(DocumentError, match="took longer than a minute") as ended:
        Extraction(tmp_path / "file", "pdf", "a.pdf", time_s=0).run()
    assert ended.value.reason == "time"


def test_reading_ends_between_two_pages_when_the_time_is_over() -> None:
    clock = iter([0.0, 1.0, limits.SOFT_TIME_S + 1])
    gathering = Gathering(now=lambda: next(clock))
    gathering.progress(0, 2)
    with pytest.raises(limits.Enough):
        gathering.progress(1, 2)
    assert gathering.notes == ["Reading took too long: the rest is left out."]


# The shelf


class Shelf:
    """Documents over a folder of attachments."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.writer = Writer()
        self.documents = Documents(folder / "documents", self.path_of, self.writer)

    def path_of(self, hash: str) -> Path | None:
        path = self.folder / hash
        return path if path.is_file() else None

    def part(self, data: bytes, kind: DocumentKind = "pdf") -> FilePart:
        hash = hashlib.sha256(data).hexdigest()
        (self.folder / hash).write_bytes(data)
        return FilePart(attachment=hash, filename=f"a.{kind}", mime_type=MIME_TYPES[kind], size=len(data))


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    shelf = Shelf(tmp_path)
    yield shelf
    shelf.documents.close()
    asyncio.run(shelf.writer.aclose())


def test_a_document_is_parsed_once_and_found_after_a_restart(shelf: Shelf) -> None:
    async def both() -> tuple[Document | None, Document | None]:
        part = shelf.part(made.report())
        told: list[tuple[int, int]] = []
        first = await shelf.documents.of(part, lambda done, total: told.append((done, total)))
        assert told[0] == (0, 2)
        (shelf.folder / part.attachment).unlink()  # nothing is left to parse
        again = Documents(shelf.folder / "documents", shelf.path_of, shelf.writer)
        return first, await again.of(part)

    first, second = asyncio.run(both())
    assert first == second
    assert first is not None
    assert document_of(first.to_json()) == first


def test_a_damaged_text_is_taken_out_again(shelf: Shelf) -> None:
    async def run() -> Document | None:
        part = shelf.part(made.csv() * 3_000, "csv")
        assert part.size > AS_IT_STANDS_BYTES["csv"]
        await shelf.documents.of(part)
        shelf.documents.path(part.attachment).write_bytes(b'{"v": 1, "sec')
        return await Documents(shelf.folder / "documents", shelf.path_of, shelf.writer).of(part)

    document = asyncio.run(run())
    assert document is not None
    assert document.markdown.startswith("| Größe | Preis |")


def test_what_failed_is_tried_again_only_where_somebody_watches(shelf: Shelf) -> None:
    async def run() -> list[str]:
        part = shelf.part(made.locked_pdf())
        reasons = []
        for tell in (None, None, lambda _done, _total: None):
            with pytest.raises(DocumentError) as failed:
                await shelf.documents.of(part, tell)
            reasons.append(failed.value.reason)
            (shelf.folder / part.attachment).unlink(missing_ok=True)
        return reasons

    assert asyncio.run(run()) == ["password", "password", "missing"]


def test_cancelling_ends_the_process(shelf: Shelf) -> None:
    async def run() -> None:
        part = shelf.part(made.pdf([[(72, 700, f"page {n}")] for n in range(4_000)]))
        begun = asyncio.Event()
        reading = asyncio.ensure_future(shelf.documents.of(part, lambda _done, _total: begun.set()))
        await begun.wait()
        (extraction,) = shelf.documents._running
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        process = extraction._process
        assert process is not None
        assert await asyncio.to_thread(process.wait, 20) != 0

    asyncio.run(run())


def test_a_small_page_and_what_is_no_document_are_left_as_they_stand(shelf: Shelf) -> None:
    async def run() -> list[Document | None]:
        small = shelf.part(made.html(), "html")
        other = small.model_copy(update={"mime_type": "text/plain", "size": 10**6})
        return [await shelf.documents.of(small), await shelf.documents.of(other)]

    assert asyncio.run(run()) == [None, None]
