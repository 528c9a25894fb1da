"""GarbageCollection: Python's cycles are collected on the window's thread alone.

The collector runs in whichever thread allocates at the moment. Where that is a worker, and a cycle holds a Qt object
(a document, a timer), its C++ side is destroyed on the wrong thread and the program crashes. # D-011
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

_EVERY_MS = 1000
_SETTLED_MS = 3000
_THRESHOLDS = (2_000, 10, 20)
"""Objects since the last young collection, young collections since the last middle one, middle since the last full."""


class GarbageCollection(QObject):
    """Turns the automatic collector off while it lives, and does its work once a second, between events.

    A few seconds after the start, what exists then is set aside and never looked at again (`settle`), so that a
    full collection costs what was made since.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY_MS)
        self._timer.timeout.connect(self.check)
        self._timer.start()
        self._settling = QTimer(self)
        self._settling.setSingleShot(True)
        self._settling.timeout.connect(self.settle)
        self._settling.start(_SETTLED_MS)
        self._has_settled = False

    def settle(self) -> None:
        gc.collect()
        gc.freeze()
        self._has_settled = True

    def check(self) -> None:
        """Collect the oldest generation whose time has come."""
        young, middle, old = gc.get_count()
        if young > _THRESHOLDS[0]:
            generation = 0 if middle < _THRESHOLDS[1] else 1 if old < _THRESHOLDS[2] else 2
            gc.collect(generation)

    def stop(self) -> None:
        """Give the work back to Python, with nothing left over for another thread to find.

        What was set aside before this object was made (modules, see `app.py`) is looked at only where `settle` mixed
        it with the window's.
        """
        self._timer.stop()
        self._settling.stop()
        if self._has_settled:
            gc.unfreeze()
        gc.collect()
        gc.enable()
