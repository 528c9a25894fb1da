"""Confirm: the rare question before something that cannot be undone."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.icons import Icons


class Confirm(QDialog):
    """Asks once and calls back; nothing waits for it. Esc and the first focus mean “no”."""

    def __init__(
        self,
        icons: Icons,
        title: str,
        text: str,
        accept_text: str,
        on_accept: Callable[[], object],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._on_accept = on_accept
        theme = icons.themes.current
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Window, QColor(theme.palette.raised))
        palette.setColor(QPalette.ColorRole.WindowText, QColor(theme.palette.text))
        self.setPalette(palette)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(10)
        for words, points, weight in (
            (title, theme.body_pt * 1.15, QFont.Weight.DemiBold),
            (text, theme.body_pt, QFont.Weight.Normal),
        ):
            label = QLabel(words, self)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            font = QFont(self.font())
            font.setPointSizeF(points)
            font.setWeight(weight)
            label.setFont(font)
            column.addWidget(label)
        column.addSpacing(8)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        self.cancel_button = PillButton(icons, self.tr("Cancel"), kind="outline", parent=self)
        self.cancel_button.clicked.connect(self.reject)
        self.accept_button = PillButton(icons, accept_text, kind="accent", parent=self)
        self.accept_button.clicked.connect(self.accept)
        row.addWidget(self.cancel_button)
        row.addWidget(self.accept_button)
        column.addLayout(row)
        self.setMinimumWidth(round(360 * theme.scale))
        self.setMaximumWidth(round(480 * theme.scale))
        self.accepted.connect(self._accepted)
        self.cancel_button.setFocus(Qt.FocusReason.TabFocusReason)

    @classmethod
    def ask(
        cls, parent: QWidget, icons: Icons, title: str, text: str, accept_text: str, on_accept: Callable[[], object]
    ) -> Confirm:
        """Open the question over `parent` and return at once."""
        question = cls(icons, title, text, accept_text, on_accept, parent)
        question.open()
        return question

    def _accepted(self) -> None:
        self._on_accept()
