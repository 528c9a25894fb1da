"""ConversationHits: how often words stand in each message of a conversation, counted a slice at a time."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable
from itertools import islice

from PySide6.QtCore import QObject, QTimer, Signal

from sam_py.bus.deltas import Appended, Delta, Inserted, Removed, Reset, Updated
from sam_py.bus.message_bus import MessageBus
from sam_py.messages.message import ToolResultMessage
from sam_py.ui.chat.tool_calls import ToolCalls
from sam_py.ui.library.seen_words import Place, Seen, closest, seen_words

_SLICE_S = 0.005
_STALE_MS = 250
"""A message that streams is looked through again so often."""
_LONGEST_KEPT = 200_000
_MOST = 5_000
"""Places counted in one text."""

Hit = tuple[str, int]
"""The id of a message, and the number of the place in it."""


class ConversationHits(QObject):
    """Follows the shown path of a bus while it is attached. `changed`: the counts are other ones, or all are known.

    What messages say is kept, folded, until `detach`: only the first look reads them all. Thinking and the cards of
    tools are looked through as well, open or not; `calls` knows of the conversation on screen what they show.
    """

    changed = Signal()

    def __init__(self, calls: ToolCalls, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._calls = calls
        self._bus: MessageBus | None = None
        self._off: Callable[[], None] | None = None
        self._pattern: re.Pattern[str] | None = None
        self._only = ""
        self._texts: dict[str, tuple[Seen, ...]] = {}
        self._counts: dict[str, int] = {}
        self._ordered: list[str] | None = None
        self._waiting: deque[str] = deque()
        self._stale: set[str] = set()
        self.total = 0
        self._work = QTimer(self)
        self._work.setInterval(0)
        self._work.timeout.connect(self._look)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_STALE_MS)
        self._later.timeout.connect(self._look_again)

    @property
    def is_whole(self) -> bool:
        """Whether all messages were looked through."""
        return not self._waiting

    def attach(self, bus: MessageBus) -> None:
        if bus is not self._bus:
            self.detach()
            self._bus = bus
            self._off = bus.subscribe(self._hear)

    def detach(self) -> None:
        if self._off is not None:
            self._off()
        self._bus = self._off = None
        self._texts.clear()
        self._stale.clear()
        self._later.stop()
        self.look_for(None)

    def look_for(self, pattern: re.Pattern[str] | None, start: str = "", only: str = "") -> None:
        """Look for something else, from the message `start` on and round; with `only` in that one message."""
        self._pattern, self._only = pattern, only
        self._counts.clear()
        self._ordered = None
        self.total = 0
        self._waiting.clear()
        self._work.stop()
        if pattern is None or self._bus is None:
            self.changed.emit()
            return
        path = self._bus.path if not only else (only,)
        first = self._bus.index_of(start) or 0 if start else 0
        self._waiting.extend(path[first:])
        self._waiting.extend(path[:first])
        self._look()
        if self._waiting:
            self._work.start()

    def count_in(self, message_id: str) -> int:
        return self._counts.get(message_id, 0)

    def split(self, hit: Hit) -> tuple[Place, int] | None:
        """Where in its row a place is, and the how manieth of that text; None where there is no such place."""
        number = hit[1]
        if self._pattern is None:
            return None
        for seen in self.seen(hit[0]):
            count = _count(self._pattern, seen.words)
            if number < count:
                return seen.place, number
            number -= count
        return None

    def first_where(self, message_id: str, suits: Callable[[Seen], bool]) -> Hit | None:
        """The best place in the first text of the message that suits: where what the groups of the pattern find stands
        closest together."""
        pattern, number = self._pattern, 0
        for seen in self.seen(message_id) if pattern is not None else ():
            assert pattern is not None
            found = [(each.lastindex or 0, each.start()) for each in islice(pattern.finditer(seen.words), _MOST)]
            if found and suits(seen):
                return message_id, number + closest(found, max(1, pattern.groups))
            number += len(found)
        return None

    def seen(self, message_id: str) -> tuple[Seen, ...]:
        """All that is read in the row of a message."""
        bus = self._bus
        if bus is None or message_id not in bus or bus.index_of(message_id) is None:
            return ()
        texts = self._texts.get(message_id)
        if texts is None:
            texts = seen_words(bus.get(message_id), self._calls)
            if sum(len(each.words) for each in texts) <= _LONGEST_KEPT and not bus.is_streaming(message_id):
                self._texts[message_id] = texts
        return texts

    def number_of(self, hit: Hit) -> int:
        """The how manieth place of the conversation it is, from 1 on, of those that are known."""
        before = 0
        for message_id in self._in_order():
            if message_id == hit[0]:
                break
            before += self._counts[message_id]
        return before + hit[1] + 1

    def nearest(self, message_id: str) -> Hit | None:
        """The first place in the message or after it; the first of all where there is none."""
        ordered = self._in_order()
        at = self._index(message_id)
        after = next((each for each in ordered if self._index(each) >= at), None)
        found = after or (ordered[0] if ordered else None)
        return (found, 0) if found is not None else None

    def step(self, hit: Hit, step: int) -> Hit | None:
        """The place after `hit` (1), or before it (-1); round at the ends."""
        message_id, number = hit
        if 0 <= number + step < self.count_in(message_id):
            return message_id, number + step
        ordered = self._in_order()
        if not ordered:
            return None
        at = self._index(message_id)
        if step > 0:
            found = next((each for each in ordered if self._index(each) > at), ordered[0])
            return found, 0
        found = next((each for each in reversed(ordered) if self._index(each) < at), ordered[-1])
        return found, self._counts[found] - 1

    # Inside

    def _index(self, message_id: str) -> int:
        index = self._bus.index_of(message_id) if self._bus is not None else None
        return index if index is not None else -1

    def _in_order(self) -> list[str]:
        if self._ordered is None:
            self._ordered = sorted(self._counts, key=self._index)
        return self._ordered

    def _look(self) -> None:
        """Look through messages for some milliseconds."""
        stop = time.perf_counter() + _SLICE_S
        while self._waiting and time.perf_counter() < stop:
            self._count(self._waiting.popleft())
        if not self._waiting:
            self._work.stop()
        self.changed.emit()

    def _count(self, message_id: str) -> None:
        pattern = self._pattern
        if pattern is None:
            return
        before = self._counts.pop(message_id, 0)
        count = sum(_count(pattern, seen.words) for seen in self.seen(message_id))
        if count:
            self._counts[message_id] = count
        if bool(count) != bool(before):
            self._ordered = None
        self.total += count - before

    def _hear(self, delta: Delta) -> None:
        match delta:
            case Inserted() | Updated():
                self._outdated(delta.message.id)
                if isinstance(delta.message, ToolResultMessage):
                    self._outdated(self._reply_above(delta.index))
            case Appended(message_id=message_id):
                if message_id not in self._stale:
                    self._outdated(message_id)
            case Removed(index=index, message_id=message_id):
                self._outdated(message_id)
                self._outdated(self._reply_above(index))
            case Reset():
                self._texts.clear()
                if self._pattern is not None:
                    self.look_for(self._pattern, only=self._only)
            case _:
                pass

    def _reply_above(self, index: int) -> str:
        """Of whose calls the results stand at a place of the path."""
        bus, at = self._bus, index - 1
        while bus is not None and 0 < at < len(bus) and bus.role_at(at) == "tool":
            at -= 1
        return bus.id_at(at) if bus is not None and 0 <= at < len(bus) else ""

    def _outdated(self, message_id: str) -> None:
        self._stale.add(message_id)
        self._texts.pop(message_id, None)
        if not self._later.isActive():
            self._later.start()

    def _look_again(self) -> None:
        stale, self._stale = self._stale, set()
        self._ordered = None
        if self._pattern is not None:
            for message_id in stale if not self._only else stale & {self._only}:
                self._count(message_id)
            self.changed.emit()


def _count(pattern: re.Pattern[str], words: str) -> int:
    return sum(1 for _found in islice(pattern.finditer(words), _MOST))
