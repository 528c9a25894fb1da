"""ItemStrip: below the library's things: what is selected, and the buttons for what can be done with it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from sam_py.store.search_index.results import Item
from sam_py.ui.chat.header import ElidedText
from sam_py.ui.library.item_actions import can_be_saved
from sam_py.ui.library.words import conversation, day, facts, filled, not_here, number, shown_name, tr
from sam_py.ui.widgets.buttons import IconButton, PillButton
from sam_py.ui.widgets.icons import Icons

_WORDS_FROM_PX = 620
_SAID_MS = 1_800


class ItemStrip(QWidget):
    """It changes nothing itself: `wished` brings a wish that `LibraryPage.do` knows."""

    wished = Signal(str)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._themes = icons.themes
        self._items: tuple[Item, ...] = ()
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.name = ElidedText(icons.themes, bold=True, parent=self)
        self.facts = ElidedText(icons.themes, muted=True, parent=self)
        self.open_button = IconButton(icons, "eye", tr("Open"), shortcut="Return", parent=self)
        self.prompt_button = IconButton(icons, "brush", tr("Show the prompt behind this image"), parent=self)
        self.copy_button = IconButton(icons, "copy", tr("Copy"), shortcut="Ctrl+C", parent=self)
        self.save_button = IconButton(icons, "download", tr("Save as…"), shortcut="Ctrl+S", parent=self)
        self.reuse_button = IconButton(icons, "new", tr("Use in a new chat"), shortcut="Ctrl+U", parent=self)
        self.jump_button = PillButton(
            icons, tr("Show in its conversation"), icon="chat", kind="outline", shortcut="Ctrl+Return", parent=self
        )
        self.jump_icon = IconButton(
            icons, "chat", tr("Show in its conversation"), shortcut="Ctrl+Return", role="accent", parent=self
        )
        self.none_button = IconButton(icons, "close", tr("Select nothing"), shortcut="Esc", icon_px=14, parent=self)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(self.name)
        words.addWidget(self.facts)
        row = QHBoxLayout(self)
        row.setContentsMargins(20, 8, 14, 8)
        row.setSpacing(4)
        row.addLayout(words, 1)
        row.addSpacing(8)
        for button, wish in (
            (self.open_button, "open"),
            (self.prompt_button, "prompt"),
            (self.copy_button, "copy"),
            (self.save_button, "save"),
            (self.reuse_button, "reuse"),
            (self.jump_button, "jump"),
            (self.jump_icon, "jump"),
            (self.none_button, "nothing"),
        ):
            row.addWidget(button)
            button.clicked.connect(lambda _on=False, wish=wish: self.wished.emit(wish))
        self._said = QTimer(self)
        self._said.setSingleShot(True)
        self._said.setInterval(_SAID_MS)
        self._said.timeout.connect(self._show_words)
        self.hide()

    def show_items(self, items: Sequence[Item], *, is_missing: bool = False) -> None:
        """What is selected; nothing hides it. `is_missing`: a single one, whose file is not here."""
        self._items = tuple(items)
        self._is_missing = is_missing
        self.setVisible(bool(items))
        if not items:
            return
        is_one = len(items) == 1
        self.open_button.setVisible(is_one)
        self.prompt_button.setVisible(is_one and items[0].kind == "image" and bool(items[0].text))
        self.save_button.setVisible(any(can_be_saved(item) for item in items))
        self.copy_button.setEnabled(not is_missing)
        self.save_button.setEnabled(not is_missing)
        self.reuse_button.setEnabled(not is_missing)
        self._fit()
        self._said.stop()
        self._show_words()

    def say(self, words: str) -> None:
        """What was done, for a moment."""
        self.facts.set_text(words)
        self._said.start()

    def _show_words(self) -> None:
        if not self._items:
            return
        item = self._items[0]
        if len(self._items) > 1:
            self.name.set_text(filled(tr("%1 selected"), number(len(self._items))))
            self.facts.set_text(shown_name(item))
            return
        self.name.set_text(shown_name(item))
        missing = [not_here()] if self._is_missing else []
        self.facts.set_text(" · ".join((*missing, *facts(item), conversation(item), day(item.place.at))))

    def _fit(self) -> None:
        wide = self.width() >= _WORDS_FROM_PX * self._themes.current.scale
        is_one = len(self._items) == 1
        self.jump_button.setVisible(is_one and wide)
        self.jump_icon.setVisible(is_one and not wide)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self._themes.current.palette
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(palette.window))
        painter.fillRect(0, 0, self.width(), 1, QColor(palette.border))
