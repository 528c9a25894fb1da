"""Sections: the rows of the conversation list, as a pure function of the conversations and the time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from PySide6.QtCore import QCoreApplication, QLocale

from sam_py.store.summary import ConversationSummary
from sam_py.ui.widgets.plain import one_line

Kind = Literal["pinned", "folder", "date", "archived"]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading. `key` begins with "§", which no conversation's id does; `folder` is set for folders."""

    key: str
    label: str
    kind: Kind
    count: int
    collapsed: bool = False
    folder: str = ""


Row = Section | str
"""A heading, or the id of a conversation."""


def key_of(row: Row) -> str:
    return row.key if isinstance(row, Section) else row


def arrange(
    newest_first: Iterable[ConversationSummary], now: datetime, folded: Mapping[str, bool], filtered: bool = False
) -> list[Row]:
    """The list's rows: pinned, folders by name, then by date, archived last. O(conversations).

    Archived wins over pinned and pinned over a folder, so a conversation stands in one place. `folded` says which
    sections a person opened or closed; archived ones start closed. With `filtered` everything stands open.
    """
    pinned: list[str] = []
    archived: list[str] = []
    folders: dict[str, list[str]] = {}
    dated: list[tuple[Section, list[str]]] = []
    periods = _periods(now)
    start, section = next(periods)
    members: list[str] | None = None
    for summary in newest_first:
        if summary.archived:
            archived.append(summary.id)
        elif summary.pinned:
            pinned.append(summary.id)
        elif summary.folder:
            folders.setdefault(summary.folder, []).append(summary.id)
        else:
            if summary.updated_at < start:
                members = None
                while summary.updated_at < start:
                    start, section = next(periods)
            if members is None:
                members = []
                dated.append((section, members))
            members.append(summary.id)

    groups = [(Section("§pinned", _("Pinned"), "pinned", 0), pinned)]
    for name in sorted(folders, key=lambda name: (name.casefold(), name)):
        groups.append((Section(f"§folder/{name}", one_line(name), "folder", 0, folder=name), folders[name]))
    groups += dated
    groups.append((Section("§archived", _("Archived"), "archived", 0), archived))
    rows: list[Row] = []
    for section, ids in groups:
        if ids:
            collapsed = not filtered and folded.get(section.key, section.kind == "archived")
            rows.append(Section(section.key, section.label, section.kind, len(ids), collapsed, section.folder))
            if not collapsed:
                rows += ids
    return rows


def next_midnight(now: datetime) -> datetime:
    return _day(now) + timedelta(days=1)


def _(text: str) -> str:
    return QCoreApplication.translate("Sections", text)


def _day(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _periods(now: datetime) -> Iterator[tuple[datetime, Section]]:
    """From when on a section's conversations are, the newest section first; without end."""
    today = _day(now)
    for days, key, label in (
        (0, "today", _("Today")),
        (1, "yesterday", _("Yesterday")),
        (7, "7days", _("Previous 7 days")),
        (30, "30days", _("Previous 30 days")),
    ):
        yield today - timedelta(days=days), Section(f"§{key}", label, "date", 0)
    month = (today - timedelta(days=30)).replace(day=1)
    while month.year == today.year:
        name = QLocale().standaloneMonthName(month.month)
        yield month, Section(f"§{month:%Y-%m}", name[:1].upper() + name[1:], "date", 0)
        if month.month == 1:
            break
        month = month.replace(month=month.month - 1)
    for year in range(month.year if month.year < today.year else today.year - 1, 1, -1):
        yield today.replace(year=year, month=1, day=1), Section(f"§{year}", str(year), "date", 0)
    while True:  # a date before all calendars still has a place
        yield datetime.min.replace(tzinfo=now.tzinfo), Section("§long", _("Long ago"), "date", 0)
