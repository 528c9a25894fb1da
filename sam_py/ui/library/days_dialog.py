"""DaysDialog: from which day to which."""

from __future__ import annotations

from datetime import datetime, timedelta

from PySide6.QtCore import QDate, Qt, Signal
from PySide6.QtWidgets import QDateEdit, QDialog, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from sam_py.ui.library.words import tr
from sam_py.ui.settings.fields import Words
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.icons import Icons


class DaysDialog(QDialog):
    """Opened with ``open()``. Both days are in what is chosen."""

    chosen = Signal(object, object)
    """Two aware datetimes: the beginning of the first day, and that of the day after the last."""

    def __init__(
        self, icons: Icons, since: datetime | None, until: datetime | None, now: datetime, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("From which day to which?"))
        self._zone_of = now
        last = until - timedelta(days=1) if until is not None else now
        self.first = self._day(tr("From"), since or now - timedelta(days=30))
        self.last = self._day(tr("To"), last)
        self.first.setMaximumDate(self.last.date())
        self.last.setMinimumDate(self.first.date())
        self.first.dateChanged.connect(self.last.setMinimumDate)
        self.last.dateChanged.connect(self.first.setMaximumDate)
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(10)
        for row, (words, field) in enumerate(((tr("From"), self.first), (tr("To"), self.last))):
            grid.addWidget(Words(icons, words, role="muted"), row, 0)
            grid.addWidget(field, row, 1)
        grid.setColumnStretch(1, 1)
        cancel = PillButton(icons, tr("Cancel"), kind="outline", parent=self)
        self.accept_button = PillButton(icons, tr("Show these days"), kind="accent", parent=self)
        cancel.clicked.connect(self.reject)
        self.accept_button.clicked.connect(self._take)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(cancel)
        foot.addWidget(self.accept_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(16)
        column.addLayout(grid)
        column.addLayout(foot)
        self.setMinimumWidth(round(320 * icons.themes.current.scale))

    def _day(self, words: str, at: datetime) -> QDateEdit:
        here = at.astimezone()
        field = QDateEdit(QDate(here.year, here.month, here.day), self)
        field.setCalendarPopup(True)
        field.setAccessibleName(words)
        return field

    def _take(self) -> None:
        self.chosen.emit(_begin(self.first.date()), _begin(self.last.date().addDays(1)))
        self.accept()


def _begin(day: QDate) -> datetime:
    return datetime(day.year(), day.month(), day.day()).astimezone()
