"""Text is selected across parts and messages, and copied as a person reads it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from sam_py.ui.chat.parts.markdown_column import MarkdownColumn
from sam_py.ui.chat.selection import SelectionController
from sam_py.ui.theme import Themes

TEXTS = ["First **message** here.\n\n```\ncode line\n```\n", "Second message.", "Third one, off screen."]


class Page(QWidget):
    """Three rows, the last of them not on screen."""

    def __init__(self) -> None:
        super().__init__()
        self.resize(400, 320)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.columns = []
        y = 0
        for text in TEXTS[:2]:
            column = MarkdownColumn(Themes(), lambda _attachment: None, self)
            column.set_text(text)
            column.setGeometry(0, y, 400, column.layout_for(400))
            y += column.height() + 10
            self.columns.append(column)

    def row_at(self, y_px: int) -> int | None:
        return 0 if y_px < self.columns[1].y() else 1

    def column_of(self, row: int) -> MarkdownColumn | None:
        return self.columns[row] if row < 2 else None

    def visible_rows(self) -> range:
        return range(2)

    def plain_text_of(self, row: int) -> str:
        return TEXTS[row]

    def markdown_of(self, row: int) -> str:
        return TEXTS[row]


@pytest.fixture
def page(qtbot) -> Page:
    page = Page()
    qtbot.addWidget(page)
    with qtbot.waitActive(page):
        page.show()
        page.activateWindow()
    return page


@pytest.fixture
def controller(page) -> SelectionController:
    return SelectionController(page, page)


def centre(column: MarkdownColumn) -> QPoint:
    return QPoint(30, column.parts()[0].height // 2)


def drag(qtbot, page: Page, start: tuple[int, QPoint], end: tuple[int, QPoint]) -> None:
    first, last = page.columns[start[0]], page.columns[end[0]]
    qtbot.mousePress(first, Qt.MouseButton.LeftButton, pos=start[1])
    target = first.mapFrom(page, last.mapTo(page, end[1]))
    left = Qt.MouseButton.LeftButton
    move = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(target),
        QPointF(first.mapToGlobal(target)),
        left,
        left,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(first, move)
    qtbot.mouseRelease(first, Qt.MouseButton.LeftButton, pos=target)


def test_a_drag_selects_across_parts_and_messages(qtbot, page, controller):
    drag(qtbot, page, (0, QPoint(0, 5)), (1, QPoint(399, page.columns[1].height() - 2)))
    assert controller.selected_text() == "First message here.\n\ncode line\n\nSecond message."


def test_a_double_click_selects_the_word(qtbot, page, controller):
    qtbot.mouseDClick(page.columns[1], Qt.MouseButton.LeftButton, pos=centre(page.columns[1]))
    assert controller.selected_text() == "Second"


def test_a_third_click_selects_the_paragraph(qtbot, page, controller):
    qtbot.mouseDClick(page.columns[1], Qt.MouseButton.LeftButton, pos=centre(page.columns[1]))
    qtbot.mousePress(page.columns[1], Qt.MouseButton.LeftButton, pos=centre(page.columns[1]))
    assert controller.selected_text() == "Second message."


def test_a_click_clears_the_selection(qtbot, page, controller):
    controller.select_all(0)
    qtbot.mouseClick(page.columns[1], Qt.MouseButton.LeftButton, pos=centre(page.columns[1]))
    assert not controller.has_selection


def test_control_a_and_control_c_copy_the_message_that_was_clicked(qtbot, page, controller):
    qtbot.mouseClick(page.columns[0], Qt.MouseButton.LeftButton, pos=centre(page.columns[0]))
    qtbot.keyClick(page, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(page, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "First message here.\n\ncode line"


def test_a_row_that_has_scrolled_away_keeps_its_part_of_the_selection(page, controller):
    controller.select_all(1)
    controller._end = (2, (0, 0))
    assert controller.selected_text() == "Second message.\n\nThird one, off screen."


def test_what_is_read_aloud_of_a_message_out_of_view_has_no_markup(page, controller, monkeypatch):
    monkeypatch.setitem(page.__dict__, "plain_text_of", lambda _row: "# Third\n\nIt is **off** screen.")
    read = []
    controller.read_wanted.connect(read.append)
    controller.select_all(1)
    controller._end = (2, (0, 0))
    assert controller.read_aloud()
    assert read == ["Second message.\n\nThird\u2029It is off screen."]


def test_rows_inserted_above_move_the_selection_with_its_text(page, controller):
    controller.select_all(0)
    controller.rows_changed(0, 1)
    assert controller._start[0] == 1


def test_the_menu_offers_copies_and_select_all(qtbot, page, controller):
    menu = controller.menu_for(QPoint(30, 10))
    assert [action.text() for action in menu.actions() if not action.isSeparator()] == [
        "Copy",
        "Copy message as Markdown",
        "Select all",
    ]
