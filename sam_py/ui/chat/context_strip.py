"""ContextStrip: one quiet line above the composer about what the model gets of the conversation."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QHideEvent, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QSizePolicy, QWidget

from sam_py.ui.widgets.announce import announce
from sam_py.ui.widgets.buttons import IconButton, PillButton
from sam_py.ui.widgets.icons import Icons, Role

_GUTTER_PX = 16
_NARROW_PX = 560
_BEAT_MS = 400


@dataclass(frozen=True, slots=True)
class StripNote:
    """What the strip says. `kind` tells notes apart; `actions` are names with the words of their buttons.

    `busy`: it takes its time, and cannot be put away.
    """

    kind: str
    icon: str
    role: Role
    words: str
    actions: tuple[tuple[str, str], ...] = ()
    busy: bool = False


class ContextStrip(QWidget):
    """`acted(kind, action)`: a button was pressed; the action of the closing one is ``dismiss``."""

    acted = Signal(str, str)
    focus_lost = Signal()
    """What had the keyboard is gone."""

    def __init__(self, icons: Icons, parent: QWidget) -> None:
        super().__init__(parent)
        self._icons = icons
        self._note: StripNote | None = None
        self._lit = 0
        self.label = QLabel(self)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setWordWrap(True)
        self.label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.buttons: dict[str, PillButton] = {}
        self._button_row = QHBoxLayout()
        self._button_row.setSpacing(6)
        self._content = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._content.setSpacing(6)
        self._content.addWidget(self.label, 1)
        self._content.addLayout(self._button_row)
        self.close_button = IconButton(icons, "close", self.tr("Dismiss"), size_px=26, icon_px=12, parent=self)
        self.close_button.clicked.connect(lambda: self._act("dismiss"))
        self._row = QHBoxLayout(self)
        self._row.setSpacing(6)
        self._row.addLayout(self._content, 1)
        self._row.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)
        self._beat = QTimer(self)
        self._beat.setInterval(_BEAT_MS)
        self._beat.timeout.connect(self._pulse)
        icons.changed.connect(self._take_theme)
        self._take_theme()
        self.hide()

    @property
    def note(self) -> StripNote | None:
        """What it says now."""
        return self._note

    def show_note(self, note: StripNote | None) -> None:
        """Say something else, or nothing."""
        if note == self._note:
            return
        had_focus = self.isAncestorOf(self.window().focusWidget() or self.window())
        self._note = note
        for button in self.buttons.values():
            button.hide()
            button.deleteLater()
        self.buttons.clear()
        self._beat.stop()
        if had_focus:
            self.focus_lost.emit()
        if note is None:
            self.hide()
            return
        self.label.setText(note.words)
        self.setAccessibleName(note.words)
        for name, words in note.actions:
            button = PillButton(self._icons, words, kind="outline", height_px=28, parent=self)
            button.clicked.connect(lambda _checked=False, name=name: self._act(name))
            self._button_row.addWidget(button)
            self.buttons[name] = button
        self.close_button.setVisible(not note.busy)
        if note.busy and not self._icons.themes.current.reduced_motion:
            self._beat.start()
        self.show()
        self.update()
        announce(self, note.words, urgent=note.role == "error")

    def _act(self, name: str) -> None:
        if self._note is not None:
            self.acted.emit(self._note.kind, name)

    def _pulse(self) -> None:
        self._lit = (self._lit + 1) % 3
        self.update()

    def _take_theme(self) -> None:
        theme = self._icons.themes.current
        font = QFont(self.font())
        font.setPointSizeF(theme.body_pt * 0.95)
        self.label.setFont(font)
        palette = QPalette(self.label.palette())
        palette.setColor(QPalette.ColorRole.WindowText, QColor(theme.palette.text))
        self.label.setPalette(palette)
        self._centre()
        self.update()

    def _centre(self) -> None:
        """In the column of composer and messages; the buttons below the words where there is little room."""
        theme = self._icons.themes.current
        scale = theme.scale
        self._side = max(_GUTTER_PX, (self.width() - theme.column_px) // 2)
        pad = round(6 * scale)
        self._row.setContentsMargins(self._side + round(40 * scale), pad, self._side + pad, pad + round(6 * scale))
        narrow = self.width() - 2 * self._side < _NARROW_PX * scale
        self._content.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)
        self._content.setAlignment(self._button_row, Qt.AlignmentFlag.AlignLeft)

    # Qt

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._centre()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._beat.stop()

    def paintEvent(self, event: QPaintEvent) -> None:
        note = self._note
        if note is None:
            return
        theme = self._icons.themes.current
        scale = theme.scale
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.palette.error_surface if note.role == "error" else theme.palette.code))
        box = QRectF(self._side, 0, self.width() - 2 * self._side, self.height() - 6 * scale)
        painter.drawRoundedRect(box, 10 * scale, 10 * scale)
        middle = min(box.height() / 2, 20 * scale)
        if note.busy:
            for number in range(3):
                dot = QColor(theme.palette.text_muted)
                dot.setAlphaF(0.9 if number == self._lit and self._beat.isActive() else 0.4)
                painter.setBrush(dot)
                size = 5 * scale
                painter.drawEllipse(QRectF(box.left() + (13 + number * 8) * scale, middle - size / 2, size, size))
        else:
            side = round(17 * scale)
            place = QRectF(box.left() + 14 * scale, middle - side / 2, side, side)
            self._icons.paint(painter, note.icon, note.role, place)
        painter.end()
