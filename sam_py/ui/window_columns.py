"""Columns: sidebar, conversation and inspector side by side, and what gives way in a narrow window."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, Signal
from PySide6.QtWidgets import QSplitter, QWidget

from sam_py.ui.theme import Themes

_NARROW_PX = 720
"""Where less is left to sidebar and conversation, the sidebar gives way."""
_CONVERSATION_PX = 400
"""Where less would be left to the conversation, the inspector stands over it instead of beside it."""
_SIDEBAR_PX = (200, 480)
_INSPECTOR_PX = (280, 720)
INSPECTOR_PX = 348
"""As wide as it is at first."""
_STRIP_PX = 120
"""What a covering inspector leaves free of the window is at least so wide, or nothing at all."""


class Columns(QSplitter):
    """The window's columns. `sidebar_px` and `inspector_px` are widths where the text is at 100 %.

    `sidebar_wanted` is what the person chose; in a narrow window the sidebar is shown for a moment only. The inspector
    is a child of the window for good and stands over an empty third column, or over the conversation: a widget that
    changes its parent gets fonts and colours back that it had under an earlier style sheet (Qt 6.11).
    """

    sidebar_toggled = Signal(bool)
    """The sidebar is shown now, or hidden."""

    def __init__(self, themes: Themes, sidebar: QWidget, chat: QWidget, sidebar_px: int, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._themes = themes
        self._sidebar = sidebar
        self._inspector: QWidget | None = None
        self._third: QWidget | None = None
        """Where the inspector is beside the conversation."""
        self.sidebar_px = sidebar_px
        self.inspector_px = INSPECTOR_PX
        self.sidebar_wanted = True
        self.is_narrow = False
        self.inspector_covers = False
        """The inspector stands over the conversation: there is no room beside it."""
        self.setHandleWidth(1)
        self.setChildrenCollapsible(False)
        self.addWidget(sidebar)
        self.addWidget(chat)
        self.setStretchFactor(1, 1)
        self.splitterMoved.connect(self._dragged)

    def show_sidebar(self, shown: bool) -> None:
        self._sidebar.setVisible(shown)
        self.sidebar_toggled.emit(shown)

    def want_sidebar(self, wanted: bool) -> None:
        """Show or hide it as the person chose, where there is room for it."""
        self.sidebar_wanted = wanted
        if not self.is_narrow:
            self.show_sidebar(wanted)

    def leave_sidebar(self) -> None:
        """Something was chosen in it: where it hides the conversation, it goes."""
        if self.is_narrow:
            self.show_sidebar(False)

    def add_inspector(self, inspector: QWidget) -> None:
        """Take it, a child of the window, as the third column; hidden."""
        inspector.hide()
        self._inspector = inspector
        self._third = QWidget(self)
        self._third.hide()
        self._third.installEventFilter(self)
        self.addWidget(self._third)
        self.setStretchFactor(2, 0)

    def show_inspector(self, shown: bool) -> None:
        inspector = self._inspector
        assert inspector is not None, "there is no inspector yet"
        inspector.setVisible(shown)
        self._place(covers=shown and self._has_no_room())
        if shown:
            inspector.raise_()
        self.make_room()

    def make_room(self) -> None:
        """Hide the sidebar where the window became too narrow for it, and bring it back with the room.

        An inspector for which there is no room beside the conversation stands over it.
        """
        taken = 0
        if self._inspector is not None and not self._inspector.isHidden():
            covers = self._has_no_room()
            if covers != self.inspector_covers:
                self._place(covers=covers)
            self._follow()
            taken = 0 if covers else self._inspector_width()
        narrow = self.window().width() - taken < _NARROW_PX * self._unit
        if narrow != self.is_narrow:
            self.is_narrow = narrow
            self.show_sidebar(not narrow and self.sidebar_wanted)

    def set_widths(self) -> None:
        """Each as wide as the person made it, at the text's scale; the sidebar at most two fifths of the window."""
        whole = self.window().width()
        width = max(_SIDEBAR_PX[0], min(round(self.sidebar_px * self._themes.current.scale), whole * 2 // 5))
        sizes = [width, max(1, whole - width)]
        if self._third is not None:
            right = self._inspector_width() if not self._third.isHidden() else 0
            self._third.setMinimumWidth(round(_INSPECTOR_PX[0] * self._themes.current.scale))
            shown = 0 if self._sidebar.isHidden() else width
            sizes = [width, max(1, whole - shown - right), right]
        self.setSizes(sizes)

    @property
    def _unit(self) -> float:
        return min(1.5, max(1.0, self._themes.current.scale))

    def _inspector_width(self) -> int:
        scale = self._themes.current.scale
        least = round(_INSPECTOR_PX[0] * scale)
        return max(least, min(round(self.inspector_px * scale), self.window().width() // 2))

    def _has_no_room(self) -> bool:
        return self.window().width() - self._inspector_width() < _CONVERSATION_PX * self._unit

    def _place(self, *, covers: bool) -> None:
        """Make a column for the inspector, or let it cover the conversation."""
        assert self._inspector is not None
        assert self._third is not None
        self.inspector_covers = covers
        self._third.setVisible(not covers and not self._inspector.isHidden())
        self.set_widths()
        self._follow()

    def _follow(self) -> None:
        """Lay the inspector over its column; without one over the window's end, or all of it where little is left."""
        if self._inspector is None or self._third is None:
            return
        if not self.inspector_covers:
            place = QRect(self._third.mapTo(self.window(), QPoint(0, 0)), self._third.size())
        else:
            place = QRect(self.geometry())
            width = self._inspector_width()
            if place.width() - width < _STRIP_PX:
                width = place.width()
            if self.layoutDirection() == Qt.LayoutDirection.RightToLeft:
                place.setWidth(width)
            else:
                place.setLeft(place.right() + 1 - width)
        self._inspector.setGeometry(place)

    def _dragged(self) -> None:
        scale = self._themes.current.scale
        least, most = _SIDEBAR_PX
        if not self._sidebar.isHidden():
            self.sidebar_px = max(least, min(most, round(self._sidebar.width() / scale)))
        if self._third is not None and not self._third.isHidden():
            least, most = _INSPECTOR_PX
            self.inspector_px = max(least, min(most, round(self._third.width() / scale)))

    # Qt

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The inspector goes with its column."""
        if watched is self._third and event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self._follow()
        return super().eventFilter(watched, event)
