"""AboutPage: version, licences, and the details that a report of a fault needs."""

from __future__ import annotations

import platform
import sys

import PySide6
from PySide6.QtCore import QSysInfo, Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout

from sam_py import __version__
from sam_py.ui.services import Services
from sam_py.ui.settings.fields import Words
from sam_py.ui.settings.page import SettingsPage
from sam_py.ui.widgets.buttons import PillButton

_LICENCES = (
    ("Qt, PySide6", "LGPL 3"),
    ("Python", "PSF"),
    ("httpx, markdown-it-py, pydantic, platformdirs, keyring", "BSD, MIT"),
    ("Pygments, qasync", "BSD"),
)


class AboutPage(SettingsPage):
    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self.add_heading(self.tr("SAM %1").replace("%1", __version__))
        self.column.addWidget(
            Words(
                self.icons,
                self.tr("A desktop chat client for language models that never loses a word. Free software (MIT)."),
            )
        )
        made_of = "\n".join(f"{name}: {licence}" for name, licence in _LICENCES)
        self.column.addWidget(Words(self.icons, self.tr("Made with"), heavy=True))
        self.column.addWidget(Words(self.icons, made_of, role="muted", small=True))
        self.column.addWidget(Words(self.icons, self.tr("This computer"), heavy=True))
        self.details = Words(self.icons, details(services), role="muted", small=True)
        self.details.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.column.addWidget(self.details)
        self.copy = PillButton(self.icons, self.tr("Copy these details"), kind="outline", icon="copy")
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.details.text()))
        row = QHBoxLayout()
        row.addWidget(self.copy)
        row.addStretch(1)
        self.column.addLayout(row)
        hint = self.tr("“sam-py doctor” in a terminal checks display, fonts, keyring, folders and servers as well.")
        self.column.addWidget(Words(self.icons, hint, role="muted", small=True))
        self.column.addStretch(1)


def details(services: Services) -> str:
    """What a report of a fault needs, a line each. No key and nothing from a conversation is in it."""
    screen = QGuiApplication.primaryScreen()
    size = screen.geometry()
    settings = services.settings.current
    lines = (
        f"SAM {__version__}",
        f"Python {platform.python_version()}, Qt {qVersion()}, PySide6 {PySide6.__version__}",
        f"{QSysInfo.prettyProductName()}, {platform.machine()}, {QGuiApplication.platformName()}",
        f"Screen {size.width()} × {size.height()} at {screen.devicePixelRatio():g}",
        f"Text {settings.appearance.text_scale} %, theme {settings.appearance.theme}",
        f"Providers: {', '.join(provider.preset for provider in settings.providers) or 'none'}",
        f"Data: {services.paths.data}",
        "Packaged" if getattr(sys, "frozen", False) else "From source or a wheel",
    )
    return "\n".join(lines)
