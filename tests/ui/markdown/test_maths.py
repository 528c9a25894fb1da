"""Formulas are readable at once and drawn a moment later; what cannot be drawn stays as it was written."""

from __future__ import annotations

import pytest

from sam_py.ui.chat.parts.markdown_column import MarkdownColumn
from sam_py.ui.markdown.maths import Formulas, draw, readable_maths, shared_formulas
from sam_py.ui.theme import Themes


@pytest.mark.parametrize(
    ("latex", "readable"),
    [
        (r"e^{i\pi} + 1 = 0", "e^(iπ) + 1 = 0"),
        (r"x_1^2 \le \frac{a}{b}", "x₁² ≤ a/b"),
        (r"\text{if } a \neq b", "if  a ≠ b"),
        (r"\frac{a+b}{2}", "(a+b)/2"),
    ],
)
def test_a_formula_reads_as_text(latex, readable):
    assert readable_maths(latex) == readable


@pytest.mark.parametrize("latex", [r"\frac{a", "x^", "{" * 400, r"\sqrt{" * 100, "\\\\", "&&&"])
def test_a_formula_that_cannot_be_drawn_has_no_picture(latex):
    assert draw((latex, 16.0, "#000000", False)) == (b"", 0, 0, 0)


def test_a_displayed_formula_is_drawn(qtbot):
    column = MarkdownColumn(Themes(), lambda _attachment: None)
    qtbot.addWidget(column)
    column.set_text("$$\n\\int_0^1 \\frac{a}{b}\\,dx + 17\n$$\n")
    before = column.layout_for(500)
    qtbot.waitUntil(lambda: column.content_height() != before, timeout=10_000)
    assert column.plain_text() == "\\int_0^1 \\frac{a}{b}\\,dx + 17"


def test_a_formula_in_a_line_is_drawn_and_copied_as_source(qtbot):
    column = MarkdownColumn(Themes(), lambda _attachment: None)
    qtbot.addWidget(column)
    column.set_text("First $a^2$ here.\n\nThen \\(b_3 + 18\\) and $5 or $6.")
    column.layout_for(500)
    part = column.parts()[0]
    assert "b₃ + 18" in column.plain_text() or part.decorations.maths
    qtbot.waitUntil(lambda: len(part.decorations.maths) == 2, timeout=10_000)
    assert column.plain_text() == "First $a^2$ here.\n\nThen $b_3 + 18$ and $5 or $6."
    assert column.selected_text((0, 6), (0, 12)) == "$a^2$ here"


def test_a_formula_that_is_broken_is_shown_as_it_was_written(qtbot):
    column = MarkdownColumn(Themes(), lambda _attachment: None)
    qtbot.addWidget(column)
    column.set_text("Not $\\frac{$ but $\\alpha^2$.")
    column.layout_for(500)
    qtbot.waitUntil(lambda: column.plain_text() == "Not $\\frac{$ but $\\alpha^2$.", timeout=10_000)
    assert len(column.parts()[0].decorations.maths) == 1
    assert "$\\frac{$" in column.parts()[0].document.toPlainText()


def test_the_same_formula_is_drawn_once(qtbot):
    key = ("q + 19", 16.0, "#000000", False)
    assert shared_formulas().picture(key) is None
    with qtbot.waitSignal(shared_formulas().ready, check_params_cb=lambda ready: ready == key, timeout=10_000):
        assert shared_formulas().is_pending(key)
    assert shared_formulas().picture(key) is shared_formulas().picture(key) is not None


def test_formulas_that_wait_are_given_up_at_the_end_and_drawn_when_asked_again(qtbot):
    formulas = Formulas()
    keys = [(rf"\frac{{a_{{{number}}}}}{{b}}", 16.0, "#000000", False) for number in range(400)]
    assert [formulas.picture(key) for key in keys] == [None] * 400
    assert formulas.stop(60_000)
    assert not any(formulas.is_pending(key) for key in keys)
    with qtbot.waitSignal(formulas.ready, timeout=10_000, check_params_cb=lambda key: key == keys[-1]):
        formulas.picture(keys[-1])
    assert formulas.picture(keys[-1]) is not None
    assert formulas.picture(keys[-2]) is None
    assert formulas.stop(60_000)
