"""StatusLine: above the library's things: how far the index is, or what went wrong and what helps."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from sam_py.store.search_index.results import IndexState
from sam_py.ui.library.words import filled, number, tr
from sam_py.ui.settings.fields import Words
from sam_py.ui.widgets.announce import announce
from sam_py.ui.widgets.buttons import IconButton, PillButton
from sam_py.ui.widgets.icons import Icons, Role

_ICON_PX = 18


class StatusLine(QWidget):
    """Hidden while there is nothing to say. An error is said rather than progress."""

    retry_wanted = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._error = ""
        self._trouble = ""
        self._progress = ""
        self._share = -1.0
        self.words = Words(icons, role="text", small=True)
        self.retry_button = PillButton(icons, tr("Try again"), icon="regenerate", kind="outline", parent=self)
        self.close_button = IconButton(icons, "close", tr("Close"), size_px=26, icon_px=13, parent=self)
        self._row = QHBoxLayout(self)
        self._row.setSpacing(8)
        self._row.addWidget(self.words, 1)
        self._row.addWidget(self.retry_button)
        self._row.addWidget(self.close_button)
        self.retry_button.clicked.connect(self.retry_wanted)
        self.close_button.clicked.connect(lambda: self.tell(""))
        icons.changed.connect(self._show)
        self._show()

    def follow(self, state: IndexState) -> None:
        """Say how far the index is while it is being built."""
        self._progress, self._share = "", -1.0
        if state.phase == "building" and state.total > 1:
            words = tr("Your conversations are being looked through: %1 of %2. What is found appears here.")
            self._progress = filled(words, number(state.done), number(state.total))
            self._share = state.share
        elif state.phase in ("building", "failed") and state.error is not None:
            self._progress = str(state.error)
        self._show()

    def show_error(self, sentence: str) -> None:
        """Nothing could be listed; "" when it can again."""
        if sentence and sentence != self._error:
            announce(self, sentence, urgent=True)
        self._error = sentence
        self._show()

    def tell(self, sentence: str) -> None:
        """What was wanted of a thing did not work; "" takes it away."""
        self._trouble = sentence
        if sentence:
            announce(self, sentence, urgent=True)
        self._show()

    @property
    def _is_wrong(self) -> bool:
        return bool(self._trouble or self._error) or (bool(self._progress) and self._share < 0)

    def _show(self) -> None:
        role: Role = "error" if self._trouble or self._error else "muted"
        self.words.say(self._trouble or self._error or self._progress, role)
        self.retry_button.setVisible(bool(self._error) and not self._trouble)
        self.close_button.setVisible(bool(self._trouble))
        scale = self._icons.themes.current.scale
        left = round((_ICON_PX + 24) * scale) if self._is_wrong else round(14 * scale)
        self._row.setContentsMargins(left, round(8 * scale), round(10 * scale), round(8 * scale))
        self.setVisible(bool(self._trouble or self._error or self._progress))
        self.update()

    def sizeHint(self) -> QSize:
        return self._row.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self._icons.themes.current
        palette = theme.palette
        radius = 10 * theme.scale
        rect = QRectF(self.rect())
        painter.setPen(Qt.PenStyle.NoPen)
        is_error = bool(self._trouble or self._error)
        painter.setBrush(QColor(palette.error_surface if is_error else palette.code))
        painter.drawRoundedRect(rect, radius, radius)
        if self._is_wrong:
            side = round(_ICON_PX * theme.scale)
            place = QRectF(round(14 * theme.scale), round((self.height() - side) / 2), side, side)
            self._icons.paint(painter, "warning", "error" if is_error else "warning", place)
        elif self._share >= 0:
            thick = max(2.0, 3 * theme.scale)
            line = QRectF(radius, rect.bottom() - thick, rect.width() - 2 * radius, thick)
            painter.setBrush(QColor(palette.border))
            painter.drawRoundedRect(line, thick / 2, thick / 2)
            line.setWidth(line.width() * min(1.0, max(0.02, self._share)))
            painter.setBrush(QColor(palette.accent))
            painter.drawRoundedRect(line, thick / 2, thick / 2)
