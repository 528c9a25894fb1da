"""PanelLine: one line at the foot of the panel: what was deleted and can come back, or what could not be saved."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from sam_py.ui.settings.fields import Words
from sam_py.ui.widgets.announce import announce
from sam_py.ui.widgets.buttons import IconButton, PillButton
from sam_py.ui.widgets.icons import Icons


class PanelLine(QWidget):
    """Hidden while it has nothing to say. `is_error` colours it."""

    acted = Signal()
    dismissed = Signal()

    def __init__(self, icons: Icons, action: str, parent: QWidget, *, is_error: bool = False) -> None:
        super().__init__(parent)
        self._icons = icons
        self._is_error = is_error
        self.words = Words(icons)
        self.words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.action = PillButton(icons, action, kind="outline", height_px=28, parent=self)
        self.action.clicked.connect(self.acted)
        self.close_button = IconButton(icons, "close", self.tr("Dismiss"), size_px=26, icon_px=12, parent=self)
        self.close_button.clicked.connect(self.dismissed)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 8, 6)
        row.setSpacing(8)
        row.addWidget(self.words, 1)
        row.addWidget(self.action)
        row.addWidget(self.close_button)
        self.hide()

    def say(self, text: str) -> None:
        if text == self.words.text() and text:
            return
        self.words.say(text, "text")
        self.setAccessibleName(text)
        self.setVisible(bool(text))
        announce(self, text, urgent=self._is_error)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._icons.themes.current
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.palette.error_surface if self._is_error else theme.palette.hover))
        painter.drawRoundedRect(QRectF(self.rect()), 10 * theme.scale, 10 * theme.scale)
