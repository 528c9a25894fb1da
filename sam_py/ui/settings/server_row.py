"""ServerRow: one server in the settings: its name, how it is, what to do about it, a menu and a switch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout, QWidget

from sam_py.settings.model import McpServerSettings
from sam_py.tools.mcp.offer import ServerStatus
from sam_py.ui.settings.fields import Switch, Words
from sam_py.ui.settings.server_words import state_words
from sam_py.ui.widgets.buttons import IconButton, PillButton
from sam_py.ui.widgets.icons import Icons, Role
from sam_py.ui.widgets.plain import one_line

Deed = Literal["tools", "edit", "log", "restart", "remove", "on", "off"]


class ServerRow(QWidget):
    """`wanted` says what the person wants done; the row itself changes nothing."""

    wanted = Signal(str)
    """a `Deed`"""

    def __init__(self, icons: Icons, server: McpServerSettings) -> None:
        super().__init__()
        self._icons = icons
        label = one_line(server.label)
        self.label = label
        self.server_label = server.label
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(Words(icons, label))
        self.words = Words(icons, role="muted", small=True)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        words.addWidget(self.words)
        row.addLayout(words, 1)
        self.attend = PillButton(icons, self.tr("Look at them…"), kind="outline")
        self.attend.hide()
        self._deed: Deed = "tools"
        self._said: tuple[str, Role] = ("", "muted")
        self.attend.clicked.connect(lambda: self.wanted.emit(self._deed))
        self.more = IconButton(icons, "more", self.tr("More: %1").replace("%1", label))
        self.more.clicked.connect(self._open_menu)
        self.switch = Switch(icons, label)
        self.switch.switched.connect(lambda on: self.wanted.emit("on" if on else "off"))
        for button in (self.attend, self.more, self.switch):
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)

    def show_state(self, server: McpServerSettings, status: ServerStatus | None) -> None:
        self.switch.setChecked(server.enabled)
        self._said = state_words(server, status)
        self.words.say(*self._said)
        state = status.state if status is not None and server.enabled else ""
        if state == "ready" and status is not None and status.tool_changes:
            self._ask_for("tools", self.tr("Look at them…"))
        elif state == "needs_consent":
            self._ask_for("on", self.tr("Look at it…"))
        elif state == "failed" and status is not None and status.wants_edit:
            self._ask_for("edit", self.tr("Edit…"))
        elif state == "failed":
            self._ask_for("restart", self.tr("Start again"))
        else:
            self.attend.hide()

    def menu(self) -> QMenu:
        """All that can be done with the server."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        deeds: tuple[tuple[Deed, str, str], ...] = (
            ("tools", "tool", self.tr("What it offers…")),
            ("edit", "edit", self.tr("Edit…")),
            ("log", "text", self.tr("Its log…")),
            ("restart", "regenerate", self.tr("Start again")),
            ("remove", "trash", self.tr("Remove…")),
        )
        for deed, icon, text in deeds:
            menu.addAction(self._icons.icon(icon), text).triggered.connect(self._wants(deed))
        return menu

    def _wants(self, deed: Deed) -> Callable[[], None]:
        return lambda: self.wanted.emit(deed)

    def _ask_for(self, deed: Deed, text: str) -> None:
        self._deed = deed
        self.attend.set_words(text)
        self.attend.set_label(f"{text} {self.label}")
        self.attend.show()

    def _open_menu(self) -> None:
        self.menu().popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.words.say(*self._said)  # the style sheet, which came to it just now, gave it its first colour back
