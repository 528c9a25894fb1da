"""The raised, rounded box that the composer's parts stand in."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from sam_py.ui.theme import Themes

RADIUS_PX = 18
SHADOW_PX = 4


class ComposerBox(QWidget):
    """Draws ground, line and a soft shadow; the line takes the accent while something is dragged over it."""

    def __init__(self, themes: Themes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._themes = themes
        self._focused = False
        self.drop_words = ""
        self._cover = DropCover(self, themes)
        themes.changed.connect(self.update)

    def set_focused(self, focused: bool) -> None:
        self._focused = focused
        self.update()

    def set_drop_words(self, words: str) -> None:
        """Cover the box with `words` while something that can be dropped is over it; "" uncovers it."""
        if words != self.drop_words:
            self.drop_words = words
            self._cover.setVisible(bool(words))
            self._cover.raise_()
            self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._cover.setGeometry(self.rect())

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._themes.current
        palette = theme.palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect()).adjusted(SHADOW_PX + 0.5, 0.5, -SHADOW_PX - 0.5, -SHADOW_PX - 0.5)
        radius = RADIUS_PX * theme.scale
        painter.setPen(Qt.PenStyle.NoPen)
        for spread in range(SHADOW_PX, 0, -1):
            shade = QColor(0, 0, 0, 22 if theme.dark else 5)
            painter.setBrush(shade)
            painter.drawRoundedRect(rect.adjusted(-spread / 2, 0, spread / 2, spread), radius + 1, radius + 1)
        line = QColor(palette.border)
        if self.drop_words:
            line = QColor(palette.accent)
        elif self._focused:
            line = _between(QColor(palette.border), QColor(palette.text_muted), 0.35)
        painter.setBrush(QColor(palette.selected if self.drop_words else palette.raised))
        painter.setPen(QPen(line, 2 if self.drop_words else 1))
        painter.drawRoundedRect(rect, radius, radius)


class DropCover(QWidget):
    """The words over the box while something is dragged; never in the way of the mouse."""

    def __init__(self, box: ComposerBox, themes: Themes) -> None:
        super().__init__(box)
        self._box = box
        self._themes = themes
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._themes.current
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect()).adjusted(SHADOW_PX + 2, 2, -SHADOW_PX - 2, -SHADOW_PX - 2)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.palette.selected))
        painter.drawRoundedRect(rect, RADIUS_PX * theme.scale - 2, RADIUS_PX * theme.scale - 2)
        font = QFont(self.font())
        font.setPointSizeF(theme.body_pt)
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(QColor(theme.palette.accent))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, self._box.drop_words)


def _between(one: QColor, other: QColor, share: float) -> QColor:
    return QColor(
        round(one.red() + (other.red() - one.red()) * share),
        round(one.green() + (other.green() - one.green()) * share),
        round(one.blue() + (other.blue() - one.blue()) * share),
    )
