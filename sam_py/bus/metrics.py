"""BusMetrics: counts and times of one bus, shown in the window's info panel and in benchmarks."""

from __future__ import annotations

from dataclasses import dataclass

SLOW_UPDATE_S = 0.016
"""A change that takes longer than a frame is logged as slow."""


@dataclass(slots=True)
class BusMetrics:
    messages_added: int = 0
    messages_updated: int = 0
    streaming_updates: int = 0
    lookup_misses: int = 0
    saves_scheduled: int = 0
    saves_executed: int = 0
    updates_timed: int = 0
    total_update_s: float = 0.0
    peak_update_s: float = 0.0

    @property
    def mean_update_s(self) -> float:
        return self.total_update_s / self.updates_timed if self.updates_timed else 0.0

    def timed(self, seconds: float) -> bool:
        """Count one update; True where it was slow."""
        self.updates_timed += 1
        self.total_update_s += seconds
        self.peak_update_s = max(self.peak_update_s, seconds)
        return seconds > SLOW_UPDATE_S
