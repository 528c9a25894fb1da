"""SettingsPage: what the pages have in common, from their headings to keeping a change."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from sam_py.settings.model import AppearanceSettings, ChatSettings, Settings
from sam_py.ui.services import Services
from sam_py.ui.settings.fields import Words
from sam_py.ui.widgets.icons import Icons


class SettingsPage(QWidget):
    """A column of rows. `show_settings` is called with the settings when it opens and whenever they change."""

    def __init__(self, services: Services) -> None:
        super().__init__()
        self.services = services
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(24, 20, 24, 24)
        self.column.setSpacing(16)

    @property
    def icons(self) -> Icons:
        return self.services.icons

    def show_settings(self, settings: Settings) -> None:
        """Bring the fields to `settings`. A page without fields has nothing to do."""

    def leave(self) -> None:
        """The dialog closes."""

    def add_heading(self, text: str) -> Words:
        heading = Words(self.icons, text, heavy=True)
        self.column.addWidget(heading)
        return heading

    def add_row(self, text: str, field: QWidget, hint: str = "") -> Words:
        """A field at the right of its name; `hint` says more below the name. Returns where it says so."""
        name = Words(self.icons, text)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(name)
        more = self._hint(hint)
        words.addWidget(more)
        row = QHBoxLayout()
        row.setSpacing(24)
        row.addLayout(words, 1)
        row.addWidget(field, 0, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight)
        self.column.addLayout(row)
        self._describe(name, field, text, hint)
        return more

    def add_wide(self, text: str, field: QWidget, hint: str = "", error: Words | None = None) -> Words:
        """A field below its name, as wide as the page; `error` has its place below. Returns where `hint` is said."""
        name = Words(self.icons, text)
        box = QVBoxLayout()
        box.setSpacing(6)
        box.addWidget(name)
        box.addWidget(field)
        if error is not None:
            error.hide()
            box.addWidget(error)
        more = self._hint(hint)
        box.addWidget(more)
        self.column.addLayout(box)
        self._describe(name, field, text, hint)
        return more

    def _hint(self, hint: str) -> Words:
        more = Words(self.icons, hint, role="muted", small=True)
        more.setVisible(bool(hint))
        return more

    def change_chat(self, **fields: Any) -> None:
        """Keep values of `ChatSettings`. Raises `pydantic.ValidationError` for one that is not allowed."""

        def change(settings: Settings) -> Settings:
            chat = ChatSettings.model_validate({**dict(settings.chat), **fields})
            return settings.model_copy(update={"chat": chat})

        self.services.settings.change(change)

    def change_appearance(self, **fields: Any) -> None:
        """Keep values of `AppearanceSettings`. Raises like `change_chat`."""

        def change(settings: Settings) -> Settings:
            appearance = AppearanceSettings.model_validate({**dict(settings.appearance), **fields})
            return settings.model_copy(update={"appearance": appearance})

        self.services.settings.change(change)

    @staticmethod
    def _describe(name: QLabel, field: QWidget, text: str, hint: str) -> None:
        name.setBuddy(field)
        if not field.accessibleName():
            field.setAccessibleName(text)
        field.setAccessibleDescription(hint)
