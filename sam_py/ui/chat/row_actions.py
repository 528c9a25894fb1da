"""ActionBar: what a person can do with one message. One bar serves the whole timeline; it stands on the row in use."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from sam_py.ui.widgets.buttons import IconButton
from sam_py.ui.widgets.icons import Icons

_FIRST_OF_A_GROUP = ("speak", "keep", "details")


@dataclass(frozen=True, slots=True)
class Offer:
    """What makes sense for the message that the bar stands on."""

    message_id: str
    role: str
    is_pinned: bool
    is_streaming: bool
    can_continue: bool
    has_text: bool
    context: str = ""
    """What the person said of its place in requests: ``keep``, ``never``, or nothing."""
    is_summary: bool = False
    is_covered: bool = False
    """A summary is sent in its place."""
    is_read: bool = False
    """It is being read aloud."""

    @property
    def can_be_read(self) -> bool:
        return self.has_text and self.role in ("user", "assistant")


class ActionBar(QWidget):
    """Buttons for copy, edit, regenerate, continue, reading aloud, pin and more. `chosen(action, message id)`."""

    chosen = Signal(str, str)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offer: Offer | None = None
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        self._copy = IconButton(icons, "copy", self.tr("Copy"), parent=self)
        self._edit = IconButton(icons, "edit", self.tr("Edit and send again"), parent=self)
        self._regenerate = IconButton(icons, "regenerate", self.tr("Regenerate"), parent=self)
        self._continue = IconButton(icons, "continue", self.tr("Continue"), parent=self)
        self._speak = IconButton(icons, "speaker", self.tr("Read aloud"), parent=self)
        self._pin = IconButton(icons, "pin", self.tr("Pin"), parent=self)
        self._more = IconButton(icons, "more", self.tr("More"), parent=self)
        for button, action in self._actions():
            layout.addWidget(button)
            button.clicked.connect(lambda _checked=False, name=action: self._choose(name))
        self._icons = icons
        self.setAccessibleName(self.tr("Message actions"))
        self.hide()

    def offer(self, offer: Offer) -> None:
        """Show the buttons that fit a message."""
        self._offer = offer
        done = not offer.is_streaming
        self._copy.setVisible(offer.has_text)
        self._edit.setVisible(done and (offer.role == "user" or offer.is_summary))
        self._edit.set_label(self.tr("Edit the summary") if offer.is_summary else self.tr("Edit and send again"))
        self._regenerate.setVisible(done and offer.role in ("assistant", "user"))
        again = self.tr("Regenerate") if offer.role == "assistant" else self.tr("Answer this again")
        self._regenerate.set_label(again)
        self._continue.setVisible(done and offer.can_continue)
        self._speak.setVisible(offer.can_be_read)
        self._speak.set_icon("stop" if offer.is_read else "speaker", "accent" if offer.is_read else "muted")
        self._speak.set_label(self.tr("Stop reading") if offer.is_read else self.tr("Read aloud"))
        self._pin.set_icon("pin-filled" if offer.is_pinned else "pin", "accent" if offer.is_pinned else "muted")
        self._pin.set_label(self.tr("Unpin") if offer.is_pinned else self.tr("Pin"))
        self._pin.setVisible(done and not offer.is_summary)
        self.adjustSize()

    def menu_for(self, offer: Offer) -> QMenu:
        """The same and more as a menu, for the keyboard and the right mouse button."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.fill_menu(menu, offer)
        return menu

    def fill_menu(self, menu: QMenu, offer: Offer) -> None:
        """Add what can be done with a message to a menu."""
        done, replied = not offer.is_streaming, offer.role == "assistant"
        entries: list[tuple[str, str, str, bool]] = [
            ("copy", self.tr("Copy as text"), "copy", offer.has_text),
            ("copy_markdown", self.tr("Copy as Markdown"), "copy", offer.has_text),
            ("edit", self.tr("Edit and send again"), "edit", offer.role == "user" and not offer.is_streaming),
            ("edit_reply", self.tr("Edit the reply"), "edit", replied and done),
            ("edit", self.tr("Edit the summary"), "edit", offer.is_summary),
            ("regenerate", self.tr("Regenerate"), "regenerate", replied and done),
            ("continue", self.tr("Continue"), "continue", offer.can_continue and done),
            (
                "pin",
                self.tr("Unpin") if offer.is_pinned else self.tr("Pin"),
                "pin-filled" if offer.is_pinned else "pin",
                done and not offer.is_summary,
            ),
            (
                "speak",
                self.tr("Stop reading") if offer.is_read else self.tr("Read aloud"),
                "stop" if offer.is_read else "speaker",
                offer.can_be_read,
            ),
            ("save_speech", self.tr("Save as audio…"), "download", done and offer.can_be_read),
            ("save", self.tr("Save as…"), "download", done),
            ("keep", self.tr("Always keep in context"), "keep", done and not offer.is_summary),
            ("never", self.tr("Never send"), "eye-off", done and not offer.is_summary),
            ("summary", self.tr("Go to its summary"), "text", offer.is_covered),
            ("covered", self.tr("Go to what it stands for"), "text", offer.is_summary),
            ("details", self.tr("Details"), "info", True),
            ("remove", self.tr("Delete message"), "trash", done and not offer.is_summary),
            ("remove", self.tr("Remove the summary"), "trash", offer.is_summary),
        ]
        for action, text, icon, wanted in entries:
            if action in _FIRST_OF_A_GROUP and wanted:
                menu.addSeparator()
            if wanted:
                entry = menu.addAction(text)
                if action in ("keep", "never"):  # a menu has room for a tick or a drawing
                    entry.setCheckable(True)
                    entry.setChecked(offer.context == action)
                else:
                    entry.setIcon(self._icons.icon(icon, "text"))
                entry.triggered.connect(
                    lambda _checked=False, name=action, target=offer.message_id: self.chosen.emit(name, target)
                )

    def _actions(self) -> tuple[tuple[IconButton, str], ...]:
        return (
            (self._copy, "copy"),
            (self._edit, "edit"),
            (self._regenerate, "regenerate"),
            (self._continue, "continue"),
            (self._speak, "speak"),
            (self._pin, "pin"),
            (self._more, "more"),
        )

    def _choose(self, action: str) -> None:
        if self._offer is None:
            return
        if action == "more":
            menu = self.menu_for(self._offer)
            menu.popup(self._more.mapToGlobal(QPoint(0, self._more.height())))
            return
        self.chosen.emit(action, self._offer.message_id)

    # Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        parent = self.parentWidget()
        if event.key() == Qt.Key.Key_Escape and parent is not None:
            parent.setFocus()
            return
        super().keyPressEvent(event)
