"""Fields of the settings: a switch, a choice, a stepper, and labels that only ever show plain text."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QPen, QWheelEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSizePolicy, QStyle, QStyleOptionComboBox, QWidget

from sam_py.ui.widgets.buttons import FlatButton, IconButton
from sam_py.ui.widgets.icons import Icons, Role, colour_of


class Words(QLabel):
    """A label in one of the theme's roles; small where `small`. Never rich text."""

    def __init__(
        self, icons: Icons, text: str = "", *, role: Role = "text", small: bool = False, heavy: bool = False
    ) -> None:
        super().__init__()
        self._icons = icons
        self._role: Role = role
        self._small = small
        self._heavy = heavy
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setText(text)
        icons.changed.connect(self._retheme)
        self._retheme()

    def say(self, text: str, role: Role = "muted") -> None:
        """Show `text` in the colour of `role`, and nothing at all for ""."""
        self._role = role
        self.setText(text)
        self.setVisible(bool(text))
        self._retheme()

    def _retheme(self) -> None:
        theme = self._icons.themes.current
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.WindowText, QColor(colour_of(theme.palette, self._role)))
        self.setPalette(palette)
        font = self.font()
        font.setPointSizeF(theme.small_pt * 1.03 if self._small else theme.body_pt)
        font.setBold(self._heavy)
        self.setFont(font)


class Switch(FlatButton):
    """On or off. `toggled` comes only from a person."""

    switched = Signal(bool)

    def __init__(self, icons: Icons, label: str) -> None:
        super().__init__(icons, label)
        self.setToolTip("")
        self.setCheckable(True)
        self.clicked.connect(self.switched)

    def sizeHint(self) -> QSize:
        return QSize(self.px(38), self.px(22))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self.palette_now
        track = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        painter.setPen(Qt.PenStyle.NoPen if self.isChecked() else QPen(QColor(palette.text_muted), 1.25))
        painter.setBrush(QColor(palette.accent if self.isChecked() else palette.raised))
        radius = track.height() / 2
        painter.drawRoundedRect(track, radius, radius)
        inset = self.px(4)
        knob = QRectF(track.x() + inset, track.y() + inset, track.height() - 2 * inset, track.height() - 2 * inset)
        if self.isChecked():
            knob.moveRight(track.right() - inset)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(palette.on_accent if self.isChecked() else palette.text_muted))
        painter.drawEllipse(knob)
        self._paint_ring(painter, QRectF(self.rect()), radius)


class Choice(QComboBox):
    """One of several values; `chosen` comes only from a person."""

    chosen = Signal(object)

    def __init__(self, icons: Icons, label: str, values: Iterable[tuple[object, str]] = ()) -> None:
        super().__init__()
        self._icons = icons
        self.setAccessibleName(label)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(18)
        self.setMaxVisibleItems(16)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.set_values(values)
        self.activated.connect(lambda place: self.chosen.emit(self.itemData(place)))
        icons.changed.connect(self.update)

    def set_values(self, values: Iterable[tuple[object, str]]) -> None:
        self.clear()
        for value, text in values:
            self.addItem(text, value)

    def show_value(self, value: object) -> None:
        """Show the text of `value`; nothing where it is not among the values."""
        for place in range(self.count()):
            if self.itemData(place) == value:
                self.setCurrentIndex(place)
                return
        self.setCurrentIndex(-1)

    def _px(self, length_px: float) -> int:
        return round(length_px * self._icons.themes.current.scale)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width() + self._px(16), self._px(34))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._px(120), self._px(34))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._icons.themes.current
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        hovered = option.state & QStyle.StateFlag.State_MouseOver and self.isEnabled()
        painter.setPen(QPen(QColor(theme.palette.accent if self.hasFocus() else theme.palette.border), 1))
        painter.setBrush(QColor(theme.palette.hover if hovered else theme.palette.raised))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), self._px(8), self._px(8))
        side = self._px(14)
        right = self.width() - self._px(10)
        place = QRectF(right - side, round((self.height() - side) / 2), side, side)
        self._icons.paint(painter, "chevron-down", "muted", place)
        painter.setPen(QColor(theme.palette.text if self.isEnabled() else theme.palette.text_muted))
        line = self.rect().adjusted(self._px(10), 0, -self._px(30), 0)
        words = self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideMiddle, line.width())
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # scrolling the page must not change what it passes


class Stepper(QWidget):
    """A whole number between two ends, with less and more at its sides."""

    changed = Signal(int)

    def __init__(
        self, icons: Icons, label: str, least: int, most: int, step: int, shown: Callable[[int], str] = str
    ) -> None:
        super().__init__()
        self._least, self._most, self._step, self._shown = least, most, step, shown
        self._value = least
        self.less = IconButton(icons, "minus", self.tr("%1: less").replace("%1", label))
        self.more = IconButton(icons, "plus", self.tr("%1: more").replace("%1", label))
        self.number = Words(icons)
        self.number.setWordWrap(False)
        self.number.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.number.setMinimumWidth(self.number.fontMetrics().horizontalAdvance(shown(most)) + 16)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        for widget in (self.less, self.number, self.more):
            row.addWidget(widget)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.less.clicked.connect(lambda: self._go(self._value - self._step))
        self.more.clicked.connect(lambda: self._go(self._value + self._step))
        self.less.setAutoRepeat(True)
        self.more.setAutoRepeat(True)

    @property
    def value(self) -> int:
        return self._value

    def show_value(self, value: int) -> None:
        self._value = value
        self.number.setText(self._shown(value))
        self.less.setEnabled(value > self._least)
        self.more.setEnabled(value < self._most)

    def _go(self, value: int) -> None:
        value = min(self._most, max(self._least, value))
        if value != self._value:
            self.show_value(value)
            self.changed.emit(value)
