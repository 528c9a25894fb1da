"""Timeline: the conversation on screen. Only rows in view are widgets, taken from a pool; all heights are known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QModelIndex, QPoint, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QMenu, QWidget

from sam_py.messages.message import AssistantMessage
from sam_py.ui.chat.heights import Heights
from sam_py.ui.chat.row import OUTSET_PX, MessageRow
from sam_py.ui.chat.row_actions import ActionBar, Offer
from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.chat.selection import SelectionController
from sam_py.ui.chat.timeline_rows import COLUMNS_PER_ROW, TimelineRows
from sam_py.ui.models.message_list_model import MessageListModel
from sam_py.ui.widgets.buttons import PillButton

_AHEAD_PX = 240
"""Rows this far above and below the view are laid out too, so that scrolling meets finished rows."""
_SIDE_PX = 24
_SPARE_ROWS = 12
_MARK_MS = 1600
_ROUNDS = 8


@dataclass(frozen=True, slots=True)
class Place:
    """Where a reader is: a message and how many pixels of it are above the view. None: at the end."""

    message_id: str
    offset_px: int


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
    at_end_changed = Signal(bool)
    current_changed = Signal(str)

    def __init__(self, context: RowContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._model: MessageListModel | None = None
        self._heights = Heights()
        self._shown: dict[str, MessageRow] = {}
        self._pool: list[MessageRow] = []
        self._sticks = True
        self._anchor_row = 0
        self._anchor_px = 0
        self._placing = False
        self._width = 0
        self._current: str | None = None
        self._unseen = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Conversation"))
        self.viewport().setAutoFillBackground(False)
        self.viewport().setMouseTracking(True)
        bar = self.verticalScrollBar()
        bar.setSingleStep(40)
        bar.valueChanged.connect(self._scrolled)
        bar.setAccessibleName(self.tr("Conversation scroll bar"))
        self.action_bar = ActionBar(context.icons, self.viewport())
        self.action_bar.chosen.connect(self.action_requested)
        self._bar_on: str | None = None
        self._waiting = ""
        self.selection = SelectionController(self.viewport(), TimelineRows(self))
        self.selection.scroll_wanted.connect(lambda pixels: bar.setValue(bar.value() + pixels))
        self._pill = PillButton(context.icons, self.tr("New messages"), icon="arrow-down", parent=self)
        self._pill.clicked.connect(self.go_to_end)
        self._pill.hide()
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(0)
        self._settle.timeout.connect(self._arrange)
        context.themes.changed.connect(self._theme_changed)

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
        self._recycle_all()
        self._current = None
        self._hide_actions()
        if model is not None:
            for signal, slot in self._connections(model):
                signal.connect(slot)
        self._measure_all()
        self._sticks, self._unseen = True, False
        if place is not None:
            self.restore_place(place)
        self._arrange()

    def place(self) -> Place | None:
        """Where the reader is, to come back to; None at the end."""
        if self._sticks or self._model is None or not len(self._heights):
            return None
        return Place(self._model.bus.id_at(self._anchor_row), self._anchor_px)

    def restore_place(self, place: Place) -> None:
        if self._model is None:
            return
        row = self._model.bus.index_of(place.message_id)
        if row is not None:
            self._sticks, self._anchor_row, self._anchor_px = False, row, place.offset_px
            self._arrange()

    def show_message(self, message_id: str, *, mark: bool = True) -> bool:
        """Bring a message of the active path to the upper third of the view. False where it is not on it."""
        row = self._model.bus.index_of(message_id) if self._model is not None else None
        if row is None:
            return False
        self._sticks, self._anchor_row, self._anchor_px = False, row, -self.viewport().height() // 6
        self._arrange()
        if mark:
            shown = self._shown.get(message_id)
            if shown is not None:
                shown.mark(_MARK_MS)
        return True

    @property
    def is_at_end(self) -> bool:
        return self._sticks

    def go_to_end(self) -> None:
        self._sticks = True
        self._arrange()

    def go_to_start(self) -> None:
        self.verticalScrollBar().setValue(0)

    def set_waiting(self, text: str) -> None:
        """Why nothing comes yet ("Trying again in 4 s"), beside the dots of the reply that is awaited."""
        self._waiting = text
        for shown in self._shown.values():
            if shown.is_streaming:
                shown.set_waiting(text)

    # The message that the keyboard is on

    @property
    def current_id(self) -> str | None:
        return self._current

    def set_current(self, message_id: str | None) -> None:
        """Put the keyboard on a message: its actions show, its text is what a screen reader reads."""
        if message_id == self._current:
            return
        old = self._shown.get(self._current or "")
        if old is not None:
            old.set_current(False)
        self._current = message_id
        new = self._shown.get(message_id or "")
        if new is not None:
            new.set_current(True)
            self.setAccessibleDescription(new.accessible_text())
            self._show_actions(new.message_id)
        self.current_changed.emit(message_id or "")

    def row_shown(self, index: int) -> MessageRow | None:
        """The widget of the message at a place of the path, where it is on screen."""
        if self._model is None or index >= len(self._heights):
            return None
        return self._shown.get(self._model.bus.id_at(index))

    def open_menu(self, message_id: str, at: QPoint | None = None) -> None:
        """What can be done with a message and with the text at a point of the viewport, as a menu."""
        offer, shown = self.offer_of(message_id), self._shown.get(message_id)
        if offer is None or shown is None:
            return
        point = at or shown.geometry().center()
        menu = (self.selection.menu_for(point) if at is not None else None) or QMenu(self)
        if not menu.isEmpty():
            menu.addSeparator()
        self.action_bar.fill_menu(menu, offer)
        menu.popup(self.viewport().mapToGlobal(point))

    def rows_in_order(self) -> list[MessageRow]:
        """The rows that exist as widgets, from top to bottom."""
        return sorted(self._shown.values(), key=lambda row: row.y())

    def offer_of(self, message_id: str) -> Offer | None:
        """What can be done with a message of the path."""
        if self._model is None or message_id not in self._model.bus:
            return None
        message = self._model.bus.get(message_id)
        reply = isinstance(message, AssistantMessage)
        return Offer(
            message_id=message_id,
            role=message.role,
            is_pinned=message.pinned,
            is_streaming=self._model.bus.is_streaming(message_id),
            can_continue=isinstance(message, AssistantMessage)
            and message.stop_reason in ("aborted", "length", "error")
            and self._model.bus.tip == message_id,
            has_text=bool(message.plain_text) if reply or message.role == "user" else bool(message.text),
        )

    def _show_actions(self, message_id: str) -> None:
        """Stand the action bar on the foot of a message's row."""
        shown, offer = self._shown.get(message_id), self.offer_of(message_id)
        if shown is None or offer is None or not shown.isVisible():
            return
        self._bar_on = message_id
        self.action_bar.offer(offer)
        foot = shown.foot_rect().translated(shown.pos())
        size = self.action_bar.sizeHint()
        taken = shown.branch_width() + (shown.facts_width() + 12 if shown.facts_shown else 0)
        x = foot.right() - taken - size.width() if shown.is_mine else foot.left() + taken
        x = max(foot.left(), min(x, foot.right() - size.width()))
        self.action_bar.setGeometry(x, foot.top() + (foot.height() - size.height()) // 2, size.width(), size.height())
        self.action_bar.show()
        self.action_bar.raise_()

    def _hide_actions(self) -> None:
        self._bar_on = None
        self.action_bar.hide()

    def _replace_actions(self) -> None:
        """After rows moved: the bar goes with its row."""
        if self._bar_on is None:
            return
        if self._bar_on in self._shown:
            self._show_actions(self._bar_on)
        else:
            self._hide_actions()

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
        if not self._sticks and first <= self._anchor_row and len(self._heights) > first:
            self._anchor_row += last - first + 1
        for row in range(first, last + 1):
            self._heights.insert(row, self._estimate(row))
        if last < len(bus) - 1:
            self.selection.rows_changed(first * COLUMNS_PER_ROW, (last - first + 1) * COLUMNS_PER_ROW)
        if bus.role_at(last) == "user" and last == len(bus) - 1:
            self._sticks = True  # what the person just said is always brought into view
        elif not self._sticks:
            self._unseen = True
        self._settle_soon()

    def _removed(self, _parent: QModelIndex, first: int, last: int) -> None:
        self._heights.remove(first, last)
        self.selection.rows_changed(first * COLUMNS_PER_ROW, -(last - first + 1) * COLUMNS_PER_ROW)
        if self._anchor_row > last:
            self._anchor_row -= last - first + 1
        elif self._anchor_row >= first:
            self._anchor_row, self._anchor_px = max(0, min(first, len(self._heights) - 1)), 0
        self._drop_gone()
        self._settle_soon()

    def _reset(self) -> None:
        self.selection.clear()
        self._recycle_all()
        self._measure_all()
        self._sticks, self._unseen = True, False
        self._arrange()

    def _changed(self, first: QModelIndex, last: QModelIndex, roles: list[int]) -> None:
        if roles:  # growth, which came by `grown`
            return
        assert self._model is not None
        for row in range(first.row(), last.row() + 1):
            shown = self._shown.get(self._model.bus.id_at(row))
            if shown is not None:
                self._fill(shown, row)
        self._settle_soon()

    def _grown(self, row: int, message_id: str, growth: object) -> None:
        shown = self._shown.get(message_id)
        if shown is None:
            if not self._sticks:
                self._note_unseen()
            return
        assert isinstance(growth, list)
        shown.append(growth)
        if not shown.flush():
            return
        change = self._heights.set(row, shown.layout_for(self._width))
        if not change:
            return
        if not self._sticks:
            self._note_unseen()
        self._arrange()

    # Layout

    def _column_px(self) -> int:
        return max(160, min(self._context.themes.current.column_px, self.viewport().width() - 2 * _SIDE_PX))

    def _estimate(self, row: int) -> int:
        assert self._model is not None
        theme = self._context.themes.current
        characters_per_line = max(20, self._width // max(1, round(6.6 * theme.scale)))
        lines = 1 + self._model.bus.size_at(row) // characters_per_line
        return round((64 + 21 * lines) * theme.scale)

    def _measure_all(self) -> None:
        self._width = self._column_px()
        count = self._model.rowCount() if self._model is not None else 0
        self._heights = Heights(self._estimate(row) for row in range(count))

    def _settle_soon(self) -> None:
        """Arrange once after all changes of this turn of the loop."""
        if not self._settle.isActive():
            self._settle.start()

    def _arrange(self) -> None:
        """Bring rows, heights, scroll bar and places into agreement. O(rows in view)."""
        self._settle.stop()
        model = self._model
        if model is None or not len(self._heights):
            self._recycle_all()
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
        if not self._sticks:
            # The anchor is what stands at the top now: rows above it may be measured without moving it.
            self._anchor_row = self._heights.row_at(top)
            self._anchor_px = top - self._heights.top(self._anchor_row)
        self._show_pill()

    def _top(self) -> int:
        """The pixel of the conversation at the top of the view."""
        end = max(0, self._heights.total - self.viewport().height())
        if self._sticks:
            return end
        return max(0, min(end, self._heights.top(self._anchor_row) + self._anchor_px))

    def _position(self, first: int, last: int, top: int) -> None:
        assert self._model is not None
        bus = self._model.bus
        left = (self.viewport().width() - self._width) // 2
        keep: set[str] = set()
        y = self._heights.top(first) - top
        for row in range(first, last + 1):
            message_id = bus.id_at(row)
            keep.add(message_id)
            shown = self._shown[message_id]
            shown.setGeometry(left - OUTSET_PX, y, self._width + 2 * OUTSET_PX, self._heights[row])
            if not shown.isVisible():
                shown.show()
            y += self._heights[row]
        if self.selection.has_selection:
            self.selection.refresh()
        dragging = bool(QGuiApplication.mouseButtons() & Qt.MouseButton.LeftButton)
        for message_id in [message_id for message_id in self._shown if message_id not in keep]:
            shown = self._shown[message_id]
            # Kept: a streaming row, which would cost its whole length to build again, and one that holds the mouse.
            if bus.index_of(message_id) is not None and (bus.is_streaming(message_id) or dragging):
                shown.hide()
            else:
                self._recycle(message_id)
        self._replace_actions()

    def _row(self, row: int) -> MessageRow:
        """The widget of a row, made or taken from the pool."""
        assert self._model is not None
        message_id = self._model.bus.id_at(row)
        shown = self._shown.get(message_id)
        if shown is None:
            shown = self._pool.pop() if self._pool else self._new_row()
            self._shown[message_id] = shown
            self._fill(shown, row)
        return shown

    def _new_row(self) -> MessageRow:
        row = MessageRow(self._context, self.viewport())
        row.action_requested.connect(self.action_requested)
        row.link_clicked.connect(self.link_clicked)
        row.image_clicked.connect(self.image_clicked)
        row.copy_requested.connect(self.copy_requested)
        row.height_changed.connect(self._row_resized)
        row.hovered.connect(self._show_actions)
        return row

    def _fill(self, shown: MessageRow, row: int) -> None:
        assert self._model is not None
        bus = self._model.bus
        message_id = bus.id_at(row)
        brothers = bus.siblings(message_id)
        shown.show_message(
            bus.get(message_id),
            streaming=bus.is_streaming(message_id),
            error=bus.error_of(message_id),
            branch=(brothers.index(message_id) + 1, len(brothers)),
            is_last=row == len(bus) - 1,
        )
        shown.set_current(message_id == self._current)
        shown.set_waiting(self._waiting if shown.is_streaming else "")

    def _row_resized(self, message_id: str) -> None:
        """A row changed its height by itself: thinking opened, a picture arrived."""
        row = self._model.bus.index_of(message_id) if self._model is not None else None
        shown = self._shown.get(message_id)
        if row is None or shown is None:
            return
        self._sticks = self._sticks and row == len(self._heights) - 1
        if self._heights.set(row, shown.layout_for(self._width)):
            self._settle_soon()

    def _recycle(self, message_id: str) -> None:
        shown = self._shown.pop(message_id)
        shown.hide()
        shown.clear()
        if len(self._pool) < _SPARE_ROWS:
            self._pool.append(shown)
        else:
            shown.deleteLater()

    def _recycle_all(self) -> None:
        for message_id in list(self._shown):
            self._recycle(message_id)

    def _drop_gone(self) -> None:
        assert self._model is not None
        for message_id in list(self._shown):
            if message_id not in self._model.bus or self._model.bus.index_of(message_id) is None:
                self._recycle(message_id)

    # Scrolling

    def _set_bar(self, value: int, maximum: int) -> None:
        self._placing = True
        bar = self.verticalScrollBar()
        bar.setRange(0, maximum)
        bar.setPageStep(max(1, self.viewport().height() - 40))
        bar.setValue(value)
        self._placing = False

    def _scrolled(self, value: int) -> None:
        if self._placing or not len(self._heights):
            return
        self._set_sticks(value >= self.verticalScrollBar().maximum())
        self._anchor_row = self._heights.row_at(value)
        self._anchor_px = value - self._heights.top(self._anchor_row)
        self._arrange()

    def _set_sticks(self, sticks: bool) -> None:
        if sticks != self._sticks:
            self._sticks = sticks
            if sticks:
                self._unseen = False
            self.at_end_changed.emit(sticks)

    def _note_unseen(self) -> None:
        if not self._unseen:
            self._unseen = True
            self._show_pill()

    def _show_pill(self) -> None:
        far = not self._sticks and self._heights.total - self._top() > self.viewport().height() * 3 // 2
        wanted = not self._sticks and (self._unseen or far)
        if wanted:
            self._pill.set_words(self.tr("New messages") if self._unseen else self.tr("To the end"))
            size = self._pill.sizeHint()
            x = (self.viewport().width() - size.width()) // 2
            self._pill.setGeometry(x, self.viewport().height() - size.height() - 12, size.width(), size.height())
            self._pill.raise_()
        self._pill.setVisible(wanted)

    def _theme_changed(self) -> None:
        self._recycle_all()
        for row in self._pool:
            row.deleteLater()
        self._pool.clear()
        self._measure_all()
        self._arrange()

    def _move_current(self, step: int) -> None:
        if self._model is None or not len(self._heights):
            return
        bus = self._model.bus
        row = bus.index_of(self._current) if self._current else None
        row = self._heights.row_at(self._top() + self.viewport().height() // 3) if row is None else row + step
        row = max(0, min(len(self._heights) - 1, row))
        self.set_current(bus.id_at(row))
        top, height = self._heights.top(row), self._heights[row]
        view = self._top()
        if top < view or top + height > view + self.viewport().height():
            goal = (
                top - 24
                if top < view or height > self.viewport().height()
                else top + height - self.viewport().height() + 24
            )
            self.verticalScrollBar().setValue(max(0, goal))
        shown = self._shown.get(bus.id_at(row))
        if shown is not None:
            shown.set_current(True)

    # Qt

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._column_px() != self._width:
            place_row, place_px = self._anchor_row, self._anchor_px
            self._measure_all()
            self._anchor_row, self._anchor_px = place_row, place_px
        self._arrange()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Rows are placed by `_arrange`; the viewport itself is not moved."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()  # the window scales the text
            return
        super().wheelEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy) and (self.selection.copy() or self._current):
            if not self.selection.has_selection and self._current:
                self.action_requested.emit("copy", self._current)
            return
        bar = self.verticalScrollBar()
        match event.key():
            case Qt.Key.Key_Up:
                self._move_current(-1)
            case Qt.Key.Key_Down:
                self._move_current(1)
            case Qt.Key.Key_PageUp:
                bar.setValue(bar.value() - bar.pageStep())
            case Qt.Key.Key_PageDown | Qt.Key.Key_Space:
                bar.setValue(bar.value() + bar.pageStep())
            case Qt.Key.Key_Home:
                bar.setValue(0)
            case Qt.Key.Key_End:
                self.go_to_end()
            case Qt.Key.Key_Left | Qt.Key.Key_Right if self._current:
                self.action_requested.emit("previous" if event.key() == Qt.Key.Key_Left else "next", self._current)
            case Qt.Key.Key_Menu if self._current and self._current in self._shown:
                self.open_menu(self._current)
            case Qt.Key.Key_Escape if self.selection.has_selection:
                self.selection.clear()
            case Qt.Key.Key_A if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                self._select_message()
            case _:
                super().keyPressEvent(event)

    def _select_message(self) -> None:
        """Select the whole text of the message that the keyboard is on."""
        index = self._model.bus.index_of(self._current) if self._model is not None and self._current else None
        if index is not None:
            self.selection.select_all(index * COLUMNS_PER_ROW)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        point = self.viewport().mapFromGlobal(event.globalPos())
        row = self.row_under(point)
        if row is not None:
            self.open_menu(row.message_id, point)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        focus = self.window().focusWidget()
        if focus is None or not self.isAncestorOf(focus):
            self.set_current(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.set_current(None)
        super().mousePressEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave and self._current is None:
            self._hide_actions()
        return super().viewportEvent(event)

    def row_under(self, position: QPoint) -> MessageRow | None:
        """The row at a place of the viewport."""
        for row in self._shown.values():
            if row.isVisible() and row.geometry().contains(position):
                return row
        return None
