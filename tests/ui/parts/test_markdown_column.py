"""A column shows a message's text, grows with it and gives it back."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from sam_py.ui.chat.parts.code import CodePart
from sam_py.ui.chat.parts.markdown_column import MarkdownColumn
from sam_py.ui.theme import DARK, Theme, Themes

MESSAGE = """Here is **how**:

1. Install
   ```sh
   pip install x
   ```
2. Run

| a | b |
|---|--:|
| 1 | 2 |

See [the page](https://example.com).
"""


@pytest.fixture
def column(qtbot) -> MarkdownColumn:
    column = MarkdownColumn(Themes(), lambda _attachment: None)
    qtbot.addWidget(column)
    return column


def _laid_out(column: MarkdownColumn, width: int) -> int:
    """The height when all is laid out: on a busy machine the last parts are guessed at first, as in a long text."""
    column.layout_for(width)
    return _whole_height(column)


def _whole_height(column: MarkdownColumn) -> int:
    while column._unlaid:
        column._lay_out_rest()
    return column.content_height()


def test_a_message_becomes_parts_of_their_kinds(column):
    column.set_text(MESSAGE)
    assert [part.kind for part in column.parts()] == ["prose", "code", "prose", "table", "prose"]


def test_the_height_is_known_without_showing(column):
    column.set_text(MESSAGE + "word " * 200)
    assert _laid_out(column, 600) > 150
    assert _laid_out(column, 200) > _laid_out(column, 900)


def test_plain_text_has_no_markup_but_the_lists_numbers(column):
    column.set_text(MESSAGE)
    _laid_out(column, 600)
    assert column.plain_text() == (
        "Here is how:\n\n1. Install\n\npip install x\n\n2. Run\n\na\tb\n1\t2\n\nSee the page."
    )


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(1, 60), min_size=1, max_size=20))
def test_streaming_ends_where_setting_the_text_ends(column, steps):
    column.clear()
    _laid_out(column, 500)
    at = 0
    for step in steps:
        column.append_text(MESSAGE[at : at + step])
        column.flush()
        at += step
    column.append_text(MESSAGE[at:])
    column.finish()
    streamed = (_whole_height(column), column.plain_text())
    column.set_text(MESSAGE)
    assert streamed == (_laid_out(column, 500), column.plain_text())


def test_appending_alone_lays_nothing_out(column):
    _laid_out(column, 500)
    column.append_text("hello")
    assert column.content_height() == 0
    assert column.flush() is True
    assert column.flush() is False


def test_a_flush_touches_only_the_last_part(column, monkeypatch):
    _laid_out(column, 500)
    column.append_text("```\nx\n```\n" * 30)
    column.flush()
    shown = []
    monkeypatch.setattr(CodePart, "show", lambda self, segment, provisional="": shown.append(segment))
    column.append_text("and then\n")
    column.flush()
    assert len(shown) <= 1


def test_the_next_message_uses_the_same_parts(column):
    column.set_text(MESSAGE)
    before = {id(part) for part in column.parts()}
    column.set_text(MESSAGE)
    assert {id(part) for part in column.parts()} == before


def test_a_reference_defined_later_makes_the_link(column):
    _laid_out(column, 500)
    column.append_text("See [the page][p].\n\n```\nx\n```\n\n")
    column.flush()
    column.append_text("[p]: https://example.com\n\nend")
    column.finish()
    assert [target.value for target in column.parts()[0].targets()] == ["https://example.com"]


def test_pressing_copy_hands_out_the_code(column, qtbot):
    column.set_text("```py\nx = 1\n```\n")
    column.resize(500, _laid_out(column, 500))
    target = column.parts()[0].targets()[0]
    with qtbot.waitSignal(column.copy_requested) as asked:
        click(column, target.rect.center().toPoint())
    assert asked.args == ["x = 1"]


def test_pressing_a_link_only_says_so(column, qtbot):
    column.set_text("[x](https://example.com/y)")
    column.resize(500, _laid_out(column, 500))
    with qtbot.waitSignal(column.link_clicked) as asked:
        click(column, QPoint(3, column.height() // 2))
    assert asked.args == ["https://example.com/y"]


def test_the_keyboard_reaches_links_and_copy_buttons(column, qtbot):
    column.set_text("[x](https://example.com)\n\n```\ncode\n```\n")
    column.resize(500, _laid_out(column, 500))
    with qtbot.waitActive(column):
        column.show()
        column.activateWindow()
    column.setFocus()
    assert column.hasFocus()
    qtbot.keyClick(column, Qt.Key.Key_Tab)
    assert column.accessibleDescription() == "x"
    qtbot.keyClick(column, Qt.Key.Key_Tab)
    assert column.accessibleDescription() == "Copy this code"
    with qtbot.waitSignal(column.copy_requested):
        qtbot.keyClick(column, Qt.Key.Key_Return)


def test_a_new_theme_is_taken_at_once(qtbot):
    themes = Themes()
    column = MarkdownColumn(themes, lambda _attachment: None)
    qtbot.addWidget(column)
    column.set_text(MESSAGE)
    height = _laid_out(column, 500)
    with qtbot.waitSignal(column.height_changed):
        themes.use(Theme(DARK, dark=True).scaled(1.5))
    assert column.content_height() > height


def click(column: MarkdownColumn, point: QPoint) -> None:
    for kind in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease):
        button = Qt.MouseButton.LeftButton
        event = QMouseEvent(kind, QPointF(point), QPointF(point), button, button, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(column, event)


def _steps(column) -> list[int]:
    """From the top of each line to that of the next, over all parts."""
    tops = []
    for part in column.parts():
        block = part.document.begin()
        while block.isValid():
            tops.append(part.top + part.document.documentLayout().blockBoundingRect(block).top())
            block = block.next()
    return [round(below - above) for above, below in pairwise(tops)]


def test_the_items_of_a_long_list_are_equally_far_apart(column):
    column.set_text("".join(f"- item {n} of a list that is cut into parts\n" for n in range(60)))
    _laid_out(column, 600)
    steps = _steps(column)
    assert len(column.parts()) > 2
    assert max(steps) - min(steps) <= 1


def test_a_list_that_follows_a_long_list_of_another_kind_stands_apart(column):
    column.set_text(
        "".join(f"{n}. item number {n} of the first list here\n" for n in range(1, 19)) + "\n- [x] done\n- [ ] open\n"
    )
    _laid_out(column, 600)
    steps = _steps(column)
    assert len(column.parts()) == 2
    assert steps[17] > steps[0]


def test_the_words_and_the_code_of_a_tables_row_stand_on_one_line(column):
    column.set_text("| a | b | c |\n|:--|:--|--:|\n| pears | **ripe** | `code` |\n| `one` | `two` | |\n")
    _laid_out(column, 300)
    _laid_out(column, 500)
    (table,) = column.parts()
    heights = [[round(cell.baseline_px()) for cell in row if cell.document.toPlainText()] for row in table._cells]
    assert [len(set(row)) for row in heights] == [1, 1, 1]
