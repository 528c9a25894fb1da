"""EndPill: the button over the foot of the timeline that leads back to the end, and says whether something came."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractScrollArea

from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.icons import Icons

_ABOVE_FOOT_PX = 12


class EndPill(PillButton):
    """Hidden at the end. Away from it, it shows when something came that was not seen, or when the end is far."""

    def __init__(self, icons: Icons, area: QAbstractScrollArea) -> None:
        super().__init__(icons, icons.tr("New messages"), icon="arrow-down", kind="raised", parent=area)
        self._area = area
        self._unseen = False
        self._words = {True: self.tr("New messages"), False: self.tr("To the end")}
        self.hide()

    @property
    def has_news(self) -> bool:
        return self._unseen

    def note_unseen(self) -> bool:
        """Something came below the view. True where that is news."""
        was, self._unseen = self._unseen, True
        return not was

    def all_seen(self) -> None:
        self._unseen = False

    def show_if(self, *, at_end: bool, below_px: int) -> None:
        """`below_px` pixels of the conversation lie below the top of the view."""
        viewport = self._area.viewport()
        far = below_px > viewport.height() * 3 // 2
        wanted = not at_end and (self._unseen or far)
        if wanted:
            self.set_words(self._words[self._unseen])
            size = self.sizeHint()
            x = (viewport.width() - size.width()) // 2
            bottom = viewport.geometry().bottom() + 1
            self.setGeometry(x, bottom - size.height() - _ABOVE_FOOT_PX, size.width(), size.height())
            self.raise_()
        self.setVisible(wanted)
