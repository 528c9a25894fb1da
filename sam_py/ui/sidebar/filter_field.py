"""FilterField: a line edit with a magnifying glass that grows with the text."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from sam_py.ui.widgets.icons import Icons

_ICON_PX = 15


class FilterField(QLineEdit):
    """`words` stand in it while it is empty, and are its accessible name."""

    def __init__(self, icons: Icons, words: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self.setPlaceholderText(words)
        self.setAccessibleName(words)
        self.setClearButtonEnabled(True)
        icons.changed.connect(self._retheme)
        self._retheme()

    def _px(self, length_px: float) -> int:
        return round(length_px * self._icons.themes.current.scale)

    def _retheme(self) -> None:
        self.setTextMargins(self._px(_ICON_PX + 4), 0, 0, 0)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        side = self._px(_ICON_PX)
        place = QRectF(self._px(9), round((self.height() - side) / 2), side, side)
        self._icons.paint(QPainter(self), "search", "muted", place)
