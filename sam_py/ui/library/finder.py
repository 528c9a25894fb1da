"""Finder: words that are looked for in the conversation on screen, marked in its rows and stepped through."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QRect, QTimer, Signal

from sam_py.messages.message import DeveloperMessage
from sam_py.messages.parts import CodePart, TextPart
from sam_py.store.search_index.query import understand
from sam_py.ui.chat.chat_view import ChatView
from sam_py.ui.library.conversation_hits import ConversationHits, Hit
from sam_py.ui.library.seen_words import pattern_of_phrase

if TYPE_CHECKING:
    from sam_py.ui.chat.parts.markdown_column import MarkdownColumn
    from sam_py.ui.chat.row import MessageRow
    from sam_py.ui.library.jump import Landing

_SHOWN_MS = 6_000
"""So long the words stay marked that a jump was made for."""
_AIR_PX = 56
"""Room above and below a place that counts as in view: the bar stands there, and the button to the end."""


class Finder(QObject):
    """Owns what is marked in a timeline. Either `look_for` (the find bar) or `mark` (a jump) says what.

    `changed`: there are other counts, or another place is the current one.
    """

    changed = Signal()

    def __init__(self, chat: ChatView, landing: Landing, parent: QObject) -> None:
        super().__init__(parent)
        self._chat = chat
        self._landing = landing
        self._pattern: re.Pattern[str] | None = None
        self._only = ""
        """The one message in which words are marked; "" for all."""
        self.hits = ConversationHits(self)
        self.hits.changed.connect(self._counted)
        self.current: Hit | None = None
        self._start = ""
        self._unmark = QTimer(self)
        self._unmark.setSingleShot(True)
        self._unmark.setInterval(_SHOWN_MS)
        self._unmark.timeout.connect(self.clear)
        chat.context.finder = self
        chat.conversation_changed.connect(self._conversation_changed)

    @property
    def is_looking(self) -> bool:
        """Whether something is looked for in all of the conversation."""
        return self._pattern is not None and not self._only

    def look_for(self, typed: str, start: str = "") -> None:
        """Find what was typed in the whole conversation, and go to the first place at the message `start` or after."""
        self._unmark.stop()
        conversation = self._chat.conversation
        self._pattern, self._only = pattern_of_phrase(typed), ""
        self.current, self._start = None, start
        if conversation is not None:
            self.hits.attach(conversation.bus)
        self.hits.look_for(self._pattern, start)
        self._show_in_all()

    def step(self, step: int) -> None:
        """Go to the next place (1), or to the one before (-1)."""
        hit = self.hits.step(self.current, step) if self.current is not None else self.hits.nearest(self._start)
        if hit is not None:
            self._go(hit)

    def mark(self, words: str, message_id: str) -> Callable[[], bool]:
        """Mark the words of a search in one message for some seconds; returns what brings the first into view."""
        patterns = [term.pattern(inside=True) for term in understand(words).terms]
        self._pattern = re.compile("|".join(patterns)) if patterns else None
        self.hits.detach()
        self._only, self.current = message_id, (message_id, 0)
        self._show_in_all()
        self._unmark.start()
        return lambda: self._reveal((message_id, 0))

    def clear(self) -> None:
        """Mark nothing any more."""
        self._unmark.stop()
        self._pattern, self._only, self.current = None, "", None
        self.hits.detach()
        self._show_in_all()

    def detach(self) -> None:
        """The window closes."""
        self._unmark.stop()
        self._pattern = None
        self.hits.detach()

    def show_in(self, row: MessageRow) -> None:
        """A row has come to show another message, or the same one anew: mark in it what is looked for."""
        pattern = self._pattern if self._only in ("", row.message_id) else None
        for column in _columns_of(row):
            if pattern is None:
                if column.found is not None:
                    column.found = None
                    column.update()
            elif column.found is None or column.found.pattern is not pattern:
                from sam_py.ui.chat.parts.found import FoundMarks  # with what draws Markdown: there is a row by now

                column.found = FoundMarks(column, pattern)
                column.update()
        if pattern is not None:
            self._choose_in(row)

    # Inside

    def _show_in_all(self) -> None:
        for row in self._chat.timeline.rows_in_order():
            self.show_in(row)

    def _counted(self) -> None:
        if self.is_looking and self.current is None and self.hits.total:
            hit = self.hits.nearest(self._start)
            if hit is not None:
                self._go(hit)
                return
        if self.current is not None and self.is_looking and self.hits.is_whole:
            left = self.hits.count_in(self.current[0])
            if self.current[1] >= left:  # the message was deleted, or says something else
                self.current = (self.current[0], left - 1) if left else None
        self.changed.emit()

    def _go(self, hit: Hit) -> None:
        before, self.current = self.current, hit
        for message_id in {before[0] if before is not None else "", hit[0]}:
            row = self._chat.timeline.row_of(message_id)
            if row is not None:
                self._choose_in(row)
        if not self._is_in_view(self._rect(hit)):
            self._landing.land(hit[0], lambda: self._reveal(hit), mark=False)
        else:
            self._landing.stop()
        self.changed.emit()

    def _choose_in(self, row: MessageRow) -> QRect:
        """Mark the current place of a row strongly, and return where it is in the viewport; empty where it is not."""
        number = self.current[1] if self.current is not None and self.current[0] == row.message_id else None
        place = QRect()
        columns = [column for column in _columns_of(row) if column.found is not None]
        for at, column in enumerate(columns):
            marks = column.found
            assert marks is not None
            rect = marks.choose(number)
            if number is None:
                continue
            count = marks.count() if rect.isEmpty() else 0
            if rect.isEmpty() and at == len(columns) - 1 and count:  # counted otherwise than drawn: the last one
                rect = marks.choose(count - 1)
            if not rect.isEmpty():
                whole = rect.toAlignedRect()
                place = QRect(column.mapTo(self._chat.timeline.viewport(), QPoint(whole.topLeft())), whole.size())
                number = None
            else:
                number -= count
        return place

    def _rect(self, hit: Hit) -> QRect:
        row = self._chat.timeline.row_of(hit[0])
        return self._choose_in(row) if row is not None and not row.isHidden() else QRect()

    def _is_in_view(self, rect: QRect) -> bool:
        view = self._chat.timeline.viewport().height()
        return not rect.isEmpty() and rect.top() >= _AIR_PX and rect.bottom() <= view - _AIR_PX

    def _reveal(self, hit: Hit) -> bool:
        """Scroll the place into view, if it is not there. False where it is not drawn."""
        rect = self._rect(hit)
        if rect.isEmpty():
            return False
        bar, view = self._chat.timeline.verticalScrollBar(), self._chat.timeline.viewport().height()
        if not self._is_in_view(rect):
            bar.setValue(bar.value() + rect.top() - view // 4)
        return True

    def _conversation_changed(self) -> None:
        if self._chat.conversation is None or self._only:
            self.clear()


def _columns_of(row: MessageRow) -> list[MarkdownColumn]:
    """The columns that show what is looked through: text and code, not what stands folded."""
    message = row.message
    if message is None:
        return []
    if isinstance(message, DeveloperMessage):
        return row.columns
    found = (row.column_of(index) for index, part in enumerate(message.parts) if isinstance(part, TextPart | CodePart))
    return [column for column in found if column is not None]
