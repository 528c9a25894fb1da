"""BranchSwitcher: ‹ 2/3 › below a message that has alternatives."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from sam_py.ui.chat.row_context import RowContext
from sam_py.ui.widgets.buttons import IconButton

_BUTTON_PX = 24


class BranchSwitcher(QWidget):
    """`chosen` is ``previous`` or ``next``."""

    chosen = Signal(str)

    def __init__(self, context: RowContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._text = ""
        icons = context.icons
        self._previous = IconButton(
            icons, "chevron-left", self.tr("Previous version"), size_px=_BUTTON_PX, icon_px=14, parent=self
        )
        self._next = IconButton(
            icons, "chevron-right", self.tr("Next version"), size_px=_BUTTON_PX, icon_px=14, parent=self
        )
        self._previous.clicked.connect(lambda: self.chosen.emit("previous"))
        self._next.clicked.connect(lambda: self.chosen.emit("next"))

    def show_place(self, place: int, count: int) -> None:
        """The version `place` of `count` is shown, counted from 1."""
        self._text = f"{place}/{count}"
        self._previous.setEnabled(place > 1)
        self._next.setEnabled(place < count)
        self.setAccessibleName(
            self.tr("Version {place} of {count}").replace("{place}", str(place)).replace("{count}", str(count))
        )
        self._place()
        self.update()

    def _font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(self._context.themes.current.small_pt)
        return font

    def _place(self) -> None:
        size = self._previous.sizeHint()
        text = QFontMetrics(self._font()).horizontalAdvance(self._text) + 4
        self._previous.setGeometry(0, 0, size.width(), size.height())
        self._next.setGeometry(size.width() + text, 0, size.width(), size.height())

    # Qt

    def sizeHint(self) -> QSize:
        size = self._previous.sizeHint()
        text = QFontMetrics(self._font()).horizontalAdvance(self._text) + 4
        return QSize(2 * size.width() + text, size.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self._font())
        painter.setPen(QColor(self._context.themes.current.palette.text_muted))
        side = self._previous.width()
        rect = QRectF(side, 0, self.width() - 2 * side, self.height())
        painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), self._text)
        painter.end()
