"""PromptsButton: how many mini prompts go with the next message; pressed, it opens their panel."""

from __future__ import annotations

from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.icons import Icons, Role

_WORDS_FROM_PX = 520
_ICON_FROM_PX = 300
"""Widths of the composer's box at 100 %: below the first the icon stands alone, below the second nothing does."""


class PromptsButton(PillButton):
    """Quiet while no prompt is switched on, in the accent's colour where some are."""

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(
            icons, self.tr("Prompts"), icon="prompts", label=self.tr("Mini prompts"), shortcut="Ctrl+Shift+K",
            parent=parent,
        )  # fmt: skip
        self._on = 0
        self._has_room = True
        self.show_count(0)

    def show_count(self, on: int) -> None:
        """Say that `on` prompts are switched on in the conversation."""
        self._on = on
        count = self.locale().toString(on)
        if self._has_room:
            words = self.tr("Prompts · %1").replace("%1", count) if on else self.tr("Prompts")
        else:
            words = count if on else ""
        self.set_words(words)
        self.set_label(self.tr("Mini prompts: %1 switched on").replace("%1", count) if on else self.tr("Mini prompts"))

    def fit(self, width_px: float) -> None:
        """Take no more room than a box of so many pixels has to give."""
        width = width_px / self._themes.current.scale
        self._has_room = width >= _WORDS_FROM_PX
        self.setVisible(width >= _ICON_FROM_PX)
        self.show_count(self._on)

    def _paint_words(self, painter: QPainter, role: Role) -> None:
        super()._paint_words(painter, "accent" if self._on and role == "muted" else role)
