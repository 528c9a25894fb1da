"""Timeline: the conversation on screen. Only rows in view are widgets, taken from a pool; all heights are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPalette,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from sam_py.ui.chat.end_pill import EndPill
from sam_py.ui.chat.error_box import Missing
from sam_py.ui.chat.heights import Heights, estimated_heights
from sam_py.ui.chat.reading_place import Place, ReadingPlace
from sam_py.ui.chat.row_context import OUTSET_PX, RowContext
from sam_py.ui.chat.row_pool import RowPool, fill
from sam_py.ui.chat.selection import SelectionController
from sam_py.ui.chat.timeline_actions import TimelineActions
from sam_py.ui.chat.timeline_keys import KEYBOARD_REASONS, TimelineKeys
from sam_py.ui.chat.timeline_rows import COLUMNS_PER_ROW, TimelineRows
from sam_py.ui.chat.timeline_walk import TimelineWalk
from sam_py.ui.models.message_list_model import MessageListModel

if TYPE_CHECKING:
    from sam_py.ui.chat.row import MessageRow

_AHEAD_PX = 240
"""Rows this far above and below the view are laid out too, so that scrolling meets finished rows."""
_SIDE_PX = 24
_MARK_MS, _ROUNDS = 1600, 8


class Timeline(QAbstractScrollArea):
    """Shows a `MessageListModel`; what a person does to a message goes up as `action_requested(action, id)`.

    Invariants: while the reader is at the end the view follows the end; otherwise what stands at the
    top of the view stays there, whatever grows or shrinks elsewhere. `_shown` holds exactly the rows
    near the view, the streaming ones and the one with the focus.
    """

    action_requested = Signal(str, str)
    link_clicked = Signal(str)
    image_clicked = Signal(object)
    copy_requested = Signal(str)
    current_changed = Signal(str)

    def __init__(self, context: RowContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._model: MessageListModel | None = None
        self._heights = Heights()
        self._rows = RowPool(context, self.viewport(), self._connect_row)
        self._reading = ReadingPlace()
        self.is_placing = False
        self._width = 0
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Conversation"))
        self.viewport().setBackgroundRole(QPalette.ColorRole.Window)
        self.viewport().setAutoFillBackground(True)  # only what is opaque is scrolled by moving its pixels
        self.viewport().setMouseTracking(True)
        # Rows are placed by hand and painted; each paragraph finds its own direction.
        self.viewport().setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        bar = self.verticalScrollBar()
        bar.setSingleStep(40)
        bar.valueChanged.connect(self._scrolled)
        bar.setAccessibleName(self.tr("Conversation scroll bar"))
        self._keys = TimelineKeys(self)
        self.actions_on_rows = TimelineActions(self, context)
        self.actions_on_rows.chosen.connect(self.action_requested)
        self._waiting = ""
        self.selection = SelectionController(self.viewport(), TimelineRows(self))
        self.selection.scroll_wanted.connect(lambda pixels: bar.setValue(bar.value() + pixels))
        self.pill = EndPill(context.icons, self)
        self.pill.clicked.connect(self.go_to_end)
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(0)
        self._settle.timeout.connect(self._arrange)
        context.themes.changed.connect(self._theme_changed)
        context.fates.changed.connect(self._fates_changed)
        self.walk = TimelineWalk(self)

    # What it shows

    @property
    def model(self) -> MessageListModel | None:
        return self._model

    def set_model(self, model: MessageListModel | None, place: Place | None = None) -> None:
        """Show another conversation, at `place` or at its end. The model is not owned."""
        if self._model is not None:
            for signal, slot in self._connections(self._model):
                signal.disconnect(slot)
        self._model = model
        self.selection.clear()
        self._rows.give_all_back()
        self.walk.current = None
        self.actions_on_rows.hide()
        if model is not None:
            for signal, slot in self._connections(model):
                signal.connect(slot)
        self._measure_all()
        self._reading.go_to_end()
        self.pill.all_seen()
        if place is not None:
            self.restore_place(place)
        self._arrange()

    def place(self) -> Place | None:
        """Where the reader is, to come back to; None at the end."""
        if self._reading.sticks or self._model is None or not len(self._heights):
            return None
        return Place(message_id=self._model.bus.id_at(self._reading.row), offset_px=self._reading.px)

    def restore_place(self, place: Place) -> None:
        if self._model is None:
            return
        row = self._model.bus.index_of(place.message_id)
        if row is not None:
            self._reading.go_to(row, place.offset_px)
            self._arrange()

    def show_message(self, message_id: str, *, mark: bool = True) -> bool:
        """Bring a message of the active path to the upper third of the view. False where it is not on it."""
        message_id = self._context.calls.place_of(message_id)
        row = self._model.bus.index_of(message_id) if self._model is not None else None
        if row is None:
            return False
        self._reading.go_to(row, -self.viewport().height() // 6)
        self._arrange()
        if mark:
            shown = self._rows.get(message_id)
            if shown is not None:
                shown.mark(_MARK_MS)
        return True

    @property
    def is_at_end(self) -> bool:
        return self._reading.sticks

    def go_to_end(self) -> None:
        self._reading.go_to_end()
        self._arrange()

    def go_to_start(self) -> None:
        self.verticalScrollBar().setValue(0)

    def scroll_page(self, pages: int) -> None:
        """Scroll so many views down, or up where `pages` is negative."""
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + pages * bar.pageStep())

    def set_waiting(self, text: str) -> None:
        """Why nothing comes yet ("Trying again in 4 s"), beside the dots of the reply that is awaited."""
        self._waiting = text
        for shown in self._rows.rows():
            if shown.is_streaming:
                shown.set_waiting(text)

    # The message that the keyboard is on

    @property
    def current_id(self) -> str | None:
        return self.walk.current

    def set_current(self, message_id: str | None) -> None:
        """Put the keyboard on a message: its actions show, its text is what a screen reader reads."""
        self.walk.set_current(message_id)

    @property
    def heights(self) -> Heights:
        """All rows' heights, for reading."""
        return self._heights

    @property
    def top_px(self) -> int:
        """The pixel of the conversation at the top of the view."""
        return self._top()

    def row_shown(self, index: int) -> MessageRow | None:
        """The widget of the message at a place of the path, where it is on screen."""
        if self._model is None or index >= len(self._heights):
            return None
        return self._rows.get(self._model.bus.id_at(index))

    def row_of(self, message_id: str) -> MessageRow | None:
        """The widget of a message, where it has one now."""
        return self._rows.get(message_id)

    def rows_in_order(self) -> list[MessageRow]:
        """The rows that exist as widgets, from top to bottom."""
        return sorted(self._rows.rows(), key=lambda row: row.y())

    # Changes of the model

    def _connections(self, model: MessageListModel) -> list[tuple[SignalInstance, Callable[..., None]]]:
        return [
            (model.rowsInserted, self._inserted),
            (model.rowsRemoved, self._removed),
            (model.modelReset, self._reset),
            (model.dataChanged, self._changed),
            (model.grown, self._grown),
        ]

    def _inserted(self, _parent: QModelIndex, first: int, last: int) -> None:
        assert self._model is not None
        bus = self._model.bus
        if len(self._heights) > first:
            self._reading.inserted(first, last - first + 1)
        for row, height in enumerate(self._estimates(first, last + 1), first):
            self._heights.insert(row, height)
        if last < len(bus) - 1:
            self.selection.rows_changed(first * COLUMNS_PER_ROW, (last - first + 1) * COLUMNS_PER_ROW)
        if bus.role_at(last) == "user" and last == len(bus) - 1:
            self._reading.go_to_end()  # what the person just said is always brought into view
        elif not self._reading.sticks and last == len(bus) - 1:
            self.pill.note_unseen()
        self._fill_last(first - 1)
        self._settle_soon()

    def _removed(self, _parent: QModelIndex, first: int, last: int) -> None:
        assert self._model is not None
        bus = self._model.bus
        self._heights.remove(first, last)
        self.selection.rows_changed(first * COLUMNS_PER_ROW, -(last - first + 1) * COLUMNS_PER_ROW)
        self._reading.removed(first, last, len(self._heights))
        self._rows.keep(lambda message_id: bus.index_of(message_id) is not None)
        self._fill_last(first - 1)
        if self.walk.current is not None and bus.index_of(self.walk.current) is None:
            self.walk.current = None
            self.actions_on_rows.hide()
            if len(self._heights) and self.hasFocus():
                self.set_current(self._model.bus.id_at(min(first, len(self._heights) - 1)))
        self._settle_soon()

    def _reset(self) -> None:
        self.selection.clear()
        self._rows.give_all_back()
        self._measure_all()
        self._reading.go_to_end()
        self.pill.all_seen()
        self._arrange()

    def _changed(self, first: QModelIndex, last: QModelIndex, roles: list[int]) -> None:
        if roles:  # growth, which came by `grown`
            return
        assert self._model is not None
        for row in range(first.row(), last.row() + 1):
            self._fill_again(row)
        self._settle_soon()

    def _fill_last(self, row: int) -> None:
        """`row` came to be the last one, or is it no more: only there can a failed request be made again."""
        assert self._model is not None
        bus = self._model.bus
        if 0 <= row < len(bus) and bus.error_of(bus.id_at(row)) is not None:
            self._fill_again(row)

    def _fill_again(self, row: int) -> None:
        assert self._model is not None
        shown = self._rows.get(self._model.bus.id_at(row))
        if shown is not None:
            self._fill(shown, row)

    def _grown(self, row: int, message_id: str, growth: object) -> None:
        shown = self._rows.get(message_id)
        if shown is None:
            if not self._reading.sticks:
                self._note_unseen()
            return
        assert isinstance(growth, list)
        shown.append(growth)
        if not shown.flush():
            return
        change = self._heights.set(row, shown.layout_for(self._width))
        if not change:
            shown.settle()
            return
        if not self._reading.sticks:
            self._note_unseen()
        self._arrange()

    # Layout

    def _column_px(self) -> int:
        return max(160, min(self._context.themes.current.column_px, self.viewport().width() - 2 * _SIDE_PX))

    def _estimates(self, first: int, last: int) -> list[int]:
        """About how high the rows from `first` to before `last` will be. Called for all of them at once."""
        assert self._model is not None
        bus = self._model.bus
        sizes = (bus.size_at(row) if bus.role_at(row) != "tool" else None for row in range(first, last))
        return estimated_heights(sizes, self._width, self._context.themes.current.scale)

    def _measure_all(self) -> None:
        self._width = self._column_px()
        count = self._model.rowCount() if self._model is not None else 0
        self._heights = Heights(self._estimates(0, count) if count else ())

    def _settle_soon(self) -> None:
        """Arrange once after all changes of this turn of the loop."""
        if not self._settle.isActive():
            self._settle.start()

    def _arrange(self) -> None:
        """Bring rows, heights, scroll bar and places into agreement. O(rows in view)."""
        self._settle.stop()
        model = self._model
        if model is None or not len(self._heights):
            self._rows.give_all_back()
            self._set_bar(0, 0)
            self._show_pill()
            return
        height = self.viewport().height()
        top, first, last = 0, 0, -1
        for _round in range(_ROUNDS):
            top = self._top()
            first = self._heights.row_at(max(0, top - _AHEAD_PX))
            last = self._heights.row_at(top + height + _AHEAD_PX)
            changed = 0
            for row in range(first, last + 1):
                shown = self._row(row)
                changed |= self._heights.set(row, shown.layout_for(self._width))
            if not changed:
                break
        top = self._top()
        self._set_bar(top, max(0, self._heights.total - height))
        self._position(first, last, top)
        self._reading.hold(top, max(0, self._heights.total - height), self._heights)
        self._show_pill()

    def _top(self) -> int:
        return self._reading.top_px(self._heights, self.viewport().height())

    def _position(self, first: int, last: int, top: int) -> None:
        assert self._model is not None
        bus = self._model.bus
        # In the middle of the whole view, as the composer is: nothing moves aside when the scroll bar comes.
        left = min((self.width() - self._width) // 2, self.viewport().width() - self._width - _SIDE_PX) - OUTSET_PX
        y = self._heights.top(first) - top
        tops: dict[str, int] = {}
        for row in range(first, last + 1):
            tops[bus.id_at(row)] = y
            y += self._heights[row]
        self._rows.scroll_to(tops)
        for row, row_y in enumerate(tops.values(), first):
            placed = self._row(row)
            placed.setGeometry(left, row_y, self._width + 2 * OUTSET_PX, self._heights[row])
            placed.settle()
            if not placed.isVisible():
                placed.show()
        if self.selection.has_selection:
            self.selection.refresh()
        dragging = bool(QGuiApplication.mouseButtons() & Qt.MouseButton.LeftButton)
        for message_id in self._rows.ids():
            shown = self._rows.get(message_id)
            if shown is None or message_id in tops:
                continue
            # Kept: a streaming row, which would cost its whole length to build again, and one that holds the mouse.
            if bus.index_of(message_id) is not None and (bus.is_streaming(message_id) or dragging):
                shown.hide()
            else:
                self._rows.give_back(message_id)
        self.actions_on_rows.follow()

    def _row(self, row: int) -> MessageRow:
        """The widget of a row, made or taken from the pool."""
        assert self._model is not None
        message_id = self._model.bus.id_at(row)
        shown = self._rows.get(message_id)
        if shown is None:
            shown = self._rows.take(message_id)
            self._fill(shown, row)
        return shown

    def _connect_row(self, row: MessageRow) -> None:
        row.action_requested.connect(self.action_requested)
        row.link_clicked.connect(self.link_clicked)
        row.image_clicked.connect(self.image_clicked)
        row.copy_requested.connect(self.copy_requested)
        row.target_focused.connect(self.walk.reveal)
        row.height_changed.connect(self._row_resized)
        row.unfolded.connect(self._row_unfolded)
        row.hovered.connect(self.actions_on_rows.show_on)

    def _fill(self, shown: MessageRow, row: int) -> None:
        assert self._model is not None
        bus = self._model.bus
        missing: Missing = "unanswered" if self._model.is_unanswered(row) else ""
        missing = "unfinished" if self._model.is_unfinished(row) else missing
        current = bus.id_at(row) == self.walk.current
        fill(shown, bus, row, current=current, waiting=self._waiting, missing=missing)

    def _row_resized(self, message_id: str) -> None:
        """A row changed its height by itself: a picture arrived, a long text was laid out to its end."""
        row = self._model.bus.index_of(message_id) if self._model is not None else None
        shown = self._rows.get(message_id)
        if row is not None and shown is not None:
            if self._heights.set(row, shown.layout_for(self._width)):
                self._settle_soon()
            shown.settle()

    def _row_unfolded(self, message_id: str) -> None:
        """The person opened or closed something in a row: it must not jump away from under the mouse."""
        self._reading.let_go(self._top(), self._heights)
        self._row_resized(message_id)

    # Scrolling

    def _set_bar(self, value: int, maximum: int) -> None:
        self.is_placing = True
        bar = self.verticalScrollBar()
        bar.setRange(0, maximum)
        bar.setPageStep(max(1, self.viewport().height() - 40))
        bar.setValue(value)
        self.is_placing = False

    def _scrolled(self, value: int) -> None:
        if self.is_placing or not len(self._heights):
            return
        self._reading.scrolled_to(value, self.verticalScrollBar().maximum(), self._heights)
        if self._reading.sticks:
            self.pill.all_seen()
        self._arrange()

    def _note_unseen(self) -> None:
        if self.pill.note_unseen():
            self._show_pill()

    def _show_pill(self) -> None:
        self.pill.show_if(at_end=self._reading.sticks, below_px=self._heights.total - self._top())

    def _fates_changed(self) -> None:
        """Other messages are left out than before: the rows in view say so, all others when they come into view."""
        for shown in self._rows.rows():
            shown.refresh_sign()
        self.actions_on_rows.follow()

    def _theme_changed(self) -> None:
        self._rows.give_all_back()
        self._rows.forget_spare()
        self._measure_all()
        self._arrange()

    # Qt

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._column_px() != self._width:
            self._measure_all()
        self._arrange()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Rows are placed by `_arrange`; the viewport itself is not moved."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()  # the window scales the text
            return
        super().wheelEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._keys.press(event):
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            return  # the key itself comes too, and opens the menu of the current message
        point = self.viewport().mapFromGlobal(event.globalPos())
        row = self._rows.row_at(point)
        if row is not None:
            self.actions_on_rows.open_menu(row.message_id, point)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in KEYBOARD_REASONS and self.walk.current is None:
            self.walk.begin()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.set_current(None)
        super().mousePressEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave and self.walk.current is None:
            self.actions_on_rows.hide()
        return super().viewportEvent(event)
