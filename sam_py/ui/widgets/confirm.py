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
        *,
        other_text: str = "",
        on_other: Callable[[], object] | None = None,
    ) -> None:
        """`other_text`: the words of a second way out, a button between “Cancel” and `accept_text`."""
        super().__init__(parent)
        self._on_accept = on_accept
        self._on_other = on_other
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
        self.other_button: PillButton | None = None
        if other_text:
            self.other_button = PillButton(icons, other_text, kind="outline", parent=self)
            self.other_button.clicked.connect(self._other_chosen)
            row.addWidget(self.other_button)
        row.addWidget(self.accept_button)
        column.addLayout(row)
        least, most = round(360 * theme.scale), round(480 * theme.scale)
        self.setMinimumWidth(least)
        self.setMaximumWidth(most)
        width = min(max(column.sizeHint().width(), least), most)
        self.resize(width, column.heightForWidth(width))  # else a text that wraps may find too little room
        self.accepted.connect(self._accepted)
        self.cancel_button.setFocus(Qt.FocusReason.TabFocusReason)

    @classmethod
    def ask(
        cls,
        parent: QWidget,
        icons: Icons,
        title: str,
        text: str,
        accept_text: str,
        on_accept: Callable[[], object],
        *,
        other_text: str = "",
        on_other: Callable[[], object] | None = None,
    ) -> Confirm:
        """Open the question over `parent` and return at once."""
        question = cls(icons, title, text, accept_text, on_accept, parent, other_text=other_text, on_other=on_other)
        question.open()
        return question

    def _other_chosen(self) -> None:
        self.reject()
        if self._on_other is not None:
            self._on_other()

    def _accepted(self) -> None:
        self._on_accept()
