"""RowPool: the rows that exist as widgets: those near the view, and spare ones that wait for their next message."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget

from sam_py.bus.message_bus import MessageBus
from sam_py.ui.chat.error_box import Missing, not_there
from sam_py.ui.chat.row_context import RowContext

if TYPE_CHECKING:
    from sam_py.ui.chat.row import MessageRow

_SPARE_ROWS = 12


class RowPool:
    """Rows by message id. `on_new` connects a row that was just made."""

    def __init__(self, context: RowContext, parent: QWidget, on_new: Callable[[MessageRow], None]) -> None:
        self._context = context
        self._parent = parent
        self._on_new = on_new
        self._shown: dict[str, MessageRow] = {}
        self._spare: list[MessageRow] = []

    def __contains__(self, message_id: str) -> bool:
        return message_id in self._shown

    def __len__(self) -> int:
        return len(self._shown)

    def get(self, message_id: str) -> MessageRow | None:
        return self._shown.get(message_id)

    def ids(self) -> list[str]:
        return list(self._shown)

    def rows(self) -> Iterable[MessageRow]:
        return self._shown.values()

    @property
    def spare(self) -> int:
        return len(self._spare)

    def take(self, message_id: str) -> MessageRow:
        """A row for a message that has none yet: a spare one, or a new one. It shows nothing so far."""
        if self._spare:
            row = self._spare.pop()
        else:
            from sam_py.ui.chat.row import MessageRow  # with all that draws Markdown: a twelfth of the start

            row = MessageRow(self._context, self._parent)
            self._on_new(row)
        self._shown[message_id] = row
        return row

    def scroll_to(self, tops: Mapping[str, int]) -> None:
        """Move the pixels of the rows to where they are to stand (message id → y), if all move together.

        What is seen already is not painted again then: one line more of a reply costs that line.
        """
        by: int | None = None
        for message_id, y in tops.items():
            row = self._shown.get(message_id)
            if row is not None and row.isVisible():
                if by is not None and y - row.y() != by:
                    return
                by = y - row.y()
        if by and abs(by) < self._parent.height():
            self._parent.scroll(0, by)

    def give_back(self, message_id: str) -> None:
        """The message needs no row any more."""
        row = self._shown.pop(message_id)
        focus, timeline = row.window().focusWidget(), self._parent.parentWidget()
        if focus is not None and row.isAncestorOf(focus) and timeline is not None:
            timeline.setFocus(Qt.FocusReason.OtherFocusReason)  # else the keyboard would go anywhere
        row.hide()
        row.clear()
        if len(self._spare) < _SPARE_ROWS:
            self._spare.append(row)
        else:
            row.deleteLater()

    def give_all_back(self) -> None:
        for message_id in self.ids():
            self.give_back(message_id)

    def keep(self, stays: Callable[[str], bool]) -> None:
        """Give back the rows of all messages that do not stay."""
        for message_id in self.ids():
            if not stays(message_id):
                self.give_back(message_id)

    def row_at(self, position: QPoint) -> MessageRow | None:
        """The row at a place of the parent."""
        return next((row for row in self.rows() if row.isVisible() and row.geometry().contains(position)), None)

    def forget_spare(self) -> None:
        """Spare rows were made for another theme."""
        for row in self._spare:
            row.deleteLater()
        self._spare.clear()


def fill(row: MessageRow, bus: MessageBus, index: int, *, current: bool, waiting: str, missing: Missing) -> None:
    """Let a row show the message at a place of the path, as it is now. `missing`: what should come below it."""
    message_id = bus.id_at(index)
    brothers = bus.siblings(message_id)
    row.show_message(
        bus.get(message_id),
        streaming=bus.is_streaming(message_id),
        error=bus.error_of(message_id) or (not_there(message_id, missing) if missing else None),
        branch=(brothers.index(message_id) + 1, len(brothers)),
        is_last=index == len(bus) - 1,
    )
    row.set_current(current)
    row.set_waiting(waiting if row.is_streaming else "")
