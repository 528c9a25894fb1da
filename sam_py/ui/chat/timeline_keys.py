"""TimelineKeys: reading, walking and acting on messages by keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from sam_py.ui.chat.timeline_rows import COLUMNS_PER_ROW

if TYPE_CHECKING:
    from sam_py.ui.chat.timeline import Timeline

KEYBOARD_REASONS = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)
"""The focus came by a key, not by the mouse."""


class TimelineKeys:
    """What each key does while the timeline has the keyboard."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline

    def press(self, event: QKeyEvent) -> bool:
        """True where the key meant something here."""
        return self._edits(event) or self._scrolls(event.key()) or self._acts(event.key())

    def _edits(self, event: QKeyEvent) -> bool:
        timeline, current = self._timeline, self._timeline.current_id
        if event.matches(QKeySequence.StandardKey.Copy):
            if timeline.selection.copy():
                return True
            if current:
                timeline.action_requested.emit("copy", current)
            return bool(current)
        if event.matches(QKeySequence.StandardKey.SelectAll):
            index = timeline.model.bus.index_of(current) if timeline.model is not None and current else None
            if index is not None:
                timeline.selection.select_all(index * COLUMNS_PER_ROW)
            return index is not None
        if event.key() == Qt.Key.Key_F10 and event.modifiers() & Qt.KeyboardModifier.ShiftModifier and current:
            timeline.actions_on_rows.open_menu(current)
            return True
        if event.key() == Qt.Key.Key_Escape and timeline.selection.has_selection:
            timeline.selection.clear()
            return True
        return False

    def _scrolls(self, key: int) -> bool:
        bar = self._timeline.verticalScrollBar()
        match key:
            case Qt.Key.Key_PageUp:
                bar.setValue(bar.value() - bar.pageStep())
            case Qt.Key.Key_PageDown | Qt.Key.Key_Space:
                bar.setValue(bar.value() + bar.pageStep())
            case Qt.Key.Key_Home:
                bar.setValue(0)
            case Qt.Key.Key_End:
                self._timeline.go_to_end()
            case _:
                return False
        return True

    def _acts(self, key: int) -> bool:
        timeline, current = self._timeline, self._timeline.current_id
        match key:
            case Qt.Key.Key_Up:
                timeline.walk.move(-1)
            case Qt.Key.Key_Down:
                timeline.walk.move(1)
            case Qt.Key.Key_Left if current:
                timeline.action_requested.emit("previous", current)
            case Qt.Key.Key_Right if current:
                timeline.action_requested.emit("next", current)
            case Qt.Key.Key_Delete if current:
                timeline.action_requested.emit("remove", current)
            case Qt.Key.Key_Menu | Qt.Key.Key_Return | Qt.Key.Key_Enter if current:
                timeline.actions_on_rows.open_menu(current)
            case _:
                return False
        return True
