"""Publisher: who hears of a bus's deltas, and the one place that tells them."""

from __future__ import annotations

import logging
from collections.abc import Callable

from sam_py.bus.deltas import Delta, Subscriber

log = logging.getLogger(__name__)


class Publisher:
    """Calls subscribers one after the other, in order of subscription. # D-002"""

    def __init__(self) -> None:
        self._subscribers: list[Subscriber] = []

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call `subscriber` with each delta from now on; returns the function that ends it."""
        self._subscribers.append(subscriber)

        def unsubscribe() -> None:
            if subscriber in self._subscribers:
                self._subscribers.remove(subscriber)

        return unsubscribe

    def publish(self, delta: Delta) -> None:
        for subscriber in tuple(self._subscribers):
            try:
                subscriber(delta)
            except Exception:  # one broken listener must not stop the stream or the autosave
                log.exception("a subscriber failed on %s", type(delta).__name__)
