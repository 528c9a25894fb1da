"""Lines of prose: hard breaks stay in their paragraph, and display maths may follow a line of text."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from sam_py.ui.markdown.decorations import paint_decorations
from sam_py.ui.markdown.documents import ClosedDocument, fill, prepare
from sam_py.ui.markdown.segments import Segment, split
from sam_py.ui.markdown.typography import typography
from sam_py.ui.theme import LIGHT, Theme, Themes

pytestmark = pytest.mark.usefixtures("qapp")


def paragraphs(source: str) -> list[str]:
    document = ClosedDocument()
    fill(document, source, Segment("prose"), typography(Themes().current))
    block, said = document.begin(), []
    while block.isValid():
        said.append(block.text())
        block = block.next()
    return said


@pytest.mark.parametrize("end", ["  ", "     ", "\\"])
def test_a_hard_break_stays_in_its_paragraph(end: str) -> None:
    assert paragraphs(f"**Name:** A{end}\n**Age:** B{end}\n3rd line\n") == ["Name: A\u2028Age: B\u20283rd line"]


def test_a_hard_break_in_a_list_stays_in_its_item() -> None:
    assert paragraphs("- one  \n  more of it\n- two\n") == ["one\u2028more of it", "two"]


@pytest.mark.parametrize("end", ["  ", "\\"])
@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("> Roses{0}\n> are red{0}\n> indeed\n", ["Roses\u2028are red\u2028indeed"]),
        ("> Roses{0}\nare red\n", ["Roses\u2028are red"]),
        (">> deep{0}\n>> deeper\n", ["deep\u2028deeper"]),
        ("> - item{0}\n>   more of it\n> - two\n", ["item\u2028more of it", "two"]),
        ("> Text{0}\n> # Heading\n", ["Text", "Heading"]),
        ("> Text{0}\n> - item\n", ["Text", "item"]),
        ("> Text{0}\n>> deeper\n", ["Text", "deeper"]),
        ("> Text{0}\n>\n> apart\n", ["Text", "apart"]),
        ("> Text{0}\n\nOutside\n", ["Text", "Outside"]),
        ("> ```\n> code{0}\n> code\n> ```\n", None),
    ],
)
def test_a_hard_break_in_a_quote_stays_in_its_paragraph(source: str, said: list[str] | None, end: str) -> None:
    lines = paragraphs(source.format(end))
    if said is None:
        assert [line.rstrip(" \\") for line in lines] == ["code", "code"]
    else:
        assert [line.rstrip(" \\") for line in lines] == said


@pytest.mark.parametrize("below", ["- item", "1. item", "# Heading", "> quote"])
def test_two_spaces_before_another_block_break_nothing(below: str) -> None:
    said = paragraphs(f"Text  \n{below}\n")
    assert said == ["Text", below.split(" ", 1)[1]]


def test_maths_in_brackets_is_maths_and_escaped_brackets_are_brackets() -> None:
    marked = prepare(r"Since \[ x^2 = 4 \] and \[not this\]", Segment("prose"), {})
    assert "`\ue000x^2 = 4`" in marked
    assert r"\[not this\]" in marked


@pytest.mark.parametrize("maths", ["\\[ x^2 \\]", "\\[\nx^2\n\\]", "$$\nx^2\n$$"])
def test_display_maths_may_stand_right_below_a_line_of_text(maths: str) -> None:
    segments = split(f"So:\n{maths}\nand on\n")
    assert [segment.kind for segment in segments] == ["prose", "math", "prose"]
    assert segments[1].body.strip() == "x^2"


@pytest.mark.parametrize("piece", ["\\[", "\\[^", "a  ", "a \\\n", "  "])
def test_what_looks_like_many_breaks_or_formulas_costs_its_length_alone(piece: str) -> None:
    def cost_s(count: int) -> float:
        start = time.process_time()
        prepare(piece * count + "\n", Segment("prose"), {})
        return time.process_time() - start

    assert cost_s(16_000) < 40 * cost_s(1_000) + 0.05


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_a_check_box_is_as_large_as_the_text_asks_for(scale: float) -> None:
    style = typography(Themes(Theme(LIGHT, dark=False).scaled(scale)).current)
    document = ClosedDocument()
    decorations = fill(document, "- [x] done\n", Segment("prose"), style)
    document.setTextWidth(300)
    image = QImage(300, 120, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    paint_decorations(painter, document, decorations, style, QRectF(image.rect()))
    painter.end()
    accent = QColor(LIGHT.accent).rgb()
    columns = {x for x in range(image.width()) for y in range(image.height()) if image.pixel(x, y) == accent}
    assert abs(len(columns) - 14 * scale) <= 3 * scale
