"""Tinted lines inside the composer: what could not be attached and why; which message is being edited."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from sam_py.ui.theme import Themes
from sam_py.ui.widgets.buttons import IconButton
from sam_py.ui.widgets.icons import Icons, Role

_MOST = 4


class ComposerLine(QWidget):
    """A tinted line with an icon, words and a button: errors (`kind` error) and the editing banner (accent)."""

    def __init__(self, icons: Icons, icon: str, role: Role, button_label: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._icon = icon
        self._role: Role = role
        self.label = QLabel(self)
        self.label.setTextFormat(Qt.TextFormat.PlainText)  # file names are not ours: no markup
        self.label.setWordWrap(True)
        self.label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.button = IconButton(icons, "close", button_label, size_px=24, icon_px=12, parent=self)
        self._row = QHBoxLayout(self)
        self._row.addWidget(self.label, 1)
        self._row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)
        icons.changed.connect(self._take_theme)
        self._take_theme()
        self.hide()

    def set_words(self, words: str) -> None:
        self.label.setText(words)
        self.setAccessibleName(words)
        self.setVisible(bool(words))

    def _take_theme(self) -> None:
        theme = self._icons.themes.current
        scale = theme.scale
        self._row.setContentsMargins(round(34 * scale), round(6 * scale), round(6 * scale), round(6 * scale))
        font = QFont(self.font())
        font.setPointSizeF(theme.body_pt * 0.95)
        self.label.setFont(font)
        palette = QPalette(self.label.palette())
        palette.setColor(QPalette.ColorRole.WindowText, QColor(theme.palette.text))
        self.label.setPalette(palette)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._icons.themes.current
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        ground = theme.palette.error_surface if self._role == "error" else theme.palette.selected
        painter.setBrush(QColor(ground))
        radius = 10 * theme.scale
        painter.drawRoundedRect(self.rect(), radius, radius)
        side = round(17 * theme.scale)
        top = round(6 * theme.scale + (self.button.height() - side) / 2)
        self._icons.paint(painter, self._icon, self._role, QRectF(10 * theme.scale, top, side, side))


class ComposerErrors(ComposerLine):
    """The last few failures, each a sentence, until they are dismissed or the next message is sent."""

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(icons, "error", "error", "…", parent)
        self.button.set_label(self.tr("Dismiss"))
        self.button.clicked.connect(self.clear)
        self._sentences: list[str] = []

    @property
    def sentences(self) -> tuple[str, ...]:
        return tuple(self._sentences)

    def add(self, sentence: str) -> None:
        self._sentences.append(sentence)
        shown = self._sentences[-_MOST:]
        if hidden := len(self._sentences) - len(shown):
            shown.insert(0, self.tr("{n} more could not be attached.").format(n=hidden))
        self.set_words("\n".join(shown))

    def clear(self) -> None:
        self._sentences.clear()
        self.set_words("")


class ComposerHint(QLabel):
    """Muted words that are shown only where there is room for all of them."""

    def __init__(self, themes: Themes, parent: QWidget) -> None:
        super().__init__(parent)
        self._themes = themes
        self.setTextFormat(Qt.TextFormat.PlainText)

    def take_theme(self) -> None:
        theme = self._themes.current
        font = QFont(self.font())
        font.setPointSizeF(theme.small_pt)
        self.setFont(font)
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.WindowText, QColor(theme.palette.text_muted))
        self.setPalette(palette)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.sizeHint().width() <= self.width():
            super().paintEvent(event)
