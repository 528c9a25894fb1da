"""Appearance: from settings and the system's wishes to the theme in use."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from sam_py.settings.model import AppearanceSettings
from sam_py.ui.theme import Theme, Themes, palette_for
from sam_py.ui.theme_style import qpalette, stylesheet, wants_high_contrast


def theme_of(settings: AppearanceSettings) -> Theme:
    """The theme that the settings ask for; ``system`` follows the desktop."""
    hints = QGuiApplication.styleHints()
    dark = settings.theme == "dark" or (settings.theme == "system" and hints.colorScheme() == Qt.ColorScheme.Dark)
    palette = palette_for(dark=dark, high_contrast=wants_high_contrast())
    theme = Theme(palette, dark=dark, reduced_motion=settings.reduced_motion)
    return theme.scaled(settings.text_scale / 100)


def apply_theme(theme: Theme, themes: Themes) -> bool:
    """Bring the application's style to `theme`. False where it is on already."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    if theme == themes.current and app.property("themed"):
        return False
    app.setProperty("themed", True)
    app.setPalette(qpalette(theme))
    font = app.font()
    font.setPointSizeF(theme.body_pt)
    app.setFont(font)
    app.setStyleSheet(stylesheet(theme))
    themes.use(theme)
    return True
