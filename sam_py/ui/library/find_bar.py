"""FindBar: the slim bar over the conversation in which one types what is to be found in it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QWidget

from sam_py.ui.chat.chat_view import ChatView
from sam_py.ui.chat.reading_place import Place
from sam_py.ui.inspector.words import filled, number
from sam_py.ui.library.finder import Finder
from sam_py.ui.widgets.announce import announce
from sam_py.ui.widgets.buttons import IconButton
from sam_py.ui.widgets.icons import Icons
from sam_py.ui.widgets.raised import SHADOW_PX, paint_raised

_WIDTH_PX = 400
_MARGIN_PX = 10


class FindBar(QWidget):
    """Stands above the messages, which make room for it. Escape closes it and gives the reader's place back;
    its button closes it where the reader is now."""

    def __init__(self, icons: Icons, finder: Finder, chat: ChatView) -> None:
        super().__init__(chat)
        self._icons = icons
        self._finder = finder
        self._chat = chat
        self._place: tuple[str, Place | None] | None = None
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(self.tr("Find in this conversation"))
        self.field.setAccessibleName(self.tr("Find in this conversation"))
        self.field.setFrame(False)
        self.field.setObjectName("findField")
        self.count = QLabel(self)
        self.count.setTextFormat(Qt.TextFormat.PlainText)
        self.count.setAccessibleName(self.tr("Places found"))
        self.previous = IconButton(
            icons, "chevron-up", self.tr("Previous place"), shortcut="Shift+F3", size_px=28, icon_px=16
        )
        self.next = IconButton(icons, "chevron-down", self.tr("Next place"), shortcut="F3", size_px=28, icon_px=16)
        self.shut = IconButton(icons, "close", self.tr("Close and stay here"), size_px=28, icon_px=16)
        row = QHBoxLayout(self)
        row.setSpacing(2)
        row.addWidget(self.field, 1)
        row.addWidget(self.count)
        row.addSpacing(4)
        for button in (self.previous, self.next, self.shut):
            row.addWidget(button)
        self.field.textChanged.connect(self._look)
        self.previous.clicked.connect(lambda: self.step(-1))
        self.next.clicked.connect(lambda: self.step(1))
        self.shut.clicked.connect(lambda: self.close_bar(back=False))
        finder.changed.connect(self._show_count)
        chat.conversation_changed.connect(self._conversation_changed)
        chat.installEventFilter(self)
        icons.changed.connect(self._retheme)
        self._retheme()
        self.hide()

    def open(self) -> None:
        """Show it with the keyboard in it, and what was selected in the conversation as its text."""
        timeline = self._chat.timeline
        if self.isHidden():
            conversation = self._chat.conversation
            self._place = (conversation.id, timeline.place()) if conversation is not None else None
            self.show()
            self._put()
            self.raise_()
        selected = timeline.selection.selected_text() if timeline.selection.has_selection else ""
        if selected and "\n" not in selected.strip():
            self.field.setText(selected.strip()[:200])
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        if self.field.text() and not self._finder.is_looking:
            self._look()

    def step(self, step: int) -> None:
        """Go to the next place (1), or to the one before (-1)."""
        if not self._finder.is_looking:
            self._look()
        else:
            self._finder.step(step)

    def close_bar(self, *, back: bool) -> None:
        """Hide it and mark nothing any more. `back`: give back the place where the reader was when it was opened."""
        conversation, place = self._chat.conversation, self._place
        self._finder.clear(folds=back)
        self.hide()
        self._chat.timeline.setViewportMargins(0, 0, 0, 0)
        if back and place is not None and conversation is not None and place[0] == conversation.id:
            if place[1] is None:
                self._chat.timeline.go_to_end()
            else:
                self._chat.timeline.restore_place(place[1])
        self._chat.composer.setFocus()

    # Inside

    def _look(self) -> None:
        if not self.isHidden():
            self._finder.look_for(self.field.text(), self._first_in_view())

    def _first_in_view(self) -> str:
        """Where the search begins: what the reader had before the eyes when the bar was opened."""
        conversation = self._chat.conversation
        if conversation is None:
            return ""
        if self._finder.current is not None and self._finder.current[0] in conversation.bus:
            return self._finder.current[0]
        timeline = self._chat.timeline
        if not len(timeline.heights):
            return ""
        return conversation.bus.id_at(timeline.heights.row_at(timeline.top_px + 1))

    def _conversation_changed(self) -> None:
        if self.isHidden() or self._chat.conversation is None:
            return
        self._place = None
        self._finder.look_for(self.field.text(), self._first_in_view())

    def _show_count(self) -> None:
        finder, hits = self._finder, self._finder.hits
        if self.isHidden() or not finder.is_looking:
            words = ""
        elif hits.total:
            known = number(hits.total) if hits.is_whole else filled(self.tr("%1…"), number(hits.total))
            place = number(hits.number_of(finder.current)) if finder.current is not None else "–"
            words = filled(self.tr("%1 of %2"), place, known)
        else:
            words = self.tr("Nothing found") if hits.is_whole else self.tr("Looking…")
        if words != self.count.text():
            self.count.setText(words)
            if hits.is_whole and words:
                announce(self.field, words)
        for button in (self.previous, self.next):
            button.setEnabled(bool(hits.total))

    def _px(self, length_px: float) -> int:
        return round(length_px * self._icons.themes.current.scale)

    def _put(self) -> None:
        """At the end of the messages' upper edge; as wide as there is room for."""
        top = self._chat.header.geometry().bottom() + 1
        width = min(self._px(_WIDTH_PX), self._chat.width() - 2 * _MARGIN_PX)
        is_left_to_right = self.layoutDirection() == Qt.LayoutDirection.LeftToRight
        left = self._chat.width() - width - _MARGIN_PX if is_left_to_right else _MARGIN_PX
        height = self.sizeHint().height()
        self.setGeometry(left, top, width, height)
        self._chat.timeline.setViewportMargins(0, height - SHADOW_PX, 0, 0)  # nothing that is found lies under it

    def _retheme(self) -> None:
        theme = self._icons.themes.current
        edge = SHADOW_PX
        self.setContentsMargins(0, 0, 0, 0)
        layout = self.layout()
        assert layout is not None
        layout.setContentsMargins(
            self._px(6) + edge, self._px(4) + edge - 2, self._px(6) + edge, self._px(4) + edge + 2
        )
        palette = QPalette(self.count.palette())
        palette.setColor(QPalette.ColorRole.WindowText, QColor(theme.palette.text_muted))
        self.count.setPalette(palette)
        font = self.count.font()
        font.setPointSizeF(theme.small_pt)
        self.count.setFont(font)
        widest = QFontMetrics(font).horizontalAdvance(self.tr("Nothing found"))
        self.count.setMinimumWidth(widest)
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.field.setStyleSheet("QLineEdit { border: none; background: transparent; }")
        if not self.isHidden():
            self._put()
        self.update()

    # Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_bar(back=True)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.step(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        elif event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self.step(1 if event.key() == Qt.Key.Key_Down else -1)
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and not self.isHidden():
            self._put()
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_raised(painter, self.rect(), self._icons.themes.current)
        painter.end()
