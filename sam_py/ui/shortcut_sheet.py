"""ShortcutSheet: every command with its keys, in one look."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP, Qt
from PySide6.QtGui import QFont, QKeySequence
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from sam_py.ui.actions import Actions
from sam_py.ui.theme import Themes

_KEYS_OF_PLACES = (
    ("Enter", QT_TRANSLATE_NOOP("ShortcutSheet", "Send")),
    ("Shift+Enter", QT_TRANSLATE_NOOP("ShortcutSheet", "New line")),
    ("Up", QT_TRANSLATE_NOOP("ShortcutSheet", "Edit my last message (in an empty text box)")),
    ("Esc", QT_TRANSLATE_NOOP("ShortcutSheet", "Stop the reply; leave an edit")),
    ("Up / Down", QT_TRANSLATE_NOOP("ShortcutSheet", "Previous / next message (in the messages)")),
    ("Left / Right", QT_TRANSLATE_NOOP("ShortcutSheet", "Previous / next version of a message")),
    ("Enter", QT_TRANSLATE_NOOP("ShortcutSheet", "Menu of a message (in the messages)")),
    ("Delete", QT_TRANSLATE_NOOP("ShortcutSheet", "Delete a message (in the messages)")),
    ("F2", QT_TRANSLATE_NOOP("ShortcutSheet", "Rename (in the sidebar, and from the text box)")),
    ("Delete", QT_TRANSLATE_NOOP("ShortcutSheet", "Delete (in the sidebar)")),
)


_AROUND_PX = 40
"""What stays of the window around the sheet."""


class ShortcutSheet(QDialog):
    """Opened with ``open()``; closes with Esc."""

    def __init__(self, actions: Actions, themes: Themes, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        groups: dict[str, list[tuple[str, str]]] = {}
        for spec, action in actions.listed():
            keys = ", ".join(
                shortcut.toString(QKeySequence.SequenceFormat.NativeText) for shortcut in action.shortcuts()[:2]
            )
            if keys:
                groups.setdefault(spec.menu.replace("&", ""), []).append((keys, spec.text.rstrip("…")))
        groups[self.tr("In their places")] = [(keys, self.tr(str(text))) for keys, text in _KEYS_OF_PLACES]
        room = parent.width() - _AROUND_PX
        area = QScrollArea(self)
        bar_px = area.verticalScrollBar().sizeHint().width()
        page = self._page(groups, themes, columns=2)
        if page.sizeHint().width() + bar_px > room:
            page.deleteLater()
            page = self._page(groups, themes, columns=1)
        area.setWidget(page)
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setAccessibleName(self.windowTitle())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(area)
        wide = page.sizeHint().width() + bar_px
        self.resize(min(room, wide), min(parent.height() - _AROUND_PX, page.sizeHint().height()))

    def _page(self, groups: dict[str, list[tuple[str, str]]], themes: Themes, *, columns: int) -> QWidget:
        """All groups in so many columns of about one length."""
        page = QWidget(self)
        layout = QHBoxLayout(page)
        layout.setContentsMargins(24, 16, 24, 24)
        layout.setSpacing(40)
        sides = [QVBoxLayout() for _ in range(columns)]
        for side in sides:
            layout.addLayout(side)
        heights = [0] * columns
        for name, rows in groups.items():
            shortest = heights.index(min(heights))
            sides[shortest].addWidget(self._group(name, rows, themes))
            heights[shortest] += len(rows) + 2
        for side in sides:
            side.addStretch(1)
        return page

    def _group(self, name: str, rows: list[tuple[str, str]], themes: Themes) -> QWidget:
        box = QWidget()
        grid = QGridLayout(box)
        grid.setContentsMargins(0, 8, 0, 8)
        grid.setHorizontalSpacing(20)
        grid.setVerticalSpacing(6)
        heading = _plain(name)
        font = QFont(heading.font())
        font.setWeight(QFont.Weight.DemiBold)
        heading.setFont(font)
        grid.addWidget(heading, 0, 0, 1, 2)
        for number, (keys, text) in enumerate(rows, start=1):
            shown = _plain(keys)
            shown.setStyleSheet(f"color: {themes.current.palette.text_muted}")
            grid.addWidget(_plain(text), number, 0)
            grid.addWidget(shown, number, 1, Qt.AlignmentFlag.AlignRight)
        grid.setColumnStretch(0, 1)
        return box


def _plain(text: str) -> QLabel:
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setText(text)
    return label
