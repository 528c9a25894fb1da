"""The look's numbers: contrast of every pair that is drawn, and what the style sheet costs."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLineEdit, QPushButton

from sam_py.ui.theme import DARK, HIGH_CONTRAST_DARK, HIGH_CONTRAST_LIGHT, LIGHT, Palette, Theme, palette_for
from sam_py.ui.theme_style import contrast, qpalette, stylesheet, wants_high_contrast

SURFACES = ("window", "sidebar", "raised", "code", "hover", "selected", "bubble")
PAIRS = [
    *[("text", surface) for surface in (*SURFACES, "selection", "error_surface")],
    *[("text_muted", surface) for surface in SURFACES],
    *[("accent", surface) for surface in ("window", "sidebar", "raised", "hover")],
    *[("link", surface) for surface in ("window", "raised", "bubble", "code")],
    *[(state, surface) for state in ("error", "warning", "success") for surface in ("window", "raised", "sidebar")],
    ("error", "error_surface"),
    ("on_accent", "accent"),
    ("on_bubble", "bubble"),
    ("on_bubble", "selection"),
    *[(ink, "spoken") for ink in ("text", "text_muted", "link", "on_bubble")],
]
PALETTES = {"light": LIGHT, "dark": DARK}
HIGH = {"light": HIGH_CONTRAST_LIGHT, "dark": HIGH_CONTRAST_DARK}


@pytest.mark.parametrize("name", PALETTES)
def test_every_text_can_be_read_on_its_surface(name: str) -> None:
    assert not _below(PALETTES[name], 4.5)


@pytest.mark.parametrize("name", HIGH)
def test_high_contrast_means_seven_to_one(name: str) -> None:
    assert not _below(HIGH[name], 7.0)


@pytest.mark.parametrize("name", HIGH)
def test_high_contrast_lines_can_be_seen(name: str) -> None:
    assert contrast(HIGH[name].border, HIGH[name].window) >= 3.0


def test_the_system_s_wish_for_contrast_chooses_the_palette() -> None:
    assert palette_for(dark=False) is LIGHT
    assert palette_for(dark=True, high_contrast=True) is HIGH_CONTRAST_DARK


def test_the_palette_keeps_selected_text_readable() -> None:
    palette = qpalette(Theme(DARK, dark=True))
    ink = palette.color(QPalette.ColorRole.HighlightedText).name()
    assert contrast(ink, palette.color(QPalette.ColorRole.Highlight).name()) >= 4.5


def test_the_system_is_asked_for_its_contrast(qapp) -> None:
    assert wants_high_contrast() is False  # an offscreen screen has no such wish


@pytest.mark.parametrize("scale", [0.8, 1.0, 2.0])
def test_the_style_sheet_parses_at_every_text_size(qtbot, scale: float) -> None:
    """Qt warns about a sheet that it cannot parse, and a warning fails the test."""
    theme = Theme(LIGHT, dark=False).scaled(scale)
    for widget in (QLineEdit(), QPushButton("Save")):
        qtbot.addWidget(widget)
        widget.setStyleSheet(stylesheet(theme))
        widget.show()


def _below(palette: Palette, least: float) -> list[tuple[str, str, float]]:
    measured = [(ink, on, contrast(getattr(palette, ink), getattr(palette, on))) for ink, on in PAIRS]
    return [pair for pair in measured if pair[2] < least]
