"""ContextPage: how full the model's window is, and what becomes of each message in the next request."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout, QWidget

from sam_py.agent.outlook import Outlook
from sam_py.transcript.plan import Fate
from sam_py.ui.inspector.message_list import MessageList
from sam_py.ui.inspector.message_strip import MessageStrip
from sam_py.ui.inspector.rows import FATES, MessageRows
from sam_py.ui.inspector.summarising import Summarising
from sam_py.ui.inspector.watch import Watch
from sam_py.ui.inspector.window_bar import WindowBar
from sam_py.ui.inspector.words import fate_name, filled, number
from sam_py.ui.settings.fields import Choice, Words
from sam_py.ui.widgets.announce import announce
from sam_py.ui.widgets.buttons import PillButton
from sam_py.ui.widgets.icons import Icons

_LEGEND_FROM_PX = 500
"""In a lower page the names below the bar would leave no room for the messages."""


class ContextPage(QWidget):
    """Follows a `Watch`. `wished(action, message id)` as of `MessageStrip`."""

    wished = Signal(str, str)
    seen = Signal(bool)
    """Whether the page is on screen."""

    def __init__(self, icons: Icons, watch: Watch, summarising: Summarising, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._watch = watch
        self._summarising = summarising
        self._is_here = False
        self.headline = Words(icons, heavy=True)
        self.model_line = Words(icons, role="muted", small=True)
        self.warning = Words(icons, small=True)
        self.warning.hide()
        self.bar = WindowBar(icons, self)
        self.summarise = PillButton(
            icons, self.tr("Summarise earlier messages"), icon="text", kind="outline", parent=self
        )
        self.cancel = PillButton(icons, self.tr("Cancel"), parent=self)
        self.cancel.hide()
        self.told = Words(icons, small=True)
        self.told.hide()
        self.filter = Choice(icons, self.tr("Which messages"))
        self.rows = MessageRows(parent=self)
        self.list = MessageList(self.rows, icons, self.tr("Messages of the next request"), self)
        self.strip = MessageStrip(icons, self)
        self._lay_out()
        self.summarise.clicked.connect(self._start_summary)
        self.cancel.clicked.connect(summarising.cancel)
        summarising.changed.connect(self._show_summary)
        summarising.done.connect(self._summary_done)
        self.filter.chosen.connect(self._filter)
        self.list.current_changed.connect(self._show_current)
        self.list.opened.connect(lambda message_id: self.wished.emit("jump", message_id))
        self.list.menu_requested.connect(self._open_menu)
        self.strip.wished.connect(self.wished)
        watch.looked.connect(self._show)
        watch.failed.connect(self._show_trouble)

    def clear(self) -> None:
        """Another conversation: what is shown is not its own."""
        self.rows.show_fates(None, ())
        self.filter.setCurrentIndex(0)
        self.rows.filter(None)

    def set_model(self, label: str, *, is_here: bool) -> None:
        """What the model is called, and whether it is the guide, which nothing is sent to."""
        self._is_here = is_here
        self.model_line.say(label)

    def _lay_out(self) -> None:
        top = QVBoxLayout()
        top.setContentsMargins(16, 12, 16, 8)
        top.setSpacing(6)
        top.addWidget(self.headline)
        top.addWidget(self.model_line)
        top.addSpacing(4)
        top.addWidget(self.bar)
        top.addWidget(self.warning)
        buttons = QHBoxLayout()
        buttons.setSpacing(6)
        buttons.addWidget(self.summarise)
        buttons.addWidget(self.cancel)
        buttons.addStretch(1)
        top.addSpacing(4)
        top.addLayout(buttons)
        top.addWidget(self.told)
        chosen = QHBoxLayout()
        chosen.setContentsMargins(16, 0, 16, 4)
        chosen.addWidget(self.filter, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addLayout(chosen)
        column.addWidget(self.list, 1)
        column.addWidget(self.strip)

    def _show(self, outlook: Outlook) -> None:
        session = self._watch.session
        if session is None:
            return
        shares, plan = outlook.shares, outlook.plan
        if shares.window is None:
            words = filled(self.tr("The next request: about %1 tokens"), number(shares.sent))
        else:
            words = filled(
                self.tr("The next request: about %1 of %2 tokens"), number(shares.sent), number(shares.window)
            )
        self.headline.say(words, "text")
        if plan.warning:
            self.warning.say(plan.warning, "warning")
        elif self._is_here:
            self.warning.say(self.tr("The guide answers on this computer: nothing is sent anywhere."))
        elif shares.window is None:
            self.warning.say(
                self.tr("How much this model takes is not known, so nothing is left out for lack of room.")
            )
        else:
            self.warning.say("")
        self.summarise.setVisible(len(session.bus) > 0 and not self._is_here)
        self.bar.show_shares(shares)
        self.rows.show_fates(session.bus, plan.fates, outlook.draft)
        self._fill_filter()

    def _show_trouble(self, sentence: str) -> None:
        """What was shown holds no more."""
        self.rows.show_fates(None, ())
        self.headline.say(self.tr("There is no next request yet"), "text")
        self.warning.say(sentence, "warning")

    def _fill_filter(self) -> None:
        """Each fate that there is, with how many have it; what is chosen stays so."""
        counts = self.rows.counts
        wanted = self.filter.currentData()
        values: list[tuple[object, str]] = [(None, filled(self.tr("All messages (%1)"), number(sum(counts.values()))))]
        for fate in FATES:
            if counts[fate] or fate == wanted:
                values.append((fate, filled(self.tr("%1 (%2)"), fate_name(fate), number(counts[fate]))))
        shown = [(self.filter.itemData(place), self.filter.itemText(place)) for place in range(self.filter.count())]
        if shown != values:
            self.filter.set_values(values)
            self.filter.show_value(wanted)
        self.filter.setVisible(bool(counts))

    def _filter(self, fate: Fate | None) -> None:
        self.rows.filter(fate)

    def _show_current(self, _message_id: str) -> None:
        row = self.list.current_row
        if row is None or row >= self.rows.rowCount():
            self.strip.show_message(None, None)
        else:
            self.strip.show_message(self.rows.message_at(row), self.rows.fate_at(row), is_draft=self.rows.is_draft(row))

    def _open_menu(self, message_id: str, place: QPoint) -> None:
        """What the buttons below the list do, at the row."""
        strip = self.strip
        buttons = (strip.jump, strip.copy, strip.pin, strip.keep, strip.never)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for button in buttons:
            if not button.isHidden():
                entry = menu.addAction(button.text() or button.accessibleName())
                entry.setCheckable(button.isCheckable())
                entry.setChecked(button.isChecked())
                entry.triggered.connect(button.click)
        if menu.isEmpty():
            menu.deleteLater()
        else:
            menu.popup(place)

    # The summary

    def _start_summary(self) -> None:
        self.told.say("")
        self._summarising.start()

    def _show_summary(self) -> None:
        busy = self._summarising.is_busy
        self.summarise.setEnabled(not busy)
        self.summarise.set_words(self.tr("Summarising…") if busy else self.tr("Summarise earlier messages"))
        self.cancel.setVisible(busy)
        self.told.say(self._summarising.trouble, "error")
        announce(self, self._summarising.trouble)

    def _summary_done(self) -> None:
        self.told.say(self.tr("Done: the summary stands below what it covers, and is sent in its place."))
        announce(self, self.told.text())

    # Qt

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.seen.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.seen.emit(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.bar.show_legend(self.height() >= _LEGEND_FROM_PX * self._icons.themes.current.scale)
