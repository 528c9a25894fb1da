"""ProgressRow: how far something is, in words and as a bar, and the button that gives it up."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QSizePolicy, QVBoxLayout, QWidget

from sam_py.ui.settings.fields import Words
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.icons import Icons

_STEPS = 1000


class ProgressRow(QWidget):
    """Hidden while nothing is under way."""

    cancelled = Signal()

    def __init__(self, icons: Icons, label: str) -> None:
        super().__init__()
        self._words = Words(icons, small=True, role="muted")
        self.bar = Bar(icons)
        self.bar.setAccessibleName(label)
        self.cancel_button = PillButton(icons, self.tr("Cancel"), kind="outline", label=f"{self.tr('Cancel')}: {label}")
        self.cancel_button.clicked.connect(self.cancelled)
        column = QVBoxLayout()
        column.setSpacing(6)
        column.addWidget(self._words)
        column.addWidget(self.bar)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(16)
        row.addLayout(column, 1)
        row.addWidget(self.cancel_button)
        self.hide()

    @property
    def text(self) -> str:
        return self._words.text()

    def show_share(self, text: str, share: float | None) -> None:
        """Say `text`; the bar is `share` full (0 to 1), or says only that it goes on (None)."""
        self._words.setText(text)
        self.bar.setRange(0, 0 if share is None else _STEPS)
        if share is not None:
            self.bar.setValue(round(share * _STEPS))
        self.show()


class Bar(QProgressBar):
    """A thin line in the theme's accent; without an end that is known, all of it is pale."""

    def __init__(self, icons: Icons) -> None:
        super().__init__()
        self._themes = icons.themes
        self.setTextVisible(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        icons.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(160, round(4 * self._themes.current.scale))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self._themes.current.palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        track = QRectF(self.rect())
        radius = track.height() / 2
        painter.setBrush(QColor(palette.border))
        painter.drawRoundedRect(track, radius, radius)
        known = self.maximum() > 0
        share = (self.value() - self.minimum()) / self.maximum() if known else 1.0
        if share <= 0:
            return
        painter.setBrush(QColor(palette.accent))
        painter.setOpacity(1.0 if known else 0.5)
        width = max(track.height(), track.width() * share)
        left = track.width() - width if self.layoutDirection() == Qt.LayoutDirection.RightToLeft else 0
        painter.drawRoundedRect(QRectF(left, 0, width, track.height()), radius, radius)
