"""Theme style: the theme as Qt's palette, and the little style sheet for what a palette cannot say.

A style sheet is matched against every widget that is ever shown, so it names few classes and no descendants;
colours that Fusion takes from the palette are not repeated in it.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QPalette

from sam_py.ui.theme import Theme

_Role = QPalette.ColorRole
_Group = QPalette.ColorGroup


def qpalette(theme: Theme) -> QPalette:
    """The theme's colours in Qt's roles, for ``QApplication.setPalette`` under the Fusion style."""
    colours = theme.palette
    roles = {
        _Role.Window: colours.window,
        _Role.WindowText: colours.text,
        _Role.Base: colours.raised,
        _Role.AlternateBase: colours.code,
        _Role.Text: colours.text,
        _Role.PlaceholderText: colours.text_muted,
        _Role.Button: colours.hover,
        _Role.ButtonText: colours.text,
        _Role.BrightText: colours.error,
        _Role.Highlight: colours.selection,
        _Role.HighlightedText: colours.text,
        _Role.Accent: colours.accent,
        _Role.Link: colours.link,
        _Role.LinkVisited: colours.link,
        _Role.ToolTipBase: colours.raised,
        _Role.ToolTipText: colours.text,
        _Role.Light: colours.raised,
        _Role.Midlight: colours.hover,
        _Role.Mid: colours.border,
        _Role.Dark: colours.border,
        _Role.Shadow: "#000000",
    }
    palette = QPalette()
    for role, colour in roles.items():
        palette.setColor(role, QColor(colour))
    pale = mixed(colours.text_muted, colours.window, 0.35)
    for role in (_Role.WindowText, _Role.Text, _Role.ButtonText, _Role.PlaceholderText):
        palette.setColor(_Group.Disabled, role, QColor(pale))
    palette.setColor(_Group.Disabled, _Role.Highlight, QColor(colours.border))
    palette.setColor(_Group.Inactive, _Role.Highlight, QColor(colours.selected))
    return palette


def stylesheet(theme: Theme) -> str:
    """Rules for menus, tooltips, scroll bars, text fields and push buttons; lengths follow the text scale."""
    colours = theme.palette

    def px(length_px: float) -> int:
        return round(length_px * theme.scale)

    handle = mixed(colours.text_muted, colours.window, 0.62)
    lively = mixed(colours.text, colours.accent, 0.9)
    return f"""
QToolTip {{ background: {colours.raised}; color: {colours.text}; border: 1px solid {colours.border};
  padding: {px(4)}px {px(6)}px; }}
QMenu {{ background: {colours.raised}; color: {colours.text}; border: 1px solid {colours.border}; padding: {px(4)}px; }}
QMenu::item {{ padding: {px(6)}px {px(28)}px {px(6)}px {px(10)}px; border-radius: {px(6)}px; }}
QMenu::icon {{ padding-left: {px(8)}px; }}
QMenu::item:selected {{ background: {colours.hover}; }}
QMenu::item:disabled {{ color: {mixed(colours.text_muted, colours.raised, 0.35)}; }}
QMenu::separator {{ height: 1px; background: {colours.border}; margin: {px(4)}px {px(8)}px; }}
QScrollBar:vertical {{ width: {px(10)}px; background: transparent; margin: 0; }}
QScrollBar:horizontal {{ height: {px(10)}px; background: transparent; margin: 0; }}
QScrollBar::handle {{ background: {handle}; border-radius: {px(3)}px; margin: {px(2)}px; }}
QScrollBar::handle:vertical {{ min-height: {px(32)}px; }}
QScrollBar::handle:horizontal {{ min-width: {px(32)}px; }}
QScrollBar::handle:hover {{ background: {colours.text_muted}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QLineEdit {{ background: {colours.raised}; color: {colours.text}; border: 1px solid {colours.border};
  border-radius: {px(8)}px; padding: {px(5)}px {px(8)}px; selection-background-color: {colours.selection};
  selection-color: {colours.text}; placeholder-text-color: {colours.text_muted}; }}
QLineEdit:focus {{ border: 1px solid {colours.accent}; }}
QLineEdit:disabled {{ color: {colours.text_muted}; }}
QPushButton {{ background: {colours.hover}; color: {colours.text}; border: 2px solid transparent;
  border-radius: {px(8)}px; padding: {px(5)}px {px(12)}px; }}
QPushButton:hover, QPushButton:pressed {{ background: {colours.selected}; }}
QPushButton:focus {{ border-color: {colours.accent}; }}
QPushButton:default {{ background: {colours.accent}; color: {colours.on_accent}; }}
QPushButton:default:focus {{ border-color: {lively}; }}
QPushButton:disabled {{ color: {mixed(colours.text_muted, colours.window, 0.35)}; }}
QSplitter::handle {{ background: transparent; }}
"""


def wants_high_contrast() -> bool:
    """Whether the system asks for more contrast (known from Qt 6.10 on)."""
    accessibility = getattr(QGuiApplication.styleHints(), "accessibility", None)
    if accessibility is None:
        return False
    return bool(accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast)


def mixed(colour: str, ground: str, share: float) -> str:
    """`colour` with `share` (0 to 1) of `ground` in it, as ``#rrggbb``.

    >>> mixed("#000000", "#ffffff", 0.5)
    '#808080'
    """
    pairs = zip(_channels(colour), _channels(ground), strict=True)
    return "#" + "".join(f"{round(own + (other - own) * share):02x}" for own, other in pairs)


def contrast(first: str, second: str) -> float:
    """The contrast ratio of two colours, 1 to 21 (WCAG 2.2, "contrast ratio").

    >>> contrast("#000000", "#ffffff")
    21.0
    """
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return round((lighter + 0.05) / (darker + 0.05), 2)


def _luminance(colour: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    linear = [
        (c / 255) / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in _channels(colour)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
