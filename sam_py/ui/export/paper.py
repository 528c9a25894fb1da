"""Paper: where a long text may be cut into pages. A text is a column of bands; a cut never goes through one.

Pure arithmetic, in whatever unit the bands are measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Band:
    """A line of text, a picture or a row of a table. `holds_next`: what follows stands on the same page."""

    top: float
    bottom: float
    holds_next: bool = False


def merged(bands: Iterable[Band]) -> list[Band]:
    """The bands from top to bottom, those that overlap (cells side by side) as one.

    >>> merged([Band(0, 10), Band(2, 12, True), Band(12, 20)])
    [Band(top=0, bottom=12, holds_next=True), Band(top=12, bottom=20, holds_next=False)]
    """
    found: list[Band] = []
    for band in sorted(bands, key=lambda band: (band.top, band.bottom)):
        last = found[-1] if found else None
        if last is not None and band.top < last.bottom - 0.01:
            held = band.holds_next if band.bottom >= last.bottom else last.holds_next
            found[-1] = Band(last.top, max(last.bottom, band.bottom), held)
        else:
            found.append(band)
    return found


def cuts(
    bands: Sequence[Band], room: float, page: float, repeated: Callable[[float], float] = lambda _start: 0.0
) -> Iterator[tuple[float, float]]:
    """The pieces, from and to, that go on one page each: the first has `room`, the others a whole `page`.

    An empty first piece (from = to) says that nothing of it fits where there is `room`. What is held together is
    parted only where it is higher than a page, and so is a single band. `repeated` tells how much of a page that begins
    at some place is taken by what stands there again.

    >>> list(cuts([Band(0, 40), Band(40, 80), Band(80, 120, True), Band(120, 160)], 100, 100))
    [(0, 80), (80, 160)]
    """
    start, left, at = (bands[0].top if bands else 0.0), room, 0
    is_fresh = room >= page - 0.01
    while at < len(bands):
        end = at
        while end < len(bands) and bands[end].bottom - start <= left + 0.01:
            end += 1
        if end < len(bands):
            whole = end
            while end > at and bands[end - 1].holds_next:
                end -= 1
            if end == at and is_fresh:  # a page of its own does not hold it either
                end = max(whole, at + 1)
        if end == at:
            yield start, start
        elif end == at + 1 and bands[at].bottom - start > page + 0.01:
            while bands[at].bottom - start > page + 0.01:  # higher than a page: it is cut where the page ends
                yield start, start + page
                start += page
            yield start, bands[at].bottom
        else:
            yield start, bands[end].top if end < len(bands) else bands[-1].bottom
        at, is_fresh = end, True
        if at < len(bands):
            start = bands[at].top
            left = page - repeated(start)
