"""DictationStrip: what becomes of the spoken words, above the text they will stand in: heard, being written, or not."""

from __future__ import annotations

from collections import deque
from typing import Literal

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from sam_py.ui.widgets.announce import announce
from sam_py.ui.widgets.buttons import IconButton, PillButton
from sam_py.ui.widgets.icons import Icons

Look = Literal["recording", "working", "trouble"]

_BARS, _FEWEST_BARS = 24, 6
_BAR_PX, _STEP_PX = 2.5, 4.5
_METER_PX = 22


class LevelMeter(QWidget):
    """How loud it was in the last second or so, newest at the end; with reduced motion one bar that does not travel."""

    def __init__(self, icons: Icons, parent: QWidget) -> None:
        super().__init__(parent)
        self._icons = icons
        self._levels: deque[float] = deque([0.0] * _BARS, _BARS)
        self.setAccessibleName(self.tr("Loudness of the microphone"))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return self.maximumSize()

    @property
    def level(self) -> float:
        """The newest, 0 to 1."""
        return self._levels[-1]

    def add(self, level: float) -> None:
        self._levels.append(level)
        self.update()

    def clear(self) -> None:
        self._levels.extend([0.0] * _BARS)
        self.update()

    def take_theme(self) -> None:
        scale = self._icons.themes.current.scale
        self.setMinimumWidth(round(_FEWEST_BARS * _STEP_PX * scale))
        self.setMaximumWidth(round(_BARS * _STEP_PX * scale))
        self.setFixedHeight(round(_METER_PX * scale))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._icons.themes.current
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        middle = self.height() / 2
        if theme.reduced_motion:
            track = QRectF(0, middle - 3 * theme.scale, self.width(), 6 * theme.scale)
            painter.setBrush(QColor(theme.palette.border))
            painter.drawRoundedRect(track, track.height() / 2, track.height() / 2)
            track.setWidth(max(track.height(), track.width() * self.level))
            painter.setBrush(QColor(theme.palette.accent))
            painter.drawRoundedRect(track, track.height() / 2, track.height() / 2)
            return
        width = _BAR_PX * theme.scale
        shown = max(1, int(self.width() / (_STEP_PX * theme.scale)))
        for index, level in enumerate(tuple(self._levels)[-shown:]):
            height = max(width, level * self.height())
            painter.setBrush(QColor(theme.palette.accent if level > 0 else theme.palette.border))
            bar = QRectF(index * _STEP_PX * theme.scale, middle - height / 2, width, height)
            painter.drawRoundedRect(bar, width / 2, width / 2)


