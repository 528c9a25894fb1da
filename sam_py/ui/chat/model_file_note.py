"""ModelFileNote: below the ways to connect, how far the loading of a model file is, or why it cannot be loaded."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from sam_py.ui.widgets.announce import announce
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.flow import FlowLayout
from sam_py.ui.widgets.icons import Icons

_PAD_PX = 14
_ICON_PX = 18


class ModelFileNote(QWidget):
    """Hidden until there is something to say. Words are plain, commands can be selected and copied."""

    cancel_requested = Signal()
    retry_requested = Signal()
    """Try again: choose a file, now that something changed."""

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._is_trouble = False
        self._detail = ""
        self.words = self._label()
        self.command = self._label()
        self.detail = self._label()
        self.cancel = PillButton(icons, self.tr("Cancel"), kind="outline", parent=self)
        self.retry = PillButton(icons, self.tr("Choose a file"), icon="folder-open", kind="outline", parent=self)
        self.copy = PillButton(icons, self.tr("Copy the command"), icon="copy", kind="outline", parent=self)
        self.more = PillButton(icons, self.tr("Details"), parent=self)
        self.cancel.clicked.connect(self.cancel_requested)
        self.retry.clicked.connect(self.retry_requested)
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.command.text()))
        self.more.clicked.connect(lambda: self._show_detail(self.detail.isHidden()))
        self._buttons = QWidget(self)
        flow = FlowLayout(gap_px=8, parent=self._buttons)
        for button in (self.retry, self.copy, self.cancel, self.more):
            flow.addWidget(button)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self._buttons.setSizePolicy(policy)
        self._column = QVBoxLayout(self)
        for widget in (self.words, self.command, self._buttons, self.detail):
            self._column.addWidget(widget)
        icons.changed.connect(self.take_theme)
        self.take_theme()
        self.hide()

    def say(self, text: str, *, trouble: bool = False, command: str = "", detail: str = "") -> None:
        """Show `text`: what is done now and can be cancelled, or a `trouble` with the `command` that mends it."""
        self._is_trouble = trouble
        self.words.setText(text)
        self.command.setText(command)
        self.detail.setText(detail)
        self.command.setVisible(bool(command))
        self.copy.setVisible(bool(command))
        self.cancel.setVisible(not trouble)
        self.retry.setVisible(trouble)
        self.more.setVisible(bool(detail))
        self._show_detail(False)
        self.setAccessibleName(text)
        self.setVisible(bool(text))
        self.update()
        if text:
            announce(self, text, urgent=trouble)

    def clear(self) -> None:
        self.say("")

    def take_theme(self) -> None:
        theme = self._icons.themes.current
        edge = round(_PAD_PX * theme.scale)
        self._column.setContentsMargins(edge + round((_ICON_PX + 10) * theme.scale), edge, edge, edge)
        self._column.setSpacing(round(8 * theme.scale))
        fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        for label, font, points, colour in (
            (self.words, QFont(self.font()), theme.body_pt, theme.palette.text),
            (self.command, fixed, theme.small_pt * 1.04, theme.palette.text),
            (self.detail, QFont(self.font()), theme.small_pt, theme.palette.text_muted),
        ):
            font.setPointSizeF(points)
            label.setFont(font)
            palette = QPalette(label.palette())
            palette.setColor(QPalette.ColorRole.WindowText, QColor(colour))
            label.setPalette(palette)
        self.update()

    def _label(self) -> QLabel:
        label = QLabel(self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return label

    def _show_detail(self, shown: bool) -> None:
        self.detail.setVisible(shown)
        self.more.set_words(self.tr("Hide details") if shown else self.tr("Details"))

    # Qt

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._icons.themes.current
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.palette.error_surface if self._is_trouble else theme.palette.code))
        painter.drawRoundedRect(QRectF(self.rect()), theme.radius_px, theme.radius_px)
        edge, side = _PAD_PX * theme.scale, _ICON_PX * theme.scale
        left = edge if self.layoutDirection() == Qt.LayoutDirection.LeftToRight else self.width() - edge - side
        place = QRectF(left, edge, side, side)
        if self._is_trouble:
            self._icons.paint(painter, "error", "error", place)
        else:
            self._icons.paint(painter, "model", "accent", place)
        painter.end()
