"""Fonts and distances of a message, derived from the theme once and shared by all parts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QFontMetricsF, QPalette

from sam_py.ui.theme import Theme

MONO_FAMILIES = ("JetBrains Mono", "SF Mono", "Menlo", "Cascadia Mono", "Consolas", "DejaVu Sans Mono", "monospace")
EMOJI_FAMILIES = ("Apple Color Emoji", "Segoe UI Emoji", "Noto Color Emoji")
HEADING_SCALE = (1.5, 1.28, 1.12, 1.0, 1.0, 1.0)
MAX_DEPTH = 8
"""Deeper lists are not indented any further."""


@dataclass(frozen=True)
class Typography:
    """What a part needs to set text. Lengths in logical pixels."""

    theme: Theme
    body: QFont
    small: QFont
    mono: QFont
    line_percent: float
    """Line height of the body in per cent of the font's own, so that it is `theme.line_height` of its size."""
    em_px: float
    """The body's font size."""
    body_line_px: float
    mono_line_px: float
    indent_px: int
    """One list level."""
    paragraph_px: int
    """Between two paragraphs."""
    item_px: int
    """Between two items of a list."""
    qt_palette: QPalette

    def colour(self, token: str) -> QColor:
        return QColor(str(getattr(self.theme.palette, token)))

    def indent(self, depth: int) -> int:
        return self.indent_px * min(depth, MAX_DEPTH)


@lru_cache(maxsize=8)
def typography(theme: Theme) -> Typography:
    """Return the fonts and distances of `theme`; cheap after the first time."""
    body = QFont()
    body.setPointSizeF(theme.body_pt)
    body.setFamilies([QFontInfo(body).family(), *EMOJI_FAMILIES])  # alone, an emoji font would also draw the digits
    small = QFont(body)
    small.setPointSizeF(theme.small_pt)
    mono = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    have = set(QFontDatabase.families())
    mono.setFamilies([name for name in MONO_FAMILIES if name in have] + list(mono.families()) + list(EMOJI_FAMILIES))
    mono.setPointSizeF(theme.code_pt)
    mono.setStyleHint(QFont.StyleHint.Monospace)
    mono.setFixedPitch(True)
    metrics = QFontMetricsF(body)
    em_px = theme.body_pt * metrics.fontDpi() / 72
    line_px = em_px * theme.line_height
    palette = QPalette()
    palette.setColor(QPalette.ColorRole.Text, QColor(theme.palette.text))
    palette.setColor(QPalette.ColorRole.Link, QColor(theme.palette.link))
    return Typography(
        theme=theme,
        body=body,
        small=small,
        mono=mono,
        line_percent=max(100.0, 100 * line_px / metrics.height()),
        em_px=em_px,
        body_line_px=max(line_px, metrics.height()),
        mono_line_px=round(QFontMetricsF(mono).height() * 1.28),
        indent_px=round(em_px * 1.75),
        paragraph_px=round(em_px * 0.82),
        item_px=round(em_px * 0.3),
        qt_palette=palette,
    )
