"""TimelineWalk: going from message to message, and to what can be pressed in them, by keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRect, Qt
from PySide6.QtWidgets import QApplication, QWidget

from sam_py.ui.tab_order import stops_below, takes_tab
from sam_py.ui.widgets.announce import announce

if TYPE_CHECKING:
    from sam_py.ui.chat.timeline import Timeline

_AIR_PX = 24


class TimelineWalk(QObject):
    """Keeps the timeline's current message and the keyboard's place in step."""

    def __init__(self, timeline: Timeline) -> None:
        super().__init__(timeline)
        self._timeline = timeline
        self.current: str | None = None
        """The id of the message that the keyboard is on."""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._focus_moved)

    def set_current(self, message_id: str | None) -> None:
        """Put the keyboard on a message: its actions show, its text is what a screen reader reads."""
        if message_id == self.current:
            return
        timeline = self._timeline
        old, new = timeline.row_of(self.current or ""), timeline.row_of(message_id or "")
        if old is not None:
            old.set_current(False)
        self.current = message_id
        if new is not None:
            new.set_current(True)
            timeline.setAccessibleDescription(new.accessible_text())
            if timeline.hasFocus():
                announce(timeline, new.accessible_text())
            timeline.actions_on_rows.show_on(new.message_id)
        timeline.current_changed.emit(message_id or "")

    def begin(self) -> None:
        """The keyboard came in: begin at the message that is read now."""
        timeline, heights = self._timeline, self._timeline.heights
        if timeline.model is not None and len(heights):
            third = timeline.top_px + timeline.height() // 3
            row = len(heights) - 1 if timeline.is_at_end else heights.row_at(third)
            row = self._seen(row, -1)
            timeline.set_current(timeline.model.bus.id_at(row))

    def move(self, step: int) -> None:
        """Go to the message above or below, and bring it into view; from nowhere, to one in the middle of the view."""
        timeline, heights = self._timeline, self._timeline.heights
        if timeline.model is None or not len(heights):
            return
        bus, height, view = timeline.model.bus, timeline.viewport().height(), timeline.top_px
        row = bus.index_of(timeline.current_id) if timeline.current_id else None
        row = heights.row_at(view + height // 3) if row is None else row + step
        row = self._seen(max(0, min(len(heights) - 1, row)), step)
        if not timeline.hasFocus():
            timeline.setFocus(Qt.FocusReason.OtherFocusReason)  # a link or a button of another message had it
        top, bottom = heights.top(row), heights.top(row + 1)
        if top < view or bottom - top > height:
            timeline.verticalScrollBar().setValue(max(0, top - _AIR_PX))
        elif bottom > view + height:
            timeline.verticalScrollBar().setValue(bottom - height + _AIR_PX)
        timeline.set_current(bus.id_at(row))

    def _seen(self, row: int, step: int) -> int:
        """`row`, or the next one in the direction of `step` that is seen: a tool's result is on the card above it."""
        heights = self._timeline.heights
        for way in (1 if step > 0 else -1, -1 if step > 0 else 1):
            at = row
            while 0 <= at < len(heights) and not heights[at]:
                at += way
            if 0 <= at < len(heights):
                return at
        return row

    def tab_stops(self) -> list[QWidget]:
        """What Tab goes through: the timeline, then what is in the current message, then what can be done with it.

        Without a current message, all that is in view.
        """
        timeline = self._timeline
        current = timeline.row_of(timeline.current_id or "")
        rows = [current] if current is not None else timeline.rows_in_order()
        seen = timeline.viewport().rect()
        stops = [stop for row in rows if row.geometry().intersects(seen) for stop in stops_below(row, _has_stop)]
        return [timeline, *stops, *stops_below(timeline.actions_on_rows.bar), *stops_below(timeline.pill)]

    def reveal(self, column: QWidget, rect: QRect) -> None:
        """A link or a button in a message got the keyboard: bring it into view."""
        viewport, bar = self._timeline.viewport(), self._timeline.verticalScrollBar()
        place = QRect(column.mapTo(viewport, rect.topLeft()), rect.size())
        if place.top() < 0:
            bar.setValue(bar.value() + place.top() - _AIR_PX)
        elif place.bottom() > viewport.height():
            bar.setValue(bar.value() + min(place.top() - _AIR_PX, place.bottom() - viewport.height() + _AIR_PX))

    def _focus_moved(self, _old: QWidget | None, new: QWidget | None) -> None:
        timeline = self._timeline
        if (framed := timeline.row_of(self.current or "")) is not None:
            framed.update()
        if new is None or new.window() is not timeline.window():
            return  # a menu, a dialog, another program: it comes back
        if new is not timeline and not timeline.isAncestorOf(new):
            if timeline.current_id is not None:
                timeline.set_current(None)
                timeline.actions_on_rows.hide()
            return
        row = next((row for row in timeline.rows_in_order() if row.isAncestorOf(new)), None)
        if row is not None:
            timeline.set_current(row.message_id)


def _has_stop(widget: QWidget) -> bool:
    """A message's text is a stop for Tab only where it has links or buttons."""
    from sam_py.ui.chat.parts.markdown_column import MarkdownColumn

    return takes_tab(widget) and (not isinstance(widget, MarkdownColumn) or widget.has_targets())
