"""PageEntries: the sidebar's ways to search, to what is pinned and to the library; the one that is shown is marked."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from sam_py.ui.widgets.buttons import FlatButton
from sam_py.ui.widgets.icons import Icons, Role, colour_of

_HEIGHT_PX = 32


class PageEntries(QWidget):
    """`chosen(name)`: the person wants a page, or goes back from the one that is marked."""

    chosen = Signal(str)

    def __init__(self, icons: Icons, entries: tuple[tuple[str, str, str, str], ...], parent: QWidget) -> None:
        """`entries`: name, icon, words and shortcut of each."""
        super().__init__(parent)
        self._entries: dict[str, _Entry] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 8, 0)
        column.setSpacing(1)
        for name, icon, words, shortcut in entries:
            entry = self._entries[name] = _Entry(icons, icon, words, shortcut, self)
            entry.clicked.connect(lambda _checked=False, page=name: self.chosen.emit(page))
            column.addWidget(entry)

    def mark(self, name: str) -> None:
        """Mark the page that is shown now; "" for none."""
        for page, entry in self._entries.items():
            entry.setChecked(page == name)

    def entry(self, name: str) -> FlatButton:
        return self._entries[name]


class _Entry(FlatButton):
    """A line with an icon, as wide as the sidebar."""

    def __init__(self, icons: Icons, icon: str, words: str, shortcut: str, parent: QWidget) -> None:
        super().__init__(icons, words, shortcut, parent)
        self._icon = icon
        self.setText(words)
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        if not shortcut:
            self.setToolTip("")

    def nextCheckState(self) -> None:
        """Which one is marked says the window: a press alone changes nothing."""

    def _font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(self._themes.current.body_pt * 0.95)
        return font

    # Qt

    def sizeHint(self) -> QSize:
        words = QFontMetrics(self._font()).horizontalAdvance(self.text())
        return QSize(words + self.px(52), self.px(_HEIGHT_PX))

    def minimumSizeHint(self) -> QSize:
        return QSize(self.px(64), self.px(_HEIGHT_PX))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette, rect = self.palette_now, QRectF(self.rect())
        if self.isChecked() or self.isDown() or self._hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(palette.selected if self.isChecked() or self.isDown() else palette.hover))
            painter.drawRoundedRect(rect, self.px(8), self.px(8))
        role: Role = "accent" if self.isChecked() else "muted"
        side, left = self.px(17), self.px(10)
        place = QRectF(left, round((rect.height() - side) / 2), side, side)
        self._icons.paint(painter, self._icon, role, self._mirrored(place))
        font = self._font()
        painter.setFont(font)
        painter.setPen(QColor(colour_of(palette, "text")))
        painter.setLayoutDirection(self.layoutDirection())  # else it is the application's
        left += side + self.px(10)
        room = QRectF(left, 0, rect.width() - left - self.px(8), rect.height())
        words = QFontMetrics(font).elidedText(self.text(), Qt.TextElideMode.ElideRight, int(room.width()))
        align = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(self._mirrored(room), align, words)
        self._paint_ring(painter, rect, self.px(8))

    def _mirrored(self, rect: QRectF) -> QRectF:
        if self.layoutDirection() == Qt.LayoutDirection.LeftToRight:
            return rect
        return rect.translated(self.width() - rect.left() - rect.right(), 0)
