"""AccountEditor: one account, closed to a line or open to its name, address, key, models and test."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from sam_py.providers.base import ModelInfo
from sam_py.providers.hosts import may_carry_key
from sam_py.providers.presets import preset_of
from sam_py.settings.model import ProviderSettings, Settings
from sam_py.settings.secrets import Source
from sam_py.ui.services import Services
from sam_py.ui.settings.account import address_fault, changed, is_unprotected, with_default
from sam_py.ui.settings.connection_test import ConnectionTest
from sam_py.ui.settings.expert_fields import ExpertFields
from sam_py.ui.settings.fields import Choice, Switch, Words
from sam_py.ui.settings.key_field import KeyField
from sam_py.ui.widgets.buttons import IconButton, PillButton
from sam_py.ui.widgets.flow import FlowLayout


class AccountEditor(QWidget):
    """Keeps each field when it is left. `open_requested` asks to be the one that is open."""

    open_requested = Signal(str)
    remove_requested = Signal(str)

    def __init__(self, services: Services, account: ProviderSettings) -> None:
        super().__init__()
        self._services = services
        self._icons = services.icons
        self.account = account
        self._preset = preset_of(account.preset)
        self._build()
        self._connect()
        self.show_account(account, services.settings.current)
        self.set_open(False)

    @property
    def key_source(self) -> Source:
        """Where the key is, as far as is known since the editor was opened."""
        return self.keys.source

    # For the page

    def show_account(self, account: ProviderSettings, settings: Settings) -> None:
        """Bring the fields to the settings; one that is being typed in stays."""
        self.account = account
        self.title.setText(account.label or self._preset.label)
        self.summary.say(self._summary(account, settings))
        self.summary.setAccessibleName(self.summary.text().replace("\u200b", ""))
        for field, value in ((self.label, account.label), (self.address, account.base_url)):
            if not field.hasFocus() and not field.isModified():
                field.setText(value)
        self.keys.show_account(account)
        self.keys.setVisible(not account.base_url.startswith("file:"))  # a model file asks nobody for a key
        self.expert.show_account(account)
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
            self.keys.refresh()

    def keep(self) -> None:
        """Take what is still being typed."""
        self._keep_fields()
        self.keys.keep()

    def _keep_fields(self) -> None:
        self._keep_label()
        self._keep_address()
        self.expert.keep()

    def focus_first(self) -> None:
        """To where typing begins: the key, or the address where that is missing."""
        field = self.keys.field if self.account.base_url else self.address
        field.setFocus(Qt.FocusReason.OtherFocusReason)

    def focus_key(self) -> None:
        """To the key: it was refused, or it is missing."""
        self.keys.field.setFocus(Qt.FocusReason.OtherFocusReason)

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
        self.keys = KeyField(self._services, self.account)
        self.test = ConnectionTest(self._services, self.account.id, self.keys.keep_now)
        self.expert = ExpertFields(icons)
        for name, field in ((self.tr("Name"), self.label), (self.tr("Address"), self.address)):
            self._add_field(column, name, field)
        column.addWidget(self.address_error)
        self.address_error.hide()
        column.addWidget(self.keys)
        if self._preset.hint:
            column.addWidget(
                Words(icons, QCoreApplication.translate("Presets", self._preset.hint), role="muted", small=True)
            )
        self.model = Choice(icons, self.tr("Model"))
        self.use = PillButton(icons, self.tr("Use for new chats"), kind="outline")
        column.addWidget(self.model)
        self.remove = PillButton(icons, self.tr("Remove"), icon="trash")
        buttons = FlowLayout()
        buttons.setContentsMargins(0, 4, 0, 0)
        for button in (self.test.button, self.use, self.remove):
            buttons.addWidget(button)
        column.addLayout(buttons)
        column.addWidget(self.test)
        column.addWidget(self.expert)
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
        self.keys.kept.connect(self.test.outdate)
        self.model.chosen.connect(self._choose_model)
        self.use.clicked.connect(self._use)
        self.test.asked.connect(self._keep_fields)
        self.test.listed.connect(self._take_models)
        self.test.key_refused.connect(self.keys.say_fault)
        self.expert.headers_changed.connect(lambda headers: self._change(headers=headers))
        self.expert.body_changed.connect(lambda body: self._change(extra_body=body))
        self.remove.clicked.connect(lambda: self.remove_requested.emit(self.account.id))
        self._icons.changed.connect(self.update)

    def _summary(self, account: ProviderSettings, settings: Settings) -> str:
        if not account.enabled:
            return self.tr("Off")
        address = account.base_url.replace(".", ".\u200b").replace("/", "/\u200b")  # where a line may end
        words = [address or self.tr("No address yet")]
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
        if not address or address == self.account.base_url:
            self.address.setModified(False)
            self.address.setText(self.account.base_url)
            self._warn_of(self.account.base_url)
            return
        fault = address_fault(address)
        if fault:
            self.address_error.say(fault, "error")
            return
        self.address.setModified(False)
        self._warn_of(address)
        self._change(base_url=address, models=())
        self.test.clear()

    def _warn_of(self, address: str) -> None:
        """Say where the way to an address is not encrypted, and what follows for a key."""
        if not is_unprotected(address):
            self.address_error.say("")
        elif may_carry_key(address):
            words = self.tr("Not encrypted: others in this network can read what is sent there, also a key.")
            self.address_error.say(words, "warning")
        elif self.keys.source == "missing" and not self._preset.needs_key:
            words = self.tr("Not encrypted: others on the way can read what is sent there. No key is sent.")
            self.address_error.say(words, "warning")
        else:
            words = self.tr("Not encrypted, so that your key cannot be sent there. Use https:// instead of http://.")
            self.address_error.say(words, "error")

    def _take_models(self, models: Sequence[ModelInfo]) -> None:
        """What a test found is what the account offers."""
        ids = tuple(model.id for model in models)
        self._services.catalogue.keep(self.account, models)
        self._change(models=ids, model=self.account.model if self.account.model in ids else ids[0])

    def _choose_model(self, model: object) -> None:
        id = self.account.id

        def change(settings: Settings) -> Settings:
            after = changed(settings, id, model=model)
            return with_default(after, id, str(model)) if settings.chat.default.provider == id else after

        self._services.settings.change(change)

    def _use(self) -> None:
        model = self.model.currentText() or self.account.models[0]
        self._services.settings.change(lambda settings: with_default(settings, self.account.id, model))

    # Qt

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._icons.themes.current
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.palette.code))
        painter.drawRoundedRect(QRectF(self.rect()), theme.radius_px, theme.radius_px)
