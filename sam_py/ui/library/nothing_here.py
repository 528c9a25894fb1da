"""NothingHere: what the library says where it has nothing to show: how things come here, or what hides them."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPalette, QResizeEvent
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.icons import Icons

_ICON_PX = 44
_WIDTH_PX = 400


class NothingHere(QWidget):
    """An icon, a line, a sentence, and perhaps a button."""

    pressed = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._name = "library"
        self.sign = QLabel(self)
        self.title = QLabel(self)
        self.sentence = QLabel(self)
        for label in (self.sign, self.title, self.sentence):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.title.setWordWrap(True)
        self.sentence.setWordWrap(True)
        self.button = PillButton(icons, " ", kind="outline", label="…", parent=self)
        self.button.clicked.connect(self.pressed)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(8)
        column.addStretch(2)
        column.addWidget(self.sign)
        column.addSpacing(6)
        column.addWidget(self.title)
        column.addWidget(self.sentence, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(6)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(3)
        icons.changed.connect(self._retheme)
        self._retheme()

    def say(self, icon: str, title: str, sentence: str, button: str = "") -> None:
        self._name = icon
        self.title.setText(title)
        self.sentence.setText(sentence)
        self.button.setVisible(bool(button))
        if button:
            self.button.set_words(button)
            self.button.set_label(button)
        self._retheme()

    def _retheme(self) -> None:
        theme = self._icons.themes.current
        ratio = self.devicePixelRatioF()
        side = round(_ICON_PX * theme.scale * ratio)
        self.sign.setPixmap(self._icons.pixmap(self._name, "muted", QSize(side, side), ratio))
        for label, points, weight, colour in (
            (self.title, theme.body_pt * 1.2, QFont.Weight.DemiBold, theme.palette.text),
            (self.sentence, theme.body_pt, QFont.Weight.Normal, theme.palette.text_muted),
        ):
            font = QFont(self.font())
            font.setPointSizeF(points)
            font.setWeight(weight)
            label.setFont(font)
            palette = QPalette(label.palette())
            palette.setColor(QPalette.ColorRole.WindowText, QColor(colour))
            label.setPalette(palette)
        self._fit()

    def _fit(self) -> None:
        width = min(round(_WIDTH_PX * self._icons.themes.current.scale), max(200, self.width() - 48))
        self.sentence.setFixedSize(width, max(1, self.sentence.heightForWidth(width)))

    # Qt

    def hasHeightForWidth(self) -> bool:
        """It asks for no height: hidden behind a list, it would take it from what stands above."""
        return False

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 120)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
