"""Plain words where Qt would guess: tooltips, window titles and menu texts show somebody else's words as they are."""

from __future__ import annotations

import html

from PySide6.QtGui import Qt

_MOST_CHARACTERS = 600
_OVERRIDES = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that turn the writing direction of what follows: "gpj.exe" can be made to read "exe.jpg" with them."""


def one_line(text: str) -> str:
    """`text` in one line, without control characters and without those that turn its direction.

    >>> one_line("a\\n b\\x1b\\u202ec")
    'a bc'
    """
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    return " ".join("".join(map(_shown, text)).split())


def tooltip(text: str) -> str:
    """`text` for ``setToolTip``, which guesses whether a text is HTML; a text that is taken for it is escaped.

    >>> tooltip("a < b"), tooltip("<b>bold</b>")
    ('a < b', '<span>&lt;b&gt;bold&lt;/b&gt;</span>')
    """
    shown = "\n".join(one_line(line) for line in text[:_MOST_CHARACTERS].splitlines())
    if not Qt.mightBeRichText(shown):
        return shown
    return f"<span>{html.escape(shown).replace(chr(10), '<br>')}</span>"


def window_title(text: str) -> str:
    """`text` for ``setWindowTitle``, which reads ``[*]`` as the place of a mark for unsaved changes."""
    return one_line(text).replace("[*]", "[*][*]")


def menu_text(text: str) -> str:
    """`text` for a `QAction`, where ``&`` marks a letter and a tab begins the shortcut."""
    return one_line(text).replace("&", "&&")


def _shown(character: str) -> str:
    if character in _OVERRIDES:
        return ""
    return (
        character
        if character.isprintable() or character == "\u200d" or character == "\u200c"
        else (" " if character.isspace() else "")
    )
