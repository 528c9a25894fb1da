"""Autosave: the subscriber that keeps what a bus records, half a second after the last change, 750 ms after the first.

Per streamed chunk it only notes that the message grew. A streaming reply is saved whole, marked as interrupted:
if the program dies, that is what it was; the finished reply supersedes it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from sam_py.bus.deltas import Appended, Delta, Recorded
from sam_py.bus.message_bus import MessageBus
from sam_py.messages.history import HistoryEvent, MessageAdded, MessageRemoved, SettingsChanged
from sam_py.store.errors import StorageError
from sam_py.store.writer import Clock, Timer

log = logging.getLogger(__name__)

QUIET_S = 0.5
MAX_WAIT_S = 0.75
"""With the way from the network and to the disk, less than a second of a reply is lost when the program is killed. A
reply of 200 kB that takes a minute costs 0.16 s of CPU and 11 MB of writing (2 s: 0.08 s and 4.3 MB)."""
LONG_REPLY = 1_000_000
"""Characters. Each save writes the whole reply: beyond this the time between two grows with it, and the writing of a
reply that neither ends nor pauses stays below 1.4 MB/s."""
RETRY_S = 2.0
MAX_RETRY_S = 30.0

Keep = Callable[[list[HistoryEvent]], "asyncio.Future[Any]"]
"""Hands events to the writer's thread. The future ends when they, and all that waited before, are durable;
with a StorageError they stay in memory there, and an empty list tries them again."""


class Autosave:
    """Keeps one conversation. Everything here runs on the loop's thread; `keep` goes to the writer's."""

    def __init__(
        self,
        bus: MessageBus,
        keep: Keep,
        clock: Clock,
        *,
        is_new: bool = False,
        on_problem: Callable[[StorageError], None] = lambda error: None,
        on_closed: Callable[[], None] = lambda: None,
    ) -> None:
        self.bus = bus
        self._keep = keep
        self._clock = clock
        self._on_problem = on_problem
        self._on_closed = on_closed
        self._events: list[HistoryEvent] = []
        self._growing: dict[str, int] = {}
        self._lengths: dict[str, int] = {}
        """Characters that each reply under way has got so far."""
        self._timer: Timer | None = None
        self._retry: Timer | None = None
        self._retry_s = RETRY_S
        self._first_s = 0.0
        self._last_s = 0.0
        self._last_save: asyncio.Future[Any] | None = None
        self._problem: StorageError | None = None
        self._unwritable: StorageError | None = None
        self._waits_for_content = is_new
        self._count = 0
        self._unsubscribe: Callable[[], None] | None = bus.subscribe(self._hear)

    @property
    def count(self) -> int:
        """How many events were recorded so far; streamed text is none until it is whole."""
        return self._count

    @property
    def waits_for_content(self) -> bool:
        """True for a new conversation of which only settings were chosen: it is not worth a file yet."""
        return self._waits_for_content

    @property
    def is_dirty(self) -> bool:
        """True while something is not yet handed over or was refused by the disk."""
        if self._waits_for_content:
            return False
        return bool(self._events or self._growing or self._problem)

    @property
    def has_unhanded(self) -> bool:
        """True while an event was not yet handed to the writer's thread. Streamed text does not count."""
        return bool(self._events) and not self._waits_for_content

    @property
    def problem(self) -> StorageError | None:
        """Why something is not on the disk: the last save failed, or it held what can never be written."""
        return self._problem or self._unwritable

    async def save_now(self) -> None:
        """Return when everything so far is on the disk. Raises StorageError (what it could not write is kept)."""
        future = self._flush(even_if_empty=True)
        if future is not None:
            await asyncio.shield(future)

    def close(self) -> None:
        """Stop listening and hand over what is left. `Library.flush()` waits for it."""
        if self._unsubscribe is None:
            return
        self._unsubscribe()
        self._unsubscribe = None
        self._flush()
        self._stop_timers()
        self._on_closed()

    def _hear(self, delta: Delta) -> None:
        match delta:
            case Appended():
                length = self._lengths.get(delta.message_id, 0) + len(delta.text)
                self._growing[delta.message_id] = self._lengths[delta.message_id] = length
            case Recorded():
                event = delta.event
                self._events.append(event)
                self._count += 1
                if isinstance(event, MessageAdded):
                    self._forget(event.message.id)
                elif isinstance(event, MessageRemoved):
                    self._forget(event.message_id)
                if self._waits_for_content and isinstance(event, SettingsChanged):
                    return
            case _:
                return
        self._waits_for_content = False
        self.bus.metrics.saves_scheduled += 1
        now = self._last_s = self._clock.time()
        if self._timer is None:
            self._first_s = now
            self._timer = self._clock.call_later(QUIET_S, self._due)

    def _forget(self, message_id: str) -> None:
        self._growing.pop(message_id, None)
        self._lengths.pop(message_id, None)

    def _due(self) -> None:
        self._timer = None
        now = self._clock.time()
        at = min(self._last_s + QUIET_S, self._first_s + self._longest_wait_s())
        if now + 0.001 < at:  # it changed meanwhile: moving the timer once is cheaper than once per chunk
            self._timer = self._clock.call_later(at - now, self._due)
            return
        self._flush()

    def _longest_wait_s(self) -> float:
        if self._events:
            return MAX_WAIT_S
        return MAX_WAIT_S * max(1.0, sum(self._growing.values()) / LONG_REPLY)

    def _flush(self, *, even_if_empty: bool = False) -> asyncio.Future[Any] | None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._waits_for_content:
            return None
        events = self._events
        self._events = []
        for message_id in self._growing:
            if self.bus.is_streaming(message_id):
                message = self.bus.get(message_id)
                if not message.is_empty:
                    events.append(MessageAdded(message=message.model_copy(update={"stop_reason": "aborted"})))
        self._growing = {}
        if not events and not self._problem and not even_if_empty:
            return None
        if not events and even_if_empty and self._last_save is None:
            return None
        if events:
            self.bus.metrics.saves_executed += 1
        future = self._keep(events)
        self._last_save = future
        future.add_done_callback(self._saved)
        return future

    def _saved(self, future: asyncio.Future[Any]) -> None:
        if future.cancelled():
            return
        error = future.exception()
        if error is None:
            self._retry_s = RETRY_S
            if self._problem is not None and future is self._last_save:
                self._problem = None
                self._on_problem(
                    StorageError("Saving works again: everything is on the disk.", kind="failed", solved=True)
                )
            return
        if not isinstance(error, StorageError):
            log.error("a save failed", exc_info=error)
            error = StorageError(
                "A conversation could not be saved because of an error in this program: copy what matters to you, "
                "and report it with the log file.",
                kind="failed",
                detail=repr(error),
            )
        if error.kind == "damaged":  # told once: no retry changes it, and all else is saved
            if self._unwritable is None:
                self._unwritable = error
                self._on_problem(error)
            return
        news = self._problem is None or self._problem.kind != error.kind
        self._problem = error
        if news:
            self._on_problem(error)
        if self._retry is None and self._unsubscribe is not None:
            self._retry = self._clock.call_later(self._retry_s, self._try_again)
            self._retry_s = min(self._retry_s * 2, MAX_RETRY_S)

    def _try_again(self) -> None:
        self._retry = None
        if self._problem is not None:
            self._flush()

    def _stop_timers(self) -> None:
        for timer in (self._timer, self._retry):
            if timer is not None:
                timer.cancel()
        self._timer = self._retry = None
