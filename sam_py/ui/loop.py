"""The event loop: qasync's, with callbacks and timers kept as asyncio keeps them.

qasync 0.28 makes one coarse Qt timer per `call_later` and per `call_soon`: that costs 40 µs a callback, fires up
to 5 % early, and a cancelled one stays until its deadline (httpx makes one per read, so a long stream piles them
up). It also makes a new socket notifier for every read that is awaited. Here ready callbacks wait in one queue
behind one Qt timer, timed ones in one heap behind another, and a socket keeps its notifier. # D-005
May go when qasync does the same.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import logging
import math
import sys
from collections import deque
from collections.abc import Callable, Coroutine
from contextvars import Context
from typing import Any

import qasync
from PySide6.QtCore import QSocketNotifier, Qt, QTimer
from PySide6.QtWidgets import QApplication

log = logging.getLogger(__name__)

_SWEEP_AT = 100
"""Cancelled timers that may lie in the heap before it is swept."""


class _TimerHandle(asyncio.TimerHandle):
    def cancel(self) -> None:
        if not self.cancelled():
            loop = self._loop  # type: ignore[attr-defined]  # private in typeshed, stable since 3.4
            loop.timer_cancelled()
        super().cancel()


class _Watcher:
    """The notifier of one file descriptor for reading or writing, kept while it is idle.

    A disabled notifier is not polled, so a number that the system gives to another file later is no harm.
    """

    def __init__(self, number: int, writes: bool) -> None:
        kind = QSocketNotifier.Type.Write if writes else QSocketNotifier.Type.Read
        self._notifier = QSocketNotifier(number, kind)
        self._notifier.setEnabled(False)
        self._notifier.activated.connect(self._activated)
        self._handle: asyncio.Handle | None = None

    def begin(self, handle: asyncio.Handle) -> None:
        self._handle = handle
        self._notifier.setEnabled(True)

    def end(self) -> bool:
        """Stop watching. False where nothing was watched."""
        was, self._handle = self._handle, None
        self._notifier.setEnabled(False)
        return was is not None

    def _activated(self) -> None:
        if self._handle is not None:
            self._handle._run()


class Loop(qasync.QEventLoop):  # type: ignore[misc]  # qasync is not typed
    """One thread owns it, the bus and all widgets."""

    def __init__(self, app: QApplication) -> None:
        self._watchers: dict[tuple[int, bool], _Watcher] = {}  # the base class watches its self-pipe at once
        self._heap: list[tuple[float, int, _TimerHandle]] = []
        self._count = itertools.count()
        self._cancelled = 0
        self._ready: deque[asyncio.Handle] = deque()
        self._ready_timer = QTimer()
        self._ready_timer.setSingleShot(True)
        self._ready_timer.setInterval(0)
        self._ready_timer.timeout.connect(self._run_ready)
        self._heap_timer = QTimer()
        self._heap_timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._heap_timer.setSingleShot(True)
        self._heap_timer.timeout.connect(self._fire)
        super().__init__(app)

    def run_forever(self) -> Any:
        """As asyncio does and qasync does not: an async generator that is left half-way is closed by a task.

        Else the garbage collector closes it, outside of any task: what it awaits to close its connection then fails.
        """
        before = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(firstiter=self._asyncgen_firstiter_hook, finalizer=self._asyncgen_finalizer_hook)
        try:
            return super().run_forever()
        finally:
            sys.set_asyncgen_hooks(*before)

    def run_to_the_end(self, main: Coroutine[Any, Any, int], on_ended: Callable[[], object]) -> int:
        """Run `main` and return its result, also where Qt ends the loop first: a log-out, Quit in the Dock, a screen
        that went away. Then `on_ended` is called, and `main` cancelled, so that it can still save and close; 0 is
        returned.
        """
        task = self.create_task(main)
        while True:
            try:
                return int(self.run_until_complete(task))
            except asyncio.CancelledError:
                return 0
            except RuntimeError:
                if task.done():
                    raise
                if not task.cancelling():
                    log.warning("the system ended the event loop: what is open is saved and closed")
                    on_ended()
                    task.cancel()

    def call_soon(self, callback: Callable[..., Any], *args: Any, context: Context | None = None) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)
        if not self._ready_timer.isActive():
            self._ready_timer.start()
        return handle

    def call_at(
        self, when: float, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        handle = _TimerHandle(when, callback, args, self, context)
        handle._scheduled = True  # type: ignore[attr-defined]
        heapq.heappush(self._heap, (when, next(self._count), handle))
        if self._heap[0][2] is handle:
            self._arm()
        return handle

    def call_later(
        self, delay: float, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        if delay <= 0:
            return self.call_soon(callback, *args, context=context)
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def timer_cancelled(self) -> None:
        """Count a cancelled timer; sweep the heap when most of it is dead."""
        self._cancelled += 1
        if self._cancelled > _SWEEP_AT and self._cancelled > len(self._heap) // 2:
            self._heap = [entry for entry in self._heap if not entry[2].cancelled()]
            heapq.heapify(self._heap)
            self._cancelled = 0

    def close(self) -> None:
        for watcher in self._watchers.values():
            watcher.end()
        self._watchers.clear()
        self._ready.clear()
        super().close()

    if sys.platform != "win32":  # there, qasync waits for completion ports

        def _add_reader(self, fd: Any, callback: Callable[..., Any], *args: Any) -> None:
            self._watch(fd, False, callback, args)

        def _remove_reader(self, fd: Any) -> bool:
            return self._unwatch(fd, False)

        def _add_writer(self, fd: Any, callback: Callable[..., Any], *args: Any) -> None:
            self._watch(fd, True, callback, args)

        def _remove_writer(self, fd: Any) -> bool:
            return self._unwatch(fd, True)

    def _watch(self, fd: Any, writes: bool, callback: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self._check_closed()
        number = fd if isinstance(fd, int) else int(fd.fileno())
        watcher = self._watchers.get((number, writes))
        if watcher is None:
            watcher = self._watchers[number, writes] = _Watcher(number, writes)
        watcher.begin(asyncio.Handle(callback, args, self))

    def _unwatch(self, fd: Any, writes: bool) -> bool:
        number = fd if isinstance(fd, int) else int(fd.fileno())
        watcher = self._watchers.get((number, writes))
        return watcher is not None and watcher.end()

    def _run_ready(self) -> None:
        """Run what was ready when this turn began; what they make ready waits for the next, after Qt's events."""
        try:
            for _ in range(len(self._ready)):
                handle = self._ready.popleft()
                if not handle.cancelled():
                    handle._run()
        finally:
            if self._ready:
                self._ready_timer.start()

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """asyncio's own hook; counting is done in `timer_cancelled`."""

    def _arm(self) -> None:
        if self._heap:
            wait_s = self._heap[0][0] - self.time()
            self._heap_timer.start(max(0, math.ceil(wait_s * 1000)))

    def _fire(self) -> None:
        now = self.time()
        while self._heap and self._heap[0][0] <= now:
            handle = heapq.heappop(self._heap)[2]
            handle._scheduled = False  # type: ignore[attr-defined]
            if handle.cancelled():
                self._cancelled = max(0, self._cancelled - 1)
            else:
                handle._run()
        self._arm()
