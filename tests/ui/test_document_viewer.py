"""The window that shows the text of an attached file, and the card that opens it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from sam_py.errors import SamError
from sam_py.messages.documents import MIME_TYPES, Document, Section
from sam_py.messages.parts import FilePart
from sam_py.ui.chat.blocks import block_for
from sam_py.ui.chat.document_viewer import DocumentViewer, file_name
from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.library.passages import Passage
from sam_py.ui.theme import Themes
from sam_py.ui.widgets.icons import Icons

PART = FilePart(attachment="h", filename="costs.pdf", mime_type=MIME_TYPES["pdf"], size=2_048)
DOCUMENT = Document(
    "pdf", sections=(Section("Page 1", "tea and salt, then Tea again"),), pages=2, notes=("Page 2 is cut.",)
)


@pytest.fixture
def context() -> RowContext:
    themes = Themes()
    return RowContext(themes, Icons(themes), lambda _hash: None, lambda _provider, model: model)


@pytest.fixture
def viewer(qtbot: QtBot, context: RowContext, tmp_path: Path) -> Iterator[DocumentViewer]:
    (tmp_path / "h").write_bytes(b"%PDF-1.7")
    stage = QWidget()
    qtbot.addWidget(stage)
    viewer = DocumentViewer(PART, DOCUMENT.markdown, tmp_path / "h", context, stage, document=DOCUMENT)
    viewer.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    viewer.open()
    yield viewer
    viewer.close()


def test_words_are_found_one_after_the_other_and_round_again(viewer: DocumentViewer) -> None:
    assert viewer.facts.text == "2 pages · 6 words"
    places = []
    QTest.keyClicks(viewer.field, "tea")
    places.append(viewer.text.textCursor().selectionStart())
    for find in (viewer.find_next, viewer.find_next, viewer.find_previous):
        assert find()
        places.append(viewer.text.textCursor().selectionStart())
    first, second = places[:2]
    assert places == [first, second, first, second]
    viewer.field.setText("coffee")
    assert not viewer.find_next()
    assert viewer.text.textCursor().selectionStart() == second


def test_what_a_search_showed_is_in_view_and_marked_and_f3_goes_on_from_it(viewer: DocumentViewer) -> None:
    lines = "".join(f"line {number}: tea\n" for number in range(3_000)) + "🎉 Tea with  salt\n" + "and tea\n" * 500
    viewer.text.setPlainText(lines)
    viewer.show_passage(Passage(0, "tea salt", "…🎉 Tea with salt and tea…", 3))
    place = viewer.text.document().find("🎉").selectionEnd() + 1
    marks = viewer.text.extraSelections()
    assert viewer.text.textCursor().position() == place
    assert viewer.text.viewport().rect().contains(viewer.text.cursorRect())
    assert {mark.cursor.selectedText() for mark in marks} == {"tea", "Tea", "salt"}
    assert len(marks) < 2_500
    assert viewer.find_next()
    assert viewer.text.textCursor().position() == place + len("Tea with  ")
    assert viewer.find_previous()
    assert viewer.text.textCursor().position() == place


def test_the_original_is_saved_as_it_is_and_a_refusal_is_said(viewer: DocumentViewer, tmp_path: Path) -> None:
    assert viewer.save_to(tmp_path / "copy.pdf").read_bytes() == b"%PDF-1.7"
    with pytest.raises(SamError, match="could not be saved"):
        viewer.save_to(tmp_path / "nowhere" / "copy.pdf")


@pytest.mark.parametrize(
    ("name", "kind", "saved"),
    [
        ("page.htm", "html", "page.htm"),
        ("bill.pdf.exe", "pdf", "bill.pdf.exe.pdf"),
        ("..\\a/b\x00.docx", "docx", ".._a_b.docx"),
        ("", "xlsx", "File.xlsx"),
    ],
)
def test_a_copy_has_the_ending_of_what_it_is(name: str, kind: str, saved: str) -> None:
    mime_type = MIME_TYPES[kind]  # type: ignore[index]
    assert file_name(FilePart(attachment="", filename=name, mime_type=mime_type)) == saved


def test_the_card_of_a_file_opens_it_by_mouse_and_keyboard(qtbot: QtBot, context: RowContext) -> None:
    opened: list[FilePart] = []
    context.open_file = opened.append
    stage = QWidget()
    qtbot.addWidget(stage)
    block = block_for(PART, context, mine=True, live=False, parent=stage)
    assert block is not None
    block.resize(200, block.layout_for(200))
    QTest.mouseClick(block, Qt.MouseButton.LeftButton)
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Space):
        QTest.keyClick(block, key)
    assert opened == [PART] * 3
