"""Columns: sidebar, conversation and inspector side by side, and what gives way in a narrow window."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt, Signal
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

    `sidebar_wanted` is what the person chose; in a narrow window the sidebar is shown for a moment only.
    """

    sidebar_toggled = Signal(bool)
    """The sidebar is shown now, or hidden."""

    def __init__(self, themes: Themes, sidebar: QWidget, chat: QWidget, sidebar_px: int, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._themes = themes
        self._sidebar = sidebar
        self._inspector: QWidget | None = None
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
        """Take it as the third column, hidden."""
        inspector.hide()
        self._inspector = inspector

    def show_inspector(self, shown: bool) -> None:
        inspector = self._inspector
        assert inspector is not None, "there is no inspector yet"
        if not shown:
            inspector.hide()
            inspector.setParent(self.window())
            self.inspector_covers = False
        else:
            self._place(inspector, covers=self._has_no_room())
            self.set_widths()
        self.make_room()

    def make_room(self) -> None:
        """Hide the sidebar where the window became too narrow for it, and bring it back with the room.

        An inspector for which there is no room beside the conversation stands over it.
        """
        inspector = self._inspector
        taken = 0
        if inspector is not None and not inspector.isHidden():
            covers = self._has_no_room()
            if covers != self.inspector_covers:
                self._place(inspector, covers=covers)
                self.set_widths()
            if covers:
                self._cover(inspector)
            else:
                taken = self._inspector_width()
        narrow = self.window().width() - taken < _NARROW_PX * self._unit
        if narrow != self.is_narrow:
            self.is_narrow = narrow
            self.show_sidebar(not narrow and self.sidebar_wanted)

    def set_widths(self) -> None:
        """Each as wide as the person made it, at the text's scale; the sidebar at most two fifths of the window."""
        whole = self.window().width()
        width = max(_SIDEBAR_PX[0], min(round(self.sidebar_px * self._themes.current.scale), whole * 2 // 5))
        sizes = [width, max(1, whole - width)]
        if self._inspector is not None and self.count() > 2:
            right = self._inspector_width()
            self._inspector.setMinimumWidth(round(_INSPECTOR_PX[0] * self._themes.current.scale))
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

    def _place(self, inspector: QWidget, *, covers: bool) -> None:
        self.inspector_covers = covers
        if covers:
            inspector.setMinimumWidth(0)
            inspector.setParent(self.window())
            self._cover(inspector)
            inspector.show()
            inspector.raise_()
        else:
            self.addWidget(inspector)
            self.setStretchFactor(2, 0)
            inspector.show()

    def _cover(self, inspector: QWidget) -> None:
        """The end of the window, or all of it where nothing useful would be left."""
        place = QRect(self.geometry())
        width = self._inspector_width()
        if place.width() - width < _STRIP_PX:
            width = place.width()
        if self.layoutDirection() == Qt.LayoutDirection.RightToLeft:
            place.setWidth(width)
        else:
            place.setLeft(place.right() + 1 - width)
        inspector.setGeometry(place)

    def _dragged(self) -> None:
        scale = self._themes.current.scale
        least, most = _SIDEBAR_PX
        if not self._sidebar.isHidden():
            self.sidebar_px = max(least, min(most, round(self._sidebar.width() / scale)))
        if self._inspector is not None and self.count() > 2:
            least, most = _INSPECTOR_PX
            self.inspector_px = max(least, min(most, round(self._inspector.width() / scale)))
