"""The look: colour and size tokens, light and dark, and the one object that knows which theme is on."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours as ``#rrggbb``. Text on its surface keeps a contrast of 4.5:1 or more (a test measures each pair)."""

    window: str
    """behind the conversation"""
    sidebar: str
    raised: str
    """composer, cards, menus"""
    text: str
    text_muted: str
    accent: str
    on_accent: str
    bubble: str
    """behind what the person said"""
    on_bubble: str
    code: str
    """behind code"""
    border: str
    hover: str
    selected: str
    selection: str
    """behind selected text"""
    spoken: str
    """behind the sentence that is read aloud"""
    link: str
    error: str
    error_surface: str
    warning: str
    success: str


LIGHT = Palette(
    window="#ffffff",
    sidebar="#f5f5f3",
    raised="#ffffff",
    text="#1d1d1f",
    text_muted="#66666b",
    accent="#2f6f5e",
    on_accent="#ffffff",
    bubble="#eef3f0",
    on_bubble="#1d1d1f",
    code="#f6f6f4",
    border="#e3e3df",
    hover="#ececea",
    selected="#e2e9e5",
    selection="#b9dccf",
    spoken="#fdf0c4",
    link="#1b6450",
    error="#b3261e",
    error_surface="#fdf0ee",
    warning="#8a5a00",
    success="#2b7a3f",
)

DARK = Palette(
    window="#1b1c1e",
    sidebar="#151617",
    raised="#242628",
    text="#ececec",
    text_muted="#a3a5a8",
    accent="#5fb79d",
    on_accent="#0d1a16",
    bubble="#2a302e",
    on_bubble="#ececec",
    code="#232527",
    border="#34373a",
    hover="#2b2d30",
    selected="#2c3734",
    selection="#2f5a4c",
    spoken="#413a22",
    link="#7fcdb6",
    error="#f2a29b",
    error_surface="#33211f",
    warning="#e3b565",
    success="#7cc891",
)


HIGH_CONTRAST_LIGHT = Palette(
    window="#ffffff",
    sidebar="#ffffff",
    raised="#ffffff",
    text="#000000",
    text_muted="#2e2e30",
    accent="#0a4d3c",
    on_accent="#ffffff",
    bubble="#e6f0ec",
    on_bubble="#000000",
    code="#f2f2f2",
    border="#6a6a6a",
    hover="#e2e2e2",
    selected="#cfe3db",
    selection="#a9d8c7",
    spoken="#ffeea3",
    link="#0a4d3c",
    error="#8f0f08",
    error_surface="#ffffff",
    warning="#5c3b00",
    success="#0f4f20",
)
"""Every text at 7:1 or more, and lines that can be seen: where the system asks for more contrast."""

HIGH_CONTRAST_DARK = Palette(
    window="#000000",
    sidebar="#000000",
    raised="#0d0d0d",
    text="#ffffff",
    text_muted="#d6d6d6",
    accent="#86e0c5",
    on_accent="#000000",
    bubble="#14241e",
    on_bubble="#ffffff",
    code="#121212",
    border="#9a9a9a",
    hover="#2a2a2a",
    selected="#1d3a31",
    selection="#1f5c49",
    spoken="#453a00",
    link="#8fe6cd",
    error="#ffb4ac",
    error_surface="#1a0000",
    warning="#ffd58a",
    success="#9be8ac",
)


def palette_for(*, dark: bool, high_contrast: bool = False) -> Palette:
    """The palette for the system's wishes."""
    if high_contrast:
        return HIGH_CONTRAST_DARK if dark else HIGH_CONTRAST_LIGHT
    return DARK if dark else LIGHT


@dataclass(frozen=True, slots=True)
class Theme:
    """What a widget needs to draw itself. Lengths are in logical pixels, already scaled where they hold text."""

    palette: Palette
    dark: bool
    scale: float = 1.0
    """Text scale: 1.0 is 100 %."""
    reduced_motion: bool = False

    body_pt: float = 10.5
    small_pt: float = 9.0
    code_pt: float = 9.75
    line_height: float = 1.45
    gap_px: int = 8
    radius_px: int = 12
    column_px: int = 780
    """The widest that the conversation's column gets."""

    def scaled(self, scale: float) -> Theme:
        return replace(
            self,
            scale=scale,
            body_pt=10.5 * scale,
            small_pt=9.0 * scale,
            code_pt=9.75 * scale,
            column_px=round(780 * scale),
        )


class Themes(QObject):
    """Holds the current theme; `changed` tells widgets to take it again."""

    changed = Signal()

    def __init__(self, theme: Theme | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.current = theme or Theme(LIGHT, dark=False)

    def use(self, theme: Theme) -> None:
        if theme != self.current:
            self.current = theme
            self.changed.emit()
