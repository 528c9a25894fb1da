"""Selecting text with the mouse across the parts of a message and across messages, and copying it.

The controller watches one widget (the timeline's viewport): columns leave mouse events to their parents, so all of them
arrive there. It knows rows only by number and asks their owner for the column that shows one now; a selection lives
on while its rows scroll out of sight and come back in other columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol, TypeAlias

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from sam_py.ui.links import safe_target

if TYPE_CHECKING:
    from sam_py.ui.chat.parts.markdown_column import MarkdownColumn
    from sam_py.ui.chat.parts.parts_view import Position

Place: TypeAlias = "tuple[int, Position]"
"""A row, and a position in its column. Places compare in reading order."""
SCROLL_MS = 30
EDGE_PX = 24


class Rows(Protocol):
    """What the controller asks the owner of the rows."""

    def row_at(self, y_px: int) -> int | None:
        """The row at or nearest to this height of the watched widget; None where there is none."""

    def column_of(self, row: int) -> MarkdownColumn | None:
        """The column that shows this row now, if it is on screen."""

    def visible_rows(self) -> Iterable[int]: ...

    def plain_text_of(self, row: int) -> str:
        """The text of a row, also of one that is not on screen."""

    def markdown_of(self, row: int) -> str: ...


class SelectionController(QObject):
    """Owns the one selection of a timeline."""

    scroll_wanted = Signal(int)
    """A drag has left the widget: scroll by so many pixels."""
    selection_changed = Signal()
    save_wanted = Signal(int, int)
    """The messages of these rows, from the first to the last, are to be saved."""
    read_wanted = Signal(str)
    """The selected text is to be read aloud."""

    def __init__(self, widget: QWidget, rows: Rows) -> None:
        super().__init__(widget)
        self._widget = widget
        self._rows = rows
        self._anchor: tuple[Place, Place] | None = None  # what the press selected: a place, a word, a paragraph
        self._start: Place | None = None
        self._end: Place | None = None
        self._dragging = False
        self._presses = 0
        self._press_point = QPoint()
        self._current_row: int | None = None
        self._drag_point = QPoint()
        self._scroll = QTimer(self)
        self._scroll.setInterval(SCROLL_MS)
        self._scroll.timeout.connect(self._scroll_on)
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        widget.installEventFilter(self)

    @property
    def has_selection(self) -> bool:
        return self._start is not None and self._end is not None and self._start < self._end

    def clear(self) -> None:
        self._anchor = self._start = self._end = None
        self._show()

    def refresh(self, row: int | None = None) -> None:
        """Rows have come to other columns: show the selection where it lies now (or in one row alone)."""
        for number in self._rows.visible_rows() if row is None else (row,):
            column = self._rows.column_of(number)
            if column is not None:
                low, high = self._span_of(number, column)
                column.select(low, high)

    def select_all(self, row: int) -> None:
        """Select the whole text of one message."""
        column = self._rows.column_of(row)
        if column is not None:
            self._anchor = None
            self._start, self._end = (row, (0, 0)), (row, column.end_position())
            self._show()

    def selected_text(self, of_hidden: Callable[[str], str] = str) -> str:
        """Return the selected text as a person reads it; messages are set apart by an empty line.

        `of_hidden` makes it of the Markdown of messages that are out of view.
        """
        if self._start is None or self._end is None:
            return ""
        texts = []
        for row in range(self._start[0], self._end[0] + 1):
            column = self._rows.column_of(row)
            if column is not None:
                low, high = self._span_of(row, column)
                text = column.selected_text(low, high) if low < high else ""
            else:
                text = of_hidden(self._rows.plain_text_of(row))
            if text:
                texts.append(text)
        return "\n\n".join(texts)

    def copy(self) -> bool:
        """Put the selected text on the clipboard; returns False where nothing is selected."""
        text = self.selected_text()
        if text:
            QGuiApplication.clipboard().setText(text)
        return bool(text)

    def read_aloud(self) -> bool:
        """Ask for the selected text to be read; returns False where nothing is selected."""
        text = self.selected_text(_heard)
        if text:
            self.read_wanted.emit(text)
        return bool(text)

    def save(self) -> None:
        """Ask for the selected messages to be saved, each whole."""
        if self._start is not None and self._end is not None:
            self.save_wanted.emit(self._start[0], self._end[0])

    def rows_changed(self, first: int, shift: int) -> None:
        """Rows were inserted (`shift` > 0) or removed (< 0) at `first`: keep the selection on its text, or drop it."""
        if self._start is None or self._end is None or self._end[0] < first:
            return
        if self._start[0] >= first and self._start[0] + shift >= 0 and (shift > 0 or self._start[0] >= first - shift):
            self._start = (self._start[0] + shift, self._start[1])
            self._end = (self._end[0] + shift, self._end[1])
            self._anchor = None
            self.refresh()
        else:
            self.clear()

    # Places

    def _place_at(self, point: QPoint) -> Place | None:
        row = self._rows.row_at(point.y())
        column = self._rows.column_of(row) if row is not None else None
        if row is None or column is None:
            return None
        return row, column.position_at(column.mapFrom(self._widget, point))

    def _span_of(self, row: int, column: MarkdownColumn) -> tuple[Position, Position]:
        if self._start is None or self._end is None or not self._start[0] <= row <= self._end[0]:
            return (0, 0), (0, 0)
        low = self._start[1] if row == self._start[0] else (0, 0)
        high = self._end[1] if row == self._end[0] else column.end_position()
        return low, high

    def _show(self) -> None:
        self.refresh()
        self.selection_changed.emit()

    def _extend_to(self, point: QPoint) -> None:
        place = self._place_at(point)
        if place is None or self._anchor is None:
            return
        low = high = place
        if self._presses >= 2:
            low, high = self._unit_at(place)
        self._start, self._end = min(self._anchor[0], low), max(self._anchor[1], high)
        self._show()

    def _unit_at(self, place: Place) -> tuple[Place, Place]:
        """The word around `place` after a double click, the paragraph after a triple one."""
        row, position = place
        column = self._rows.column_of(row)
        if column is None or self._presses < 2:
            return place, place
        low, high = column.word_at(position) if self._presses == 2 else column.paragraph_at(position)
        return (row, low), (row, high)

    # Mouse and keyboard

    def _press(self, event: QMouseEvent, *, double: bool) -> bool:
        if event.button() != Qt.MouseButton.LeftButton:
            return False
        point = event.position().toPoint()
        near = (point - self._press_point).manhattanLength() < QApplication.startDragDistance()
        again = self._again.isActive() and near
        self._presses = 2 if double else self._presses + 1 if again and self._presses >= 2 else 1
        self._press_point = point
        self._again.start(QApplication.doubleClickInterval())
        place = self._place_at(point)
        if place is None:
            self.clear()
            return False
        self._current_row = place[0]
        self._dragging = True
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and self._start is not None and self._presses == 1:
            self._anchor = self._anchor or (self._start, self._start)
            self._extend_to(point)
            return True
        self._anchor = self._unit_at(place)
        self._start, self._end = self._anchor
        self._widget.setFocus(Qt.FocusReason.MouseFocusReason)
        self._show()
        return True

    def _move(self, event: QMouseEvent) -> bool:
        if not self._dragging or not event.buttons() & Qt.MouseButton.LeftButton:
            return False
        self._drag_point = event.position().toPoint()
        far = (self._drag_point - self._press_point).manhattanLength() >= QApplication.startDragDistance()
        if far or self.has_selection:
            self._extend_to(self._drag_point)
        outside = self._drag_point.y() < EDGE_PX or self._drag_point.y() > self._widget.height() - EDGE_PX
        if outside and not self._scroll.isActive():
            self._scroll.start()
        elif not outside:
            self._scroll.stop()
        return True

    def _release(self) -> bool:
        was, self._dragging = self._dragging, False
        self._scroll.stop()
        return was

    def _scroll_on(self) -> None:
        y, height = self._drag_point.y(), self._widget.height()
        over = y - EDGE_PX if y < EDGE_PX else max(0, y - height + EDGE_PX)
        if over:
            self.scroll_wanted.emit(max(-60, min(60, over)))
            self._extend_to(QPoint(self._drag_point.x(), min(max(0, y), height - 1)))

    def _key(self, event: QKeyEvent) -> bool:
        if event.matches(QKeySequence.StandardKey.Copy):
            return self.copy()
        if event.matches(QKeySequence.StandardKey.SelectAll):
            row = self._current_row if self._current_row is not None else self._rows.row_at(self._widget.height() // 2)
            if row is not None:
                self.select_all(row)
            return True
        if event.key() == Qt.Key.Key_Escape and self.has_selection:
            self.clear()
            return True
        return False

    def show_menu(self, point: QPoint) -> None:
        """Show the context menu for what lies at `point` of the watched widget."""
        menu = self.menu_for(point)
        if menu is not None:
            menu.popup(self._widget.mapToGlobal(point))

    def menu_for(self, point: QPoint) -> QMenu | None:
        """Return the context menu for what lies at `point`; it deletes itself when it is closed."""
        row = self._rows.row_at(point.y())
        column = self._rows.column_of(row) if row is not None else None
        if row is None or column is None:
            return None
        self._current_row = row
        menu = QMenu(self._widget)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        target = column.target_at(column.mapFrom(self._widget, point))
        copy = self._action(menu, self.tr("Copy"), self.copy, QKeySequence(QKeySequence.StandardKey.Copy))
        copy.setEnabled(self.has_selection)
        if self.has_selection:
            self._action(menu, self.tr("Read the selection aloud"), self.read_aloud)
            self._action(menu, self.tr("Save the selected messages as…"), self.save)
        markdown = self._rows.markdown_of(row)
        self._action(menu, self.tr("Copy message as Markdown"), lambda: _to_clipboard(markdown))
        if target is not None and target.kind == "link":
            address = safe_target(str(target.value)) or str(target.value)
            self._action(menu, self.tr("Copy link"), lambda: _to_clipboard(address))
        menu.addSeparator()
        keys = QKeySequence(QKeySequence.StandardKey.SelectAll)
        self._action(menu, self.tr("Select all"), lambda: self.select_all(row), keys)
        return menu

    @staticmethod
    def _action(menu: QMenu, text: str, do: Callable[[], object], keys: QKeySequence | None = None) -> QAction:
        action = QAction(text, menu)
        if keys is not None:
            action.setShortcut(keys)
        action.triggered.connect(lambda _checked=False: do())
        menu.addAction(action)
        return action

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QMouseEvent):
            match event.type():
                case QEvent.Type.MouseButtonPress:
                    return self._press(event, double=False)
                case QEvent.Type.MouseButtonDblClick:
                    return self._press(event, double=True)
                case QEvent.Type.MouseMove:
                    return self._move(event)
                case QEvent.Type.MouseButtonRelease if event.button() == Qt.MouseButton.LeftButton:
                    return self._release()
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._key(event)
        return False


def _to_clipboard(text: str) -> None:
    QGuiApplication.clipboard().setText(text)


def _heard(markdown: str) -> str:
    """Its sentences as the voice says them, each a paragraph."""
    from sam_py.speech.base import Readout
    from sam_py.speech.speakable import SpokenText

    spoken = SpokenText(Readout())
    return "\u2029".join(each.text for each in (*spoken.feed(markdown), *spoken.finish()))
