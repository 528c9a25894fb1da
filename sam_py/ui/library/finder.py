"""Finder: words that are looked for in the conversation on screen, marked in its rows and stepped through."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRect, QTimer, Signal

from sam_py.store.search_index.query import Term, understand
from sam_py.ui.chat.chat_view import ChatView
from sam_py.ui.library.conversation_hits import ConversationHits, Hit
from sam_py.ui.library.seen_words import Place, Seen, pattern_of_phrase

if TYPE_CHECKING:
    from sam_py.ui.chat.row import MessageRow
    from sam_py.ui.library.jump import Landing

_SHOWN_MS = 6_000
"""So long the words stay marked that a jump was made for."""
_OPEN_MS = 300
"""Thinking and cards are opened when no letter came for so long: else each first letter of a word would open some."""
_AIR_PX, _AIR_BELOW_PX = 8, 56
"""Room above and below a place that counts as in view: below, the button to the end stands."""


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
        self.hits = ConversationHits(chat.context.calls, self)
        self.hits.changed.connect(self._counted)
        self.current: Hit | None = None
        self._start = ""
        self._was_marking = False
        """Whether anything can be marked anywhere."""
        self._opens = True
        """Whether what the current place is folded into is opened."""
        self._opened: list[tuple[str, Place]] = []
        """What was opened to show places in it, and not by the person."""
        self._open_soon = QTimer(self)
        self._open_soon.setSingleShot(True)
        self._open_soon.setInterval(_OPEN_MS)
        self._open_soon.timeout.connect(self._open_now)
        self._mark_soon = QTimer(self)
        self._mark_soon.setSingleShot(True)
        self._mark_soon.setInterval(0)
        self._mark_soon.timeout.connect(self._show_in_all)
        chat.context.calls.changed.connect(self._call_changed)
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
        """Find what was typed in the whole conversation, and go to the first place at the message `start` or after.

        Where that is in thinking or on a tool's card, it is opened when nothing more is typed for a moment.
        """
        self._unmark.stop()
        conversation = self._chat.conversation
        self._pattern, self._only = pattern_of_phrase(typed), ""
        self.current, self._start = None, start
        self._opens = False
        self._open_soon.start()
        if conversation is not None:
            self.hits.attach(conversation.bus)
        self._show_in_all()  # first: what is found at once is looked up in these marks
        self.hits.look_for(self._pattern, start)

    def step(self, step: int) -> None:
        """Go to the next place (1), or to the one before (-1)."""
        self._opens = True
        hit = self.hits.step(self.current, step) if self.current is not None else self.hits.nearest(self._start)
        if hit is not None:
            self._go(hit)

    def mark(self, words: str, message_id: str, said_by: str = "") -> Callable[[], bool]:
        """Mark the words of a search in one message for some seconds; returns what brings the first into view.

        The first is in the text that has all the words, and of the message `said_by` where another's is drawn there.
        """
        conversation = self._chat.conversation
        if conversation is not None:
            self.hits.attach(conversation.bus)
        texts = [seen.words for seen in self.hits.seen(message_id)]
        patterns = [_pattern_in(texts, term) for term in understand(words).terms]
        self._pattern = re.compile("|".join(f"({each.pattern})" for each in patterns)) if patterns else None
        self._only, self._opens = message_id, True
        self._opened.clear()
        self.hits.look_for(self._pattern, only=message_id)

        def has_all(seen: Seen) -> bool:
            return all(each.search(seen.words) for each in patterns)

        own = self.hits.first_where(message_id, lambda seen: has_all(seen) and seen.said_by == (said_by or message_id))
        hit = self.current = own or self.hits.first_where(message_id, has_all) or (message_id, 0)
        self._show_in_all()
        self._unmark.start()
        return lambda: self._reveal(hit)

    def clear(self, *, folds: bool = False) -> None:
        """Mark nothing any more. `folds`: close the cards that were opened to show what was found in them."""
        self._unmark.stop()
        self._open_soon.stop()
        if folds:
            self._fold_all_but(None)
        self._opened.clear()
        self._pattern, self._only, self.current = None, "", None
        self.hits.detach()
        self._show_in_all()

    def detach(self) -> None:
        """The window closes."""
        self._unmark.stop()
        self._open_soon.stop()
        self._pattern = None
        self.hits.detach()

    def show_in(self, row: MessageRow) -> None:
        """A row has come to show another message, or the same one anew: mark in it what is looked for."""
        pattern = self._pattern if self._only in ("", row.message_id) else None
        if pattern is None and not self._was_marking:
            return
        from sam_py.ui.library.surfaces import mark, surfaces_of  # with what draws Markdown: there is a row by now

        self._was_marking = True
        for _place, surface in surfaces_of(row):
            mark(surface, pattern, self._chat.context)
        if pattern is not None:
            self._choose_in(row)

    # Inside

    def _call_changed(self, _call_id: str) -> None:
        """A card may show other texts by now."""
        if self._pattern is not None:
            self._mark_soon.start()

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

    def _open_now(self) -> None:
        """Nothing was typed for a moment: what the current place is folded into is opened, what was opened before not
        kept."""
        self._opens = True
        hit = self.current
        if hit is None or not self.is_looking:
            return
        split = self.hits.split(hit)
        self._fold_all_but((hit[0], split[0]) if split is not None else None)
        if self._rect(hit).isEmpty():
            self._landing.land(hit[0], lambda: self._reveal(hit), mark=False)

    def _fold_all_but(self, kept: tuple[str, Place] | None) -> None:
        """Close what was opened to show places in it."""
        from sam_py.ui.library.surfaces import fold_unseen, unfold

        opened, self._opened = self._opened, []
        bus = self._chat.conversation.bus if self._chat.conversation is not None else None
        for message_id, place in opened:
            if kept is not None and (message_id, place.part_index) == (kept[0], kept[1].part_index):
                self._opened.append((message_id, place))
            elif (row := self._chat.timeline.row_of(message_id)) is not None:
                unfold(row, place, False)
            elif bus is not None and message_id in bus:
                fold_unseen(self._chat.context, bus.get(message_id), place)

    def _choose_in(self, row: MessageRow, *, opens: bool = False) -> QRect:
        """Mark the current place of a row strongly, and return where it is in the viewport; empty where it is not.
        `opens`: first the card that it is on."""
        from sam_py.ui.library.surfaces import choose, surfaces_of, unfold

        is_here = self.current is not None and self.current[0] == row.message_id
        split = self.hits.split(self.current) if is_here and self.current is not None else None
        surfaces = dict(surfaces_of(row))
        if split is not None and opens and split[0] not in surfaces and unfold(row, split[0]):
            self._opened.append((row.message_id, split[0]))
            self.show_in(row)
            surfaces = dict(surfaces_of(row))
        viewport, found = self._chat.timeline.viewport(), QRect()
        for place, surface in surfaces.items():
            if split is not None and place == split[0]:
                found = choose(surface, split[1], viewport)
            else:
                choose(surface, None, viewport)
        return found

    def _rect(self, hit: Hit, *, opens: bool = False) -> QRect:
        row = self._chat.timeline.row_of(hit[0])
        return self._choose_in(row, opens=opens) if row is not None and not row.isHidden() else QRect()

    def _is_in_view(self, rect: QRect) -> bool:
        view = self._chat.timeline.viewport().height()
        return not rect.isEmpty() and rect.top() >= _AIR_PX and rect.bottom() <= view - _AIR_BELOW_PX

    def _reveal(self, hit: Hit) -> bool:
        """Scroll the place into view, if it is not there. False where it is not drawn."""
        rect = self._rect(hit, opens=self._opens)
        if rect.isEmpty():
            return False
        bar, view = self._chat.timeline.verticalScrollBar(), self._chat.timeline.viewport().height()
        if not self._is_in_view(rect):
            bar.setValue(bar.value() + rect.top() - view // 4)
        return True

    def _conversation_changed(self) -> None:
        if self._chat.conversation is None or self._only:
            self.clear()


def _pattern_in(texts: Sequence[str], term: Term) -> re.Pattern[str]:
    """What finds a term as a word; inside of words only where it is no word of these texts."""
    pattern = re.compile(term.pattern())
    return pattern if any(map(pattern.search, texts)) else re.compile(term.pattern(inside=True))
