"""KeyField: where a provider's key is entered, and where it is kept: keyring, this session, or the environment."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

import shiboken6
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from sam_py.errors import SamError
from sam_py.providers.hosts import may_carry_key
from sam_py.providers.presets import Preset, preset_of
from sam_py.settings.model import ProviderSettings
from sam_py.settings.secrets import IN_MEMORY, Secret, Source, environment_variable, origin_of
from sam_py.ui.links import describe_target, open_url
from sam_py.ui.services import Services
from sam_py.ui.settings.fields import Words
from sam_py.ui.widgets.buttons import IconButton, PillButton
from sam_py.ui.widgets.flow import FlowLayout
from sam_py.ui.widgets.plain import tooltip


class KeyField(QWidget):
    """What is typed goes to the keyring when the field is left; what cannot be a key stays, with why below it.

    The keyring is asked on its own thread and for some seconds at most; meanwhile everything else works.
    """

    kept = Signal()
    """Another key counts from now on."""

    def __init__(self, services: Services, account: ProviderSettings) -> None:
        super().__init__()
        self._services = services
        self._icons = services.icons
        self._account = account
        self._preset: Preset = preset_of(account.preset)
        self.source: Source = "missing"
        """Where the key is, as far as is known."""
        self.field = QLineEdit()
        self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self.field.setPlaceholderText(self.tr("Paste a key here"))
        self.shown = IconButton(self._icons, "eye", self.tr("Show what is typed"))
        self.shown.setCheckable(True)
        self.state = Words(self._icons, role="muted", small=True)
        self.notice = Words(self._icons, small=True)
        self.get_key = PillButton(self._icons, self.tr("Get a key"), trailing_icon="external", kind="outline")
        self.get_key.setToolTip(tooltip(describe_target(self._preset.key_page)))
        self.again = PillButton(self._icons, self.tr("Try the keyring again"), icon="regenerate", kind="outline")
        self.forget = PillButton(self._icons, self.tr("Forget the key"))
        self._build()
        self.shown.toggled.connect(self._show_typed)
        self.field.editingFinished.connect(self.keep)
        self.get_key.clicked.connect(lambda: open_url(self._preset.key_page))
        self.again.clicked.connect(lambda: self._spawn(self._try_again()))
        self.forget.clicked.connect(lambda: self._spawn(self._forget()))

    def show_account(self, account: ProviderSettings) -> None:
        """The settings changed; a key belongs to the address that it was entered for."""
        moved = origin_of(account.base_url) != origin_of(self._account.base_url)
        self._account = account
        if moved:
            self.refresh()

    def refresh(self) -> None:
        """Ask anew where the key is."""
        self._spawn(self._refresh())

    def keep(self) -> None:
        """Take what was typed."""
        typed = self.field.text()
        if typed.strip():
            self._spawn(self._keep(typed))

    async def keep_now(self) -> None:
        """The same, and return when it is kept."""
        typed = self.field.text()
        if typed.strip():
            await self._keep(typed)

    def say_fault(self, text: str) -> None:
        """Something is wrong with the key: the service refused it, or it cannot be sent."""
        self.state.say(text, "error")

    def _build(self) -> None:
        name = self.tr("Key") if self._preset.needs_key else self.tr("Key, if it wants one")
        label = Words(self._icons, name, small=True)
        label.setBuddy(self.field)
        self.field.setAccessibleName(name)
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self.field, 1)
        row.addWidget(self.shown)
        buttons = FlowLayout()
        for button in (self.get_key, self.again, self.forget):
            buttons.addWidget(button)
        self.get_key.setVisible(bool(self._preset.key_page))
        for hidden in (self.state, self.notice, self.again, self.forget):
            hidden.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(label)
        column.addLayout(row)
        column.addWidget(self.state)
        column.addWidget(self.notice)
        column.addLayout(buttons)

    def _show_typed(self, shown: bool) -> None:
        self.field.setEchoMode(QLineEdit.EchoMode.Normal if shown else QLineEdit.EchoMode.Password)
        self.shown.set_label(self.tr("Hide what is typed") if shown else self.tr("Show what is typed"))

    # What takes time. The field may be gone when the answer comes.

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        self._services.tasks.spawn(work)

    async def _refresh(self) -> None:
        secret = await self._services.secrets.get(self._account.id)
        trouble = await self._services.secrets.state() if secret.source != "environment" else None
        if shiboken6.isValid(self):
            self._show(secret)
            self._show_trouble(trouble, secret)

    async def _keep(self, typed: str) -> None:
        if not may_carry_key(self._account.base_url or self._preset.base_url) and self._account.base_url:
            self.say_fault(
                self.tr("No key is sent to this address, because the way there is not encrypted. Use https://.")
            )
            return
        try:
            secret = await self._services.secrets.set(self._account.id, typed)
        except SamError as error:
            if shiboken6.isValid(self):
                self.say_fault(str(error))
            return
        if not shiboken6.isValid(self):
            return
        if self.field.text() == typed:  # not where the person typed on meanwhile
            self.field.clear()
            self.shown.setChecked(False)
        self._show(secret)
        self._show_trouble(secret.text.removeprefix(IN_MEMORY).lstrip() or None, secret)
        self.kept.emit()

    async def _try_again(self) -> None:
        self.again.setEnabled(False)
        self.notice.say(self.tr("Asking the system keyring …"))
        try:
            await self._services.secrets.keep_in_keyring(self._account.id)
            await self._refresh()
        finally:
            if shiboken6.isValid(self):
                self.again.setEnabled(True)

    async def _forget(self) -> None:
        try:
            await self._services.secrets.delete(self._account.id)
        except SamError as error:
            if shiboken6.isValid(self):
                self.say_fault(str(error))
            return
        await self._refresh()
        if shiboken6.isValid(self):
            self.kept.emit()

    # What is said

    def _show(self, secret: Secret) -> None:
        self.source = secret.source
        known = secret.source != "missing"
        self.forget.setVisible(secret.source in ("keyring", "session"))
        self.field.setPlaceholderText(self.tr("Paste another key here") if known else self.tr("Paste a key here"))
        if secret.source == "session":
            self.state.say(self.tr("For this session only: it is kept in memory until you quit."), "warning")
        elif known or self._account.needs_key:
            self.state.say(secret.text, "success" if known else "muted")
        else:
            self.state.say("")

    def _show_trouble(self, trouble: str | None, secret: Secret) -> None:
        """A keyring that cannot be used, and what there is instead: never a file."""
        if secret.source == "keyring":
            trouble = None
        self.again.setVisible(trouble is not None)
        if trouble is None:
            self.notice.say("")
            return
        variable = environment_variable(self._account.id, origin_of(self._account.base_url))
        if secret.source == "session":  # what that means is said above
            words = self.tr("{trouble} For good, set the environment variable {variable} before SAM starts.")
            self.notice.say(words.format(trouble=trouble, variable=variable), "warning")
            return
        words = self.tr(
            "{trouble} A key that you enter here is kept for this session only. Or set the environment variable "
            "{variable} before SAM starts. It is never written to a file."
        )
        if secret.source == "missing":
            self.state.say("")
        self.notice.say(words.format(trouble=trouble, variable=variable), "warning")
