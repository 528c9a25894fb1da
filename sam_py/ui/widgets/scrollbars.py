"""Slim scroll bars in the theme's colours, as a style sheet for the widget that has them."""

from __future__ import annotations

from sam_py.ui.theme import Palette


def scrollbar_style(palette: Palette) -> str:
    """Rules for `QScrollBar` only, so that nothing else of the widget changes its look.

    >>> from sam_py.ui.theme import LIGHT
    >>> scrollbar_style(LIGHT).startswith("QScrollBar")
    True
    """
    return (
        "QScrollBar:vertical { background: transparent; width: 10px; margin: 0; border: none; }"
        f"QScrollBar::handle:vertical {{ background: {palette.border}; min-height: 28px; border-radius: 3px;"
        " margin: 2px; }"
        f"QScrollBar::handle:vertical:hover {{ background: {palette.text_muted}; }}"
        "QScrollBar::add-line:vertical, QScrollBar::sub-line:vertical { height: 0; border: none; background: none; }"
        "QScrollBar::add-page:vertical, QScrollBar::sub-page:vertical { background: none; }"
    )
