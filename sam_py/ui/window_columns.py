"""Columns: sidebar and conversation side by side, how wide each is, and what gives way in a narrow window."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter, QWidget

from sam_py.ui.theme import Themes

_NARROW_PX = 720
"""Below this width the sidebar gives way to the conversation."""
_SIDEBAR_PX = (200, 480)


class Columns(QSplitter):
    """The window's columns. `sidebar_px` is the sidebar's width where the text is at 100 %.

    `sidebar_wanted` is what the person chose; in a narrow window the sidebar is shown for a moment only.
    """

    sidebar_toggled = Signal(bool)
    """The sidebar is shown now, or hidden."""

    def __init__(self, themes: Themes, sidebar: QWidget, chat: QWidget, sidebar_px: int, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._themes = themes
        self._sidebar = sidebar
        self.sidebar_px = sidebar_px
        self.sidebar_wanted = True
        self.is_narrow = False
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

    def make_room(self) -> None:
        """Hide the sidebar where the window became too narrow for it, and bring it back with the room."""
        narrow = self.window().width() < _NARROW_PX * min(1.5, max(1.0, self._themes.current.scale))
        if narrow != self.is_narrow:
            self.is_narrow = narrow
            self.show_sidebar(not narrow and self.sidebar_wanted)

    def set_widths(self) -> None:
        """The sidebar as wide as the person made it, at the scale of the text; at most two fifths of the window."""
        whole = self.window().width()
        width = max(_SIDEBAR_PX[0], min(round(self.sidebar_px * self._themes.current.scale), whole * 2 // 5))
        self.setSizes([width, max(1, whole - width)])

    def _dragged(self) -> None:
        least, most = _SIDEBAR_PX
        self.sidebar_px = max(least, min(most, round(self._sidebar.width() / self._themes.current.scale)))
