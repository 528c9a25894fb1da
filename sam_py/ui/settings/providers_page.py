"""ProvidersPage: the accounts and servers that answer, servers found on this computer, and adding one."""

from __future__ import annotations

import logging
from collections.abc import Callable

import shiboken6
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from sam_py.errors import SamError
from sam_py.providers.local import FoundServer
from sam_py.providers.presets import Preset
from sam_py.settings.model import ModelChoice, ProviderSettings, Settings
from sam_py.settings.secrets import Source
from sam_py.ui.services import Services
from sam_py.ui.settings.account import added, adopted, removed, restored
from sam_py.ui.settings.account_editor import AccountEditor
from sam_py.ui.settings.fields import Switch, Words
from sam_py.ui.settings.page import SettingsPage
from sam_py.ui.settings.preset_dialog import PresetDialog
from sam_py.ui.widgets.buttons import PillButton

log = logging.getLogger(__name__)


class ProvidersPage(SettingsPage):
    """One account is open at a time. A removed one can be brought back until the page is left; then its key goes."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self.editors: dict[str, AccountEditor] = {}
        self._open = ""
        self._removed: list[tuple[ProviderSettings, int, ModelChoice | None]] = []
        self._keys_to_forget: dict[str, Source] = {}
        self._found: list[FoundServer] = []
        self.intro = Words(
            self.icons,
            self.tr("The offline guide is always there. Add a service or a server, and its models answer."),
            role="muted",
        )
        self.add = PillButton(self.icons, self.tr("Add a provider…"), kind="accent", icon="plus")
        self.add.clicked.connect(self.open_presets)
        row = QHBoxLayout()
        row.addWidget(self.add)
        row.addStretch(1)
        self._accounts = QVBoxLayout()
        self._accounts.setSpacing(8)
        self._undo = QVBoxLayout()
        self._servers = QVBoxLayout()
        self._servers.setSpacing(8)
        self.detect = Switch(self.icons, self.tr("Look for servers on this computer"))
        self.detect.switched.connect(self._set_detect)
        self.column.addWidget(self.intro)
        self.column.addLayout(self._accounts)
        self.column.addLayout(self._undo)
        self.column.addLayout(row)
        self.column.addLayout(self._servers)
        self.add_row(
            self.tr("Look for servers on this computer"),
            self.detect,
            self.tr("Ollama, LM Studio, llama.cpp, Jan and vLLM at their usual ports. Nothing leaves this computer."),
        )
        self.column.addStretch(1)
        self.show_settings(services.settings.current)
        if services.settings.current.detect_local_servers:
            services.tasks.spawn(self.look_for_servers())

    async def look_for_servers(self) -> None:
        """Offer what runs on this computer and is not set up yet."""
        found = await self.services.find_servers()
        if shiboken6.isValid(self):
            self._found = found
            self._show_found(self.services.settings.current)

    def show_settings(self, settings: Settings) -> None:
        ids = [account.id for account in settings.providers]
        for id in [id for id in self.editors if id not in ids]:
            editor = self.editors.pop(id)
            self._accounts.removeWidget(editor)
            editor.hide()
            editor.deleteLater()
        for place, account in enumerate(settings.providers):
            editor = self.editors.get(account.id) or self._new_editor(account, place)
            editor.show_account(account, settings)
        self.detect.setChecked(settings.detect_local_servers)
        self._show_found(settings)

    def leave(self) -> None:
        """Keep what is being typed, and forget the keys of what stays removed."""
        for editor in self.editors.values():
            editor.keep()
        present = {account.id for account in self.services.settings.current.providers}
        for id, source in self._keys_to_forget.items():
            if id not in present:
                self.services.tasks.spawn(self._forget(id, source))
        self._keys_to_forget.clear()
        self._removed.clear()

    def add_preset(self, preset: Preset) -> None:
        """Add an account of this kind and open it."""
        before = {account.id for account in self.services.settings.current.providers}
        self.services.settings.change(lambda settings: added(settings, preset)[0])
        self._open_new(before)

    # Inside

    def _new_editor(self, account: ProviderSettings, place: int) -> AccountEditor:
        editor = AccountEditor(self.services, account)
        editor.open_requested.connect(self.open_account)
        editor.remove_requested.connect(self._remove)
        self._accounts.insertWidget(place, editor)
        self.editors[account.id] = editor
        return editor

    def open_account(self, id: str) -> None:
        """Open one account and close the others; "" closes all."""
        self._open = id
        for each, editor in self.editors.items():
            editor.set_open(each == id)

    def _open_new(self, before: set[str]) -> None:
        for id, editor in self.editors.items():
            if id not in before:
                self.open_account(id)
                QTimer.singleShot(0, editor, editor.focus_first)  # when it is seen, and the list has gone

    def open_presets(self) -> None:
        """Let the person choose from the list."""
        dialog = PresetDialog(self.icons, self)
        dialog.preset_chosen.connect(self.add_preset)
        dialog.open()

    def focus_key(self, id: str) -> None:
        """Open an account at its key, where there is one of that id."""
        if id in self.editors:
            self.open_account(id)
            self.editors[id].focus_key()

    def _remove(self, id: str) -> None:
        settings = self.services.settings.current
        place = next(place for place, account in enumerate(settings.providers) if account.id == id)
        account = settings.providers[place]
        was_default = settings.chat.default if settings.chat.default.provider == id else None
        source = self.editors[id].key_source
        if source in ("keyring", "session"):
            self._keys_to_forget[id] = source
        self._removed.append((account, place, was_default))
        self.services.settings.change(lambda settings: removed(settings, id))
        self._show_removed()

    def _restore(self) -> None:
        account, place, was_default = self._removed.pop()
        self.services.settings.change(lambda settings: restored(settings, account, place, was_default))
        self._show_removed()

    def _show_removed(self) -> None:
        _empty(self._undo)
        if self._removed:
            text = self.tr("Removed %1.").replace("%1", self._removed[-1][0].label)
            undo = PillButton(self.icons, self.tr("Undo"), kind="outline", icon="undo")
            undo.clicked.connect(self._restore)
            self._undo.addWidget(self._line(text, undo))

    def _show_found(self, settings: Settings) -> None:
        _empty(self._servers)
        known = {account.base_url for account in settings.providers}
        found = [server for server in self._found if server.base_url not in known]
        if not found or not settings.detect_local_servers:
            return
        self._servers.addWidget(Words(self.icons, self.tr("Found on this computer"), heavy=True))
        for server in found:
            models = self.tr("%1 models").replace("%1", str(len(server.models)))
            add = PillButton(
                self.icons,
                self.tr("Add"),
                kind="outline",
                icon="plus",
                label=self.tr("Add %1").replace("%1", server.label),
            )
            add.clicked.connect(_adopter(self, server))
            self._servers.addWidget(self._line(f"{server.label} · {server.base_url} · {models}", add))

    def adopt(self, server: FoundServer) -> None:
        """Add a server that was found, ready to be used."""
        before = {account.id for account in self.services.settings.current.providers}
        self.services.settings.change(lambda settings: adopted(settings, server)[0])
        if server.needs_key or not server.models:
            self._open_new(before)

    def _line(self, text: str, button: QWidget) -> QWidget:
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(Words(self.icons, text), 1)
        row.addWidget(button)
        return line

    def _set_detect(self, on: bool) -> None:
        self.services.settings.change(lambda settings: settings.model_copy(update={"detect_local_servers": on}))
        if on:
            self.services.tasks.spawn(self.look_for_servers())

    async def _forget(self, id: str, source: Source) -> None:
        """Forget a key. Raises `SamError` where the keyring keeps it; one that was only in memory is gone anyway."""
        try:
            await self.services.secrets.delete(id)
        except SamError as error:
            log.warning("the key of the removed provider %s: %s", id, error)
            if source == "keyring":
                raise


def _adopter(page: ProvidersPage, server: FoundServer) -> Callable[[], None]:
    return lambda: page.adopt(server)


def _empty(column: QVBoxLayout) -> None:
    while (item := column.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
