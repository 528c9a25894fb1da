"""AccountEditor: one account, closed to a line or open to its name, address, key and models."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

import shiboken6
from PySide6.QtCore import QCoreApplication, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from sam_py.errors import SamError
from sam_py.providers.presets import preset_of
from sam_py.settings.model import ProviderSettings, Settings
from sam_py.settings.secrets import Source
from sam_py.ui.links import open_url
from sam_py.ui.services import Services
from sam_py.ui.settings.account import address_fault, changed, is_unprotected, with_default
from sam_py.ui.settings.fields import Choice, Switch, Words
from sam_py.ui.widgets.buttons import IconButton, PillButton

_MODELS_NAMED = 4


class AccountEditor(QWidget):
    """Keeps each field when it is left. `open_requested` asks to be the one that is open."""

    open_requested = Signal(str)
    remove_requested = Signal(str)

    def __init__(self, services: Services, account: ProviderSettings) -> None:
        super().__init__()
        self._services = services
        self._icons = services.icons
        self.account = account
        self.key_source: Source = "missing"
        """Where the key is, as far as is known since the editor was opened."""
        self._preset = preset_of(account.preset)
        self._build()
        self._connect()
        self.show_account(account, services.settings.current)
        self.set_open(False)

    # For the page

    def show_account(self, account: ProviderSettings, settings: Settings) -> None:
        """Bring the fields to the settings; one that is being typed in stays."""
        self.account = account
        self.title.setText(account.label or self._preset.label)
        self.summary.say(self._summary(account, settings))
        for field, value in ((self.label, account.label), (self.address, account.base_url)):
            if not field.hasFocus() and not field.isModified():
                field.setText(value)
        self.enabled.setChecked(account.enabled)
        self.model.set_values([(model, model) for model in account.models])
        default = settings.chat.default
        self.model.show_value(default.model if default.provider == account.id else account.model)
        self.model.setVisible(bool(account.models))
        self.use.setVisible(bool(account.models))
        is_default = default.provider == account.id
        self.use.setEnabled(not is_default)
        self.use.set_words(self.tr("Used for new chats") if is_default else self.tr("Use for new chats"))

    def set_open(self, is_open: bool) -> None:
        self.body.setVisible(is_open)
        self.fold.set_icon("chevron-down" if is_open else "chevron-right")
        self.fold.set_label((self.tr("Close %1") if is_open else self.tr("Change %1")).replace("%1", self.title.text()))
        if is_open:
            self._spawn(self._show_key())

    def keep(self) -> None:
        """Take what is still being typed."""
        self._keep_label()
        self._keep_address()
        self._keep_key()

    def focus_first(self) -> None:
        """To where typing begins: the key, or the address where that is missing."""
        field = self.key if self.account.base_url else self.address
        field.setFocus(Qt.FocusReason.OtherFocusReason)

    # Inside

    def _build(self) -> None:
        icons = self._icons
        self.title = Words(icons, heavy=True)
        self.summary = Words(icons, role="muted", small=True)
        self.fold = IconButton(icons, "chevron-right", self.tr("Change"))
        self.enabled = Switch(icons, self.tr("On"))
        head = QHBoxLayout()
        head.setSpacing(8)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(self.title)
        words.addWidget(self.summary)
        head.addLayout(words, 1)
        head.addWidget(self.enabled)
        head.addWidget(self.fold)

        self.body = QWidget()
        column = QVBoxLayout(self.body)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(6)
        self.label = QLineEdit()
        self.address = QLineEdit()
        self.address.setPlaceholderText("https://example.com/v1")
        self.address_error = Words(icons, small=True)
        self.key = QLineEdit()
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.key.setPlaceholderText(self.tr("Paste a key here"))
        self.key_state = Words(icons, role="muted", small=True)
        self.get_key = PillButton(icons, self.tr("Get a key"), trailing_icon="external", kind="outline")
        self.get_key.setVisible(bool(self._preset.key_page))
        self.forget = PillButton(icons, self.tr("Forget the key"))
        self.forget.hide()
        for name, field in ((self.tr("Name"), self.label), (self.tr("Address"), self.address)):
            self._add_field(column, name, field)
        column.addWidget(self.address_error)
        self.address_error.hide()
        self._add_field(column, self.tr("Key") if self._preset.needs_key else self.tr("Key, if it wants one"), self.key)
        keys = QHBoxLayout()
        keys.setSpacing(8)
        keys.addWidget(self.get_key)
        keys.addWidget(self.forget)
        keys.addStretch(1)
        column.addWidget(self.key_state)
        column.addLayout(keys)
        if self._preset.hint:
            column.addWidget(
                Words(icons, QCoreApplication.translate("Presets", self._preset.hint), role="muted", small=True)
            )
        self.model = Choice(icons, self.tr("Model"))
        self.use = PillButton(icons, self.tr("Use for new chats"), kind="outline")
        models = QHBoxLayout()
        models.setSpacing(8)
        models.addWidget(self.model, 1)
        models.addWidget(self.use)
        column.addLayout(models)
        self.test = PillButton(icons, self.tr("Test connection"), kind="outline", icon="link")
        self.remove = PillButton(icons, self.tr("Remove"), icon="trash")
        self.result = Words(icons, small=True)
        self.result.hide()
        buttons = QHBoxLayout()
        buttons.setContentsMargins(0, 8, 0, 0)
        buttons.addWidget(self.test)
        buttons.addStretch(1)
        buttons.addWidget(self.remove)
        column.addLayout(buttons)
        column.addWidget(self.result)
        box = QVBoxLayout(self)
        box.setContentsMargins(16, 12, 12, 12)
        box.setSpacing(0)
        box.addLayout(head)
        box.addWidget(self.body)

    def _add_field(self, column: QVBoxLayout, name: str, field: QLineEdit) -> None:
        label = Words(self._icons, name, small=True)
        label.setBuddy(field)
        field.setAccessibleName(name)
        column.addWidget(label)
        column.addWidget(field)

    def _connect(self) -> None:
        self.fold.clicked.connect(lambda: self.open_requested.emit("" if self.body.isVisible() else self.account.id))
        self.enabled.switched.connect(lambda on: self._change(enabled=on))
        self.label.editingFinished.connect(self._keep_label)
        self.address.editingFinished.connect(self._keep_address)
        self.key.editingFinished.connect(self._keep_key)
        self.get_key.clicked.connect(lambda: open_url(self._preset.key_page))
        self.forget.clicked.connect(lambda: self._spawn(self._forget_key()))
        self.model.chosen.connect(self._choose_model)
        self.use.clicked.connect(self._use)
        self.test.clicked.connect(lambda: self._spawn(self._test()))
        self.remove.clicked.connect(lambda: self.remove_requested.emit(self.account.id))
        self._icons.changed.connect(self.update)

    def _summary(self, account: ProviderSettings, settings: Settings) -> str:
        if not account.enabled:
            return self.tr("Off")
        words = [account.base_url or self.tr("No address yet")]
        if settings.chat.default.provider == account.id:
            words.append(self.tr("used for new chats"))
        return " · ".join(words)

    def _change(self, **fields: object) -> None:
        self._services.settings.change(lambda settings: changed(settings, self.account.id, **fields))

    def _keep_label(self) -> None:
        label = self.label.text().strip()
        self.label.setModified(False)
        if label:
            self._change(label=label)
        else:
            self.label.setText(self.account.label)

    def _keep_address(self) -> None:
        address = self.address.text().strip().rstrip("/")
        if not address and not self.account.base_url:
            return
        fault = address_fault(address)
        if fault:
            self.address_error.say(fault, "error")
            return
        self.address.setModified(False)
        self.address_error.say("")
        if is_unprotected(address):
            self.address_error.say(
                self.tr("Not encrypted: others on the way can read what is sent there, also a key."), "warning"
            )
        if address != self.account.base_url:
            self._change(base_url=address, models=())
            self.result.say("")
            self._spawn(self._show_key())

    def _keep_key(self) -> None:
        key = self.key.text().strip()
        if key:
            self.key.clear()
            self._spawn(self._set_key(key))

    def _choose_model(self, model: object) -> None:
        id = self.account.id

        def change(settings: Settings) -> Settings:
            after = changed(settings, id, model=model)
            return with_default(after, id, str(model)) if settings.chat.default.provider == id else after

        self._services.settings.change(change)

    def _use(self) -> None:
        model = self.model.currentText() or self.account.models[0]
        self._services.settings.change(lambda settings: with_default(settings, self.account.id, model))

    # What takes time. The editor may be gone when the answer comes.

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        self._services.tasks.spawn(work)

    async def _show_key(self) -> None:
        secret = await self._services.secrets.get(self.account.id)
        if not shiboken6.isValid(self):
            return
        self.key_source = secret.source
        self.forget.setVisible(secret.source in ("keyring", "session"))
        known = secret.source != "missing"
        self.key.setPlaceholderText(self.tr("Paste another key here") if known else self.tr("Paste a key here"))
        if known or self.account.needs_key:
            self.key_state.say(secret.text, "success" if known else "muted")
        else:
            self.key_state.say("")

    async def _set_key(self, key: str) -> None:
        try:
            secret = await self._services.secrets.set(self.account.id, key)
        except SamError as error:
            if shiboken6.isValid(self):
                self.key_state.say(str(error), "error")
            return
        await self._show_key()
        if shiboken6.isValid(self):
            self.key_state.say(secret.text, "success" if secret.source == "keyring" else "warning")

    async def _forget_key(self) -> None:
        try:
            await self._services.secrets.delete(self.account.id)
        except SamError as error:
            if shiboken6.isValid(self):
                self.key_state.say(str(error), "error")
            return
        await self._show_key()

    async def _test(self) -> None:
        """List the models; what comes is kept and said here, and so is what went wrong."""
        self.keep()
        if fault := address_fault(self.account.base_url):
            self.address_error.say(fault, "error")
            return
        self.test.setEnabled(False)
        self.result.say(self.tr("Asking %1 …").replace("%1", self.account.base_url))
        try:
            provider = self._services.registry.get(self.account.id)
            models = tuple(model.id for model in await provider.list_models())
        except SamError as error:
            if shiboken6.isValid(self):
                self.result.say(str(error), "error")
            return
        finally:
            if shiboken6.isValid(self):
                self.test.setEnabled(True)
        if not shiboken6.isValid(self):
            return
        model = self.account.model if self.account.model in models else next(iter(models), "")
        self._change(models=models, model=model)
        if models:
            named = ", ".join(models[:_MODELS_NAMED]) + (" …" if len(models) > _MODELS_NAMED else "")
            text = self.tr("It works. Models: %1 (%2)").replace("%1", str(len(models))).replace("%2", named)
            self.result.say(text, "success")
        else:
            self.result.say(self.tr("It answers, but offers no model. Load one there and test again."), "warning")

    # Qt

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._icons.themes.current
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.palette.code))
        painter.drawRoundedRect(QRectF(self.rect()), theme.radius_px, theme.radius_px)
