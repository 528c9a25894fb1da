"""Which backups stay: all of a day, then one a day, a week, a month."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

ALL_FOR = timedelta(days=1)
DAILY_FOR = timedelta(days=14)
WEEKLY_FOR = timedelta(days=70)
MONTHLY_FOR = timedelta(days=400)


def superfluous(made: Iterable[datetime], now: datetime) -> set[datetime]:
    """Those that may go. The newest stays whatever its age, and of each day, week and month the newest one.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 5, 20, 12, tzinfo=UTC)
    >>> hours = [noon - timedelta(hours=12 * n) for n in range(6)]
    >>> sorted(noon - each for each in superfluous(hours, noon))
    [datetime.timedelta(days=2, seconds=43200)]
    """
    newest_first = sorted(set(made), reverse=True)
    taken: set[tuple[object, ...]] = set()
    gone: set[datetime] = set()
    for place, moment in enumerate(newest_first):
        age = now - moment
        if place == 0 or age <= ALL_FOR:
            continue
        if age <= DAILY_FOR:
            slot: tuple[object, ...] = ("day", moment.date())
        elif age <= WEEKLY_FOR:
            slot = ("week", *moment.isocalendar()[:2])
        elif age <= MONTHLY_FOR:
            slot = ("month", moment.year, moment.month)
        else:
            gone.add(moment)
            continue
        if slot in taken:
            gone.add(moment)
        taken.add(slot)
    return gone
