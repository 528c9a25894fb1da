"""MessageStrip: what there is to know of the message that is chosen in a list, and what can be done about it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from sam_py.messages.message import AssistantMessage, DeveloperMessage, Message
from sam_py.transcript.plan import MessageFate
from sam_py.ui.inspector.words import author, filled, importance_words, number, token_figures, whole_reason
from sam_py.ui.settings.fields import Words
from sam_py.ui.widgets.buttons import IconButton, PillButton
from sam_py.ui.widgets.flow import FlowLayout
from sam_py.ui.widgets.icons import Icons


class MessageStrip(QWidget):
    """`wished(action, message id)`: ``pin``, ``unpin``, ``keep``, ``never``, ``as it fits``, ``jump``, ``copy``."""

    wished = Signal(str, str)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._message: Message | None = None
        self.title = Words(icons, heavy=True)
        self.reason = Words(icons, small=True)
        self.facts = Words(icons, role="muted", small=True)
        self.jump = IconButton(
            icons, "chat", self.tr("Show it in the conversation"), size_px=28, icon_px=16, parent=self
        )
        self.copy = IconButton(icons, "copy", self.tr("Copy"), size_px=28, icon_px=16, parent=self)
        self.pin = PillButton(icons, self.tr("Pin"), icon="pin", height_px=28, parent=self)
        self.keep = PillButton(icons, self.tr("Always keep"), icon="keep", height_px=28, parent=self)
        self.never = PillButton(icons, self.tr("Never send"), icon="eye-off", height_px=28, parent=self)
        self.keep.setCheckable(True)
        self.never.setCheckable(True)
        self.jump.clicked.connect(lambda: self._wish("jump"))
        self.copy.clicked.connect(lambda: self._wish("copy"))
        self.pin.clicked.connect(self._toggle_pin)
        self.keep.clicked.connect(lambda: self._choose("keep"))
        self.never.clicked.connect(lambda: self._choose("never"))
        row = QWidget(self)
        flow = FlowLayout(gap_px=4, parent=row)
        for button in (self.pin, self.keep, self.never):
            flow.addWidget(button)
        head = QHBoxLayout()
        head.setSpacing(2)
        head.addWidget(self.title, 1)
        head.addWidget(self.jump)
        head.addWidget(self.copy)
        words = QVBoxLayout()
        words.setContentsMargins(10, 0, 0, 0)
        words.setSpacing(4)
        words.addLayout(head)
        words.addWidget(self.reason)
        words.addWidget(self.facts)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 8, 8, 8)
        column.setSpacing(4)
        column.addLayout(words)
        column.addWidget(row)
        self.hide()

    def show_message(self, message: Message | None, fate: MessageFate | None, *, is_draft: bool = False) -> None:
        """Show it, with what becomes of it where that is known. None hides all."""
        self._message = message
        if message is None:
            self.hide()
            return
        self.title.say(self.tr("What you are writing") if is_draft else author(message), "text")
        self.reason.say(whole_reason(fate) if fate is not None else "", "text")
        facts = [importance_words(message)]
        if fate is not None:
            facts.insert(0, filled(self.tr("About %1 tokens"), token_figures(fate)))
        if isinstance(message, AssistantMessage) and message.reminders:
            reminded = sum(receipt.tokens for receipt in message.reminders)
            facts.append(filled(self.tr("Asked with %1 tokens of reminders"), number(reminded)))
        self.facts.say(" · ".join(fact for fact in facts if fact))
        is_summary = isinstance(message, DeveloperMessage) and bool(message.covers)
        for button in (self.jump, self.pin, self.copy):
            button.setVisible(not is_draft)
        for button in (self.keep, self.never):
            button.setVisible(not is_draft and not is_summary and fate is not None)
        self.pin.set_words(
            self.tr("Unpin") if message.pinned else self.tr("Pin"), icon="pin-filled" if message.pinned else "pin"
        )
        self.keep.setChecked(message.context == "keep")
        self.never.setChecked(message.context == "never")
        self.show()

    def _wish(self, action: str) -> None:
        if self._message is not None:
            self.wished.emit(action, self._message.id)

    def _toggle_pin(self) -> None:
        if self._message is not None:
            self._wish("unpin" if self._message.pinned else "pin")

    def _choose(self, place: str) -> None:
        """Chosen again, it is as it fits."""
        if self._message is not None:
            self._wish("as it fits" if self._message.context == place else place)

    # Qt

    def paintEvent(self, event: QPaintEvent) -> None:
        """A line above it, from side to side."""
        painter = QPainter(self)
        painter.setPen(self._icons.themes.current.palette.border)
        painter.drawLine(0, 0, self.width(), 0)
