"""PinnedPage: what is pinned in this conversation, how important it is and which rule said so."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from sam_py.agent.outlook import Outlook
from sam_py.transcript.plan import MessageFate
from sam_py.ui.inspector.message_list import MessageList
from sam_py.ui.inspector.message_strip import MessageStrip
from sam_py.ui.inspector.rows import MessageRows
from sam_py.ui.inspector.watch import Watch
from sam_py.ui.inspector.words import filled, number
from sam_py.ui.settings.fields import Words
from sam_py.ui.widgets.icons import Icons


class PinnedPage(QWidget):
    """Follows a `Watch`. `wished(action, message id)` as of `MessageStrip`."""

    wished = Signal(str, str)
    seen = Signal(bool)

    def __init__(self, icons: Icons, watch: Watch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._watch = watch
        self.headline = Words(icons, heavy=True)
        self.hint = Words(icons, role="muted", small=True)
        self.rows = MessageRows(scores=True, parent=self)
        self.list = MessageList(self.rows, icons, self.tr("Pinned messages"), self)
        self.strip = MessageStrip(icons, self)
        top = QVBoxLayout()
        top.setContentsMargins(16, 12, 16, 8)
        top.addWidget(self.headline)
        top.addWidget(self.hint)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self.list, 1)
        column.addWidget(self.strip)
        self.list.current_changed.connect(self._show_current)
        self.list.opened.connect(lambda message_id: self.wished.emit("jump", message_id))
        self.strip.wished.connect(self.wished)
        watch.looked.connect(self._show)

    def clear(self) -> None:
        """Another conversation: what is shown is not its own."""
        self.rows.show_fates(None, ())

    def _show(self, outlook: Outlook) -> None:
        session = self._watch.session
        if session is None:
            return
        pinned = frozenset(outlook.pinned)
        fates: list[MessageFate] = [fate for fate in outlook.plan.fates if fate.message_id in pinned]
        self.rows.show_fates(session.bus, fates)
        tokens = sum(fate.tokens for fate in fates)
        if fates:
            words = self.tr("One message is pinned, about %2 tokens")
            if len(fates) > 1:
                words = self.tr("%1 messages are pinned, about %2 tokens")
            self.headline.say(filled(words, number(len(fates)), number(tokens)), "text")
            self.hint.say(self.tr("Pinned messages are in every request, whatever else has to give way."))
        else:
            self.headline.say(self.tr("Nothing is pinned"), "text")
            self.hint.say(self.tr("Pin what the model must never lose sight of: it is then in every request."))

    def _show_current(self, _message_id: str) -> None:
        row = self.list.current_row
        if row is None or row >= self.rows.rowCount():
            self.strip.show_message(None, None)
        else:
            self.strip.show_message(self.rows.message_at(row), self.rows.fate_at(row))

    # Qt

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.seen.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.seen.emit(False)
