"""Which backups stay: all of a day, then one a day, a week, a month. A clock that was wrong thins out nothing.

Backups are made every few hours, days or weeks. Where two dates that follow each other lie further apart than any
that thinning leaves, one of the clocks was wrong, or the program was not used: such a leap counts as no time at all.
So what a clock made that was ten years ahead for a day makes no other backup ten years old.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime, timedelta

ALL_FOR = timedelta(days=1)
DAILY_FOR = timedelta(days=14)
WEEKLY_FOR = timedelta(days=70)
MONTHLY_FOR = timedelta(days=400)
_LEAP = timedelta(days=62)  # D-043
"""Of each month one stays: between two of them there are 61 days at most."""


def superfluous(made: Iterable[datetime], now: datetime, incomplete: Collection[datetime] = ()) -> set[datetime]:
    """Those that may go. The newest stays whatever its age, and of each day, week and month the newest one.

    One of `incomplete` stands back for one that is whole; the newest whole one stays, too.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 5, 20, 12, tzinfo=UTC)
    >>> hours = [noon - timedelta(hours=12 * n) for n in range(6)]
    >>> sorted(noon - each for each in superfluous(hours, noon))
    [datetime.timedelta(days=2, seconds=43200)]
    """
    aged = list(_aged(made, now))
    whole_first = [
        *(each for each in aged if each[0] not in incomplete),
        *(each for each in aged if each[0] in incomplete),
    ]
    newest = {each[0][0] for each in (aged, whole_first) if each}
    taken: set[tuple[object, ...]] = set()
    gone: set[datetime] = set()
    for moment, age in whole_first:
        if moment in newest or age <= ALL_FOR:
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


def _aged(made: Iterable[datetime], now: datetime) -> Iterator[tuple[datetime, timedelta]]:
    """Each with its age, leaps left out: those of now first, then what is dated ahead of them, then what is before."""
    runs: list[list[datetime]] = []
    for moment in sorted(set(made), reverse=True):
        if not runs or runs[-1][-1] - moment > _LEAP:
            runs.append([])
        runs[-1].append(moment)
    present = next((run for run in runs if run[0] >= now - _LEAP and run[-1] <= now + _LEAP), None)
    age = timedelta(0)
    if present is not None:
        yield from ((moment, now - moment) for moment in present)
        age = max(age, now - present[-1])
    for run in runs:
        if run is not present:
            yield from ((moment, age + (run[0] - moment)) for moment in run)
            age += run[0] - run[-1]
