"""The event loop: qasync's, with timers that fire no earlier than asked and vanish when they are cancelled.

qasync 0.28 makes one coarse Qt timer per `call_later`: it fires up to 5 % early, and a cancelled one
stays until its deadline (httpx makes one per read, so a long stream piles them up). Here all timers
wait in one heap behind one precise QTimer, as asyncio itself keeps them. # D-005
May go when qasync does the same.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import math
from collections.abc import Callable
from contextvars import Context
from typing import Any

import qasync
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication

_SWEEP_AT = 100
"""Cancelled timers that may lie in the heap before it is swept."""


class _TimerHandle(asyncio.TimerHandle):
    def cancel(self) -> None:
        if not self.cancelled():
            loop = self._loop  # type: ignore[attr-defined]  # private in typeshed, stable since 3.4
            loop.timer_cancelled()
        super().cancel()


class Loop(qasync.QEventLoop):  # type: ignore[misc]  # qasync is not typed
    """One thread owns it, the bus and all widgets."""

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._heap: list[tuple[float, int, _TimerHandle]] = []
        self._count = itertools.count()
        self._cancelled = 0
        self._heap_timer = QTimer()
        self._heap_timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._heap_timer.setSingleShot(True)
        self._heap_timer.timeout.connect(self._fire)

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
            soon: asyncio.Handle = super().call_later(0, callback, *args, context=context)
            return soon
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def timer_cancelled(self) -> None:
        """Count a cancelled timer; sweep the heap when most of it is dead."""
        self._cancelled += 1
        if self._cancelled > _SWEEP_AT and self._cancelled > len(self._heap) // 2:
            self._heap = [entry for entry in self._heap if not entry[2].cancelled()]
            heapq.heapify(self._heap)
            self._cancelled = 0

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