class DictationStrip(QWidget):
    """Stands in the composer's box while there is something to say. What its buttons mean depends on its look."""

    done_clicked = Signal()
    """Recording: that was all."""
    again_clicked = Signal()
    """Trouble: what its button says."""
    dropped = Signal()
    """Cancel, or discard what was recorded."""

    def __init__(self, icons: Icons, parent: QWidget) -> None:
        super().__init__(parent)
        self._icons = icons
        self._look: Look = "recording"
        self.meter = LevelMeter(icons, self)
        self.time = QLabel(self)
        self.words = QLabel(self)
        for label in (self.time, self.words):
            label.setTextFormat(Qt.TextFormat.PlainText)  # a server's words may be in it
        self.words.setWordWrap(True)
        self.words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.done = PillButton(icons, self.tr("Done"), kind="accent", height_px=28, parent=self)
        self.again = PillButton(icons, self.tr("Try again"), kind="outline", height_px=28, parent=self)
        self.done.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.close_button = IconButton(icons, "close", self.tr("Cancel"), size_px=28, icon_px=13, parent=self)
        self._row = QHBoxLayout(self)
        for widget in (self.meter, self.time):
            self._row.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)
        self._row.addWidget(self.words, 1)
        for button in (self.done, self.again, self.close_button):
            self._row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        self.done.clicked.connect(self.done_clicked)
        self.again.clicked.connect(self.again_clicked)
        self.close_button.clicked.connect(self.dropped)
        icons.changed.connect(self._take_theme)
        self._take_theme()
        self.hide()

    @property
    def look(self) -> Look:
        return self._look

    def show_recording(self, words: str) -> None:
        """`words` say how to end it."""
        self.meter.clear()
        self.show_seconds(0)
        self._show("recording", words, self.tr("Cancel the recording"), said=self.tr("Recording"))

    def show_seconds(self, seconds: float) -> None:
        self.time.setText(f"{int(seconds) // 60}:{int(seconds) % 60:02d}")

    def show_working(self, words: str) -> None:
        self._show("working", words, self.tr("Cancel and discard the recording"), said=words)

    def show_trouble(self, words: str, button: str, close: str) -> None:
        """A sentence, what can be done about it ("" for nothing), and what the cross means."""
        self.again.setVisible(bool(button))
        if button:
            self.again.set_words(button)
        self._show("trouble", words, close, said=words)

    def _show(self, look: Look, words: str, close: str, *, said: str) -> None:
        had_keyboard = self.isAncestorOf(self.window().focusWidget() or self.window())
        self._look = look
        self.words.setText(words)
        self.close_button.set_label(close)
        self.meter.setVisible(look == "recording")
        self.time.setVisible(look == "recording")
        self.done.setVisible(look == "recording")
        if look != "trouble":
            self.again.hide()
        self.setAccessibleName(words)
        self._take_theme()
        self.show()
        if had_keyboard:
            self.close_button.setFocus(Qt.FocusReason.OtherFocusReason)
        announce(self, said, urgent=look == "trouble")

    def _fit(self) -> None:
        """While one speaks, the words only help: where they would take more than two lines they go."""
        margins, gap = self._row.contentsMargins(), self._row.spacing()
        others = (self.meter, self.time, self.done, self.close_button)
        room = self.width() - margins.left() - margins.right() - sum(each.sizeHint().width() + gap for each in others)
        long = QFontMetrics(self.words.font()).horizontalAdvance(self.words.text())
        self.words.setVisible(self._look != "recording" or long < 1.8 * room)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _take_theme(self) -> None:
        theme = self._icons.themes.current
        scale = theme.scale
        self._row.setSpacing(round(8 * scale))
        self._row.setContentsMargins(
            *(round(px * scale) for px in (46 if self._look != "recording" else 42, 14, 14, 6))
        )
        self.meter.take_theme()
        font = QFont(self.font())
        font.setPointSizeF(theme.body_pt * 0.95)
        self.words.setFont(font)
        font.setWeight(QFont.Weight.DemiBold)
        self.time.setFont(font)
        self.time.setMinimumWidth(QFontMetrics(font).horizontalAdvance("00:00"))
        muted = self._look == "recording"
        for label, colour in (
            (self.words, theme.palette.text_muted if muted else theme.palette.text),
            (self.time, theme.palette.text),
        ):
            palette = QPalette(label.palette())
            palette.setColor(QPalette.ColorRole.WindowText, QColor(colour))
            label.setPalette(palette)
        self._fit()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._icons.themes.current
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        trouble = self._look == "trouble"
        painter.setBrush(QColor(theme.palette.error_surface if trouble else theme.palette.selected))
        gap = 8 * theme.scale
        box = QRectF(self.rect()).adjusted(gap, gap, -gap, 0)
        painter.drawRoundedRect(box, 10 * theme.scale, 10 * theme.scale)
        right_to_left = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        centre = box.right() - 18 * theme.scale if right_to_left else box.left() + 18 * theme.scale
        if self._look == "recording":
            painter.setBrush(QColor(theme.palette.error))
            radius = 4.5 * theme.scale
            painter.drawEllipse(QRectF(centre - radius, box.center().y() - radius, 2 * radius, 2 * radius))
            return
        side = round(17 * theme.scale)
        place = QRectF(round(centre - side / 2), round(box.center().y() - side / 2), side, side)
        self._icons.paint(painter, "error" if trouble else "microphone", "error" if trouble else "accent", place)
