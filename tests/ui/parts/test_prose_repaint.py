"""What a growing text repaints: everything that looks different, and little else."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor, QImage, QPainter, QRegion
from PySide6.QtWidgets import QWidget

from sam_py.ui.chat.parts.markdown_column import MarkdownColumn
from sam_py.ui.theme import LIGHT, Theme, Themes

WIDTH_PX, HEIGHT_PX = 320, 900
PIECES = (
    "word ", "another, longer one ", "**bold** ", "`code` ", "`co", "de` ", "**", "*", "_", "# ", "\n", "\n\n", "- ",
    "1. ", "> ", "===", "[a link](http://x.example) ", "[label]", "\n[label]: http://y.example\n", "www.",
    "example.org", "  \n", "| a | b |\n|---|---|\n", "```\n", "x = 1\n", "~~gone~~ ",
    "- [ ] ", "---", "    ", "ends. ", "schön ", "字",
)  # fmt: skip


def drawn(column: MarkdownColumn) -> QImage:
    image = QImage(WIDTH_PX, HEIGHT_PX, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    column.render(painter, QPoint(), QRegion(0, 0, WIDTH_PX, HEIGHT_PX), QWidget.RenderFlag(0))
    painter.end()
    return image


def rows_of(image: QImage, end_px: int) -> bytes:
    return bytes(image.constBits())[: max(0, end_px) * image.bytesPerLine()]


@settings(max_examples=40, deadline=None)
@given(pieces=st.lists(st.sampled_from(PIECES), min_size=1, max_size=30))
def test_what_lies_above_the_repainted_part_of_a_growing_text_looks_as_before(qapp, pieces):
    column = MarkdownColumn(Themes(Theme(LIGHT, dark=False)), lambda _hash: None)
    column.resize(WIDTH_PX, HEIGHT_PX)
    column.layout_for(WIDTH_PX)
    asked: list[int] = []
    column.repaint_from = asked.append
    before = drawn(column)
    for piece in pieces:
        asked.clear()
        column.append_text(piece)
        column.flush()
        after = drawn(column)
        end_px = min(asked, default=HEIGHT_PX)
        assert rows_of(before, end_px) == rows_of(after, end_px)
        before = after
    column.deleteLater()


def test_a_word_at_the_end_of_a_long_paragraph_repaints_its_last_lines_alone(qapp):
    column = MarkdownColumn(Themes(Theme(LIGHT, dark=False)), lambda _hash: None)
    column.resize(WIDTH_PX, HEIGHT_PX)
    column.layout_for(WIDTH_PX)
    column.append_text("A paragraph of many words that goes on. " * 12)
    column.flush()
    asked: list[int] = []
    column.repaint_from = asked.append
    column.append_text("word ")
    column.flush()
    assert asked
    assert asked[0] > column.content_height() - 80
